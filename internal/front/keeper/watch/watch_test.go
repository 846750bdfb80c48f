package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/test/require"
)

var must = require.NoError

// heard collects a watcher's callbacks.
type heard struct {
	guarded, quieted chan string
	seen             chan bool // for each of guarded
}

func start(t *testing.T, o Options) (*Watcher, heard) {
	t.Helper()
	h := heard{make(chan string, 100_000), make(chan string, 100_000), make(chan bool, 100_000)}
	o.Guarded = func(a string, seen bool) { h.seen <- seen; h.guarded <- a }
	o.Quieted = func(a string) { h.quieted <- a }
	w := New(o)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, h
}

// until waits for an agent's name.
func until(t *testing.T, c chan string, want string) {
	t.Helper()
	deadline := time.After(10 * time.Minute)
	for {
		select {
		case got := <-c:
			if got == want {
				return
			}
		case <-deadline:
			t.Fatalf("no callback for %s", want)
		}
	}
}

func drain(c chan string) {
	for len(c) > 0 {
		<-c
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
}

func target(dir, agent string) Target {
	ws := filepath.Join(dir, agent)
	return Target{
		Agent: agent, Workspace: ws, Guarded: []string{filepath.Join(ws, "MEMORY.md"), filepath.Join(dir, "baselines", agent+".md")},
		Quiet: 50 * time.Millisecond, MemoryQuiet: 100 * time.Millisecond, Poll: time.Hour,
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tg := target(dir, "a")
	write(t, tg.Guarded[0], "x")
	write(t, tg.Guarded[1], "x")
	w, h := start(t, Options{})
	w.Set([]Target{tg})
	until(t, h.guarded, "a")
	if <-h.seen {
		t.Error("the first scan counts as a change")
	}
	for name, change := range map[string]func(){
		"written in place": func() { write(t, tg.Guarded[1], "y") },
		"replaced": func() {
			write(t, tg.Guarded[1]+".new", "z")
			must(t, os.Rename(tg.Guarded[1]+".new", tg.Guarded[1]))
		},
		"removed":         func() { _ = os.Remove(tg.Guarded[1]) },
		"the memory file": func() { write(t, tg.Guarded[0], name(3)) },
	} {
		drain(h.guarded)
		change()
		t.Log(name)
		until(t, h.guarded, "a")
		if !<-h.seen {
			t.Error("the change does not count as one")
		}
	}
	drain(h.quieted)
	write(t, filepath.Join(tg.Workspace, "memory", "2026-11-15.md"), "in a new folder")
	until(t, h.quieted, "a")
	drain(h.quieted)
	write(t, filepath.Join(tg.Workspace, "memory", "2026-11-16.md"), "and again")
	until(t, h.quieted, "a")
}

// TestChangeBeforeTheFirstScan: what changed after the start is known as a change, though no watch saw it.
func TestChangeBeforeTheFirstScan(t *testing.T) {
	t.Parallel()
	tg := target(t.TempDir(), "a")
	w, h := start(t, Options{})
	time.Sleep(20 * time.Millisecond) // the disk's clock may lag behind by a tick
	write(t, tg.Guarded[0], "x")
	w.Set([]Target{tg})
	until(t, h.guarded, "a")
	if !<-h.seen {
		t.Error("the change does not count as one")
	}
}

func name(i int) string { return fmt.Sprintf("agent-%04d", i) }

// TestNotBlindWithoutWatches gives the watcher fewer watches than it needs.
func TestNotBlindWithoutWatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var targets []Target
	for i := range 40 {
		tg := target(dir, name(i))
		write(t, tg.Guarded[0], "x")
		write(t, tg.Guarded[1], "x")
		targets = append(targets, tg)
	}
	degraded := make(chan int, 1000)
	w, h := start(t, Options{MaxWatches: 5, Degraded: func(n int, _ error) { degraded <- n }})
	w.Set(targets)
	if n := <-degraded; n == 0 {
		t.Fatal("unwatched folders were not reported")
	}
	for i := range targets {
		until(t, h.guarded, name(i))
		break
	}
	for i, tg := range targets {
		drain(h.guarded)
		write(t, tg.Guarded[0], "changed "+name(i))
		until(t, h.guarded, name(i))
		if i > 8 {
			break
		}
	}
}

// TestFloodIsNotBlindness changes one file among more events than the kernel queues.
func TestFloodIsNotBlindness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var targets []Target
	for i := range 20 {
		tg := target(dir, name(i))
		write(t, tg.Guarded[0], "x")
		write(t, tg.Guarded[1], "x")
		targets = append(targets, tg)
	}
	w, h := start(t, Options{})
	w.Set(targets)
	for i := range targets {
		until(t, h.guarded, name(i))
		break
	}
	noise := filepath.Join(targets[0].Workspace, "noise.txt")
	for i := range 20_000 {
		if i == 17_000 {
			drain(h.guarded)
			write(t, targets[7].Guarded[1], "tampered")
		}
		if i%2 == 0 {
			write(t, noise, "n")
		} else if err := os.Remove(noise); err != nil {
			t.Fatal(err)
		}
	}
	until(t, h.guarded, name(7))
}

func TestFolderReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tg := target(dir, "a")
	write(t, tg.Guarded[0], "x")
	write(t, tg.Guarded[1], "x")
	w, h := start(t, Options{})
	w.Set([]Target{tg})
	until(t, h.guarded, "a")
	drain(h.guarded)
	base := filepath.Join(dir, "baselines")
	must(t, os.Rename(base, base+".old"))
	write(t, tg.Guarded[1], "another folder altogether")
	until(t, h.guarded, "a")
	time.Sleep(1500 * time.Millisecond) // by now the new folder is scanned or watched
	drain(h.guarded)
	write(t, tg.Guarded[1], "and changed there")
	until(t, h.guarded, "a")
}

// TestSlowDisk: if the disk of some agents does not answer, the others are still watched, and Stuck returns those agents.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var targets []Target
	for i := range 60 {
		tg := target(dir, name(i))
		write(t, tg.Guarded[0], "x")
		write(t, tg.Guarded[1], "x")
		targets = append(targets, tg)
	}
	answer := make(chan struct{})
	hangs := func(agent string) bool { return agent < name(20) }
	w, h := start(t, Options{touch: func(agent string) {
		if hangs(agent) {
			<-answer
		}
	}})
	w.Set(targets)
	seen := map[string]bool{}
	for len(seen) < 40 {
		a := <-h.guarded
		if hangs(a) {
			t.Fatalf("%s was reported although its disk does not answer", a)
		}
		seen[a] = true
	}
	drain(h.guarded)
	write(t, targets[30].Guarded[1], "tampered")
	until(t, h.guarded, name(30))
	for len(w.Stuck()) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	close(answer)
	for i := range 20 {
		if !seen[name(i)] {
			until(t, h.guarded, name(i))
			break
		}
	}
	for len(w.Stuck()) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

// TestRestlessFile: a file that is written all the time does not delay the report of others, and is itself reported now
// and then.
func TestRestlessFile(t *testing.T) {
	t.Parallel()
	var told int
	w := &Watcher{o: Options{Quieted: func(string) { told++ }}, soon: map[*agent]bool{}}
	a := &agent{Target: Target{Agent: "a", MemoryQuiet: time.Minute, Poll: time.Hour}, mem: map[string]time.Time{}}
	start := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	var when []int
	for s := range 1500 {
		now := at(s)
		w.hintMemory(a, "log.md", now)
		if s == 10 || s == 700 {
			w.hintMemory(a, "MEMORY.md", now)
		}
		w.checkScansAt = now.Add(time.Hour)
		if before := told; true {
			if w.callBack(now); told > before {
				when = append(when, s)
			}
		}
	}
	// A minute after MEMORY.md is quiet; else ten minutes after the first unreported change.
	if got, want := fmt.Sprint(when), "[70 671 760 1361]"; got != want {
		t.Errorf("reported at %s s, want %s", got, want)
	}
}
