package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/config"
	"tend/internal/connect"
	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/vault"
)

type connectOptions struct {
	agent, dir, scope     string
	undo, dryRun, noRules bool
}

func newConnectCommand(a *app) *cobra.Command {
	var o connectOptions
	var names []string
	for _, h := range connect.Harnesses() {
		names = append(names, h.Name)
	}
	cmd := &cobra.Command{
		Use: "connect HARNESS", GroupID: groupSetup, Short: "Write Tend into a harness's own settings",
		Long: `Write into the settings of the harness what lets an agent use its memory: the MCP
server, the hook for a session's start, the hook before a compaction or what comes
nearest to one in that harness, and the block of rules in the file of instructions.

The change is shown as a diff and made, unless --dry-run. Your formatting and comments
stay. A second run changes nothing. --undo takes all of it back: to the byte if the file
was not changed since, else only what is Tend's.

A file of instructions with a baseline is the baseline's: put the rules there.

Harnesses: ` + strings.Join(names, ", ") + `.

EXIT STATUS
  0 done, or nothing to do · 2 settings that cannot be read · 3 refused`,
		Example: `  tend connect claude-code --dry-run
  tend connect claude-code --agent reviewer --dir ~/src/project
  tend connect openclaw --agent reviewer
  tend connect claude-code --undo`,
		Args: cobra.ExactArgs(1), ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error { return runConnect(cmd.Context(), a, o, args[0]) },
	}
	a.agentFlag(cmd, &o.agent)
	cmd.Flags().StringVar(&o.dir, "dir", "", "the `PROJECT`'s folder (default: this one)")
	cmd.Flags().StringVar(&o.scope, "scope", "", "project or user: whose settings (default: the harness's usual)")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "take it back")
	cmd.Flags().BoolVar(&o.noRules, "no-rules", false, "leave the file of instructions alone")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "show the change, make none")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"project", "user"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// connection is one run of connect.
type connection struct {
	app     *app
	harness connect.Harness
	target  connect.Target
	rec     *connect.Record  // of the same connection, nil if there is none
	same    []connect.Record // the agent's other connections
	others  []connect.Record // those of other agents
}

func runConnect(ctx context.Context, a *app, o connectOptions, name string) error {
	c, err := a.connection(o, name)
	if err != nil {
		return err
	}
	if o.undo {
		return c.undo(ctx, o.dryRun)
	}
	return c.connect(ctx, o.dryRun)
}

func (a *app) connection(o connectOptions, name string) (*connection, error) {
	h, err := connect.Find(name)
	if err != nil {
		return nil, usage(err)
	}
	agent, err := a.theAgent(o.agent)
	if err != nil && (!o.undo || o.agent == "" || a.cfg == nil) {
		return nil, err
	}
	if err != nil {
		agent = o.agent // it may be gone from the configuration; what was connected can still be taken back
	}
	ag, err := a.cfg.Agent(agent)
	if err != nil && !o.undo {
		return nil, err
	}
	scope := h.Scopes[0]
	if o.scope != "" {
		if scope = connect.Scope(o.scope); !slices.Contains(h.Scopes, scope) {
			return nil, usagef("use "+words(h.Scopes), fmt.Sprintf("%s has no settings of scope %q", h.Name, o.scope))
		}
	}
	t := connect.Target{Agent: agent, Config: a.cfg.Path, Scope: scope, Env: os.Getenv}
	if t.Home, err = os.UserHomeDir(); err != nil {
		return nil, err
	}
	if t.Binary, err = ownPath(); err != nil {
		return nil, err
	}
	if ag.Workspace.Kind == config.Local {
		t.Workspace = ag.Workspace.Path
	}
	if scope == connect.Project || o.dir != "" {
		if t.Dir, err = filepath.Abs(o.dir); err != nil {
			return nil, err
		}
		if st, err := os.Stat(t.Dir); err != nil || !st.IsDir() {
			return nil, usagef("name the project's folder with --dir", t.Dir+" is not a folder")
		}
	}
	if !o.noRules && !o.undo {
		t.Rules = rulesFor(ag, h, t)
	}
	c := &connection{app: a, harness: h, target: t}
	all, err := connect.Records(a.cfg.StateDir)
	if err != nil {
		return nil, err
	}
	key := c.record().Name()
	for _, r := range all {
		switch {
		case r.Name() == key:
			c.rec = &r
		case r.Agent == agent:
			c.same = append(c.same, r)
		default:
			c.others = append(c.others, r)
		}
	}
	return c, nil
}

// ownPath is the program as it was called, where that leads to it: a name in a folder of
// programs outlives the version it points to.
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

// rulesFor is the block of rules as a harness shows it: there the files are elsewhere, mostly,
// and the server's tools save the commands.
func rulesFor(ag config.Agent, h connect.Harness, t connect.Target) string {
	var guarded []string
	for _, b := range ag.Baselines {
		guarded = append(guarded, b.File)
	}
	said := []string{fmt.Sprintf("The tools of the server `%s` do what the commands below do: memory_note, memory_search, memory_read, memory_write, memory_checkpoint.", t.Server())}
	if beside := h.Name == "openclaw" && t.Dir == "" || t.Dir == t.Workspace; t.Workspace != "" && !beside {
		said = append(said, fmt.Sprintf("The files are in `%s`.", t.Workspace))
	}
	return job.Rules(ag.Name, ag.Layout, ag.Policy, guarded, said...)
}

func (c *connection) record() connect.Record {
	t := c.target
	return connect.Record{Harness: c.harness.Name, Agent: t.Agent, Scope: t.Scope, Dir: t.Dir, Binary: t.Binary, Config: t.Config, Rules: t.Rules}
}

func (c *connection) connect(ctx context.Context, dry bool) error {
	known := c.same
	if c.rec != nil {
		known = slices.Insert(slices.Clone(known), 0, *c.rec)
	}
	edits, err := connect.Plan(c.harness.Files(c.target), known)
	if err != nil {
		return settingsError(err)
	}
	for _, e := range edits {
		if e.Rules && e.Changed() {
			if err := c.allowed(e); err != nil {
				return err
			}
		}
	}
	changed := c.show(edits)
	if dry {
		return c.report(edits, "would be changed", true)
	}
	if !changed && c.rec != nil {
		return c.report(edits, "", false)
	}
	r := c.record()
	clock, err := c.app.clock()
	if err != nil {
		return err
	}
	r.Time = clock().UTC()
	r.Take(edits, known)
	r.Keep(os.Getenv)
	// The record first: whatever happens then can be taken back.
	if err := c.keep(r); err != nil {
		return err
	}
	if done, err := c.apply(ctx, edits); err != nil {
		return errors.Join(err, c.back(ctx, r, edits[:done]))
	}
	return c.report(edits, "changed", false)
}

func (c *connection) undo(ctx context.Context, dry bool) error {
	if c.rec == nil {
		c.app.printf("%s is not connected to %s here.\n", c.harness.Name, c.target.Agent)
		return nil
	}
	t := c.target
	t.Binary, t.Config, t.Rules, t.Env = c.rec.Binary, c.rec.Config, c.rec.Rules, c.rec.Getenv(os.Getenv)
	files := c.harness.Files(t)
	edits, err := c.rec.Undo(files, c.same)
	if err != nil {
		return settingsError(err)
	}
	c.show(edits)
	if dry {
		return c.report(edits, "would be restored", true)
	}
	if _, err := c.apply(ctx, edits); err != nil {
		return err
	}
	removeEmpty(c.rec.Folders())
	for _, r := range c.others {
		if r.Forget(*c.rec, files, edits) {
			if err := c.keep(r); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(filepath.Join(c.app.cfg.StateDir, filepath.FromSlash(c.rec.Name()))); err != nil {
		return err
	}
	return c.report(edits, "restored", false)
}

// keep writes a record to the state folder.
func (c *connection) keep(r connect.Record) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	return writeSecret(filepath.Join(c.app.cfg.StateDir, filepath.FromSlash(r.Name())), data)
}

// allowed refuses to write rules where they are not ours to write.
func (c *connection) allowed(e connect.Edit) error {
	for _, ag := range c.app.cfg.Agents {
		for _, b := range ag.Baselines {
			if ag.Workspace.Kind == config.Local && sameFile(filepath.Join(ag.Workspace.Path, filepath.FromSlash(b.File)), e.Real) {
				return &exitError{
					code: exitRefused, err: fmt.Errorf("%s has a baseline: what is above the line there is the operator's", e.File),
					hint: fmt.Sprintf("`tend rules %s >> %s` puts the rules into the baseline, then approve it; or connect with --no-rules", c.target.Agent, b.Source),
				}
			}
		}
	}
	for _, r := range c.others {
		for _, f := range r.Files {
			if f.Path == e.File && r.Rules != "" {
				return &exitError{
					code: exitRefused, err: fmt.Errorf("%s has the rules of agent %s", e.File, r.Agent),
					hint: "connect with --no-rules, or in another folder with --dir",
				}
			}
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	if real, err := filepath.EvalSymlinks(a); err == nil {
		a = real
	}
	return a == b
}

func (c *connection) show(edits []connect.Edit) (changed bool) {
	for _, e := range edits {
		if !e.Changed() {
			continue
		}
		changed = true
		if c.app.json || c.app.quiet {
			continue
		}
		c.app.diff(editDiff(e))
	}
	return changed
}

func editDiff(e connect.Edit) string {
	ch := plan.Change{Path: vault.Path(strings.TrimPrefix(filepath.ToSlash(e.File), "/")), Op: plan.Write, Before: vault.Absent}
	if e.Before != nil {
		ch.Old, ch.Before = []byte(*e.Before), vault.VersionOf([]byte(*e.Before))
	}
	if e.After == nil {
		ch.Op = plan.Remove
	} else {
		ch.New = []byte(*e.After)
	}
	return plan.Plan{Changes: []plan.Change{ch}}.Diff()
}

func (c *connection) report(edits []connect.Edit, verb string, dry bool) error {
	type row struct {
		File    string `json:"file"`
		Changed bool   `json:"changed"`
	}
	rows, n := []row{}, 0
	for _, e := range edits {
		rows = append(rows, row{e.File, e.Changed()})
		if e.Changed() {
			n++
		}
	}
	if c.app.json {
		hook, checkpoint := c.target.HookCommand(c.harness.Hook), ""
		if c.harness.Checkpoint != "" {
			checkpoint = c.target.CheckpointCommand(c.harness.Checkpoint)
		}
		return c.app.printJSON(map[string]any{
			"harness": c.harness.Name, "agent": c.target.Agent, "scope": c.target.Scope, "dir": c.target.Dir, "dry_run": dry,
			"files": rows, "server": c.target.Server(), "hook": hook, "checkpoint": checkpoint, "compaction": c.harness.Compaction, "notes": orEmpty(c.harness.Notes),
		})
	}
	switch {
	case n == 0:
		c.app.printf("Nothing to change: %s is set up for %s.\n", c.harness.Name, c.target.Agent)
	case !c.app.quiet:
		c.app.printf("\n%s %s.\n", count(n, "file"), verb)
	}
	if n > 0 && verb == "changed" && !c.app.quiet {
		c.app.printf("Compaction: %s.\n", c.harness.Compaction)
		for _, note := range c.harness.Notes {
			c.app.printf("%s\n", note)
		}
		c.app.printf("`tend doctor` proves that it works.\n")
	}
	return nil
}

func settingsError(err error) error {
	var bad *connect.SettingsError
	if errors.As(err, &bad) {
		return &exitError{code: exitUsage, err: err, hint: "mend the file and run it again; nothing was changed"}
	}
	return err
}
