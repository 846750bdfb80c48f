package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/bench/kit"
)

type bench struct {
	dir            string
	files          int
	rounds, starts int
	servers        []*server
}

func (b *bench) stop() {
	for _, s := range b.servers {
		_ = s.stop()
	}
}

// timing is what a number of calls took.
type timing []time.Duration

func (t timing) at(share float64) time.Duration {
	s := slices.Sorted(slices.Values(t))
	return s[min(len(s)-1, int(share*float64(len(s))))]
}

// row returns the row of a timing; the ratio is of its median to the floor's.
func row(what string, t timing, floor timing, goal string) kit.Row {
	r := kit.Row{What: fmt.Sprintf("%s (p99 %.2f)", what, kit.Ms(t.at(0.99))), Value: kit.Ms(t.at(0.5)), Unit: "ms", Goal: goal}
	if floor != nil {
		r.Ratio = kit.Ms(t.at(0.5)) / kit.Ms(floor.at(0.5))
	}
	return r
}

func (b *bench) measure() ([]kit.Row, error) {
	ctx := context.Background()
	rows, err := b.coldStarts(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range b.servers {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	for _, op := range []struct{ name, goal string }{{"read", "<= 1.5"}, {"list", "<= 1.5"}, {"write", "<= 1.4"}, {"replace", ""}} {
		more, err := b.operation(ctx, op.name, op.goal)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	more, err := b.searches(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, more...)
	for _, s := range b.servers {
		mib, err := resident(s.cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		r := kit.Row{What: s.name + ", resident memory after all this", Value: mib, Unit: "MiB"}
		if s.name == "tend" {
			r.Goal = "< 60"
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// coldStarts measures the time from starting a program to its first result.
func (b *bench) coldStarts(ctx context.Context) ([]kit.Row, error) {
	times := make([]timing, len(b.servers))
	for range b.starts {
		for i, s := range b.servers { // in turn, so that all see the same noise
			began := time.Now()
			if err := s.start(ctx); err != nil {
				return nil, err
			}
			if s.calls["read"] != "" {
				if err := s.call(ctx, "read", file(0), "", ""); err != nil {
					return nil, err
				}
			}
			times[i] = append(times[i], time.Since(began))
			if err := s.stop(); err != nil {
				return nil, err
			}
		}
	}
	var rows []kit.Row
	for i, s := range b.servers {
		goal := ""
		if s.name == "tend" {
			goal = "<= 1.25"
		}
		rows = append(rows, row(s.name+", cold start to first result", times[i], floorOf(times, i), goal))
	}
	return rows, nil
}

func floorOf(times []timing, i int) timing {
	if i == 0 {
		return nil
	}
	return times[0]
}

// operation measures one kind of call on all servers, call by call in turn.
func (b *bench) operation(ctx context.Context, op, goal string) ([]kit.Row, error) {
	times := make([]timing, len(b.servers))
	var bare timing
	rounds := b.rounds
	if op == "list" {
		rounds = min(rounds, 100)
	}
	for round := range rounds {
		i := round * 37 % b.files
		text, old := sample(i)+fmt.Sprintf("- round %d\n", round), fmt.Sprintf("mark-%d\n", i)
		if op == "replace" {
			text = fmt.Sprintf("mark-%d\n", i) + fmt.Sprintf("- replaced in round %d\n", round)
		}
		for k, s := range b.servers {
			if s.calls[op] == "" {
				continue
			}
			began := time.Now()
			if err := s.call(ctx, op, file(i), text, old); err != nil {
				return nil, err
			}
			times[k] = append(times[k], time.Since(began))
		}
		if op == "write" {
			began := time.Now()
			if err := durable(filepath.Join(b.dir, "bare", "n.md"), []byte(text)); err != nil {
				return nil, err
			}
			bare = append(bare, time.Since(began))
		}
	}
	var rows []kit.Row
	for k, s := range b.servers {
		if len(times[k]) == 0 {
			continue
		}
		g := ""
		if s.name == "tend" {
			g = goal
		}
		rows = append(rows, row(s.name+", "+op, times[k], floorOf(times, k), g))
	}
	if op == "write" {
		rows = append(rows, row("the bare fsync sequence, no server", bare, nil, ""))
	}
	return rows, nil
}

// durable writes as directly as Go allows.
func durable(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name+".tmp", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// searches compares a warm search with ripgrep over the same files.
func (b *bench) searches(ctx context.Context) ([]kit.Row, error) {
	var rows []kit.Row
	rg, err := exec.LookPath("rg")
	var grep timing
	if err == nil {
		for i := range 20 {
			began := time.Now()
			// Exit code 1 means that nothing was found.
			if out, err := exec.Command(rg, "-l", word(200+17*i), b.servers[1].files).Output(); err != nil && len(out) > 0 {
				return nil, fmt.Errorf("ripgrep: %w", err)
			}
			grep = append(grep, time.Since(began))
		}
		rows = append(rows, row("ripgrep over the same files", grep, nil, ""))
	}
	for _, s := range b.servers {
		if s.calls["search"] == "" {
			continue
		}
		began := time.Now()
		if err := s.call(ctx, "search", "", word(100), ""); err != nil {
			return nil, err
		}
		first := time.Since(began)
		var warm timing
		for i := range b.rounds {
			query := word(100+17*i%900) + " " + word(150+31*i%900)
			began := time.Now()
			if err := s.call(ctx, "search", "", query, ""); err != nil {
				return nil, err
			}
			warm = append(warm, time.Since(began))
		}
		rows = append(rows, kit.Row{What: s.name + ", first search (the index is built)", Value: kit.Ms(first), Unit: "ms"})
		r := row(s.name+", warm search of two words", warm, nil, "")
		if grep != nil && s.name == "tend" {
			r.Goal = fmt.Sprintf("%.1fx as fast as ripgrep; at most 250 ms at 10,000", kit.Ms(grep.at(0.5))/r.Value)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// resident returns the memory a process uses.
func resident(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1024, nil
		}
	}
	return 0, errors.New("the memory of a process cannot be read on this system")
}
