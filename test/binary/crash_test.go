//go:build linux

package binary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/test/blklog"
)

// TestPowerCut runs resets and writes on a real ext4 whose block writes are recorded, and checks the disk as a power cut at
// each moment could have left it: with all, some or torn parts of the unflushed writes.
func TestPowerCut(t *testing.T) {
	cases := []struct {
		name string
		load load
		cfg  blklog.Config
	}{
		{"reset one by one", load{agents: 2, rounds: 6}, blklog.Config{MaxStates: 500}},
		{"reset in a group", load{agents: 4, rounds: 3, many: true}, blklog.Config{MaxStates: 500}},
		{"write", load{agents: 1, writes: 16}, blklog.Config{MaxStates: 500}},
		{"first run", load{agents: 1, rounds: 1, fresh: true}, blklog.Config{MaxStates: 300}},
		{"busy host", load{agents: 2, rounds: 2, writes: 2}, blklog.Config{MaxStates: 500, SyncEvery: time.Millisecond}},
	}
	states, crashed := 0, 0
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			l := tc.load
			if !privileged(t) { // without crashes: the same work and check on an ordinary disk
				dir := t.TempDir()
				var acked []string
				must(t, l.setup(dir))
				must(t, l.run(dir, func(label string) { acked = append(acked, label) }))
				must(t, l.check(dir, acked))
				return
			}
			tc.cfg.Subsets, tc.cfg.Seed = 6, uint64(time.Now().UnixNano())
			report := blklog.Run(t, tc.cfg, blklog.Workload{Setup: l.setup, Run: l.run, Check: l.check})
			t.Log(report)
			states, crashed = states+report.States, crashed+1
		})
	}
	t.Logf("%d crash states", states)
	if want := 1000; states < want && crashed == len(cases) {
		t.Errorf("got %d crash states, want at least %d", states, want)
	}
}

// load is the work during which the power is cut.
type load struct {
	agents, rounds, writes int
	many                   bool // one sync for all agents
	fresh                  bool // a first start: even the parents of the state folder are missing
}

func (l load) name(i int) string { return fmt.Sprintf("agent%d", i) }

var baseline = []byte("# Baseline\n\n" + strings.Repeat("- ask before what cannot be undone\n", 40) + "\n---\n## Scratch Notes\n")

func (l load) setup(dir string) error {
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: ./var/lib/state\ndefaults: {layout: openclaw@2026.9, timezone: UTC}\nagents:\n")
	for i := range l.agents {
		conf.WriteString(fmt.Sprintf("  %s: {workspace: ./%[1]s, baselines: {MEMORY.md: ./baseline.md}}\n", l.name(i)))
		ws := filepath.Join(dir, l.name(i))
		if err := errors.Join(os.Mkdir(ws, 0o755), os.WriteFile(filepath.Join(ws, "MEMORY.md"), baseline, 0o644)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "baseline.md"), baseline, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "tend.yaml"), []byte(conf.String()), 0o644); err != nil {
		return err
	}
	if l.fresh {
		return nil
	}
	return l.open(dir, l.approve)
}

func (l load) approve(_ context.Context, f *fleet.Fleet) error {
	for i := range l.agents {
		a, err := f.Records(l.name(i))
		if err != nil {
			return err
		}
		list, err := a.Baselines.List()
		if err != nil {
			return err
		}
		if _, err := a.Guard.Approve(list, "tester", 1000, nil); err != nil {
			return err
		}
	}
	return nil
}

func (l load) open(dir string, do func(context.Context, *fleet.Fleet) error) (err error) {
	cfg, err := config.Load(filepath.Join(dir, "tend.yaml"), config.Env{Get: func(string) string { return "" }, Dir: dir})
	if err != nil {
		return err
	}
	f, err := fleet.Open(cfg, fleet.Options{Write: true, Many: l.many})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return do(context.Background(), f)
}

// run appends and syncs lines as the agents do, and has Tend reset and write. What was acknowledged is labelled.
func (l load) run(dir string, ack func(string)) error {
	return l.open(dir, func(ctx context.Context, f *fleet.Fleet) error {
		if l.fresh {
			if err := l.approve(ctx, f); err != nil {
				return err
			}
			ack("approved")
		}
		for round := range l.rounds {
			for i := range l.agents {
				line := fmt.Sprintf("- agent %d in round %d", i, round)
				if err := say(filepath.Join(dir, l.name(i), "MEMORY.md"), line); err != nil {
					return err
				}
				ack("said " + line)
			}
			for i := range l.agents {
				if r := runner.Do(ctx, f, l.name(i), "reset", runner.Options{Who: "tester"}); r.Outcome != job.WasReset {
					return fmt.Errorf("reset: %s: %w", r.Outcome, r.Err)
				}
				ack(fmt.Sprintf("reset %d", i))
			}
		}
		for n := range l.writes {
			a, err := f.Agent(ctx, l.name(0))
			if err != nil {
				return err
			}
			line := fmt.Sprintf("- version %d", n)
			_, err = runner.Write(ctx, a, "memory/plan.md", []byte(line+"\n"), nil, "write", runner.Options{Who: "tester"})
			if err := errors.Join(err, a.Close()); err != nil {
				return err
			}
			ack("said " + line)
			ack(fmt.Sprintf("wrote %d", n))
		}
		return nil
	})
}

// say appends a line and syncs it, as an agent does.
func say(name, line string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// check checks a disk after a power cut: what was acknowledged is there, nothing is torn, and the next run recovers the
// rest.
func (l load) check(dir string, acked []string) error {
	wrote := -1
	state := filepath.Join(dir, "var", "lib", "state")
	w := &world{dir: dir, state: state, archives: filepath.Join(state, "archive"), baseline: baseline}
	for i := range l.agents {
		w.agents = append(w.agents, filepath.Join(dir, l.name(i)))
	}
	for _, label := range acked {
		if line, ok := strings.CutPrefix(label, "said "); ok {
			w.said = append(w.said, line)
		}
		number(label, "wrote %d", &wrote)
		if i := -1; number(label, "reset %d", &i) {
			if err := gone(w.memory(i), fmt.Sprintf("- agent %d in round ", i), w.said); err != nil {
				return err
			}
		}
	}
	if err := whole(filepath.Join(dir, l.name(0), "memory", "plan.md"), wrote); err != nil {
		return err
	}
	if l.fresh && len(acked) == 0 { // the approval was not acknowledged yet
		if err := l.open(dir, l.approve); err != nil {
			return err
		}
	}
	// Twice: recovering again changes nothing.
	for again := range 2 {
		if err := l.open(dir, func(ctx context.Context, f *fleet.Fleet) error { return l.recover(ctx, f, again > 0) }); err != nil {
			return err
		}
		if lost, err := w.missing(); err != nil || len(lost) > 0 {
			return fmt.Errorf("lost %q: %w", lost, err)
		}
	}
	return whole(filepath.Join(dir, l.name(0), "memory", "plan.md"), wrote)
}

// number reads the number in a label of this kind.
func number(label, format string, n *int) bool {
	_, err := fmt.Sscanf(label, format, n)
	return err == nil
}

// gone checks that lines removed by an acknowledged reset are not in the file again.
func gone(name, prefix string, said []string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for _, line := range said {
		if strings.HasPrefix(line, prefix) && bytes.Contains(text, []byte(line+"\n")) {
			return fmt.Errorf("a reset was acknowledged and undone: %q", line)
		}
	}
	return nil
}

// whole checks the file that is written repeatedly: it is one of its versions, no older than the acknowledged one.
func whole(name string, wrote int) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && wrote < 0 {
		return nil
	}
	if err != nil {
		return err
	}
	n := -1
	if _, err := fmt.Sscanf(string(text), "- version %d\n", &n); err != nil || string(text) != fmt.Sprintf("- version %d\n", n) {
		return fmt.Errorf("torn: %q", text)
	}
	if n < wrote {
		return fmt.Errorf("version %d was acknowledged, %d is there", wrote, n)
	}
	return nil
}

// recover runs the next command after a crash.
func (l load) recover(ctx context.Context, f *fleet.Fleet, again bool) error {
	for i := range l.agents {
		r := runner.Do(ctx, f, l.name(i), "reset", runner.Options{Who: "tester"})
		if r.Err != nil || r.Outcome == job.Refused || r.Outcome == job.Drifted || r.Outcome == job.Created {
			return fmt.Errorf("%s: %s %s: %w", r.Agent, r.Outcome, r.Summary, r.Err)
		}
		if again && (r.Outcome != job.Unchanged || len(r.Findings) > 0) {
			return fmt.Errorf("%s: recovered twice: %s %s %v", r.Agent, r.Outcome, r.Summary, r.Findings)
		}
		a, err := f.Agent(ctx, l.name(i))
		if err != nil {
			return err
		}
		doc, err := a.Vault.Read(ctx, "MEMORY.md")
		if err == nil && !bytes.Equal(doc.Data, baseline) {
			err = errors.New("not the baseline")
		}
		broken, verr := a.Ledger.Verify()
		if len(broken) > 0 {
			verr = fmt.Errorf("records %q do not follow", broken)
		}
		last, lerr := a.Ledger.Last()
		if last != nil && last.State == "intent" {
			lerr = fmt.Errorf("action %s is still open", last.ID)
		}
		if err := errors.Join(err, verr, lerr, a.Close()); err != nil {
			return fmt.Errorf("%s: %w", r.Agent, err)
		}
	}
	return nil
}
