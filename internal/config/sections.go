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
	d.section(&section.value, "keeper", []field{
		{"listen", func(f *entry) { k.Listen = d.listen(f) }},
		{"tls", func(f *entry) { d.tls(k, f) }},
		{"hosts", func(f *entry) { k.Hosts = d.strs(f) }},
		{"workers", func(f *entry) { k.Workers, _ = d.number(f, 1, 1024) }},
	})
	if _, _, err := net.SplitHostPort(k.Listen); err == nil && !Loopback(k.Listen) && k.TLSCert == "" {
		d.warnf(section.pos, "add tls: with cert and key, or listen on 127.0.0.1", "tokens would cross the network in the clear")
	}
}

func (d *decoder) listen(f *entry) string {
	s, ok := d.word(f)
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

func (d *decoder) tls(k *Keeper, section *entry) {
	fields := d.section(&section.value, "tls", []field{{"cert", put(&k.TLSCert, d.path)}, {"key", put(&k.TLSKey, d.path)}})
	if !has(fields, "cert") || !has(fields, "key") {
		d.errorf(section.pos, "name both files", "tls needs cert and key")
	}
}

func (d *decoder) alerts(a *Alerts, section *entry) {
	d.section(&section.value, "alerts", []field{
		{"log", put(&a.Log, d.boolean)},
		{"webhook", func(f *entry) { a.Webhook = d.url(f) }},
		{"secret_file", put(&a.SecretFile, d.path)},
		{"command", func(f *entry) { a.Command = d.command(f) }},
		{"from", func(f *entry) {
			if s, ok := d.choice(f, "info", "warning", "error"); ok {
				_ = a.From.UnmarshalText([]byte(s)) // it is one of the three
			}
		}},
		{"remind", putGood(&a.Remind, d.duration)},
	})
}

func (d *decoder) curator(c *Curator, section *entry) {
	d.section(&section.value, "curator", []field{
		{"command", func(f *entry) { c.Command = d.command(f) }},
		{"url", func(f *entry) { c.URL = d.url(f) }},
		{"model", put(&c.Model, d.str)},
		{"key_file", put(&c.KeyFile, d.path)},
	})
}

// tools reads tools.memory.enabled.
func (d *decoder) tools(memory *bool, section *entry) {
	d.section(&section.value, "tools", []field{{"memory", func(f *entry) {
		d.section(&f.value, "tools.memory", []field{{"enabled", putGood(memory, d.boolean)}})
	}}})
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
