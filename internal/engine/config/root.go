package config

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"tend/internal/model/finding"
	"tend/internal/model/policy"
)

// defaults is what an agent has unless it sets something else.
type defaults struct {
	layout      string
	layoutAt    pos
	location    *time.Location
	memoryTools bool
	overlay     overlay
}

// readConfig reads the whole file. Sections that others depend on are read first, whatever their order.
func (d *decoder) readConfig(cfg *Config, root *node) {
	if root.kind == nullNode {
		d.errorf(pos{1, 1}, "`tend init` writes one", "the file is empty")
		return
	}
	if root.kind != mappingNode {
		d.readMapping(root, "the file")
		return
	}
	d.checkVersion(root)
	cfg.StateDir = d.env.DefaultStateDir()
	base := defaults{location: time.Local, memoryTools: true, overlay: overlay{source: "tend.yaml defaults"}}
	var agents, stateAt, archiveAt *entry
	d.readSection(root, "the file", []field{
		{"version", func(*entry) {}},
		{"state_dir", func(e *entry) {
			if dir, ok := d.readPath(e); ok {
				cfg.StateDir, stateAt = dir, e
			}
		}},
		{"archive_dir", func(e *entry) {
			if dir, ok := d.readPath(e); ok {
				cfg.ArchiveDir, archiveAt = dir, e
			}
		}},
		{"baseline_signers", put(&cfg.Signers, d.readPath)},
		{"defaults", func(e *entry) { d.readDefaults(&base, e) }},
		{"layouts", func(e *entry) {
			d.readLayouts(e, root.lineAfter(e))
			cfg.Layouts = d.texts
		}},
		{"agents", func(e *entry) { agents = e }},
		{"keeper", func(e *entry) { d.readKeeper(&cfg.Keeper, e) }},
		{"alerts", func(e *entry) { d.readAlerts(&cfg.Alerts, e) }},
		{"curator", func(e *entry) { d.readShorthand(&base.overlay, "curator", e) }},
		{"store", func(e *entry) { d.readStore(&cfg.Store, e) }},
		{"tools", func(e *entry) { d.readTools(&base.memoryTools, e) }},
	})
	if cfg.ArchiveDir == "" {
		cfg.ArchiveDir = filepath.Join(cfg.StateDir, "archive")
	}
	d.applyOverlay(policy.Policy{}, &base.overlay)
	if agents == nil {
		return
	}
	d.readAgents(cfg, &agents.value, &base)
	d.checkOverlaps(cfg, stateAt, archiveAt)
}

func (d *decoder) checkVersion(root *node) {
	for _, e := range root.entries {
		if e.key == "version" {
			if v := e.value.value(); v != 1 {
				d.errorf(e.pos, "write version: 1", "this Tend supports version 1 of tend.yaml, not %v", v)
			}
			return
		}
	}
	d.errorf(root.pos, "begin the file with version: 1", "the file has no version")
}

// lineAfter returns the line of the entry below e, 0 if it is the last.
func (n *node) lineAfter(e *entry) int {
	for _, next := range n.entries {
		if next.line > e.line {
			return next.line
		}
	}
	return 0
}

func (d *decoder) readDefaults(base *defaults, section *entry) {
	d.readSection(&section.value, "defaults", []field{
		{"layout", func(f *entry) {
			base.layoutAt = f.value.pos
			base.layout, _ = d.readText(f)
		}},
		{"timezone", putGood(&base.location, d.readTimezone)},
		{"automation", func(f *entry) { d.readShorthand(&base.overlay, "automation", f) }},
		{"separator", func(f *entry) { d.readShorthand(&base.overlay, "baseline.separator", f) }},
		{"policy", func(f *entry) { d.readPolicy(&base.overlay, "", &f.value, "policy of defaults") }},
	})
}

// Keeper configures `tend up`.
type Keeper struct {
	Listen  string   // host:port of the dashboard, the API and MCP; "" is no listener
	TLSCert string   // absolute; set together with TLSKey
	TLSKey  string   // absolute
	Hosts   []string // names, besides the loopback ones, by which clients may address it
	Workers int      // jobs at once; 0 is one for each processor
}

// Dashboard returns the dashboard's address for a browser, given the one it listens on; "" if it does not listen.
func (k Keeper) Dashboard(addr string) string {
	if addr == "" {
		return ""
	}
	scheme := "http://"
	if k.TLSCert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + addr + "/"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
		if len(k.Hosts) > 0 {
			host = k.Hosts[0]
		}
	}
	return scheme + net.JoinHostPort(host, port) + "/"
}

// Loopback reports whether an address can be reached only from this machine.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Alerts configures how findings are reported besides the log and the dashboard.
type Alerts struct {
	Log        bool
	Webhook    string           // URL, "" is none
	SecretFile string           // absolute; contains the key that signs webhook calls
	Command    []string         // program and arguments
	From       finding.Severity // less severe findings raise no alert
	Remind     policy.Duration  // how often an open finding is repeated
}

// DefaultListen is where the keeper listens by default: this machine only.
const DefaultListen = "127.0.0.1:7433"

func defaultKeeper() Keeper { return Keeper{Listen: DefaultListen} }

func defaultAlerts() Alerts {
	return Alerts{Log: true, From: finding.Warning, Remind: policy.Day}
}

func (d *decoder) readKeeper(k *Keeper, section *entry) {
	d.readSection(&section.value, "keeper", []field{
		{"listen", func(f *entry) { k.Listen = d.readListen(f) }},
		{"tls", func(f *entry) { d.readTLS(k, f) }},
		{"hosts", func(f *entry) { k.Hosts = d.readTexts(f) }},
		{"workers", func(f *entry) { k.Workers, _ = d.readNumber(f, 1, 1024) }},
	})
	if _, _, err := net.SplitHostPort(k.Listen); err == nil && !Loopback(k.Listen) && k.TLSCert == "" {
		d.warnf(section.pos, "add tls: with cert and key, or listen on 127.0.0.1", "tokens would be sent over the network unencrypted")
	}
}

func (d *values) readListen(f *entry) string {
	s, ok := d.readWord(f)
	if !ok || s == "off" {
		return ""
	}
	if _, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.Atoi(port); err == nil && n >= 0 && n <= 65535 {
			return s
		}
	}
	d.errorf(f.value.pos, "write host:port such as "+DefaultListen+", or off", "listen cannot be %q", s)
	return ""
}

func (d *decoder) readTLS(k *Keeper, section *entry) {
	fields := d.readSection(&section.value, "tls", []field{{"cert", put(&k.TLSCert, d.readPath)}, {"key", put(&k.TLSKey, d.readPath)}})
	if !hasKey(fields, "cert") || !hasKey(fields, "key") {
		d.errorf(section.pos, "name both files", "tls needs cert and key")
	}
}

func (d *decoder) readAlerts(a *Alerts, section *entry) {
	d.readSection(&section.value, "alerts", []field{
		{"log", put(&a.Log, d.readBool)},
		{"webhook", func(f *entry) { a.Webhook = d.readURL(f) }},
		{"secret_file", put(&a.SecretFile, d.readPath)},
		{"command", func(f *entry) { a.Command = d.readCommand(f) }},
		{"from", func(f *entry) {
			if s, ok := d.readChoice(f, "info", "warning", "error"); ok {
				_ = a.From.UnmarshalText([]byte(s)) // it is one of the three
			}
		}},
		{"remind", putGood(&a.Remind, d.readDuration)},
	})
}

// readTools reads tools.memory.enabled.
func (d *decoder) readTools(memory *bool, section *entry) {
	d.readSection(&section.value, "tools", []field{{"memory", func(f *entry) {
		d.readSection(&f.value, "tools.memory", []field{{"enabled", putGood(memory, d.readBool)}})
	}}})
}

func (d *values) readURL(f *entry) string {
	s, ok := d.readText(f)
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		d.errorf(f.value.pos, "write it as https://host/path", "%s is not a web address", f.key)
	case u.User != nil:
		d.errorf(f.value.pos, "keep it in a separate file and name that file", "%s contains a password", f.key)
	}
	return s
}
