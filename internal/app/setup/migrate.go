package setup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/engine/transfer"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// MigrateRequest asks for an agent's memory to be moved to another harness.
type MigrateRequest struct {
	ConfigPath string                         // the value of --config
	Config     func() (*config.Config, error) // loads the existing configuration
	Agent      string                         // the agent, unless From is given
	From       string                         // a folder that need not be configured
	As         string                         // the layout of From; "" to detect it
	To         string                         // the new layout
	Dir        string                         // the new folder; "" for where the harness keeps its own
	Name       string                         // the new agent's name; "" for one made of the old name and the harness
	Secrets    bool                           // carry them
	Replace    bool                           // replace files that are in the way
	DryRun     bool
	Who        string
	Reason     string
	Clock      func() time.Time
}

// Migrated says what Migrate did, or would do.
type Migrated struct {
	Agent     string            `json:"agent"` // the new agent
	From      string            `json:"from"`  // the layouts
	To        string            `json:"to"`
	Source    string            `json:"source"`
	Workspace string            `json:"workspace"`
	Back      bool              `json:"back"` // these files were moved from this harness before
	Files     []MigratedFile    `json:"files"`
	Beyond    []migrate.Section `json:"beyond"`    // loaded before, not loaded by the new harness for its limits
	Chosen    []Choice          `json:"chosen"`    // by a curator: what stays on a page that is too small
	Renamed   []migrate.Rename  `json:"renamed"`   // lines with the name of a file that has another one now
	OldNames  []migrate.OldName `json:"old_names"` // names in rules that were left as they are
	Secrets   []Withheld        `json:"secrets"`   // not carried
	Restored  int               `json:"restored"`
	Left      map[string]string `json:"left_out"` // files that stay behind, and why
	Needed    []Needed          `json:"needed"`   // the files that stay behind although moved files name them
	Unplaced  bool              `json:"unplaced"` // the new folder has to be named yet
	Taken     []string          `json:"taken"`    // files with another text that are in the way
	Preview   Previewed         `json:"preview"`
	Shown     []loadview.File   `json:"-"` // the files of the preview
	Action    string            `json:"action,omitempty"`
	Config    string            `json:"config"`
	Added     *Initiated        `json:"added,omitempty"` // what was added to the configuration
	DryRun    bool              `json:"dry_run"`
}

// MigratedFile is a file of the new workspace.
type MigratedFile struct {
	File   string   `json:"file"`
	From   []string `json:"from"`
	Loaded bool     `json:"loaded"`
	Bytes  int      `json:"bytes"`
}

// Previewed is what the new harness will show its model.
type Previewed struct {
	loadview.Result
	Loss bool `json:"loss"`
}

// Needed is a file that stays behind although moved files name it.
type Needed struct {
	File string   `json:"file"`
	By   []string `json:"by"`
}

// Withheld counts the lines of a file in which a secret was masked.
type Withheld struct {
	File  string `json:"file"`
	Lines int    `json:"lines"`
}

// migrating is the state of a move.
type migrating struct {
	req  MigrateRequest
	to   layout.Layout
	out  Migrated
	text []byte // the text of tend.yaml with the new agent, nil if it has the agent already
	cfg  *config.Config

	from   config.Agent
	memory Memory
	origin *migrate.Origin
}

// Migrate copies an agent's memory to the folder of another harness, as that harness loads it, and adds it to the
// configuration as an agent of its own. The source is not changed.
func Migrate(ctx context.Context, req MigrateRequest) (out Migrated, err error) {
	m := &migrating{req: req, out: Migrated{Chosen: []Choice{}}}
	if m.to, err = layout.Preset(req.To); err != nil {
		return out, usererr.Usage(err)
	}
	if err := m.read(ctx); err != nil {
		return out, err
	}
	if err := m.target(); err != nil {
		return out, err
	}
	q := migrate.Request{From: m.from.Layout, To: m.to, Files: m.memory.Files, Loaded: m.memory.Loaded, Origin: m.origin,
		Workspace: m.from.Workspace.String()}
	r := migrate.Plan(q)
	leaving, judges := m.askCurator(ctx, r.Small)
	if len(leaving) > 0 {
		q.Leaving = leaving
		r = migrate.Plan(q)
	}
	m.describePlan(r)
	docs, err := m.textsToWrite(r)
	if err != nil {
		return m.out, err
	}
	arrival := runner.Arrival{Files: docs, From: m.from.Name, Replace: req.Replace, Origin: r.Origin, Judges: judges}
	if err := m.applyPlan(ctx, arrival); err != nil {
		return m.out, err
	}
	return m.out, m.addAgent()
}

// read reads the source: every memory file, and what its harness loads of them.
func (m *migrating) read(ctx context.Context) (err error) {
	var cfg *config.Config
	name := m.req.Agent
	if m.req.From != "" {
		found, err := workspacesIn([]string{m.req.From}, m.req.As, "--as")
		if err != nil {
			return err
		}
		if len(found) > 1 {
			return usererr.Usagef("name one of the folders", "%s has the workspaces of %d agents", m.req.From, len(found))
		}
		if cfg, found, err = Unconfigured([]string{found[0].Dir}, found[0].Layout); err != nil {
			return err
		}
		name = found[0].Name
	} else if cfg, err = m.req.Config(); err != nil {
		return err
	}
	f, err := fleet.Open(cfg, fleet.Options{Clock: m.req.Clock})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ag, err := f.Agent(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ag.Close()) }()
	if m.origin, err = transfer.ReadOrigin(ag.State(), ag.Name); err != nil {
		return err
	}
	m.from = ag.Agent
	m.memory, err = ReadMemory(ctx, ag, m.req.Secrets)
	return err
}

// Memory is what there is to move of an agent.
type Memory struct {
	Files   []migrate.File
	Loaded  []string          // what its harness loads, in its order
	Secrets []Withheld        // masked
	Left    map[string]string // what is not moved, and why
	Today   note.Day
}

// ReadMemory reads the memory of an agent. Without secrets they are masked.
func ReadMemory(ctx context.Context, ag *fleet.Agent, secrets bool) (m Memory, err error) {
	in, err := ag.Input(ctx)
	if err != nil {
		return m, err
	}
	shown, paths, err := ag.Files.Shown(ctx, ag.Layout)
	if err != nil {
		return m, err
	}
	texts := map[string][]byte{}
	for p, doc := range in.Files {
		texts[string(p)] = doc.Data
	}
	for _, f := range shown {
		if _, known := texts[f.Name]; known || f.Missing || f.Broken != "" || f.Kind != loadview.Plain {
			continue
		}
		if _, err := vault.ParsePath(f.Name); err == nil { // in a hidden folder, such as .claude
			texts[f.Name] = f.Data
		}
	}
	m.Left, m.Secrets, m.Today = map[string]string{}, []Withheld{}, in.Today()
	for _, p := range paths {
		if _, known := texts[p]; !known {
			why := "is not a memory file"
			if vault.Path(p).Markdown() && vault.Path(p).Hidden() {
				why = "is in a hidden folder"
			}
			m.Left[p] = cmp.Or(in.Facts.Unread[vault.Path(p)], why)
		}
	}
	for _, f := range loadview.Inject(ag.Layout, shown, loadview.Options{SetUp: true}).Files {
		if _, known := texts[f.Name]; known && f.Shown && f.Reason != loadview.NotThere {
			m.Loaded = append(m.Loaded, f.Name)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		data := texts[p]
		if masked := scan.Mask(data); !secrets && !bytes.Equal(masked, data) {
			m.Secrets = append(m.Secrets, Withheld{p, maskedLines(data, masked)})
			data = masked
		}
		m.Files = append(m.Files, migrate.File{Path: p, Data: data})
	}
	if len(m.Files) == 0 {
		return m, usererr.Refusef("`tend preview "+ag.Name+"` shows what its harness loads", "%s has no memory to move", ag.Workspace)
	}
	return m, nil
}

// maskedLines counts the lines that masking changed.
func maskedLines(was, now []byte) (n int) {
	before := map[string]bool{}
	for line := range bytes.Lines(was) {
		before[string(line)] = true
	}
	for line := range bytes.Lines(now) {
		if bytes.Contains(line, []byte(scan.Masked)) && !before[string(line)] {
			n++
		}
	}
	return n
}

// target finds the new folder and the agent that it is, or will be, in the configuration.
func (m *migrating) target() error {
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	dir := cmp.Or(m.req.Dir, strings.ReplaceAll(m.to.Home, "{name}", m.from.Name))
	m.out.Unplaced = dir == "" || (m.req.Dir == "" && strings.HasPrefix(m.to.Name, "claude-code"))
	switch {
	case m.out.Unplaced && !m.req.DryRun:
		return usererr.Usagef("name it: tend migrate … --to "+m.req.To+" DIR", "%s has no folder of its own for every agent", m.to.Ref())
	case m.out.Unplaced:
		dir = filepath.Join(string(filepath.Separator), "DIR") // to be named yet
	default:
		if dir, err = env.Abs(dir, env.Dir); err != nil {
			return err
		}
		if err := refuseOverlap(dir, m.from.Workspace); err != nil {
			return err
		}
	}
	if m.out.Config, err = target(m.req.ConfigPath, env); err != nil {
		return err
	}
	text, err := fsys.ReadFile(m.out.Config)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = emptyConfig(m.out.Config, env), nil
	}
	if err != nil {
		return err
	}
	if m.cfg, err = config.Parse(m.out.Config, text, env); err != nil {
		return usererr.Usage(err)
	}
	if name := m.cfg.AgentAt(dir); name != "" {
		return m.useConfigured(name)
	}
	name := cmp.Or(m.req.Name, freeName(m.cfg, tidyName(m.from.Name+"-"+m.to.Name)))
	draft := config.AgentDraft{Name: name, Workspace: dir, Layout: m.to.Ref()}
	if m.text, err = config.Append(m.out.Config, text, draft, env); err != nil {
		return &usererr.Error{Code: usererr.CodeUsage, Err: err, Hint: "choose another name with --name, or another folder"}
	}
	if m.cfg, err = config.Parse(m.out.Config, m.text, env); err != nil {
		return usererr.Usage(err)
	}
	m.out.Agent, m.out.Workspace = name, dir
	if m.out.Unplaced {
		m.out.Workspace = "DIR"
	}
	return nil
}

// useConfigured takes an agent of the configuration as the target.
func (m *migrating) useConfigured(name string) error {
	ag, err := m.cfg.Agent(name)
	if err != nil {
		return err
	}
	if m.req.Name != "" && m.req.Name != name {
		return usererr.Usagef("leave --name out", "%s is the workspace of %s already", ag.Workspace, name)
	}
	if ag.Layout.Name != m.to.Name {
		return usererr.Refusef("choose another folder", "%s is the workspace of %s, which is %s", ag.Workspace, name, ag.Layout.Ref())
	}
	m.to, m.out.Agent, m.out.Workspace = ag.Layout, name, ag.Workspace.Path
	return nil
}

// refuseOverlap refuses a target that is the source, in it or around it.
func refuseOverlap(dir string, source config.Workspace) error {
	if source.Kind != config.Local {
		return nil
	}
	a, b := realPath(dir), realPath(source.Path)
	inside := func(x, y string) bool {
		return x == y || strings.HasPrefix(x, strings.TrimSuffix(y, "/")+string(filepath.Separator))
	}
	if inside(a, b) || inside(b, a) {
		return usererr.Refusef("name another folder", "%s and %s would be one workspace", dir, source.Path)
	}
	return nil
}

// realPath follows the links of a path as far as it exists.
func realPath(name string) string {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		return real
	}
	if up := filepath.Dir(name); up != name {
		return filepath.Join(realPath(up), filepath.Base(name))
	}
	return name
}

// describePlan sets in the result what the plan will do.
func (m *migrating) describePlan(r migrate.Result) {
	m.out.From, m.out.To, m.out.Source = m.from.Layout.Ref(), m.to.Ref(), m.from.Workspace.String()
	m.out.Back, m.out.DryRun = r.First != nil, m.req.DryRun
	m.out.Preview = Previewed{r.Preview, r.Preview.Loss()}
	m.out.Secrets, m.out.Left, m.out.Needed = m.memory.Secrets, m.memory.Left, neededFiles(m.memory)
	m.out.Taken = []string{} // not nil: these lists are also written as JSON
	m.out.Beyond = append([]migrate.Section{}, r.Beyond...)
	m.out.Renamed = append([]migrate.Rename{}, r.Renamed...)
	m.out.OldNames = append([]migrate.OldName{}, r.OldNames...)
	for _, t := range r.Files {
		m.out.Shown = append(m.out.Shown, loadview.File{Name: t.Path, Data: t.Data()})
		from := append([]string{}, t.Sources()...)
		m.out.Files = append(m.out.Files, MigratedFile{File: t.Path, From: from, Loaded: t.Loaded, Bytes: len(t.Data())})
	}
}

// textsToWrite returns the files to write. A file that comes back gets the secrets that were masked when it left, if it still is
// where it came from.
func (m *migrating) textsToWrite(r migrate.Result) (docs []vault.Doc, err error) {
	old, masked := fsys.FS(fsys.Missing), map[string][]byte{}
	if r.First != nil && filepath.IsAbs(r.First.Workspace) {
		if t, err := fsys.Dir(r.First.Workspace); err == nil {
			defer t.Close()
			old = t
		}
		for _, f := range r.First.Files {
			masked[f.Path] = f.Data
		}
	}
	for _, t := range r.Files {
		p, err := vault.ParsePath(t.Path)
		if err != nil {
			return nil, err
		}
		data := t.Data()
		if was, ok := masked[t.Path]; ok && bytes.Contains(data, []byte(scan.Masked)) {
			data = m.restoreSecrets(old, t.Path, was, data)
		}
		docs = append(docs, vault.Doc{Path: p, Data: data, Version: vault.VersionOf(data)})
	}
	return docs, nil
}

// restoreSecrets puts the secrets of the first file back into one that came from it.
func (m *migrating) restoreSecrets(old fsys.FS, name string, was, now []byte) []byte {
	first, err := vault.ReadWithin(old, name, int64(policy.FileMaxRead.Of(policy.Policy{})))
	if err != nil || !bytes.Equal(scan.Mask(first), was) || bytes.Equal(first, was) {
		return now
	}
	whole, _ := note.Merge(was, now, first, false)
	m.out.Restored += maskedLines(whole, now)
	return whole
}

// applyPlan writes the files, or finds out what is in the way.
func (m *migrating) applyPlan(ctx context.Context, arrival runner.Arrival) (err error) {
	f, err := fleet.Open(m.cfg, fleet.Options{Clock: m.req.Clock, Write: !m.req.DryRun})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ag, err := m.open(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ag.Close()) }()
	res, err := runner.Migrate(ctx, ag, arrival, runner.Options{Who: m.req.Who, Reason: m.req.Reason, DryRun: m.req.DryRun})
	var taken *runner.TakenError
	if errors.As(err, &taken) {
		m.out.Taken = taken.Paths
		return usererr.Refusef("--replace replaces them and keeps what they say in the trash; or choose another folder",
			"%s in %s: %w", textfmt.Count(len(taken.Paths), "file"), m.out.Workspace, err)
	}
	m.out.Action = res.Action
	return err
}

// open opens the new agent. In a dry run nothing is created.
func (m *migrating) open(ctx context.Context, f *fleet.Fleet) (*fleet.Agent, error) {
	if !m.req.DryRun {
		if err := fsys.MakeFolder(m.out.Workspace, 0o755); err != nil {
			return nil, err
		}
		return f.Agent(ctx, m.out.Agent)
	}
	cfg, err := m.cfg.Agent(m.out.Agent)
	if err != nil {
		return nil, err
	}
	if m.out.Unplaced {
		return f.AgentIn(cfg, fsys.Missing), nil
	}
	tree, err := fsys.Dir(m.out.Workspace)
	if errors.Is(err, fs.ErrNotExist) {
		tree, err = fsys.Missing, nil
	}
	if err != nil {
		return nil, err
	}
	return f.AgentIn(cfg, tree), nil
}

// addAgent adds the new agent to the configuration, with drafts of its baselines.
func (m *migrating) addAgent() error {
	if m.text == nil || m.req.DryRun {
		return nil
	}
	added, err := Init(InitRequest{Dirs: []string{m.out.Workspace}, To: m.out.Config, Name: m.out.Agent, Layout: m.to.Ref()})
	m.out.Added = &added
	return err
}
