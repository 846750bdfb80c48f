//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// mostMemory is what the keeper may take, in KB.
const mostMemory = 400 << 10

// TestKeeperUnderShapes: agents of all shapes have a log that grows, with their jobs due all the time, in the keeper of a
// fleet of well-behaved agents. What is written over the text of one of those is restored, and the keeper stays small.
// Without -full only some shapes are there, and small. What else the machine does counts too, so the times stand beside those
// of a small program that does only the restoring.
func TestKeeperUnderShapes(t *testing.T) {
	good, every, size, times, limit := 30, 12, 16<<10, 6, 30*time.Second
	if *full {
		good, every, size, times, limit = 200, 1, 256<<10, 200, 10*time.Second
	}
	dir := t.TempDir()
	w := fleetOfShapes(t, dir, good, every, size)
	bare := startFloor(t, dir)
	k := startKeeper(t, w)
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { w.write(ctx) })
	var took, floor []time.Duration
	for n := range times {
		var both sync.WaitGroup
		both.Go(func() { floor = append(floor, restored(t, bare, limit)) })
		both.Go(func() { took = append(took, restored(t, w.soul(n*7%good), limit)) })
		both.Wait()
		if last := took[n]; last > time.Second {
			t.Logf("restore %d of %d took %s", n+1, times, last.Round(time.Millisecond))
		}
	}
	stop()
	work.Wait()
	peak := peakMemory(t, k.Process.Pid)
	must(t, k.Process.Signal(syscall.SIGTERM))
	if err := k.Wait(); err != nil {
		t.Errorf("the keeper's end: %v", err)
	}
	t.Logf("%d good agents and %d shapes of %d KB: %s; a program that only restores: %s; at most %d MB",
		good, len(w.shapes), size>>10, spread(took), spread(floor), peak>>10)
	if peak > mostMemory {
		t.Errorf("the keeper took %d MB", peak>>10)
	}
}

// restored writes over a guarded text and returns how long it took until it was back.
func restored(t *testing.T, name string, limit time.Duration) time.Duration {
	began := time.Now()
	if err := os.WriteFile(name, []byte("# Soul\n\nI decide.\n"), 0o644); err != nil {
		t.Error(err)
		return 0
	}
	for {
		if text, _ := os.ReadFile(name); string(text) == rules {
			return time.Since(began)
		}
		if time.Since(began) > limit {
			t.Errorf("%s was not restored within %s", name, limit)
			return limit
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func spread(took []time.Duration) string {
	slices.Sort(took)
	at := func(percent int) time.Duration { return took[len(took)*percent/100].Round(time.Millisecond) }
	return fmt.Sprintf("%d restored, half within %s, 90 of 100 %s, 99 of 100 %s, all %s",
		len(took), at(50), at(90), at(99), took[len(took)-1].Round(time.Millisecond))
}

// shapedFleet is good agents, and one of each shape.
type shapedFleet struct {
	dir    string
	shapes []string
}

func (f shapedFleet) soul(n int) string {
	return filepath.Join(f.dir, fmt.Sprintf("good-%d", n), "SOUL.md")
}

func fleetOfShapes(t *testing.T, dir string, good, every, size int) shapedFleet {
	t.Helper()
	f := shapedFleet{dir: dir}
	put := func(name, text string) {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: ./state\nkeeper: {listen: 127.0.0.1:0}\nalerts: {log: false}\n" +
		"defaults: {layout: openclaw, timezone: UTC}\nagents:\n")
	for n := range good {
		put(f.soul(n), rules)
		put(filepath.Join(dir, fmt.Sprintf("good-%d", n), "MEMORY.md"), "# Memory\n\n- a\n")
		put(filepath.Join(dir, "base", fmt.Sprintf("good-%d.md", n)), rules)
		fmt.Fprintf(&conf, "  good-%d: {workspace: ./good-%[1]d, baselines: {SOUL.md: ./base/good-%[1]d.md}, policy: {guard.zone: restore}}\n", n)
	}
	put(filepath.Join(dir, "tend.yaml"), conf.String())
	approve := exec.Command(program, "baseline", "approve", "--all", "--config", filepath.Join(dir, "tend.yaml"))
	if out, err := approve.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, sh := range shapes() {
		if i%every != 0 {
			continue
		}
		name := fmt.Sprintf("shape-%d", i)
		f.shapes = append(f.shapes, name)
		for file, text := range sh.files(size) {
			put(filepath.Join(dir, name, file), text)
		}
		fmt.Fprintf(&conf, "  %s: {workspace: ./%[1]s, automation: curate, policy: {protocol: layered, watch.quiet: 100ms,\n"+
			"    schedule.nightly: \"@every 5s\", schedule.check: \"@every 5s\", schedule.overfire: never}}\n", name)
	}
	put(filepath.Join(dir, "tend.yaml"), conf.String())
	return f
}

// write adds a line to every shape's log, over and over.
func (f shapedFleet) write(ctx context.Context) {
	for n := 0; ; n++ {
		for _, name := range f.shapes {
			log, err := os.OpenFile(filepath.Join(f.dir, name, "memory", "2026-11-17.md"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err == nil {
				fmt.Fprintf(log, "- [decision] line %d of this log\n", n)
				_ = log.Close()
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// startKeeper starts the keeper and waits until it is ready.
func startKeeper(t *testing.T, f shapedFleet) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, "up", "--config", filepath.Join(f.dir, "tend.yaml"))
	pipe, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "msg=keeping") {
			go func() {
				for lines.Scan() {
				}
			}()
			return cmd
		}
	}
	t.Fatalf("the keeper ended at its start: %v", cmd.Wait())
	return nil
}

// peakMemory is the most memory a process had, in KB.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			must(t, err)
			return kb
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
