package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/fleet/storedtest"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
)

// yard is a fleet of several agents in a folder, each with an approved baseline.
type yard struct {
	t   *testing.T
	dir string
	now time.Time
	// store is the agents' store, nil for agents that are only on disk.
	store *storedtest.Stored
}

const operators = "# Me\n\n- a rule\n---\n"

func newYard(t *testing.T, agents ...string) *yard {
	t.Helper()
	y := &yard{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: ./deep/state\ndefaults: {layout: shepherd, timezone: UTC, policy: " +
		"{baseline.min_bytes: 10}}\nagents:\n")
	for _, a := range agents {
		fmt.Fprintf(&conf, "  %s: {workspace: ./%[1]s, baselines: {MEMORY.md: ./baselines/%[1]s.md}}\n", a)
		y.write(a+"/MEMORY.md", operators)
		y.write("baselines/"+a+".md", operators)
	}
	y.write("tend.yaml", conf.String())
	f := y.open(fleet.Options{Write: true})
	defer func() { y.store = storedtest.New(t) }()
	for _, a := range agents {
		ag, err := f.Records(a)
		must(t, err)
		list, err := ag.Baselines.List()
		must(t, err)
		_, err = ag.Guard.Approve(list, "test", 10, nil)
		must(t, err)
	}
	return y
}

func (y *yard) path(name string) string { return filepath.Join(y.dir, filepath.FromSlash(name)) }

func (y *yard) write(name, text string) {
	y.t.Helper()
	must(y.t, os.MkdirAll(filepath.Dir(y.path(name)), 0o755))
	must(y.t, os.WriteFile(y.path(name), []byte(text), 0o644))
}

func (y *yard) read(name string) string {
	y.t.Helper()
	text, err := os.ReadFile(y.path(name))
	must(y.t, err)
	return string(text)
}

func (y *yard) open(o fleet.Options) *fleet.Fleet {
	y.t.Helper()
	cfg, err := config.Load(y.path("tend.yaml"), config.Env{Get: func(string) string { return "" }, Dir: y.dir})
	must(y.t, err)
	o.Clock = func() time.Time { return y.now }
	if y.store != nil && o.Write {
		o.Shared = y.store
	}
	f, err := fleet.Open(cfg, o)
	must(y.t, err)
	y.t.Cleanup(func() { must(y.t, f.Close()) })
	return f
}

// all returns every file below the yard, to check that nothing changed. For agents in a
// store, the state also has the machine's knowledge of it.
func (y *yard) all() map[string]string {
	y.t.Helper()
	files := map[string]string{}
	must(y.t, filepath.WalkDir(y.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && y.store != nil && d.Name() == "state" {
			return fs.SkipDir
		}
		if err == nil && d.IsDir() {
			files[name] = "folder"
		} else if err == nil {
			text, err := os.ReadFile(name)
			files[name] = string(text)
			return err
		}
		return err
	}))
	return files
}

func TestResetOutcomes(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(y *yard)
		want    job.Outcome
		found   string // code of the first finding
	}{
		{"equal", func(*yard) {}, job.Unchanged, ""},
		{"notes", func(y *yard) { y.write("ada/MEMORY.md", operators+"- a note\n") }, job.WasReset, ""},
		{"blank lines", func(y *yard) { y.write("ada/MEMORY.md", operators+"\n\n") }, job.WasReset, ""},
		{"no file", func(y *yard) { must(y.t, os.Remove(y.path("ada/MEMORY.md"))) }, job.Created, ""},
		{"drift", func(y *yard) { y.write("ada/MEMORY.md", "# Not me\n---\n") }, job.Drifted, finding.Drift.Code},
		{"no line", func(y *yard) { y.write("ada/MEMORY.md", "all mine") }, job.Drifted, finding.Drift.Code},
		{"empty", func(y *yard) { y.write("ada/MEMORY.md", "") }, job.Drifted, finding.Drift.Code},
		{"tampered", func(y *yard) { y.write("baselines/ada.md", operators+"more") }, job.Refused, finding.BaselineTampered.Code},
		{"small", func(y *yard) { y.write("baselines/ada.md", "---\n") }, job.Refused, finding.BaselineSmall.Code},
		{"missing", func(y *yard) { must(y.t, os.Remove(y.path("baselines/ada.md"))) }, job.Refused, finding.BaselineMissing.Code},
		{"never approved", func(y *yard) { must(y.t, os.RemoveAll(y.path("deep/state/baselines"))) }, job.Refused,
			finding.BaselineUnapproved.Code},
		{"no workspace", func(y *yard) { must(y.t, os.RemoveAll(y.path("ada"))) }, job.Failed, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			y := newYard(t, "ada")
			tc.prepare(y)
			must(t, os.MkdirAll(y.path("deep/state/agents/ada"), 0o700))
			before := y.all()
			f := y.open(fleet.Options{Write: true})
			r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"})
			if r.Outcome != tc.want {
				t.Fatalf("got %s (%s %v), want %s", r.Outcome, r.Summary, r.Err, tc.want)
			}
			if len(r.Findings) > 0 != (tc.found != "") || tc.found != "" && (r.Findings[0].Code != tc.found || r.Findings[0].Agent != "ada") {
				t.Errorf("findings: got %v, want %q", r.Findings, tc.found)
			}
			if run := y.runs("ada")["reset"]; run.Outcome != tc.want || len(run.Recent) != 1 || !run.Last.Equal(y.now) {
				t.Errorf("recorded: %+v", run)
			}
			switch tc.want {
			case job.Unchanged, job.Refused, job.Failed:
				after := y.all()
				for _, name := range []string{"jobs.json", "jobs.lock", "runs.jsonl"} {
					delete(after, y.path("deep/state/agents/ada/"+name))
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("something was changed: %s", diff)
				}
			default:
				if got := y.read("ada/MEMORY.md"); got != operators {
					t.Errorf("got %q", got)
				}
				if again := Do(t.Context(), f, "ada", "reset", Options{Who: "test"}); again.Outcome != job.Unchanged {
					t.Errorf("again: got %s, want %s", again.Outcome, job.Unchanged)
				}
			}
		})
	}
}

// TestResetDefers: a scheduled reset leaves an agent alone that has just written; the exact limit is enough.
func TestResetDefers(t *testing.T) {
	for _, tc := range []struct {
		quiet time.Duration
		busy  bool
		want  job.Outcome
	}{
		{0, true, job.Deferred},
		{2*time.Minute - time.Second, true, job.Deferred},
		{2 * time.Minute, true, job.WasReset},
		{-time.Hour, true, job.WasReset}, // in the future: an agent must not defer its reset forever
		{0, false, job.WasReset},
	} {
		y := newYard(t, "ada")
		y.write("ada/MEMORY.md", operators+"- at work\n")
		then := y.now.Add(-tc.quiet)
		must(t, os.Chtimes(y.path("ada/MEMORY.md"), then, then))
		r := Do(t.Context(), y.open(fleet.Options{Write: true}), "ada", "reset", Options{Who: "test", Scheduled: tc.busy})
		if r.Outcome != tc.want {
			t.Errorf("quiet for %v, deferring %v: got %s, want %s", tc.quiet, tc.busy, r.Outcome, tc.want)
		}
	}
}

// TestManyAtOnce resets agents in parallel with shared syncs, and keeps them apart.
func TestManyAtOnce(t *testing.T) {
	var names []string
	for i := range 24 {
		names = append(names, fmt.Sprintf("a%d", i))
	}
	y := newYard(t, names...)
	for _, n := range names {
		y.write(n+"/MEMORY.md", operators+"- note of "+n+"\n")
	}
	f := y.open(fleet.Options{Write: true, Many: true})
	results := make([]Result, len(names))
	var wg sync.WaitGroup
	for i, n := range names {
		wg.Go(func() { results[i] = Do(t.Context(), f, n, "reset", Options{Who: "test"}) })
	}
	wg.Wait()
	for i, r := range results {
		if r.Outcome != job.WasReset || r.Agent != names[i] || len(r.Archives) != 1 {
			t.Errorf("%s: got %+v", names[i], r)
			continue
		}
		ag, err := f.Records(names[i])
		must(t, err)
		x, err := ag.Ledger.Archive.Open(r.Archives[0])
		must(t, err)
		if got, want := string(x.Text), "- note of "+names[i]+"\n"; got != want || !x.Whole {
			t.Errorf("%s: archived %q, want %q", names[i], got, want)
		}
	}
}

func TestWriteIf(t *testing.T) {
	y := newYard(t, "ada")
	f := y.open(fleet.Options{Write: true})
	a, err := f.Agent(t.Context(), "ada")
	must(t, err)
	t.Cleanup(func() { must(t, a.Close()) })
	is := vault.VersionOf([]byte(operators))
	other := vault.VersionOf([]byte("other"))
	absent := vault.Absent
	for _, tc := range []struct {
		file vault.Path
		only *vault.Version
		want error
		out  job.Outcome
	}{
		{"MEMORY.md", &other, vault.ErrChanged, ""},
		{"MEMORY.md", &absent, vault.ErrChanged, ""},
		{"new.md", &is, vault.ErrChanged, ""},
		{"MEMORY.md", &is, nil, "written"},
		{"MEMORY.md", nil, nil, job.Unchanged},
		{"deep/er/new.md", &absent, nil, "written"},
		{"deep/er/new.md", nil, nil, job.Unchanged},
	} {
		r, err := Write(t.Context(), a, tc.file, []byte("text of mine"), tc.only, "write", Options{Who: "test"})
		if !errors.Is(err, tc.want) || err == nil && r.Outcome != tc.out {
			t.Errorf("%s: got %s %v, want %s %v", tc.file, r.Outcome, err, tc.out, tc.want)
		}
	}
	for _, name := range []string{"ada/MEMORY.md", "ada/deep/er/new.md"} {
		if got, want := y.read(name), "text of mine"; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestRecords reads what is kept of an agent whose workspace is gone.
func TestRecords(t *testing.T) {
	y := newYard(t, "ada")
	y.write("ada/MEMORY.md", operators+"- worth keeping\n")
	f := y.open(fleet.Options{Write: true})
	r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"})
	must(t, r.Err)
	must(t, os.RemoveAll(y.path("ada")))
	a, err := f.Records("ada")
	must(t, err)
	x, err := a.Ledger.Archive.Open(r.Action)
	must(t, err)
	if got, want := string(x.Text), "- worth keeping\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	act, err := a.Ledger.Find(r.Action)
	must(t, err)
	text, err := a.Ledger.Before(act, 0)
	must(t, err)
	if got, want := string(text), operators+"- worth keeping\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := f.Records("nobody"); err == nil {
		t.Error("opened an unknown agent")
	}
}

// TestReadersNeverWrite reads everything through a fleet that was not opened for writing.
func TestReadersNeverWrite(t *testing.T) {
	y := newYard(t, "ada", "bob")
	y.write("ada/MEMORY.md", "# Not me\n---\n- a note\n")
	must(t, os.RemoveAll(y.path("deep")))
	before := y.all()
	f := y.open(fleet.Options{})
	for _, n := range []string{"ada", "bob"} {
		st := f.State(t.Context(), n, fleet.Survey{})
		if st.Err != nil || len(st.Findings) == 0 {
			t.Errorf("%s: got %v %v", n, st.Findings, st.Err)
		}
		if _, err := f.Drift(t.Context(), n); err == nil {
			t.Errorf("%s: drift from a draft that nobody approved", n)
		}
		r := Do(t.Context(), f, n, "reset", Options{Who: "test"})
		if r.Outcome != job.Refused {
			t.Errorf("%s: got %s, want refused: nothing is approved", n, r.Outcome)
		}
	}
	if diff := cmp.Diff(before, y.all()); diff != "" {
		t.Errorf("something was changed: %s", diff)
	}
}

// TestHistoryBlocksNothing syncs git history while the agent's lock is held, and resets the agent while history is
// being synced.
func TestHistoryBlocksNothing(t *testing.T) {
	y := newYard(t, "ada")
	y.write("ada/MEMORY.md", operators+"- a note\n")
	f := y.open(fleet.Options{Write: true})
	a, err := f.Agent(t.Context(), "ada")
	must(t, err)
	t.Cleanup(func() { must(t, a.Close()) })

	lock, err := y.lock(ledger.LockPath("ada"), "somebody at work\n")
	must(t, err)
	if n, _, err := a.History.Sync(t.Context()); err != nil || n != 1 {
		t.Errorf("while the agent is locked: got %d commits, %v", n, err)
	}
	must(t, lock.Close())

	lock, err = y.lock("history/ada.lock", "somebody at it\n")
	must(t, err)
	if r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"}); r.Outcome != job.WasReset {
		t.Errorf("while history is synced: got %s %v", r.Outcome, r.Err)
	}
	if _, _, err := a.History.Sync(t.Context()); !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("two syncs at once: got %v, want %v", err, fsys.ErrLocked)
	}
	must(t, lock.Close())
	if n, _, err := a.History.Sync(t.Context()); err != nil || n != 1 {
		t.Errorf("afterwards: got %d commits, %v", n, err)
	}
}

// lock takes a lock in the state folder, as another process does.
func (y *yard) lock(name, holder string) (io.Closer, error) {
	y.t.Helper()
	must(y.t, os.MkdirAll(filepath.Dir(y.path("deep/state/"+name)), 0o700))
	state, err := fsys.Dir(y.path("deep/state"))
	must(y.t, err)
	y.t.Cleanup(func() { must(y.t, state.Close()) })
	return state.Lock(name, holder)
}

// TestLockWait: every request waits for a lock as long as lock.wait says, and no longer; a reset too.
func TestLockWait(t *testing.T) {
	y := newYard(t, "ada")
	y.write("ada/MEMORY.md", operators+"- a note\n")
	conf := y.read("tend.yaml")
	y.write("tend.yaml", strings.Replace(conf, "policy: {", "policy: {lock.wait: 30ms, ", 1))
	f := y.open(fleet.Options{Write: true})
	lock, err := y.lock(ledger.LockPath("ada"), "pid 1 on elsewhere\n")
	must(t, err)
	began := time.Now()
	if r := Do(t.Context(), f, "ada", "reset", Options{Who: "test"}); r.Outcome != job.Locked ||
		!strings.Contains(r.Error, "pid 1 on elsewhere") {
		t.Errorf("reset: got %s %q", r.Outcome, r.Error)
	}
	if waited := time.Since(began); waited < 15*time.Millisecond {
		t.Errorf("reset gave up after %s", waited)
	}
	a, err := f.Agent(t.Context(), "ada")
	must(t, err)
	hasty := a
	t.Cleanup(func() { must(t, hasty.Close()) })
	if _, err := Write(t.Context(), a, "x.md", []byte("x"), nil, "write", Options{Who: "test"}); !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("write: got %v, want %v", err, fsys.ErrLocked)
	}
	y.write("tend.yaml", strings.Replace(conf, "policy: {", "policy: {lock.wait: 1h, ", 1))
	patient, err := y.open(fleet.Options{Write: true}).Agent(t.Context(), "ada")
	must(t, err)
	t.Cleanup(func() { must(t, patient.Close()) })
	a = patient
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Write(ctx, a, "x.md", []byte("x"), nil, "write", Options{Who: "test"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
	}
	go func() {
		time.Sleep(30 * time.Millisecond)
		lock.Close()
	}()
	if _, err := Write(t.Context(), a, "x.md", []byte("x"), nil, "write", Options{Who: "test"}); err != nil {
		t.Errorf("freed meanwhile: %v", err)
	}
}
