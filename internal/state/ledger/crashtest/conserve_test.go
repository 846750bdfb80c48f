package crashtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// errKilled is the error of all calls of a killed process: none has any effect.
var errKilled = errors.New("killed")

// errTwo: two sessions of one agent at the same time.
var errTwo = errors.New("a second session began while another was at work")

// sequence is one random sequence of an agent's writes, its jobs, races and kills.
type sequence struct {
	player
	inside bool // an injected write is in progress
	broken error
}

func newSequence(r rig, seed uint64, trace func(string, ...any)) (*sequence, error) {
	if r.name == "" {
		r = rig{name: "sound"}
		switch seed % 8 {
		case 0, 1:
			r.group = true
		case 2:
			r.far = true
		case 3:
			r.plain = true
		}
	}
	w, err := newWorld(r)
	if err != nil {
		return nil, err
	}
	if err := w.disk.MkdirAll("ws/memory"); err != nil {
		return nil, err
	}
	return &sequence{player: player{Rand: rand.New(rand.NewPCG(seed, 1)), w: w, trace: trace}}, nil
}

// conserve plays one sequence and returns what was lost.
func conserve(r rig, seed uint64, steps int, trace func(string, ...any)) error {
	s, err := newSequence(r, seed, trace)
	if err != nil {
		return err
	}
	for range steps {
		for range s.IntN(4) {
			if err := s.act(); err != nil {
				return fmt.Errorf("agent: %w", err)
			}
		}
		s.w.now = s.w.now.Add(time.Duration(s.IntN(7200)-600) * time.Second)
		if err := s.job(); err != nil {
			return err
		}
	}
	if err := s.check(); err != nil {
		return err
	}
	for _, f := range s.fds {
		if err := f.Close(); err != nil {
			return err
		}
	}
	s.w.now = s.w.now.Add(2 * grace)
	if err := s.w.sweep(); err != nil {
		return fmt.Errorf("last sweep: %w", err)
	}
	if err := s.w.approve(); err != nil {
		return fmt.Errorf("last approval: %w", err)
	}
	if left := s.w.temps(); len(left) > 0 {
		return fmt.Errorf("temporary names are left: %v", left)
	}
	return s.check()
}

// check recovers from the last kill and searches for every line.
func (s *sequence) check() error {
	if err := s.w.recover(); err != nil {
		return fmt.Errorf("recovery: %w", err)
	}
	if lost := s.tokens.missing(s.w); len(lost) > 0 {
		return fmt.Errorf("lines %v are lost", lost)
	}
	broken, err := s.w.ledger.Verify()
	if err == nil && len(broken) > 0 {
		err = fmt.Errorf("the ledger's chain is broken at %v", broken)
	}
	for _, name := range s.w.temps() {
		// The next sweep and approval rewrite their marks.
		note := strings.HasSuffix(name, "swept.json") || strings.HasSuffix(name, "approved.json") || strings.HasPrefix(name, "state/baselines")
		if !s.w.rig.far && !note {
			return fmt.Errorf("%s is left", name)
		}
	}
	return err
}

// job runs one job, possibly with an agent writing in the middle of it, possibly killed.
func (s *sequence) job() error {
	name, run := s.pick()
	s.trace("%s", name)
	when, killed := s.IntN(80), s.IntN(5) == 0
	calls := 0
	hook := func(memfs.Op) {
		if calls++; calls == when && !s.inside {
			s.inside = true
			s.broken = errors.Join(s.broken, s.intrude())
			s.inside = false
		}
	}
	s.w.disk.OnOp(hook)
	if s.w.state != s.w.disk {
		s.w.state.OnOp(hook)
	}
	if killed {
		at := 1 + s.IntN(100)
		s.trace("... killed at call %d", at)
		s.w.disk.FailAt(at, errKilled, memfs.Always)
		s.w.state.FailAt(at, errKilled, memfs.Always)
	}
	err := run()
	s.w.disk.OnOp(nil)
	s.w.state.OnOp(nil)
	s.w.disk.FailAt(0, nil, 0)
	s.w.state.FailAt(0, nil, 0)
	if s.broken != nil {
		return s.broken
	}
	if errors.Is(err, errKilled) {
		var openErr error
		s.w, openErr = s.w.reopen()
		return openErr
	}
	return s.expected(name, err)
}

// expected returns nil for errors with which a job may rightly fail.
func (s *sequence) expected(name string, err error) error {
	var moved *ledger.MovedOnError
	for _, ok := range []error{nil, vault.ErrChanged, vault.ErrAbsent, ledger.ErrNoText, fsys.ErrLocked, errRefused} {
		if errors.Is(err, ok) {
			return nil
		}
	}
	if errors.As(err, &moved) {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// intrude is what happens in the middle of a job: the agent writes, or another process
// tries to work on the same agent.
func (s *sequence) intrude() error {
	if s.IntN(5) == 0 {
		s.trace("... another process comes")
		other, err := s.w.reopen()
		if errors.Is(err, errKilled) {
			return nil
		}
		if err != nil {
			return err
		}
		held := s.w.held
		if err := other.recover(); err == nil && held {
			return errTwo
		}
		return nil
	}
	s.trace("... meanwhile")
	return s.act()
}

// pick chooses a job.
func (s *sequence) pick() (string, func() error) {
	file := s.oneOf(memories)
	switch s.IntN(14) {
	case 0, 1, 2:
		return "reset of " + files[0], func() error { return s.w.reset(files[0]) }
	case 3:
		return "reset of two", func() error { return s.w.reset(files[:2]...) }
	case 4:
		return "reset of all", func() error { return s.w.reset(files...) }
	case 5:
		return "write of " + file, func() error { return s.write(file) }
	case 6, 7:
		return "append to " + file, func() error { return s.add(file) }
	case 8:
		return "remove of " + file, func() error { return s.w.edit(plan.Remove, file, "") }
	case 9:
		nth := 1 + s.IntN(3)
		return fmt.Sprintf("undo of the last but %d", nth-1), func() error { return s.w.undo(nth, false) }
	case 10:
		nth := 1 + s.IntN(3)
		return fmt.Sprintf("undo of the last but %d, merging", nth-1), func() error { return s.w.undo(nth, true) }
	case 11:
		keep := s.IntN(3)
		return fmt.Sprintf("retention but for %d", keep), func() error { return s.w.retain(keep) }
	case 12:
		return "sweep", s.sweep
	}
	return "new baseline", s.newBaseline
}

func (s *sequence) write(file string) error {
	doc, err := s.w.read(file)
	if err != nil {
		return err
	}
	text, number := s.edited(string(doc.Data))
	c := plan.Change{Path: vault.Path(file), Op: plan.Write, Before: doc.Version, Old: doc.Data, New: []byte(text)}
	if err := s.w.apply(plan.Plan{Job: "write", Changes: []plan.Change{c}}); err != nil {
		return err
	}
	s.tokens.demand(number)
	return nil
}

func (s *sequence) add(file string) error {
	line, number := s.line()
	if err := s.w.edit(plan.Append, file, line); err != nil {
		return err
	}
	s.tokens.demand(number)
	return nil
}

// sweep lets the grace period pass first. If the trash is on another file system, text
// from a writer that still has a displaced file open after that is lost.
func (s *sequence) sweep() error {
	s.w.now = s.w.now.Add(grace)
	if s.w.rig.far {
		for _, f := range s.fds {
			if err := f.Close(); err != nil {
				return err
			}
		}
		s.fds, s.inside = nil, true
		defer func() { s.inside = false }()
	}
	return s.w.sweep()
}

func (s *sequence) newBaseline() error {
	name := s.oneOf(files)
	text := baselines[name]
	if s.IntN(2) == 0 {
		text = strings.Replace(text, "\n\n", "\n\nEdition "+strconv.Itoa(s.IntN(100))+".\n\n", 1)
	}
	if err := s.w.disk.WriteFile("op/"+name, text); err != nil {
		return err
	}
	return s.w.approve()
}

// story repeats a failed sequence with more and more steps until it fails, and returns its trace.
func story(r rig, seed uint64, steps int) string {
	for n := 1; n <= steps; n++ {
		var b strings.Builder
		err := conserve(r, seed, n, func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) })
		if err != nil {
			return fmt.Sprintf("seed %d, %d steps: %v\n%s", seed, n, err, b.String())
		}
	}
	return fmt.Sprintf("seed %d: fails only in %d steps", seed, steps)
}

func quiet(string, ...any) {}

const stepsEach = 8

// TestConservation plays random sequences; TEND_SEQUENCES says how many.
func TestConservation(t *testing.T) {
	t.Parallel()
	want := uint64(10_000)
	if few() {
		want = 1_000
	}
	if s := os.Getenv("TEND_SEQUENCES"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want = n
	}
	var seed, done atomic.Uint64
	var failed sync.Map
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := seed.Add(1); n <= want; n = seed.Add(1) {
				if err := conserve(rig{}, n, stepsEach, quiet); err != nil {
					failed.Store(n, err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	failed.Range(func(n, err any) bool {
		t.Errorf("%v\n%s", err, story(rig{}, n.(uint64), stepsEach))
		return true
	})
	t.Logf("%d sequences, every line of each found again", done.Load())
}

// FuzzConservation tries more sequences than TestConservation.
func FuzzConservation(f *testing.F) {
	f.Add(uint64(1_000_001), uint8(stepsEach))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) {
		if err := conserve(rig{}, seed, int(steps%64), quiet); err != nil {
			t.Error(err, story(rig{}, seed, int(steps%64)))
		}
	})
}
