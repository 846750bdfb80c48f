package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kevinburke/ssh_config"
)

// host is a target with everything ssh_config says of it.
type host struct {
	alias, name, user string
	port              int
	keys              []string // files
	onlyKeys          bool     // and no others that the agent may hold
	agent             string   // socket
	known             []string // files
	knownAs           string   // the name to look for in them
	jumps             []host
}

func (h host) addr() string { return net.JoinHostPort(h.name, strconv.Itoa(h.port)) }

func (h host) key() string { return h.user + "@" + h.alias + ">" + h.addr() }

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
		return strings.Trim(v, `"`)
	}
	if command := get("ProxyCommand"); command != "" && command != "none" {
		return host{}, fmt.Errorf("host %s: ssh_config has a ProxyCommand, which tend does not run (use ProxyJump)", t.Host)
	}
	h := host{alias: t.Host, name: t.Host, user: t.User, port: t.Port, agent: p.opt.AgentSock, onlyKeys: get("IdentitiesOnly") == "yes"}
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
	h.knownAs = h.addr()
	if alias := get("HostKeyAlias"); alias != "" {
		h.knownAs = net.JoinHostPort(alias, "22")
	}
	switch sock := get("IdentityAgent"); sock {
	case "", "SSH_AUTH_SOCK":
	case "none":
		h.agent = ""
	default:
		h.agent = p.expand(sock)
	}
	files, _ := cfg.GetAll(t.Host, "IdentityFile")
	for _, f := range files {
		h.keys = append(h.keys, p.expand(f))
	}
	if len(h.keys) == 0 {
		for _, n := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			h.keys = append(h.keys, filepath.Join(p.opt.Home, ".ssh", n))
		}
	}
	if h.known = p.opt.KnownHosts; len(h.known) == 0 {
		for f := range strings.FieldsSeq(get("UserKnownHostsFile")) {
			h.known = append(h.known, p.expand(f))
		}
	}
	if len(h.known) == 0 {
		h.known = []string{filepath.Join(p.opt.Home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
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
