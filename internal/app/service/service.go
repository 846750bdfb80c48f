// Package service writes what an operating system needs to run Tend as a service: systemd units for the keeper, or
// timers without a daemon, a launchd agent on macOS, a task on Windows. It renders the units, installs them and
// removes them.
package service

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/engine/config"
	"tend/internal/model/policy"
)

// Mark is the first line of every file written here; files without it are not ours.
const Mark = "# Written by `tend service install`; changes belong in a drop-in (systemctl edit)."

// Unit is one file to install.
type Unit struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Enable bool   `json:"-"` // start at boot; the others are enabled by hand
}

// Options configure the units.
type Options struct {
	Binary string // absolute path of tend
	Config *config.Config
	System bool   // for the whole machine, else for one user
	User   string // system units run as this user; "" is root
}

// Keeper returns the unit of `tend up`.
func Keeper(o Options) []Unit {
	var b strings.Builder
	writeHead(&b, "Tend: keeps the memory of agents whole, small and true", o)
	if hasRemoteAgents(o.Config) {
		b.WriteString("After=network-online.target\nWants=network-online.target\n")
	}
	b.WriteString("StartLimitIntervalSec=300\nStartLimitBurst=5\n\n[Service]\nType=notify\n")
	fmt.Fprintf(&b, "ExecStart=%s --config %s up\n", quoteWord(o.Binary), quoteWord(o.Config.Path))
	b.WriteString("ExecReload=/bin/kill -HUP $MAINPID\nWatchdogSec=60\nRestart=on-failure\nRestartSec=2\nTimeoutStopSec=60\n")
	if !usesNetwork(o.Config) {
		b.WriteString("IPAddressDeny=any\nIPAddressAllow=localhost\n")
	}
	stateHome(&b, o)
	hardening(&b, o)
	fmt.Fprintf(&b, "\n[Install]\nWantedBy=%s\n", map[bool]string{true: "multi-user.target", false: "default.target"}[o.System])
	return []Unit{{Name: "tend.service", Text: b.String(), Enable: true}}
}

// Timers returns units without a daemon: a timer that runs what is due, once a minute. The job table and the agents'
// schedules decide which jobs are due, in their time zones, exactly as for the keeper.
func Timers(o Options) []Unit {
	const about = "Tend: run the jobs that are due"
	return []Unit{oneshotUnit(o, "tend-due", about, []string{"run", "--due"}), timerUnit("tend-due", about)}
}

func writeHead(b *strings.Builder, about string, o Options) {
	fmt.Fprintf(b, "%s\n[Unit]\nDescription=%s\nDocumentation=man:tend(1)\n", Mark, about)
	fmt.Fprintf(b, "ConditionPathExists=%s\n", escapePercent(o.Config.Path))
}

func oneshotUnit(o Options, name, about string, args []string) Unit {
	var b strings.Builder
	writeHead(&b, about, o)
	b.WriteString("\n[Service]\nType=oneshot\n")
	fmt.Fprintf(&b, "ExecStart=%s --config %s --quiet", quoteWord(o.Binary), quoteWord(o.Config.Path))
	for _, a := range args {
		b.WriteString(" " + quoteWord(a))
	}
	// Drift and locked agents are findings, not failures of the unit.
	b.WriteString("\nSuccessExitStatus=1 4\nTimeoutStartSec=1h\n")
	stateHome(&b, o)
	hardening(&b, o)
	return Unit{Name: name + ".service", Text: b.String()}
}

func timerUnit(name, about string) Unit {
	text := fmt.Sprintf("%s\n[Unit]\nDescription=%s (timer)\n\n[Timer]\nOnCalendar=minutely\nAccuracySec=15s\nPersistent=true\n"+
		"Unit=%s.service\n\n[Install]\nWantedBy=timers.target\n",
		Mark, about, name)
	return Unit{Name: name + ".timer", Text: text, Enable: true}
}

// stateHome pins the state folder if the configuration leaves it to the environment: the unit's environment is not
// the installer's.
func stateHome(b *strings.Builder, o Options) {
	if filepath.Base(o.Config.StateDir) == "tend" {
		fmt.Fprintf(b, "Environment=%s\n", quoteWord("XDG_STATE_HOME="+filepath.Dir(o.Config.StateDir)))
	}
}

// hardened disables everything that Tend's units do not need.
//
//go:embed units/hardened.conf
var hardened string

// hardening restricts a unit to what it needs.
func hardening(b *strings.Builder, o Options) {
	if o.System && o.User != "" {
		fmt.Fprintf(b, "User=%s\n", o.User)
	}
	b.WriteString("NoNewPrivileges=yes\nProtectSystem=strict\n")
	if !isTemporary(o) {
		b.WriteString("PrivateTmp=yes\n")
	}
	b.WriteString(hardened)
	switch {
	case !o.System:
	case o.User == "" || o.User == "root":
		// Agents' files belong to their users, and must keep their owners.
		b.WriteString("SystemCallFilter=@chown\nCapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER\n")
	default:
		b.WriteString("CapabilityBoundingSet=\nAmbientCapabilities=\n")
	}
	for _, dir := range writableFolders(o.Config) {
		// The dash ignores a missing folder: it concerns only its agent.
		fmt.Fprintf(b, "ReadWritePaths=%s\n", quotePath("-"+dir))
	}
}

// writableFolders returns the folders Tend writes to, without those inside others.
func writableFolders(c *config.Config) []string {
	dirs := []string{c.StateDir, c.ArchiveDir}
	for _, a := range c.Agents {
		if a.Workspace.Kind == config.Local {
			dirs = append(dirs, a.Workspace.Path)
		}
		for _, b := range a.Baselines {
			dirs = append(dirs, filepath.Dir(b.Source))
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	var out []string
	for _, d := range dirs {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(d, o+"/") }) {
			out = append(out, d)
		}
	}
	// For many workspaces side by side their common folder is enough.
	if len(out) > 40 {
		for i, d := range out {
			out[i] = filepath.Dir(d)
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

func hasRemoteAgents(c *config.Config) bool {
	return slices.ContainsFunc(c.Agents, func(a config.Agent) bool { return a.Workspace.Kind != config.Local })
}

// usesNetwork reports whether Tend connects to other machines or serves them.
func usesNetwork(c *config.Config) bool {
	return hasRemoteAgents(c) || c.Alerts.Webhook != "" || len(c.Alerts.Command) > 0 || asksCurator(c) ||
		c.Keeper.Listen != "" && !config.Loopback(c.Keeper.Listen)
}

// isTemporary reports whether any path is in /tmp or /var/tmp, which PrivateTmp would hide.
func isTemporary(o Options) bool {
	return slices.ContainsFunc(append(writableFolders(o.Config), o.Config.Path, o.Binary), func(name string) bool {
		return strings.HasPrefix(name, "/tmp/") || strings.HasPrefix(name, "/var/tmp/")
	})
}

// Check rejects paths that cannot be written in a unit.
func Check(o Options) error {
	for _, name := range append(writableFolders(o.Config), o.Config.Path, o.Binary) {
		if strings.ContainsAny(name, "\n\r") {
			return fmt.Errorf("%q contains a line break, which a unit cannot express", name)
		}
	}
	if strings.Contains(o.Binary, "$") {
		return fmt.Errorf("%s contains a $, which systemd does not accept in a program's path: move the program", o.Binary)
	}
	return nil
}

// escapePercent escapes systemd's specifiers in a text.
func escapePercent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// quoteWord quotes a word for ExecStart: % and $ are special to systemd, spaces need quotes.
func quoteWord(s string) string { return quotePath(strings.ReplaceAll(s, "$", "$$")) }

// quotePath quotes a word where variables are not expanded.
func quotePath(s string) string {
	s = strings.NewReplacer("%", "%%", `\`, `\\`, `"`, `\"`).Replace(s)
	if strings.ContainsAny(s, " \t'\"\\") {
		return `"` + s + `"`
	}
	return s
}

// asksCurator reports whether a model curates any agent's memory.
func asksCurator(c *config.Config) bool {
	return slices.ContainsFunc(c.Agents, func(a config.Agent) bool { return !policy.Curator.Of(a.Policy).Off() })
}
