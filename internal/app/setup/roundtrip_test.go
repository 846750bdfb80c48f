package setup

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/test/require"
)

// traveller is an agent in a folder of its own, with tend.yaml, state and workspace.
type traveller struct {
	t   *testing.T
	dir string
	ws  string // below dir
	now time.Time
}

func (v traveller) load() (*config.Config, error) {
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	return config.Load(filepath.Join(v.dir, "tend.yaml"), env)
}

// with opens the agent for one call, as each command does.
func (v traveller) with(do func(a *fleet.Agent) error) {
	v.t.Helper()
	cfg, err := v.load()
	must(v.t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true, Clock: func() time.Time { return v.now }})
	must(v.t, err)
	defer f.Close()
	a, err := f.Agent(v.t.Context(), "scout")
	must(v.t, err)
	defer a.Close()
	must(v.t, do(a))
}

var must = require.NoError

// files returns the texts of the workspace.
func (v traveller) files() map[string]string {
	v.t.Helper()
	out := map[string]string{}
	root := filepath.Join(v.dir, v.ws)
	must(v.t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		out[strings.TrimPrefix(name, root+"/")] = string(text)
		return err
	}))
	return out
}

// lived returns an agent with many old actions, whose displaced texts have nearly all left the trash, and its workspace
// as it was before the first action.
func lived(t *testing.T, seed uint64) (traveller, map[string]string) {
	v := traveller{t: t, dir: t.TempDir(), ws: "ws", now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	must(t, os.MkdirAll(filepath.Join(v.dir, "ws", "memory"), 0o755))
	must(t, os.WriteFile(filepath.Join(v.dir, "tend.yaml"), []byte(`version: 1
state_dir: ./state
defaults: {layout: openclaw@2026.8, timezone: UTC}
agents:
  scout:
    workspace: ./ws
    policy: {trash.retention: 2d, trash.grace: 1h}
`), 0o644))
	names := []string{"MEMORY.md", "USER.md", "memory/2026-02-27.md"}
	for i, name := range names {
		must(t, os.WriteFile(filepath.Join(v.dir, "ws", name), fmt.Appendf(nil, "# %s\n\n- kept from the start, %d\n", name, i), 0o644))
	}
	first := v.files()
	rng := rand.New(rand.NewPCG(seed, 7))
	names = append(names, "memory/projects.md", "memory/people.md")
	for n := range 10 {
		v.now = v.now.Add(30 * time.Hour)
		name := names[rng.IntN(len(names))]
		v.with(func(a *fleet.Agent) error {
			if _, there := v.files()[name]; there && rng.IntN(4) == 0 {
				_, err := runner.Apply(t.Context(), a,
					plan.Plan{Job: "write", Reason: "test", Summary: "remove",
						Changes: []plan.Change{{Op: plan.Remove, Path: vault.Path(name), Before: version(v, name), Why: "test"}}},
					runner.Options{Who: "test"})
				return err
			}
			text := fmt.Sprintf("# %s\n\n- action %d of life %d wrote this\n%s", name, n, seed, strings.Repeat("- and more\n", rng.IntN(40)))
			_, err := runner.Write(t.Context(), a, vault.Path(name), []byte(text), nil, "write", runner.Options{Who: "test", Reason: "test"})
			if err == nil && n%3 == 0 {
				_, _, err = a.History.Sync(t.Context())
			}
			return err
		})
	}
	// One more action, two months later, empties the trash.
	v.now = v.now.AddDate(0, 2, 0)
	v.with(func(a *fleet.Agent) error {
		_, err := runner.Write(t.Context(), a, "HEARTBEAT.md", []byte("- the last action\n"), nil, "write",
			runner.Options{Who: "test", Reason: "test"})
		if err == nil {
			_, err = a.Tidy(t.Context())
		}
		if err == nil {
			_, _, err = a.History.Sync(t.Context())
		}
		left := 0
		must(t, a.History.Pack(fleet.TrashPack).Each(func(_ pack.Entry, err error) error { left++; return err }))
		if left < 3 {
			t.Fatalf("only %d texts have left the trash", left)
		}
		return err
	})
	return v, first
}

func version(v traveller, name string) vault.Version { return vault.VersionOf([]byte(v.files()[name])) }

// copied restores the documented backup, a copy of configuration, state and workspaces, at another place.
func (v traveller) copied() traveller {
	v.t.Helper()
	to := v
	to.dir = v.t.TempDir()
	must(v.t, os.CopyFS(to.dir, os.DirFS(v.dir)))
	conf := filepath.Join(to.dir, "tend.yaml")
	text, err := os.ReadFile(conf)
	must(v.t, err)
	must(v.t, os.WriteFile(conf, []byte(strings.ReplaceAll(string(text), v.dir, to.dir)), 0o644)) // an import writes whole paths
	return to
}

// exported exports the agent and imports it at another place.
func (v traveller) exported() traveller {
	v.t.Helper()
	file := filepath.Join(v.t.TempDir(), "scout.tar.gz")
	v.with(func(a *fleet.Agent) error {
		cfg, err := v.load()
		if err == nil {
			_, err = Export(v.t.Context(), cfg, a, ExportRequest{File: file, Version: "test", Who: "test"})
		}
		return err
	})
	to := traveller{t: v.t, dir: v.t.TempDir(), ws: "workspaces/scout", now: v.now}
	_, err := Unpack(UnpackRequest{File: file, ConfigPath: filepath.Join(to.dir, "tend.yaml"), Config: to.load, Who: "test",
		Clock: func() time.Time { return v.now }})
	must(v.t, err)
	return to
}

// git returns a path in the agent's repository.
func (v traveller) git(names ...string) string {
	return filepath.Join(append([]string{v.dir, "state", "history", "scout.git"}, names...)...)
}

// damaged damages the repository with harm.
func (v traveller) damaged(harm func(git string) error) traveller {
	v = v.copied()
	must(v.t, harm(v.git()))
	return v
}

func zeroObjects(git string) error {
	return filepath.WalkDir(filepath.Join(git, "objects"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if err := os.Chmod(name, 0o600); err != nil {
			return err
		}
		return os.WriteFile(name, nil, 0o600)
	})
}

func (v traveller) synced() traveller {
	v.t.Helper()
	v.with(func(a *fleet.Agent) error { _, _, err := a.History.Sync(v.t.Context()); return err })
	return v
}

func (v traveller) rebuilt() traveller {
	v.t.Helper()
	v.with(func(a *fleet.Agent) error { _, err := a.History.Rebuild(v.t.Context()); return err })
	return v
}

// undoAll undoes every action, the newest first, and counts those that were undone and whose previous text was found
// with the recorded digest.
func (v traveller) undoAll() (tries, held int) {
	v.t.Helper()
	var list []ledger.Action
	v.with(func(a *fleet.Agent) error {
		for done, err := range a.Ledger.Actions() {
			if err != nil {
				return err
			}
			if done.Outcome == ledger.Done || done.Outcome == ledger.Finished {
				list = append(list, done)
			}
		}
		return nil
	})
	for _, done := range list {
		if len(done.Files) == 0 {
			continue // no files changed
		}
		tries++
		v.now = v.now.Add(time.Second)
		v.with(func(a *fleet.Agent) error {
			for i, f := range done.Files {
				if f.Before == vault.Absent {
					continue
				}
				if text, err := a.Ledger.Before(done, i); err != nil || vault.VersionOf(text) != f.Before {
					v.t.Errorf("%s before %s: %v", f.Path, done.ID, err)
					return nil
				}
			}
			if _, err := runner.Undo(v.t.Context(), a, done, false, runner.Options{Who: "test", Reason: "test"}); err != nil {
				v.t.Errorf("undo %s (%s): %v", done.ID, done.Summary, err)
				return nil
			}
			held++
			return nil
		})
	}
	return tries, held
}

// TestRoundTripsAfterRetention: texts that left the trash survive an export and a copy of the state folder, without
// git. After each way to move an agent or to damage its repository, undoing every action brings back the first
// workspace, to the byte.
func TestRoundTripsAfterRetention(t *testing.T) {
	ways := map[string]func(v traveller) traveller{
		"as it is":                        func(v traveller) traveller { return v.copied() },
		"export":                          func(v traveller) traveller { return v.exported() },
		"export twice":                    func(v traveller) traveller { return v.exported().exported() },
		"backup of an import":             func(v traveller) traveller { return v.exported().copied().synced() },
		"repository deleted":              func(v traveller) traveller { return v.damaged(os.RemoveAll) },
		"repository deleted, synced":      func(v traveller) traveller { return v.damaged(os.RemoveAll).synced() },
		"objects damaged":                 func(v traveller) traveller { return v.damaged(zeroObjects) },
		"objects damaged, synced":         func(v traveller) traveller { return v.damaged(zeroObjects).synced() },
		"objects damaged, rebuilt":        func(v traveller) traveller { return v.damaged(zeroObjects).rebuilt() },
		"objects damaged, synced, export": func(v traveller) traveller { return v.damaged(zeroObjects).synced().exported() },
		"branch damaged, synced":          func(v traveller) traveller { return v.damaged(badBranch).synced() },
		"locks of a dead git, synced":     func(v traveller) traveller { return v.damaged(staleLocks).synced() },
		"rebuilt":                         func(v traveller) traveller { return v.copied().rebuilt() },
		"rebuilt, export, backup":         func(v traveller) traveller { return v.copied().rebuilt().exported().copied() },
	}
	names := make([]string, 0, len(ways))
	for name := range ways {
		names = append(names, name)
	}
	slices.Sort(names)
	trips, tries, held := 0, 0, 0
	for seed := range uint64(2) {
		v, first := lived(t, seed)
		for _, name := range names {
			t.Run(fmt.Sprintf("seed %d/%s", seed, name), func(t *testing.T) {
				v := v
				v.t = t
				at := ways[name](v)
				n, ok := at.undoAll()
				trips, tries, held = trips+1, tries+n, held+ok
				if n < 10 {
					t.Errorf("only %d actions", n)
				}
				if got := at.files(); !sameFiles(got, first) {
					t.Errorf("the workspace is not what it was:\n%v\nwant\n%v", got, first)
				}
				at.with(func(a *fleet.Agent) error {
					for _, f := range a.History.Check() {
						if f.Code != "history-broken" { // says that a repository was set aside
							t.Errorf("found %v", f)
						}
					}
					return nil
				})
			})
		}
	}
	t.Logf("round trips after retention: %d trips, %d actions undone afterwards, %d held", trips, tries, held)
	if trips < 28 || tries < 280 {
		t.Errorf("too few: %d trips, %d actions", trips, tries)
	}
}

func sameFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return true
}

func badBranch(git string) error {
	return os.WriteFile(filepath.Join(git, "refs", "heads", "main"), []byte(strings.Repeat("1", 40)+"\n"), 0o600)
}

func staleLocks(git string) error {
	for _, name := range []string{"refs/heads/main.lock", "HEAD.lock", "tend-syncing"} {
		if err := os.WriteFile(filepath.Join(git, name), nil, 0o600); err != nil {
			return err
		}
	}
	return nil
}
