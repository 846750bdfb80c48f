package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/carry"
	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/fsys"
	"tend/internal/history"
	"tend/internal/layout"
	"tend/internal/vault"
)

// UnpackRequest asks for an agent that Export packed to be added to a configuration.
type UnpackRequest struct {
	File       string
	ConfigPath string                         // as given by --config, "" for the usual places
	Config     func() (*config.Config, error) // loads the configuration there is
	Name       string                         // the agent's name here, "" for the packed one
	Workspace  string                         // "" for workspaces/NAME beside the configuration
	DryRun     bool
	Who        string
	Clock      func() time.Time // nil for the computer's
}

// Unpacked says what Unpack did, or would do.
type Unpacked struct {
	Agent     string `json:"agent"`
	Workspace string `json:"workspace"`
	Files     int    `json:"files"`
	DryRun    bool   `json:"dry_run"`
	Diff      string `json:"diff,omitempty"`          // of the configuration, in a dry run
	Fresh     *bool  `json:"workspace_new,omitempty"` // the workspace was made from the package
	Packed    string `json:"-"`                       // the agent's name in the package
}

// importing is an import under way.
type importing struct {
	req   UnpackRequest
	cfg   *config.Config
	old   []byte // of tend.yaml
	tmp   string // where the package is unpacked
	m     carry.Manifest
	draft config.AgentDraft
	made  []string // files that must go if it fails
}

// Unpack checks every part of a package and installs the agent in it. It overwrites nothing.
func Unpack(req UnpackRequest) (out Unpacked, err error) {
	im := &importing{req: req}
	if err := im.open(); err != nil {
		return out, err
	}
	f, err := fsys.OpenFile(req.File)
	if err != nil {
		return out, fault.Usage(err)
	}
	defer f.Close()
	done, err := im.unpack(f)
	defer func() { err = errors.Join(err, done()) }()
	if errors.Is(err, carry.ErrNoRoom) {
		return out, fault.Refusef("free some space; nothing was changed", "%s: %w", req.File, err)
	}
	if err != nil {
		return out, fault.Refusef("nothing was changed; export it again", "%s: %w", req.File, err)
	}
	text, places, err := im.plan()
	if err != nil {
		return out, err
	}
	out = Unpacked{Agent: im.draft.Name, Workspace: im.draft.Workspace, Files: len(im.m.Files), DryRun: req.DryRun, Packed: im.m.Agent.Name}
	if req.DryRun {
		out.Diff = udiff.Unified(im.cfg.Path, im.cfg.Path, string(im.old), string(text))
		return out, nil
	}
	fresh, err := im.install(places)
	if err != nil {
		for _, name := range im.made {
			_ = os.Remove(name) // made here just now: it must not be in the way of the next try
		}
		return out, err
	}
	out.Fresh = &fresh
	return out, vault.ReplaceFile(im.cfg.Path, text, 0o644)
}

// open reads tend.yaml, or drafts one where there is none.
func (im *importing) open() (err error) {
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	path, err := config.Find(im.req.ConfigPath, env)
	if errors.Is(err, config.ErrNotFound) {
		path, err = filepath.Abs("tend.yaml")
	}
	if errors.Is(err, config.ErrUntrusted) {
		return err
	}
	if err != nil {
		return fault.Usage(err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		im.old = config.Render(config.Draft{StateDir: "./state"})
		im.cfg, err = config.Parse(path, im.old, env)
		return err
	}
	if im.cfg, err = im.req.Config(); err != nil {
		return err
	}
	im.old, err = fsys.ReadFile(im.cfg.Path)
	return err
}

// unpack checks the package. Only one import at a time works on a state, so that what
// another left unfinished can be cleared away.
func (im *importing) unpack(f *os.File) (done func() error, err error) {
	none := func() error { return nil }
	dir := im.cfg.StateDir
	if im.req.DryRun {
		dir = os.TempDir()
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return none, err
	}
	t, err := fsys.Dir(dir)
	if err != nil {
		return none, err
	}
	done = t.Close
	if !im.req.DryRun {
		lock, err := t.Lock("import.lock", im.req.Who)
		if err != nil {
			return done, err
		}
		done = func() error { return errors.Join(lock.Close(), t.Close()) }
		old, err := filepath.Glob(filepath.Join(dir, vault.TempPrefix+"import-*"))
		for _, name := range old {
			err = errors.Join(err, os.RemoveAll(name))
		}
		if err != nil {
			return done, err
		}
	}
	if im.tmp, err = os.MkdirTemp(dir, vault.TempPrefix+"import-"); err != nil {
		return done, err
	}
	before := done
	done = func() error { return errors.Join(os.RemoveAll(im.tmp), before()) }
	room, err := fsys.Space(dir)
	if err != nil {
		return done, err
	}
	if im.m, err = carry.Unpack(f, im.tmp, int64(room.Free)); err != nil {
		return done, err
	}
	return done, im.inspect()
}

// inspect trusts nothing in the package: records, packs and approvals are checked, and of a git history only objects and
// branches are taken.
func (im *importing) inspect() error {
	now := time.Now
	if im.req.Clock != nil {
		now = im.req.Clock
	}
	if err := carry.Inspect(im.tmp, now()); err != nil {
		return err
	}
	r := history.Repo{Dir: filepath.Join(im.tmp, "history")}
	if _, err := os.Stat(r.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.Accept(context.Background())
}

// plan decides where everything goes, and what tend.yaml will say.
func (im *importing) plan() ([]byte, carry.Places, error) {
	cfg, m := im.cfg, im.m
	name := m.Agent.Name
	if im.req.Name != "" {
		name = im.req.Name
	}
	none := carry.Places{}
	if !config.ValidName(name) {
		return nil, none, fault.Usagef("choose another with --name", "%q cannot be an agent's name", name)
	}
	if _, err := cfg.Agent(name); err == nil {
		return nil, none, &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("%s has an agent %s already", cfg.Path, name), Hint: "choose another name with --name"}
	}
	places := carry.Places{State: cfg.StateDir, Archive: filepath.Join(cfg.ArchiveDir, name), Name: name}
	dir, taken, err := places.Taken(im.tmp)
	if err != nil {
		return nil, none, err
	}
	if taken {
		return nil, none, &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("%s already exists", dir), Hint: "choose another name with --name, or move it away"}
	}
	if err := im.describe(name); err != nil {
		return nil, none, err
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, none, err
	}
	text, err := im.addLayout(im.old, env)
	if err == nil {
		text, err = config.Append(cfg.Path, text, im.draft, env)
	}
	if err != nil {
		return nil, none, fault.Usage(err)
	}
	return text, places, nil
}

// describe is the agent as it will stand in tend.yaml.
func (im *importing) describe(name string) error {
	m, beside := im.m, filepath.Dir(im.cfg.Path)
	ws := im.req.Workspace
	if ws == "" {
		ws = filepath.Join(beside, "workspaces", name)
	}
	ws, err := filepath.Abs(ws)
	if err != nil {
		return err
	}
	d := config.AgentDraft{
		Name: name, Description: m.Agent.Description, Disabled: m.Agent.Disabled, Workspace: ws, Layout: m.Agent.Layout, NoTools: m.Agent.NoTools,
	}
	if m.Agent.Timezone != "Local" {
		d.Timezone = m.Agent.Timezone
	}
	for _, s := range m.Agent.Policy {
		d.Policy = append(d.Policy, config.Setting{Key: s.Key, Value: s.Value})
	}
	seen := map[string]bool{}
	for _, b := range m.Baselines {
		base := filepath.Base(b.Name)
		if _, after, ok := strings.Cut(base, "-"); ok && !seen[after] && after != "" && !strings.HasPrefix(after, ".") {
			base = after
		}
		seen[base] = true
		source := filepath.Join(beside, "baselines", name, base)
		packed, err := fsys.ReadFile(filepath.Join(im.tmp, filepath.FromSlash(b.Name)))
		if err != nil {
			return err
		}
		if there, err := fsys.ReadFile(source); err == nil && !bytes.Equal(there, packed) {
			return &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("%s already exists", source), Hint: "move it away, or choose another --name"}
		}
		d.Baselines = append(d.Baselines, config.BaselineDraft{File: b.File, Source: source})
	}
	im.draft = d
	return nil
}

// addLayout brings the operator's own layout along. One of the same name that says
// something else stays, and this one gets the agent's name as well.
func (im *importing) addLayout(text []byte, env config.Env) ([]byte, error) {
	body := im.m.Agent.LayoutText
	if body == "" {
		return text, nil
	}
	if _, err := layout.Parse(im.draft.Layout, []byte(body)); err != nil {
		return nil, err
	}
	there, taken := im.cfg.Layouts[im.draft.Layout]
	if taken && there == body {
		return text, nil
	}
	if taken {
		im.draft.Layout += "-" + im.draft.Name
		if im.cfg.Layouts[im.draft.Layout] == body {
			return text, nil
		}
	}
	return config.AddLayout(im.cfg.Path, text, im.draft.Layout, body, env)
}

// install puts everything in place but tend.yaml, and tells whether the workspace was new.
func (im *importing) install(places carry.Places) (fresh bool, err error) {
	for i, b := range im.m.Baselines {
		data, err := fsys.ReadFile(filepath.Join(im.tmp, filepath.FromSlash(b.Name)))
		if err != nil {
			return false, err
		}
		source := im.draft.Baselines[i].Source
		if _, err := os.Lstat(source); errors.Is(err, fs.ErrNotExist) {
			im.made = append(im.made, source)
		}
		if err := createFile(source, data); err != nil {
			return false, err
		}
	}
	if fresh, err = im.memory(); err != nil {
		return fresh, err
	}
	return fresh, carry.Install(im.tmp, places)
}

// memory fills a new workspace, as a whole or not at all. What root makes belongs to whoever
// has the folder, or the one it is in.
func (im *importing) memory() (fresh bool, err error) {
	ws := im.draft.Workspace
	entries, err := fsys.ReadFolder(ws)
	if err == nil && len(entries) > 0 {
		return false, nil
	}
	from := carry.Part(im.tmp, true)
	if err := errors.Join(os.MkdirAll(from, 0o755), os.Chmod(from, 0o755)); err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(ws), 0o755); err != nil {
		return false, err
	}
	like := ws
	st, err := os.Stat(ws)
	if err != nil {
		like = filepath.Dir(ws)
	} else if err := os.Chmod(from, st.Mode().Perm()); err != nil {
		return false, err
	}
	if real, err := filepath.EvalSymlinks(like); err == nil {
		like = real
	}
	owner, err := fsys.LstatPath(like)
	if err != nil {
		return false, err
	}
	own := func(name string) error {
		if os.Geteuid() != 0 {
			return nil
		}
		return os.Lchown(name, owner.UID, owner.GID)
	}
	err = carry.PlaceCopy(from, ws, own)
	if errors.Is(err, syscall.EBUSY) {
		return true, &fault.Error{Code: fault.CodeRefused, Err: fmt.Errorf("%s is a mount point and cannot be filled as a whole", ws), Hint: "name a folder inside it with --workspace"}
	}
	return true, err
}
