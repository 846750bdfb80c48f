package crashtest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/state/ledger"
	"tend/test/light"
)

// rigs are the two ways in which writes become durable, and a file system without the
// exchange call.
var rigs = []rig{{name: "each alone"}, {name: "group", group: true}, {name: "no exchange", plain: true}}

// recorded is an operation that has run once, on disks that recorded every step.
type recorded struct {
	op   operation
	w    *world
	span span
}

// rehearse prepares an operation and returns the world right before it.
func rehearse(r rig, op operation) (*world, error) {
	w, err := newWorld(r)
	if err != nil {
		return nil, err
	}
	if err := op.setup(w); err != nil {
		return nil, err
	}
	w.disk.Record()
	if w.state != w.disk {
		w.state.Record()
	}
	return w.reopen()
}

// perform runs the operation with its agent.
func (op operation) perform(w *world) error {
	if op.inject != nil {
		w.disk.OnOp(op.inject(w))
		defer w.disk.OnOp(nil)
	}
	err := op.run(w)
	if op.refused != nil && errors.Is(err, op.refused) {
		err = nil
	}
	return err
}

// errNoRun: the operation could not be tried.
var errNoRun = errors.New("the operation did not run")

func record(r rig, op operation) (*recorded, error) {
	w, err := rehearse(r, op)
	if err != nil {
		return nil, errors.Join(errNoRun, err)
	}
	c := &recorded{op: op, w: w, span: span{before: w.memoryFiles(), also: op.also, adds: op.adds}}
	c.span.private = c.span.names()
	if err := op.perform(w); err != nil {
		return nil, errors.Join(errNoRun, err)
	}
	c.span.after = w.memoryFiles()
	return c, nil
}

// look starts the next process on a crashed disk, lets it recover, and checks all
// invariants.
func (c *recorded) look(d *memfs.Disk, acked bool) error { return c.lookAt(d, d, acked) }

func (c *recorded) lookAt(d, state *memfs.Disk, acked bool) error {
	w, err := open(c.w.rig, d, state, c.w.now.Add(time.Minute))
	if err != nil {
		return err
	}
	added := c.added(w)
	if err := c.recover(w, acked); err != nil {
		return fmt.Errorf("recovery: %w", err)
	}
	if added && !strings.Contains(w.kept(), c.op.adds) {
		return fmt.Errorf("%q is lost", c.op.adds)
	}
	return c.holds(w, acked)
}

// added reports whether the agent's addition is on the disk.
func (c *recorded) added(w *world) bool {
	for _, text := range w.everything() {
		if c.op.adds != "" && strings.Contains(text, c.op.adds) {
			return true
		}
	}
	return false
}

// recover runs the recovery after a crash and checks its result.
func (c *recorded) recover(w *world, acked bool) error {
	if !c.op.redo {
		return w.recover()
	}
	if err := c.op.check(w, acked); err != nil {
		return err
	}
	return c.op.run(w)
}

func (c *recorded) holds(w *world, acked bool) error {
	first := w.everything()
	if err := errors.Join(w.whole(c.span, acked), w.found(c.span, c.op.notes), w.sound()); err != nil {
		return err
	}
	if c.op.check != nil {
		if err := c.op.check(w, acked); err != nil {
			return err
		}
	}
	if !c.op.redo {
		if err := w.recover(); err != nil {
			return fmt.Errorf("second recovery: %w", err)
		}
		if !maps.Equal(first, w.everything()) {
			return fmt.Errorf("the second recovery changed something:\n%v\n%v", first, w.everything())
		}
	}
	return c.tidy(w)
}

// tidy checks that no temporary file is left, except those of an action whose intent the
// crash lost, the mark of the last sweep, and a month that was being gzipped; the next sweep after such an action removes
// them, or the next gzip.
func (c *recorded) tidy(w *world) error {
	left := w.temps()
	if len(left) == 0 {
		return nil
	}
	for _, name := range left {
		if id := ids.FindString(name); id != "" {
			_, err := w.ledger.Find(id)
			lost := errors.Is(err, ledger.ErrNoAction)
			// With two file systems a displaced file stays beside its successor until it is
			// swept, and so may a partial copy of it.
			if lost && w.rig.group || !lost && w.rig.far && !strings.HasPrefix(name, "state/archive") {
				continue
			}
		}
		month := c.op.name == "gzip" && strings.Contains(name, "/ledger/.tend-")
		if !strings.HasSuffix(name, "/.tend-swept.json") && !month {
			return fmt.Errorf("%s is left", name)
		}
	}
	_ = c.op.run(w) // if it succeeds, its folders are known
	w.now = w.now.Add(2 * grace)
	if err := w.sweep(); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if left := w.temps(); len(left) > 0 {
		return fmt.Errorf("%v are left even after a sweep", left)
	}
	return w.found(c.span, c.op.notes)
}

// ids finds an action's id in the name of a file.
var ids = regexp.MustCompile(`[0-9a-hjkmnp-tv-z]{10}`)

// limits on how many states are tried at each point.
var (
	single   = memfs.Limits{Exhaust: 48, Samples: 12, Seed: 1}
	compound = memfs.Limits{Exhaust: 4, Samples: 2, Seed: 2}
)

// thorough tries everything that an ordinary run only samples.
var thorough = os.Getenv("TEND_THOROUGH") != ""

// few reports whether a sample of the states is enough.
func few() bool { return light.On() && !thorough }

// seldom is the factor by which the race detector's sample is smaller.
func seldom() int {
	if light.Race && !thorough {
		return 8
	}
	return 1
}

// sampled picks one in so many, always the same ones.
func (r rig) sampled(counter *int, oneIn int) bool {
	if r.light {
		oneIn *= 8
	}
	*counter++
	return thorough || *counter%oneIn == 0
}

// rarely is sampled with fewer picks under the race detector.
func (r rig) rarely(counter *int, oneIn int) bool {
	if r.light {
		oneIn *= seldom()
	}
	return r.sampled(counter, oneIn)
}

// crashes interrupts an operation at every point and checks the result.
func crashes(r rig, op operation) (states int, err error) {
	c, err := record(r, op)
	if err != nil {
		return 0, err
	}
	tried := 0
	for n, d := range c.w.disk.EveryCrash(single) {
		if !r.rarely(&tried, 1) {
			continue
		}
		states++
		if err := c.look(d, n == c.w.disk.Len()); err != nil {
			return states, fmt.Errorf("after %d of %d steps: %w", n, c.w.disk.Len(), err)
		}
	}
	return states, nil
}

// compoundCrashes interrupts an operation, and then its recovery, at every point.
func compoundCrashes(r rig, op operation) (states int, err error) {
	c, err := record(r, op)
	if err != nil {
		return 0, err
	}
	outer, inner := 0, 0
	for n, d := range c.w.disk.EveryCrash(compound) {
		acked := n == c.w.disk.Len()
		if !r.sampled(&outer, 3) {
			continue
		}
		w, err := open(r, d, d, c.w.now)
		if err != nil {
			return states, err
		}
		d.Record()
		if err := c.recover(w, acked); err != nil {
			return states, fmt.Errorf("after %d steps: recovery: %w", n, err)
		}
		if d.Len() == 0 {
			continue // there was nothing to recover
		}
		for m, again := range d.EveryCrash(compound) {
			if !r.sampled(&inner, 6) {
				continue
			}
			states++
			if err := c.look(again, acked); err != nil {
				return states, fmt.Errorf("after %d steps, and %d of %d of the recovery: %w", n, m, d.Len(), err)
			}
		}
	}
	return states, nil
}

// killedThenCrashed kills an operation at every point, lets the next process recover,
// and cuts the power when that reports success: text that the first process had not
// synced must not be treated as durable.
func killedThenCrashed(r rig, op operation) (states int, err error) {
	c, err := record(r, op)
	if err != nil {
		return 0, err
	}
	tried := 0
	for n := range c.w.disk.Len() + 1 {
		if !r.sampled(&tried, 1) {
			continue
		}
		d := c.w.disk.KillAt(n)
		w, err := open(r, d, d, c.w.now)
		if err != nil {
			return states, err
		}
		if err := c.recover(w, false); err != nil {
			return states, fmt.Errorf("killed after %d steps: recovery: %w", n, err)
		}
		done := c.promise(w)
		for again := range d.Crashes(d.Len(), compound) {
			states++
			if err := done.look(again, op.adds == ""); err != nil {
				return states, fmt.Errorf("killed after %d steps, recovered, then cut off: %w", n, err)
			}
		}
	}
	return states, nil
}

// promise expects the result of a recovery to last.
func (c *recorded) promise(w *world) *recorded {
	done := *c
	done.op.redo, done.op.check = false, nil
	done.span.before, done.span.after = w.memoryFiles(), w.memoryFiles()
	for name, text := range done.span.before {
		// The agent syncs nothing.
		done.span.before[name] = strings.TrimSuffix(text, c.op.adds)
	}
	return &done
}

// everyOperation runs one kind of test for all operations and counts its states.
func everyOperation(t *testing.T, what string, least int64, run func(rig, operation) (int, error)) {
	t.Parallel()
	var total, ran atomic.Int64
	t.Run("operations", func(t *testing.T) {
		for _, r := range rigs {
			r.light = few()
			for _, op := range operations() {
				t.Run(r.name+"/"+op.name, func(t *testing.T) {
					n, err := run(r, op)
					ran.Add(1)
					total.Add(int64(n))
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
	})
	t.Logf("%d %s", total.Load(), what)
	if few() {
		least /= int64(80 * seldom()) // compound states are sampled twice
	}
	all := ran.Load() == int64(len(rigs)*len(operations())) // none excluded by -run
	if all && total.Load() < least && !t.Failed() {
		t.Errorf("%d %s, want at least %d", total.Load(), what, least)
	}
}

func TestCrashPoints(t *testing.T) {
	everyOperation(t, "crash states", 8_000, crashes)
}

func TestCrashDuringRecovery(t *testing.T) {
	everyOperation(t, "compound crash states", 20_000, compoundCrashes)
}

func TestPowerCutAfterKill(t *testing.T) {
	everyOperation(t, "states of a power cut after a kill", 2_000, killedThenCrashed)
}
