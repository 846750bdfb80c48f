package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"tend/internal/carry"
	"tend/internal/config"
	"tend/internal/fsys"
	"tend/internal/layout"
	"tend/internal/vault"
)

type importOptions struct {
	name, workspace string
	dryRun          bool
}

func newImportArchiveCommand(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import-archive FILE", GroupID: groupSetup, Short: "Unpack an agent that tend export packed",
		Long: `Check every part of the file, then put the agent's records, archives, trash, approvals and
baselines into this machine's state folder and add the agent to tend.yaml, with its layout
if that is one of your own. Where there is no tend.yaml one is made. Nothing that is there
is overwritten: an agent of that name is refused, and --name gives it another.

The memory goes into the workspace if that folder is new or empty; a workspace with files
in it is taken as it is. An import that was cut off is finished by running it again.

EXIT STATUS
  0 done · 3 refused: damaged, or something is in the way`,
		Example: `  tend import-archive reviewer.tend.tar.gz
  tend import-archive reviewer.tend.tar.gz --name reviewer2 --workspace ~/agents/reviewer2`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runImportArchive(a, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "the agent's folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file and write nothing; print the change to tend.yaml as a unified diff")
	return cmd
}

// importing is an import under way.
type importing struct {
	a     *app
	cfg   *config.Config
	old   []byte // of tend.yaml
	tmp   string // where the package is unpacked
	m     carry.Manifest
	draft config.AgentDraft
	made  []string // files that must go if it fails
}

func runImportArchive(a *app, o importOptions, file string) (err error) {
	im := &importing{a: a}
	if err := im.open(); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return usage(err)
	}
	defer f.Close()
	done, err := im.unpack(f, o.dryRun)
	defer func() { err = errors.Join(err, done()) }()
	if errors.Is(err, carry.ErrNoRoom) {
		return &exitError{code: exitRefused, err: fmt.Errorf("%s: %w", file, err), hint: "free some space; nothing was changed"}
	}
	if err != nil {
		return &exitError{code: exitRefused, err: fmt.Errorf("%s: %w", file, err), hint: "nothing was changed; export it again"}
	}
	text, places, err := im.plan(o)
	if err != nil {
		return err
	}
	report := map[string]any{"agent": im.draft.Name, "workspace": im.draft.Workspace, "files": len(im.m.Files), "dry_run": o.dryRun}
	if o.dryRun {
		diff := udiff.Unified(im.cfg.Path, im.cfg.Path, string(im.old), string(text))
		if a.json {
			report["diff"] = diff
			return a.printJSON(report)
		}
		a.printf("%s is whole: %s of agent %s\n", file, count(len(im.m.Files), "file"), im.m.Agent.Name)
		a.diff(diff)
		return nil
	}
	fresh, err := im.install(places)
	if err != nil {
		for _, name := range im.made {
			_ = os.Remove(name) // made here just now: it must not be in the way of the next try
		}
		return err
	}
	if err := replaceFile(im.cfg.Path, text); err != nil {
		return err
	}
	if a.json {
		report["workspace_new"] = fresh
		return a.printJSON(report)
	}
	a.printf("imported %s, %s; its workspace is %s\n", im.draft.Name, count(len(im.m.Files), "file"), im.draft.Workspace)
	if !fresh {
		a.printf("The folder had files in it and was taken as it is; the packed memory was not written over it.\n")
	}
	return nil
}

// open reads tend.yaml, or drafts one where there is none.
func (im *importing) open() (err error) {
	a := im.a
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	path, err := config.Find(a.configPath, env)
	if errors.Is(err, config.ErrNotFound) {
		path, err = filepath.Abs("tend.yaml")
	}
	if err != nil {
		return usage(err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		im.old = config.Render(config.Draft{StateDir: "./state"})
		im.cfg, err = config.Parse(path, im.old, env)
		return err
	}
	if im.cfg, err = a.config(); err != nil {
		return err
	}
	im.old, err = os.ReadFile(im.cfg.Path)
	return err
}

// unpack checks the package. Only one import at a time works on a state, so that what
// another left unfinished can be cleared away.
func (im *importing) unpack(f *os.File, dryRun bool) (done func() error, err error) {
	none := func() error { return nil }
	dir := im.cfg.StateDir
	if dryRun {
		dir = os.TempDir()
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return none, err
	}
	t, err := fsys.Dir(dir)
	if err != nil {
		return none, err
	}
	done = t.Close
	if !dryRun {
		lock, err := t.Lock("import.lock", who())
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
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return done, err
	}
	im.m, err = carry.Unpack(f, im.tmp, int64(s.Bavail)*int64(s.Bsize))
	return done, err
}

// plan decides where everything goes, and what tend.yaml will say.
func (im *importing) plan(o importOptions) ([]byte, carry.Places, error) {
	cfg, m := im.cfg, im.m
	name := m.Agent.Name
	if o.name != "" {
		name = o.name
	}
	none := carry.Places{}
	if !config.ValidName(name) {
		return nil, none, usagef("choose another with --name", fmt.Sprintf("%q cannot be an agent's name", name))
	}
	if _, err := cfg.Agent(name); err == nil {
		return nil, none, &exitError{code: exitRefused, err: fmt.Errorf("%s has an agent %s already", cfg.Path, name), hint: "choose another name with --name"}
	}
	places := carry.Places{State: cfg.StateDir, Archive: filepath.Join(cfg.ArchiveDir, name), Name: name}
	dir, taken, err := places.Taken(im.tmp)
	if err != nil {
		return nil, none, err
	}
	if taken {
		return nil, none, &exitError{code: exitRefused, err: fmt.Errorf("%s is there already", dir), hint: "choose another name with --name, or move it away"}
	}
	if err := im.describe(o, name); err != nil {
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
		return nil, none, usage(err)
	}
	return text, places, nil
}

// describe is the agent as it will stand in tend.yaml.
func (im *importing) describe(o importOptions, name string) error {
	m, beside := im.m, filepath.Dir(im.cfg.Path)
	ws := o.workspace
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
		if _, after, ok := strings.Cut(base, "-"); ok && !seen[after] {
			base = after
		}
		seen[base] = true
		source := filepath.Join(beside, "baselines", name, base)
		packed, err := os.ReadFile(filepath.Join(im.tmp, filepath.FromSlash(b.Name)))
		if err != nil {
			return err
		}
		if there, err := os.ReadFile(source); err == nil && !bytes.Equal(there, packed) {
			return &exitError{code: exitRefused, err: fmt.Errorf("%s is there already", source), hint: "move it away, or choose another --name"}
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
		data, err := os.ReadFile(filepath.Join(im.tmp, filepath.FromSlash(b.Name)))
		if err != nil {
			return false, err
		}
		source := im.draft.Baselines[i].Source
		if _, err := os.Lstat(source); errors.Is(err, fs.ErrNotExist) {
			im.made = append(im.made, source)
		}
		if err := writeNewFile(source, data, 0o644); err != nil {
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
	entries, err := os.ReadDir(ws)
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
	var owner unix.Stat_t
	if err := unix.Stat(like, &owner); err != nil {
		return false, err
	}
	own := func(name string) error {
		if os.Geteuid() != 0 {
			return nil
		}
		return os.Lchown(name, int(owner.Uid), int(owner.Gid))
	}
	err = carry.PlaceCopy(from, ws, own)
	if errors.Is(err, unix.EBUSY) {
		return true, &exitError{code: exitRefused, err: fmt.Errorf("%s is a mount point and cannot be filled as a whole", ws), hint: "name a folder inside it with --workspace"}
	}
	return true, err
}
