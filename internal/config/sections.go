package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"

	"tend/internal/finding"
	"tend/internal/policy"
)

// Keeper is how `tend up` runs.
type Keeper struct {
	Listen  string   // host:port of the dashboard, the API and MCP; "" is no listener
	TLSCert string   // absolute; set together with TLSKey
	TLSKey  string   // absolute
	Hosts   []string // names, besides the loopback ones, by which clients may address it
	Workers int      // jobs at once; 0 is one for each processor
}

// Loopback reports whether an address can be reached from this machine alone.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Alerts is who hears of a finding besides those who look.
type Alerts struct {
	Log        bool
	Webhook    string           // URL, "" is none
	SecretFile string           // absolute; holds the key that signs webhook calls
	Command    []string         // program and arguments
	From       finding.Severity // milder findings alert nobody
	Remind     policy.Duration  // how often an open finding is said again
}

// Curator is how to reach whoever picks entries for promotion, where policy "curator" is not rules.
type Curator struct {
	Command []string
	URL     string // base of the model's API
	Model   string
	KeyFile string // absolute; holds the API key
}

// DefaultListen is where the keeper listens unless told otherwise: this machine only.
const DefaultListen = "127.0.0.1:7433"

func defaultKeeper() Keeper { return Keeper{Listen: DefaultListen} }

func defaultAlerts() Alerts {
	return Alerts{Log: true, From: finding.Warning, Remind: policy.Day}
}

func (d *decoder) keeper(k *Keeper, section *entry) {
	fields := d.mapping(&section.value, "keeper")
	for i := range fields {
		f := &fields[i]
		switch f.key {
		case "listen":
			if s, ok := d.word(f); ok {
				k.Listen = d.listen(f, s)
			}
		case "tls":
			d.tls(k, f)
		case "hosts":
			k.Hosts = d.strs(f)
		case "workers":
			k.Workers, _ = d.number(f, 1, 1024)
		default:
			d.unknown(f, "keeper", "listen", "tls", "hosts", "workers")
		}
	}
	host, _, err := net.SplitHostPort(k.Listen)
	if addr, bad := netip.ParseAddr(host); err == nil && host != "localhost" && (bad != nil || !addr.IsLoopback()) && k.TLSCert == "" {
		d.warnf(section.pos, "add tls: with cert and key, or listen on 127.0.0.1", "tokens would cross the network in the clear")
	}
}

func (d *decoder) listen(f *entry, s string) string {
	if s == "off" {
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

func (d *decoder) tls(k *Keeper, section *entry) {
	fields := d.mapping(&section.value, "tls")
	for i := range fields {
		f := &fields[i]
		switch f.key {
		case "cert":
			k.TLSCert, _ = d.path(f)
		case "key":
			k.TLSKey, _ = d.path(f)
		default:
			d.unknown(f, "tls", "cert", "key")
		}
	}
	if !has(fields, "cert") || !has(fields, "key") {
		d.errorf(section.pos, "name both files", "tls needs cert and key")
	}
}

func (d *decoder) alerts(a *Alerts, section *entry) {
	fields := d.mapping(&section.value, "alerts")
	for i := range fields {
		f := &fields[i]
		switch f.key {
		case "log":
			a.Log, _ = d.boolean(f)
		case "webhook":
			a.Webhook = d.url(f)
		case "secret_file":
			a.SecretFile, _ = d.path(f)
		case "command":
			a.Command = d.command(f)
		case "from":
			if s, ok := d.choice(f, "info", "warning", "error"); ok {
				if err := a.From.UnmarshalText([]byte(s)); err != nil {
					d.errorf(f.value.pos, "", "from: %v", err)
				}
			}
		case "remind":
			if v, ok := d.duration(f); ok {
				a.Remind = v
			}
		default:
			d.unknown(f, "alerts", "log", "webhook", "secret_file", "command", "from", "remind")
		}
	}
}

func (d *decoder) curator(c *Curator, section *entry) {
	fields := d.mapping(&section.value, "curator")
	for i := range fields {
		f := &fields[i]
		switch f.key {
		case "command":
			c.Command = d.command(f)
		case "url":
			c.URL = d.url(f)
		case "model":
			c.Model, _ = d.str(f)
		case "key_file":
			c.KeyFile, _ = d.path(f)
		default:
			d.unknown(f, "curator", "command", "url", "model", "key_file")
		}
	}
}

// tools reads tools.memory.enabled.
func (d *decoder) tools(memory *bool, section *entry) {
	fields := d.mapping(&section.value, "tools")
	for i := range fields {
		f := &fields[i]
		if f.key != "memory" {
			d.unknown(f, "tools", "memory")
			continue
		}
		inner := d.mapping(&f.value, "tools.memory")
		for j := range inner {
			if inner[j].key != "enabled" {
				d.unknown(&inner[j], "tools.memory", "enabled")
				continue
			}
			if b, ok := d.boolean(&inner[j]); ok {
				*memory = b
			}
		}
	}
}

func (d *decoder) url(f *entry) string {
	s, ok := d.str(f)
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		d.errorf(f.value.pos, "write it as https://host/path", "%s is not a web address", f.key)
	case u.User != nil:
		d.errorf(f.value.pos, "keep it in a file of its own and name that file", "%s holds a password", f.key)
	}
	return s
}
