package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kevinburke/ssh_config"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"tend/internal/fsys"
)

// host is a target with everything ssh_config says of it.
type host struct {
	alias, name, user string
	port              int
	keys              []string
	known             []string
	jumps             []host
}

// resolve reads ssh_config for a target. User, host and port of the target win.
func (p *Pool) resolve(t Target) (host, error) {
	file := p.opt.ConfigFile
	if file == "" {
		file = filepath.Join(p.opt.Home, ".ssh", "config")
	}
	cfg := &ssh_config.Config{}
	f, err := os.Open(file)
	if err == nil {
		defer f.Close()
		if cfg, err = ssh_config.Decode(f); err != nil {
			return host{}, fmt.Errorf("read %s: %w", file, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return host{}, err
	}
	return p.lookup(cfg, t, 0)
}

func (p *Pool) lookup(cfg *ssh_config.Config, t Target, depth int) (host, error) {
	if depth > 4 {
		return host{}, errors.New("too many jump hosts")
	}
	get := func(key string) string {
		v, _ := cfg.Get(t.Host, key)
		return v
	}
	h := host{alias: t.Host, name: t.Host, user: t.User, port: t.Port}
	if name := get("HostName"); name != "" {
		h.name = strings.ReplaceAll(name, "%h", t.Host)
	}
	if h.user == "" {
		h.user = get("User")
	}
	if h.user == "" {
		if u, err := user.Current(); err == nil {
			h.user = u.Username
		}
	}
	if h.port == 0 {
		h.port, _ = strconv.Atoi(get("Port"))
	}
	if h.port == 0 {
		h.port = 22
	}
	all := func(key string) []string {
		vs, _ := cfg.GetAll(t.Host, key)
		var out []string
		for _, v := range vs {
			for f := range strings.FieldsSeq(v) {
				out = append(out, p.expand(f))
			}
		}
		return out
	}
	if h.keys = all("IdentityFile"); len(h.keys) == 0 {
		for _, n := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			h.keys = append(h.keys, filepath.Join(p.opt.Home, ".ssh", n))
		}
	}
	if h.known = p.opt.KnownHosts; len(h.known) == 0 {
		if h.known = all("UserKnownHostsFile"); len(h.known) == 0 {
			h.known = []string{filepath.Join(p.opt.Home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
		}
	}
	if jump := get("ProxyJump"); jump != "" && jump != "none" {
		for one := range strings.SplitSeq(jump, ",") {
			j, err := p.lookup(cfg, jumpTarget(strings.TrimSpace(one)), depth+1)
			if err != nil {
				return h, err
			}
			h.jumps = append(append(h.jumps, j.jumps...), j)
		}
	}
	return h, nil
}

func jumpTarget(s string) Target {
	var t Target
	s = strings.TrimPrefix(s, "ssh://")
	if u, rest, ok := strings.Cut(s, "@"); ok {
		t.User, s = u, rest
	}
	t.Host = s
	if name, port, err := net.SplitHostPort(s); err == nil {
		t.Host = name
		t.Port, _ = strconv.Atoi(port)
	}
	return t
}

func (p *Pool) expand(s string) string {
	s = strings.Trim(s, `"`)
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		return filepath.Join(p.opt.Home, rest)
	}
	return strings.ReplaceAll(s, "%d", p.opt.Home)
}

// dial connects, through jump hosts if there are any. under are the clients to
// close, nearest first.
func dial(ctx context.Context, h host, o Options) (client *ssh.Client, under []io.Closer, err error) {
	defer func() {
		if err != nil {
			for _, u := range under {
				u.Close()
			}
		}
	}()
	for i, hop := range append(append([]host{}, h.jumps...), h) {
		var nc net.Conn
		if i == 0 {
			d := net.Dialer{Timeout: o.Timeout}
			nc, err = d.DialContext(ctx, "tcp", hop.addr())
		} else {
			nc, err = client.DialContext(ctx, "tcp", hop.addr())
		}
		if err != nil {
			return nil, under, fmt.Errorf("connect to %s: %w: %w", hop.addr(), fsys.ErrUnreachable, err)
		}
		next, err := handshake(nc, hop, o)
		if err != nil {
			nc.Close()
			return nil, under, err
		}
		client = next
		under = append([]io.Closer{next}, under...)
	}
	return client, under, nil
}

func handshake(nc net.Conn, h host, o Options) (*ssh.Client, error) {
	db, err := knownHosts(h.known)
	if err != nil {
		return nil, err
	}
	auth, done, err := methods(h, o)
	if err != nil {
		return nil, err
	}
	defer done()
	var hostKey error
	conf := &ssh.ClientConfig{
		User: h.user, Auth: auth, Timeout: o.Timeout,
		HostKeyAlgorithms: db.HostKeyAlgorithms(h.addr()),
		HostKeyCallback: func(name string, addr net.Addr, key ssh.PublicKey) error {
			hostKey = judge(db.HostKeyCallback()(name, addr, key), h, key)
			return hostKey
		},
	}
	_ = nc.SetDeadline(time.Now().Add(o.Timeout)) // the whole handshake, not only the connection
	c, chans, reqs, err := ssh.NewClientConn(nc, h.addr(), conf)
	switch {
	case hostKey != nil:
		return nil, hostKey
	case err != nil && strings.Contains(err.Error(), "unable to authenticate"):
		return nil, fmt.Errorf("log in to %s as %s: %w (no key was accepted; tend never asks for a password)", h.addr(), h.user, ErrDenied)
	case err != nil:
		return nil, fmt.Errorf("talk to %s: %w: %w", h.addr(), fsys.ErrUnreachable, err)
	}
	_ = nc.SetDeadline(time.Time{})
	return ssh.NewClient(c, chans, reqs), nil
}

func knownHosts(files []string) (*knownhosts.HostKeyDB, error) {
	var there []string
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			there = append(there, f)
		}
	}
	db, err := knownhosts.NewDB(there...)
	if err != nil {
		return nil, fmt.Errorf("read known hosts: %w", err)
	}
	return db, nil
}

// judge says what is wrong with a host key, and what to do about it.
func judge(err error, h host, key ssh.PublicKey) error {
	print := ssh.FingerprintSHA256(key)
	switch {
	case err == nil:
		return nil
	case knownhosts.IsHostKeyChanged(err):
		return fmt.Errorf("%s shows another key than the known one: %s %s: %w (somebody may be in between; if the host was set up anew, remove its line from %s)",
			h.addr(), key.Type(), print, ErrHostKey, strings.Join(h.known, ", "))
	case knownhosts.IsHostUnknown(err):
		return fmt.Errorf("%s is not a known host: %s %s: %w (compare the fingerprint on the host, then run `ssh -p %d %s` once)",
			h.addr(), key.Type(), print, ErrHostKey, h.port, h.name)
	}
	return fmt.Errorf("%s: %w: %w", h.addr(), ErrHostKey, err)
}

// methods are the ways to log in: the agent's keys and the key files. Never a password.
func methods(h host, o Options) ([]ssh.AuthMethod, func(), error) {
	var signers []ssh.Signer
	done := func() {}
	if o.AgentSock != "" {
		if sock, err := net.DialTimeout("unix", o.AgentSock, o.Timeout); err == nil {
			done = func() { sock.Close() }
			if keys, err := agent.NewClient(sock).Signers(); err == nil {
				signers = append(signers, keys...)
			}
		}
	}
	for _, name := range h.keys {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			done()
			return nil, nil, err
		}
		key, err := ssh.ParsePrivateKey(text)
		var locked *ssh.PassphraseMissingError
		if errors.As(err, &locked) {
			continue // an agent may hold it
		}
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("read key %s: %w", name, err)
		}
		signers = append(signers, key)
	}
	if len(signers) == 0 {
		done()
		return nil, nil, fmt.Errorf("log in to %s as %s: %w (there is no key: neither an SSH agent nor a key file without passphrase)", h.addr(), h.user, ErrDenied)
	}
	return []ssh.AuthMethod{ssh.PublicKeys(signers...)}, done, nil
}
