// Package config reads tend.yaml: which agents there are, where they live, and their layout and policy.
//
// Reading is strict. An unknown key, a value of the wrong type, a duplicate name or a path that would put state
// within an agent's reach is an error with file, line, column and a hint, and all errors are reported at once. Paths
// are relative to the file's folder, `~` is the user's home, variables are not expanded.
//
// It also writes tend.yaml: a new one, one with an agent added to the operator's own text, and one converted from a
// memory-shepherd.conf.
package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

// Config is a valid tend.yaml. It is not changed afterwards.
type Config struct {
	Path       string // absolute, "" for one that was never a file
	StateDir   string // absolute; in no workspace
	ArchiveDir string // absolute; in no workspace
	Signers    string // absolute; public keys whose signatures approvals need, "" for none
	Agents     []Agent
	Layouts    map[string]string // the operator's own, as they are written
	Keeper     Keeper
	Alerts     Alerts
	Store      Store
	Warnings   []Problem // allowed but probably wrong

	byName map[string]int
}

// Agent is a named owner of one workspace.
type Agent struct {
	Name        string
	Description string
	Enabled     bool // false: the keeper and --all skip it
	Workspace   Workspace
	Layout      layout.Layout
	Policy      policy.Policy
	Location    *time.Location // of every day boundary
	Baselines   []Baseline     // in file order
	ArchiveDir  string         // absolute; may be shared by agents
	MemoryTools bool           // whether the MCP server offers the memory tools
	Line        int            // in tend.yaml

	at pos
}

// Automation returns what Tend may do without being asked.
func (a Agent) Automation() policy.AutomationLevel { return policy.Automation.Of(a.Policy) }

// Separator returns the line between baseline and notes.
func (a Agent) Separator() string { return policy.BaselineSeparator.Of(a.Policy) }

// LineOf returns the separator that divides a file with this baseline: its layout says whether both write it.
func (a Agent) LineOf(file string, baseline []byte) string {
	return a.Layout.LineOf(file, baseline, a.Separator())
}

// Baseline is the operator's text for one file.
type Baseline struct {
	File   string // in the workspace, slash-separated
	Source string // absolute path of the operator's text

	at pos
}

// maxBytes bounds the size of a configuration: some hundred thousand agents.
const maxBytes = 64 << 20

// Load reads the tend.yaml at path. If it has problems, the error is an *Error with all of them.
func Load(path string, env Env) (*Config, error) {
	path, err := env.Abs(path, env.Dir)
	if err != nil {
		return nil, fmt.Errorf("read config: %w", err)
	}
	text, err := readText(path)
	if err != nil {
		return nil, fmt.Errorf("read config: %w", err)
	}
	if err := checkOwner(path, env); err != nil {
		return nil, err
	}
	cfg, err := Parse(path, text, env)
	if err != nil {
		return cfg, err
	}
	if a, in := cfg.agentAround(path); in {
		return nil, untrustedError("%s is in the workspace of its own agent %s, which can change it; move it elsewhere", path, a)
	}
	return cfg, nil
}

// readText reads a regular file of reasonable size.
func readText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("not a regular file")}
	case info.Size() > maxBytes:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%d bytes is too large for a configuration", info.Size())}
	}
	return fsys.ReadFile(path)
}

// Parse parses text as the tend.yaml at path, which need not exist yet.
func Parse(path string, text []byte, env Env) (*Config, error) {
	d := newDecoder(path, strings.TrimPrefix(string(text), "\ufeff"), env)
	cfg := &Config{Path: path, Keeper: defaultKeeper(), Alerts: defaultAlerts(), Store: defaultStore(), byName: map[string]int{}}
	if root, ok := d.parse(); ok {
		d.readConfig(cfg, &root)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	sortProblems(d.warnings)
	cfg.Warnings = d.warnings
	return cfg, nil
}

// Names returns the names of all agents, in file order.
func (c *Config) Names() []string {
	names := make([]string, len(c.Agents))
	for i, a := range c.Agents {
		names[i] = a.Name
	}
	return names
}

// At returns the agent whose workspace on this machine is or contains a folder; "" if there is none. Of several, the
// innermost.
func (c *Config) At(dir string) string {
	dir = filepath.Clean(dir)
	best, name := 0, ""
	for _, a := range c.Agents {
		if ws := a.Workspace; ws.Kind == Local && len(ws.Path) > best && isInside(dir, ws.Path) {
			best, name = len(ws.Path), a.Name
		}
	}
	return name
}

// AgentAt returns the agent whose workspace is this folder, "" if there is none.
func (c *Config) AgentAt(dir string) string {
	for _, a := range c.Agents {
		if a.Workspace.Kind == Local && a.Workspace.Path == dir {
			return a.Name
		}
	}
	return ""
}

// Agent finds an agent by name. The error suggests the one that was probably meant and lists all.
func (c *Config) Agent(name string) (Agent, error) {
	if i, ok := c.byName[name]; ok {
		return c.Agents[i], nil
	}
	names := c.Names()
	return Agent{}, &UnknownAgentError{Name: name, Config: c.Path, Nearest: policy.Nearest(name, names), Known: names}
}

// UnknownAgentError is a name that is not in tend.yaml.
type UnknownAgentError struct {
	Name    string
	Config  string
	Nearest string // "" if there is no similar one
	Known   []string
}

func (e *UnknownAgentError) Error() string {
	s := fmt.Sprintf("no agent %q in %s", e.Name, e.Config)
	if e.Nearest != "" {
		s += fmt.Sprintf("; did you mean %s?", e.Nearest)
	}
	switch n := len(e.Known); {
	case n == 0:
		return s + " (it has no agents: `tend init DIR` adds one)"
	case n > 12:
		return fmt.Sprintf("%s (%d agents, `tend status` lists them)", s, n)
	}
	return s + " (agents: " + strings.Join(e.Known, ", ") + ")"
}

// foldersOverlap reports whether one of two clean absolute folders is the other or is inside it.
func foldersOverlap(a, b string) bool { return isInside(a, b) || isInside(b, a) }

// isInside reports whether path is dir or below it.
func isInside(path, dir string) bool {
	if runtime.GOOS == "windows" { // file systems on which case matters
		path, dir = strings.ToLower(path), strings.ToLower(dir)
	}
	between := string(filepath.Separator)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, between)+between)
}
