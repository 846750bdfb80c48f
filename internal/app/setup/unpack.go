package setup

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/transfer"
	"tend/internal/model/usererr"
)

// UnpackRequest asks for an agent that Export packed to be added to a configuration.
type UnpackRequest struct {
	File       string
	ConfigPath string                         // the value of --config, "" for the one in use, else the user's
	Config     func() (*config.Config, error) // loads the existing configuration
	Name       string                         // the agent's new name, "" for the packed one
	Workspace  string                         // "" for workspaces/NAME beside the configuration
	// Settings also takes the package's settings for what Tend protects; without it they are withheld and named.
	Settings bool
	DryRun   bool
	Who      string
	Clock    func() time.Time
}

// Unpacked says what Unpack did, or would do.
type Unpacked struct {
	Agent     string `json:"agent"`
	Workspace string `json:"workspace"`
	Files     int    `json:"files"`
	DryRun    bool   `json:"dry_run"`
	Diff      string `json:"diff,omitempty"`          // what would change in the configuration, in a dry run
	Fresh     *bool  `json:"workspace_new,omitempty"` // the workspace was created from the package
	Packed    string `json:"-"`                       // the agent's name in the package
	// Withheld are settings of the package that would change what Tend protects, and were not taken.
	Withheld []string `json:"withheld,omitempty"`
	// Baselines are the files whose operator's text comes from the package, perhaps with an approval.
	Baselines []string `json:"baselines,omitempty"`
}

// importing is the state of an import.
type importing struct {
	req   UnpackRequest
	cfg   *config.Config
	env   config.Env
	old   []byte  // the text of tend.yaml before the import
	tree  fsys.FS // where the package is unpacked
	m     transfer.Manifest
	draft config.AgentDraft
	// withheld names the settings that were not taken; baselines are those of the package that were.
	withheld  []string
	baselines []transfer.Baseline
	made      []string // files to remove if it fails
}

// Unpack checks every part of a package and installs the agent in it. It overwrites nothing.
func Unpack(req UnpackRequest) (out Unpacked, err error) {
	im := &importing{req: req}
	if req.ConfigPath == "" {
		env, err := config.OSEnv()
		if err != nil {
			return out, err
		}
		if req.ConfigPath, err = target("", env); err != nil {
			return out, err
		}
	}
	if im.old, im.cfg, im.env, err = transfer.OpenConfig(req.ConfigPath, req.Config); err != nil {
		return out, err
	}
	f, err := fsys.OpenFile(req.File)
	if err != nil {
		return out, usererr.Usage(err)
	}
	defer f.Close()
	done, err := im.unpackPackage(f)
	defer func() { err = errors.Join(err, done()) }()
	if errors.Is(err, transfer.ErrNoRoom) {
		return out, usererr.Refusef("free some space; nothing was changed", "%s: %w", req.File, err)
	}
	if err != nil {
		return out, usererr.Refusef("nothing was changed; export it again", "%s: %w", req.File, err)
	}
	text, err := im.planInstall()
	if err != nil {
		return out, err
	}
	out = Unpacked{Agent: im.draft.Name, Workspace: im.draft.Workspace, Files: len(im.m.Files), DryRun: req.DryRun,
		Packed: im.m.Agent.Name, Withheld: im.withheld}
	for _, b := range im.baselines {
		out.Baselines = append(out.Baselines, b.File)
	}
	if req.DryRun {
		out.Diff = udiff.Unified(im.cfg.Path, im.cfg.Path, string(im.old), string(text))
		return out, nil
	}
	fresh, err := im.installFiles()
	if err != nil {
		for _, name := range im.made {
			_ = vault.RemoveFile(name) // or the next try would refuse to overwrite it
		}
		return out, err
	}
	out.Fresh = &fresh
	return out, vault.ReplaceFile(im.cfg.Path, text, 0o644)
}

// unpackPackage unpacks the package to a temporary folder and checks it. A lock allows one import at a time, so it can remove
// what an interrupted import left.
func (im *importing) unpackPackage(f *os.File) (done func() error, err error) {
	var undo []func() error
	done = func() (err error) {
		for _, do := range slices.Backward(undo) {
			err = errors.Join(err, do())
		}
		return err
	}
	in, name := os.TempDir(), "tend-import-"+rand.Text()
	if !im.req.DryRun {
		in, name = im.cfg.StateDir, vault.TempPrefix+"import"
		if err := fsys.MakeFolder(in, 0o700); err != nil {
			return done, err
		}
	}
	t, err := fsys.Dir(in)
	if err != nil {
		return done, err
	}
	undo = append(undo, t.Close)
	if !im.req.DryRun {
		lock, err := t.Lock("import.lock", im.req.Who)
		if err != nil {
			return done, err
		}
		undo = append(undo, lock.Close)
		if err := removeLeftovers(t, name); err != nil {
			return done, err
		}
	}
	if err := t.Mkdir(name, 0o700); err != nil {
		return done, err
	}
	undo = append(undo, func() error { return fsys.RemoveAll(t, name) })
	if im.tree, err = t.Sub(name); err != nil {
		return done, err
	}
	undo = append(undo, im.tree.Close)
	room, err := fsys.Space(in)
	if err != nil {
		return done, err
	}
	if im.m, err = transfer.Unpack(f, im.tree, int64(room.Free)); err != nil {
		return done, err
	}
	return done, transfer.Inspect(im.tree, im.req.Clock())
}

// removeLeftovers removes what interrupted imports left.
func removeLeftovers(t fsys.FS, prefix string) error {
	infos, err := t.ReadDir(".")
	for _, i := range infos {
		if strings.HasPrefix(i.Name, prefix) {
			err = errors.Join(err, fsys.RemoveAll(t, i.Name))
		}
	}
	return err
}

// openFolders opens the folders that the agent is installed to; close closes them.
func (im *importing) openFolders(name string) (p transfer.Dirs, close func() error, err error) {
	p = transfer.Dirs{Name: name, State: transfer.Folder{Path: im.cfg.StateDir}, Archives: transfer.Folder{Path: im.cfg.ArchiveDir}}
	for _, f := range []*transfer.Folder{&p.State, &p.Archives} {
		f.Tree, err = fsys.Dir(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			f.Tree, err = fsys.Missing, nil
		}
		if err != nil {
			return p, func() error { return nil }, err
		}
	}
	return p, func() error { return errors.Join(p.State.Tree.Close(), p.Archives.Tree.Close()) }, nil
}

// planInstall decides where everything goes and returns the new tend.yaml.
func (im *importing) planInstall() ([]byte, error) {
	cfg, name := im.cfg, cmp.Or(im.req.Name, im.m.Agent.Name)
	if !config.ValidName(name) {
		return nil, usererr.Usagef("choose another with --name", "%q cannot be an agent's name", name)
	}
	if _, err := cfg.Agent(name); err == nil {
		return nil, usererr.Refusef("choose another name with --name", "%s has an agent %s already", cfg.Path, name)
	}
	places, done, err := im.openFolders(name)
	if err != nil {
		return nil, err
	}
	dir, taken, err := places.Taken(im.tree)
	if err := errors.Join(err, done()); err != nil {
		return nil, err
	}
	if taken {
		return nil, usererr.Refusef("choose another name with --name, or move it away", "%s already exists", dir)
	}
	if err := im.draftAgent(name); err != nil {
		return nil, err
	}
	text, err := im.withAgent(im.draft) // all of it must be valid, also what is withheld
	if err == nil && !im.req.Settings {
		if err = im.withholdSettings(); err == nil {
			text, err = im.withAgent(im.draft)
		}
	}
	if err != nil {
		return nil, usererr.Usage(err)
	}
	return text, nil
}

// withAgent returns tend.yaml with the agent of a draft.
func (im *importing) withAgent(d config.AgentDraft) ([]byte, error) {
	text, err := transfer.AddLayout(im.cfg, im.old, &d, im.m.Agent.LayoutText, im.env)
	if err == nil {
		text, err = config.Append(im.cfg.Path, text, d, im.env)
	}
	return text, err
}

// draftAgent sets the draft of the agent for tend.yaml.
func (im *importing) draftAgent(name string) error {
	m, beside := im.m, filepath.Dir(im.cfg.Path)
	ws, err := filepath.Abs(cmp.Or(im.req.Workspace, filepath.Join(beside, "workspaces", name)))
	if err != nil {
		return err
	}
	d := m.Agent.Draft()
	d.Name, d.Workspace = name, ws
	seen := map[string]bool{}
	for _, b := range m.Baselines {
		base := filepath.Base(b.Name)
		if _, after, ok := strings.Cut(base, "-"); ok && !seen[after] && after != "" && !strings.HasPrefix(after, ".") {
			base = after
		}
		seen[base] = true
		source := filepath.Join(beside, "baselines", name, base)
		packed, err := vault.ReadFile(im.tree, b.Name)
		if err != nil {
			return err
		}
		if there, err := fsys.ReadFile(source); err == nil && !bytes.Equal(there, packed) {
			return usererr.Refusef("move it away, or choose another --name", "%s already exists", source)
		}
		d.Baselines = append(d.Baselines, config.BaselineDraft{File: b.File, Source: source})
	}
	im.draft, im.baselines = d, m.Baselines
	return nil
}

// withholdSettings removes from the draft what the operator of this machine decides, and baselines for files that are not memory,
// and records them.
func (im *importing) withholdSettings() (err error) {
	d := &im.draft
	if im.withheld, im.m.Agent.LayoutText, err = transfer.Withhold(im.cfg, d, im.m.Agent.LayoutText); err != nil {
		return err
	}
	var files []config.BaselineDraft
	im.baselines = nil
	for i, b := range im.m.Baselines {
		if transfer.NotCarried(vault.Path(b.File)) != "" {
			im.withheld = append(im.withheld, "baseline "+b.File)
			continue
		}
		files, im.baselines = append(files, d.Baselines[i]), append(im.baselines, b)
	}
	d.Baselines = files
	return nil
}

// installFiles puts everything but tend.yaml in place, and reports whether the workspace is new.
func (im *importing) installFiles() (fresh bool, err error) {
	for i, b := range im.baselines {
		data, err := vault.ReadFile(im.tree, b.Name)
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
	if fresh, err = im.installMemory(); err != nil {
		return fresh, err
	}
	if err := fsys.MakeFolder(im.cfg.ArchiveDir, 0o700); err != nil {
		return fresh, err
	}
	places, done, err := im.openFolders(im.draft.Name)
	if err != nil {
		return fresh, err
	}
	return fresh, errors.Join(transfer.Install(im.tree, places), done())
}

// installMemory fills a new workspace completely or not at all. Files that root creates get the owner of the folder, or
// of its parent if the folder is new.
func (im *importing) installMemory() (fresh bool, err error) {
	ws := im.draft.Workspace
	entries, err := fsys.ReadFolder(ws)
	if err == nil && len(entries) > 0 {
		return false, nil
	}
	if err := vault.MkdirAll(im.tree, vault.NoSync{}, transfer.MemoryPart, 0o755); err != nil {
		return false, err
	}
	if real, err := filepath.EvalSymlinks(ws); err == nil {
		ws = real
	}
	above := filepath.Dir(ws)
	if err := fsys.MakeFolder(above, 0o755); err != nil {
		return false, err
	}
	t, err := fsys.Dir(above)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	owner, err := t.Lstat(".")
	if err != nil {
		return false, err
	}
	owner.Mode = 0o755
	if st, err := t.Lstat(filepath.Base(ws)); err == nil {
		owner = st
	}
	if os.Geteuid() != 0 {
		owner.UID, owner.GID = -1, -1 // unchanged
	}
	err = transfer.CopyInto(im.tree, transfer.MemoryPart, t, filepath.Base(ws), &owner)
	if errors.Is(err, syscall.EBUSY) {
		return true, usererr.Refusef("name a folder inside it with --workspace", "%s is a mount point and cannot be filled as a whole", ws)
	}
	return true, err
}
