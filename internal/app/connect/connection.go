package connect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
	"tend/internal/state/plan"
)

// Request asks to connect a harness to an agent, or to disconnect it.
type Request struct {
	Harness string
	Agent   string
	Dir     string // the project's folder, "" for the agent's workspace or project
	Scope   string // "" for the harness's usual one
	Undo    bool
	NoRules bool // leave the file of instructions alone
	Who     string
	Clock   func() time.Time
}

// Connection is one run of connect: what to connect, and what is already connected.
type Connection struct {
	Harness Harness
	Target  Target

	req    Request
	cfg    *config.Config
	rec    *Record  // of the same connection, nil if there is none
	same   []Record // the agent's other connections
	others []Record // those of other agents
}

// Open resolves a request. An agent that is no longer configured can still be disconnected.
func Open(cfg *config.Config, req Request) (*Connection, error) {
	h, err := Find(req.Harness)
	if err != nil {
		return nil, usererr.Usage(err)
	}
	ag, err := cfg.Agent(req.Agent)
	if err != nil && !req.Undo {
		return nil, err
	}
	scope := h.Scopes[0]
	if req.Scope != "" {
		if scope = Scope(req.Scope); !slices.Contains(h.Scopes, scope) {
			return nil, usererr.Usagef("use "+scopes(h), "%s has no settings of scope %q", h.Name, req.Scope)
		}
	}
	t := Target{Agent: req.Agent, Config: cfg.Path, Scope: scope, Env: os.Getenv}
	if t.Home, err = os.UserHomeDir(); err != nil {
		return nil, err
	}
	if t.Binary, err = ownPath(); err != nil {
		return nil, err
	}
	if ag.Workspace.Kind == config.Local {
		t.Workspace = ag.Workspace.Path
	}
	if scope == Project && req.Dir == "" {
		if req.Dir = projectFolder(t.Workspace); req.Dir == "" {
			return nil, usererr.Usagef("name the project's folder with --dir", "%s has no workspace on this machine to write settings into",
				req.Agent)
		}
	}
	if scope == Project || req.Dir != "" {
		if t.Dir, err = filepath.Abs(req.Dir); err != nil {
			return nil, err
		}
		if st, err := os.Stat(t.Dir); err != nil || !st.IsDir() {
			return nil, usererr.Usagef("name the project's folder with --dir", "%s is not a folder", t.Dir)
		}
	}
	if !req.NoRules && !req.Undo {
		t.Rules = RulesFor(ag, h, t)
	}
	c := &Connection{Harness: h, Target: t, req: req, cfg: cfg}
	return c, c.known()
}

// known reads the records of all connections.
func (c *Connection) known() error {
	all, err := Records(c.cfg.StateDir)
	if err != nil {
		return err
	}
	key := c.record().Name()
	for _, r := range all {
		switch {
		case r.Name() == key:
			c.rec = &r
		case r.Agent == c.Target.Agent:
			c.same = append(c.same, r)
		default:
			c.others = append(c.others, r)
		}
	}
	return nil
}

func scopes(h Harness) string {
	names := make([]string, len(h.Scopes))
	for i, s := range h.Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// ownPath returns the program as it was called, if that leads to it: a name in a folder of programs outlives the
// version it points to.
func ownPath() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return exe, nil
	}
	if called, err = filepath.Abs(called); err != nil {
		return exe, nil
	}
	a, errA := os.Stat(called)
	b, errB := os.Stat(exe)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return exe, nil
	}
	return called, nil
}

// RulesFor returns the block of rules for a harness, which has the server's tools and the hook.
func RulesFor(ag config.Agent, h Harness, t Target) string {
	var guarded []string
	for _, b := range ag.Baselines {
		guarded = append(guarded, b.File)
	}
	where := "in `" + t.Workspace + "`"
	switch {
	case t.Workspace == "":
		where = "on another machine"
	case h.Name == "openclaw" && t.Dir == "", t.Dir == t.Workspace:
		where = "in this folder"
	}
	return write.ToolRules(t.Server(), where, ag.Layout, ag.Policy, guarded)
}

// Connected reports whether this connection has been made before.
func (c *Connection) Connected() bool { return c.rec != nil }

func (c *Connection) record() Record {
	t := c.Target
	return Record{Harness: c.Harness.Name, Agent: t.Agent, Scope: t.Scope, Dir: t.Dir, Binary: t.Binary, Config: t.Config, Rules: t.Rules}
}

// recorded returns every connection of this agent, this one first.
func (c *Connection) recorded() []Record {
	if c.rec == nil {
		return c.same
	}
	return slices.Insert(slices.Clone(c.same), 0, *c.rec)
}

// undoFiles returns the harness's files as of when the connection was made.
func (c *Connection) undoFiles() []File {
	t := c.Target
	t.Binary, t.Config, t.Rules, t.Env = c.rec.Binary, c.rec.Config, c.rec.Rules, c.rec.Getenv(os.Getenv)
	return c.Harness.Files(t)
}

// Edits returns the changes that the request needs. It changes nothing.
func (c *Connection) Edits() ([]Edit, error) {
	if c.req.Undo {
		if c.rec == nil {
			return nil, nil
		}
		edits, err := c.rec.Undo(c.undoFiles(), c.same)
		return edits, settingsError(err)
	}
	edits, err := Plan(c.Harness.Files(c.Target), c.recorded())
	if err != nil {
		return nil, settingsError(err)
	}
	for _, e := range edits {
		if e.Rules && e.Changed() {
			if err := c.allowed(e); err != nil {
				return nil, err
			}
		}
	}
	return edits, nil
}

// Apply makes the changes that Edits returned, and records or forgets the connection.
func (c *Connection) Apply(ctx context.Context, edits []Edit) error {
	if c.req.Undo {
		return c.disconnect(ctx, edits)
	}
	if c.rec != nil && !slices.ContainsFunc(edits, Edit.Changed) {
		return nil
	}
	r := c.record()
	r.Time = c.req.Clock().UTC()
	r.Take(edits, c.recorded())
	r.Keep(os.Getenv)
	// The record first, so that whatever happens next can be undone.
	if err := c.keep(r); err != nil {
		return err
	}
	if done, err := c.write(ctx, edits); err != nil {
		return errors.Join(err, c.back(ctx, r, edits[:done]))
	}
	return nil
}

func (c *Connection) disconnect(ctx context.Context, edits []Edit) error {
	if c.rec == nil {
		return nil
	}
	if _, err := c.write(ctx, edits); err != nil {
		return err
	}
	removeEmpty(c.rec.Folders())
	files := c.undoFiles()
	for _, r := range c.others {
		if r.Forget(*c.rec, files, edits) {
			if err := c.keep(r); err != nil {
				return err
			}
		}
	}
	return vault.RemoveFile(c.target(*c.rec))
}

func (c *Connection) target(r Record) string {
	return filepath.Join(c.cfg.StateDir, filepath.FromSlash(r.Name()))
}

// keep writes a record to the state folder.
func (c *Connection) keep(r Record) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	return vault.ReplaceSecret(c.target(r), data)
}

// ErrGuarded: the rules would go into a file with an approved baseline.
var ErrGuarded = errors.New("what is above the line there is the operator's")

// allowed refuses to write rules where they are not ours to write.
func (c *Connection) allowed(e Edit) error {
	for _, ag := range c.cfg.Agents {
		for _, b := range ag.Baselines {
			if ag.Workspace.Kind == config.Local && c.approved(ag.Name, b.File) &&
				sameFile(filepath.Join(ag.Workspace.Path, filepath.FromSlash(b.File)), e.Real) {
				return usererr.Refusef(
					fmt.Sprintf("`tend rules %s >> %s` puts them into the baseline, then approve it; --no-rules leaves them out without a warning",
						c.Target.Agent, b.Source),
					"%s has a baseline: %w", e.File, ErrGuarded)
			}
		}
	}
	for _, r := range c.others {
		for _, f := range r.Files {
			if f.Path == e.File && r.Rules != "" {
				return usererr.Refusef("connect with --no-rules, or in another folder with --dir", "%s has the rules of agent %s", e.File, r.Agent)
			}
		}
	}
	return nil
}

// approved reports whether a baseline is approved: a draft owns nothing.
func (c *Connection) approved(agent, file string) bool {
	f, err := fleet.Open(c.cfg, fleet.Options{Clock: c.req.Clock})
	if err != nil {
		return true
	}
	defer f.Close()
	ag, err := f.Records(agent)
	if err != nil {
		return true
	}
	texts, err := ag.Baselines.Approved()
	return err != nil || texts[vault.Path(file)] != nil
}

func sameFile(a, b string) bool {
	if real, err := filepath.EvalSymlinks(a); err == nil {
		a = real
	}
	return a == b
}

func settingsError(err error) error {
	var bad *SettingsError
	if errors.As(err, &bad) {
		return &usererr.Error{Code: usererr.CodeUsage, Err: err, Hint: "correct the file and run it again; nothing was changed"}
	}
	return err
}

// change returns an edit of a file as a change of a plan.
func (e Edit) change(p vault.Path, why string) plan.Change {
	ch := plan.Change{Path: p, Op: plan.Write, Before: vault.Absent, Why: why}
	if e.Before != nil {
		ch.Old, ch.Before = []byte(*e.Before), vault.VersionOf([]byte(*e.Before))
	}
	if e.After == nil {
		ch.Op = plan.Remove
	} else {
		ch.New = []byte(*e.After)
	}
	return ch
}

// Diff returns the edit as a unified diff.
func (e Edit) Diff() string {
	ch := e.change(vault.Path(strings.TrimPrefix(filepath.ToSlash(e.File), "/")), "")
	return plan.Plan{Changes: []plan.Change{ch}}.Diff()
}

// write makes the changes: in an agent's workspace through its ledger, elsewhere durably in place. It returns how
// many were made.
func (c *Connection) write(ctx context.Context, edits []Edit) (done int, err error) {
	for i, e := range edits {
		if !e.Changed() {
			continue
		}
		if owner, rel := c.owner(e.Real); owner != "" {
			err = c.writeInWorkspace(ctx, owner, rel, e)
		} else {
			err = e.write()
		}
		if err != nil {
			return i, fmt.Errorf("write %s: %w", e.File, err)
		}
	}
	return len(edits), nil
}

// back undoes a connection that could not be completed.
func (c *Connection) back(ctx context.Context, r Record, done []Edit) error {
	inverse := make([]Edit, 0, len(done))
	for _, e := range slices.Backward(done) {
		e.Before, e.After = e.After, e.Before
		inverse = append(inverse, e)
	}
	if _, err := c.write(ctx, inverse); err != nil {
		return fmt.Errorf("%w; undo the rest with `tend connect %s --undo`", err, c.Harness.Name)
	}
	removeEmpty(r.Folders())
	if c.rec != nil {
		return c.keep(*c.rec)
	}
	return vault.RemoveFile(c.target(r))
}

// removeEmpty removes folders; one that is not empty is in use by others.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		_ = vault.RemoveFile(dir)
	}
}

// owner returns the agent whose workspace contains a file.
func (c *Connection) owner(file string) (agent, rel string) {
	for _, ag := range c.cfg.Agents {
		if ag.Workspace.Kind != config.Local {
			continue
		}
		ws := ag.Workspace.Path
		if real, err := filepath.EvalSymlinks(ws); err == nil {
			ws = real
		}
		if r, err := filepath.Rel(ws, file); err == nil && filepath.IsLocal(r) && (agent == "" || ag.Name == c.Target.Agent) {
			agent, rel = ag.Name, filepath.ToSlash(r)
		}
	}
	return agent, rel
}

func (c *Connection) writeInWorkspace(ctx context.Context, owner, rel string, e Edit) (err error) {
	p, err := vault.ParsePath(rel)
	if err != nil {
		return err
	}
	f, err := fleet.Open(c.cfg, fleet.Options{Write: true, Clock: c.req.Clock})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ag, err := f.Agent(ctx, owner)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ag.Close()) }()
	why := "tend connect " + c.Harness.Name
	pl := plan.Plan{Job: "connect", Reason: why, Summary: rel + ": settings of " + c.Harness.Name, Changes: []plan.Change{e.change(p, why)}}
	_, err = runner.Apply(ctx, ag, pl, runner.Options{Who: c.req.Who})
	return err
}

func (e Edit) write() error {
	now, err := fsys.ReadFile(e.Real)
	if errors.Is(err, fs.ErrNotExist) == (e.Before != nil) || err == nil && (e.Before == nil || string(now) != *e.Before) {
		return vault.ErrChanged
	}
	if e.After == nil {
		return vault.RemoveFile(e.Real)
	}
	return vault.ReplaceAs(e.Real, []byte(*e.After), e.Mode)
}
