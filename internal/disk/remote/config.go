package remote

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kevinburke/ssh_config"

	"tend/internal/disk/fsys"
)

// host is a target with its settings from ssh_config.
type host struct {
	alias, name, user string
	port              int
	keys              []string // files
	certs             []string // certificate files for them, besides those named after a key
	onlyKeys          bool     // no other keys of the agent
	agent             string   // socket
	known             []string // files
	knownAs           string   // the name to look for in them
	jumps             []host
}

func (h host) addr() string { return net.JoinHostPort(h.name, strconv.Itoa(h.port)) }

// key is what connections are shared by.
func (h host) key() string { return h.user + "@" + h.alias + ">" + h.addr() }

// readSettings reads ssh_config for a target. User, host and port of the target take precedence.
func (p *Pool) readSettings(t Target) (host, error) {
	file := cmp.Or(p.opt.ConfigFile, filepath.Join(p.opt.Home, ".ssh", "config"))
	text, err := fsys.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return host{}, err
	}
	cfg, err := ssh_config.DecodeBytes([]byte(markUnjudged(string(text))))
	if err != nil {
		return host{}, fmt.Errorf("read %s: %w", file, err)
	}
	return p.resolveHost(cfg, t, 0)
}

// settings are what ssh_config says about a host.
type settings struct {
	cfg  *ssh_config.Config
	name string
}

func (s settings) get(key string) string {
	v, _ := s.cfg.Get(s.name, key)
	return strings.Trim(v, `"`)
}

// whyRefused returns why a host cannot be reached with its settings.
func (s settings) whyRefused() error {
	if command := s.get("ProxyCommand"); command != "" && command != "none" {
		return fmt.Errorf("host %s: ssh_config has a ProxyCommand, which tend does not run (use ProxyJump)", s.name)
	}
	if line := s.get(unjudged); line != "" {
		return fmt.Errorf("host %s: cannot decide whether `%s` in ssh_config applies (put its settings into a Host block, and limit "+
			"the Match line to its hosts with `originalhost`)", s.name, line)
	}
	if list := s.get("RevokedHostKeys"); list != "" && list != "none" {
		return fmt.Errorf("host %s: ssh_config has RevokedHostKeys, which tend does not read (put the keys as @revoked lines "+
			"into a known_hosts file)", s.name)
	}
	return nil
}

// resolveHost resolves a target as ssh would, following ProxyJump; depth stops loops.
func (p *Pool) resolveHost(cfg *ssh_config.Config, t Target, depth int) (host, error) {
	if depth > 4 {
		return host{}, errors.New("too many jump hosts")
	}
	s := settings{cfg, t.Host}
	if err := s.whyRefused(); err != nil {
		return host{}, err
	}
	h := host{alias: t.Host, name: t.Host, user: t.User, port: t.Port, agent: p.opt.AgentSock,
		onlyKeys: strings.EqualFold(s.get("IdentitiesOnly"), "yes")}
	if name := s.get("HostName"); name != "" {
		h.name = strings.NewReplacer("%%", "%", "%h", t.Host).Replace(name)
	}
	me := ""
	if u, err := user.Current(); err == nil {
		me = u.Username
	}
	h.user = cmp.Or(h.user, s.get("User"), me)
	if port := s.get("Port"); h.port == 0 && port != "" {
		var err error
		if h.port, err = strconv.Atoi(port); err != nil {
			return host{}, fmt.Errorf("host %s: ssh_config has the port %q, which is not a number", t.Host, port)
		}
	}
	h.port = cmp.Or(h.port, 22)
	h.knownAs = h.addr()
	if alias := s.get("HostKeyAlias"); alias != "" {
		h.knownAs = net.JoinHostPort(alias, "22")
	}
	p.setFiles(s, &h, me)
	if jump := s.get("ProxyJump"); jump != "" && jump != "none" {
		for one := range strings.SplitSeq(jump, ",") {
			to, err := jumpTarget(strings.TrimSpace(one))
			if err != nil {
				return h, fmt.Errorf("host %s: %w", t.Host, err)
			}
			j, err := p.resolveHost(cfg, to, depth+1)
			if err != nil {
				return h, err
			}
			h.jumps = append(append(h.jumps, j.jumps...), j)
		}
	}
	return h, nil
}

// setFiles sets the agent's socket and the files with keys, certificates and known hosts.
func (p *Pool) setFiles(s settings, h *host, me string) {
	tokens := strings.NewReplacer("%%", "%", "%d", p.opt.Home, "%h", h.name, "%n", h.alias, "%p", strconv.Itoa(h.port), "%r", h.user, "%u",
		me, "%k", cmp.Or(s.get("HostKeyAlias"), h.alias))
	expand := func(s string) string {
		s = tokens.Replace(s)
		if rest, ok := strings.CutPrefix(s, "~/"); ok {
			s = filepath.Join(p.opt.Home, rest)
		}
		return s
	}
	switch sock := s.get("IdentityAgent"); sock {
	case "", "SSH_AUTH_SOCK":
	case "none":
		h.agent = ""
	default:
		h.agent = expand(sock)
	}
	all := func(key string) (list []string) {
		files, _ := s.cfg.GetAll(s.name, key)
		for _, f := range files {
			list = append(list, expand(strings.Trim(f, `"`)))
		}
		return list
	}
	h.keys, h.certs = all("IdentityFile"), all("CertificateFile")
	if len(h.keys) == 0 {
		for _, n := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			h.keys = append(h.keys, filepath.Join(p.opt.Home, ".ssh", n))
		}
	}
	if h.known = p.opt.KnownHosts; len(h.known) > 0 {
		return
	}
	user, _ := s.cfg.Get(s.name, "UserKnownHostsFile")
	system, _ := s.cfg.Get(s.name, "GlobalKnownHostsFile")
	for _, f := range append(splitWords(cmp.Or(user, "~/.ssh/known_hosts")), splitWords(cmp.Or(system, "/etc/ssh/ssh_known_hosts"))...) {
		if f != "none" {
			h.known = append(h.known, expand(f))
		}
	}
}

func jumpTarget(s string) (t Target, err error) {
	s = strings.TrimPrefix(s, "ssh://")
	if at := strings.LastIndex(s, "@"); at >= 0 {
		if t.User, s = s[:at], s[at+1:]; strings.Contains(t.User, ":") {
			return t, errors.New("ProxyJump with a password in the address: use a key or the ssh agent")
		}
	}
	t.Host = s
	if name, port, err := net.SplitHostPort(s); err == nil {
		t.Host = name
		t.Port, _ = strconv.Atoi(port)
	}
	return t, nil
}

// unjudged marks blocks of ssh_config that may or may not apply.
const unjudged = "TendUnjudged"

// markUnjudged rewrites a configuration: Match blocks that depend on more than the host's name, for example on a command's
// result, become marked blocks for the hosts they may apply to. Ignoring them could lead to another host, or to
// another user.
func markUnjudged(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		w := splitWords(line)
		if len(w) < 2 || !strings.EqualFold(w[0], "match") || isUnderstood(w[1:]) {
			b.WriteString(line)
			continue
		}
		hosts := "*"
		for i := 1; i+1 < len(w); i++ {
			if strings.EqualFold(w[i], "host") || strings.EqualFold(w[i], "originalhost") {
				hosts = strings.ReplaceAll(w[i+1], ",", " ")
			}
		}
		fmt.Fprintf(&b, "Host %s\n%s %s\n", hosts, unjudged, strings.TrimSpace(line))
	}
	return b.String()
}

// isUnderstood reports whether a Match applies by the host's name alone.
func isUnderstood(criteria []string) bool {
	switch len(criteria) {
	case 1:
		return strings.EqualFold(criteria[0], "all")
	case 2:
		return strings.EqualFold(criteria[0], "host")
	}
	return false
}

// splitWords returns the parts of a value; some may be quoted.
func splitWords(s string) []string {
	var all []string
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}
