package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"tend/bench/kit"
	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/replica"
	"tend/internal/store/dial"
)

// served is a replica in this process.
type served struct {
	*replica.Replica
	*fleet.Fleet
}

// serve starts a replica; count hears of its requests.
func (b *bench) serve(set dial.Settings, name string) (served, func() error, error) {
	r, err := replica.Start(b.ctx, replica.Options{Settings: set, Cache: filepath.Join(b.dir, name)})
	if err != nil {
		return served{}, nil, err
	}
	cfg, err := r.Load()
	if err != nil {
		return served{}, nil, errors.Join(err, r.Close())
	}
	f, err := fleet.Open(cfg, fleet.Options{Write: true, Shared: r})
	if err != nil {
		return served{}, nil, errors.Join(err, r.Close())
	}
	return served{r, f}, func() error { return errors.Join(f.Close(), r.Close()) }, nil
}

// appends writes lines to an agent's log as a client does.
func (b *bench) appends(s served, agent string, n int, took func(time.Duration)) error {
	a, err := s.Agent(b.ctx, agent)
	if err != nil {
		return err
	}
	defer a.Close()
	m := memory.New(a, memory.Options{})
	defer m.Close()
	for i := range n {
		began := time.Now()
		if err := s.Fresh(b.ctx, agent); err != nil {
			return err
		}
		if _, err := m.Append(b.ctx, memory.AppendRequest{Path: "memory/2026-11-15.md", Text: fmt.Sprintf("- note %d: the port is %d", i, 8000+i)}); err != nil {
			return err
		}
		took(time.Since(began))
	}
	return nil
}

func fleetConfig(freshness string, agents int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "version: 1\nstate_dir: ./state\nstore: {freshness: %s}\ndefaults: {layout: openclaw@2026.8, timezone: UTC}\nagents:\n", freshness)
	for i := range agents {
		fmt.Fprintf(&text, "  a%05d: {workspace: workspaces/a%05d}\n", i, i)
	}
	return text.String()
}

// replicas measures what an action costs on a replica, how many there are in a second,
// and how a replica starts that has many agents.
func (b *bench) replicas(set dial.Settings) (rows []kit.Row, err error) {
	for _, fresh := range []string{"0", "2s"} {
		if err := replica.SetConfig(b.ctx, b.s, "bench", time.Now(), fleetConfig(fresh, 16)); err != nil {
			return nil, err
		}
		s, done, err := b.serve(set, "one")
		if err != nil {
			return nil, err
		}
		gets, puts := new(atomic.Uint64), new(atomic.Uint64)
		var all []time.Duration
		if err = b.appends(s, "a00000", 5, func(time.Duration) {}); err == nil {
			s.Hear(func(e replica.Event, n uint64) {
				switch e {
				case "get":
					gets.Add(n)
				case "create", "put":
					puts.Add(n)
				}
			})
			err = b.appends(s, "a00000", b.rounds, func(d time.Duration) { all = append(all, d) })
		}
		if err := errors.Join(err, done()); err != nil {
			return nil, err
		}
		p50, n := kit.Median(all), float64(b.rounds)
		rows = append(rows,
			kit.Row{What: "append on a replica, freshness " + fresh + ", p50", Value: kit.Ms(p50), Unit: "ms", Ratio: float64(p50) / float64(b.floor), Goal: "1.5x"},
			kit.Row{What: "  PUTs", Value: float64(puts.Load()) / n, Goal: "1"},
			kit.Row{What: "  GETs", Value: float64(gets.Load()) / n, Goal: "1"})
	}
	for _, n := range []int{1, 3} {
		rate, err := b.rate(set, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, kit.Row{What: fmt.Sprintf("appends a second, %d replica(s), 4 clients each on agents of their own", n), Value: rate})
	}
	more, err := b.startUp(10000)
	return append(rows, more...), err
}

// rate is how many actions several replicas make in a second.
func (b *bench) rate(set dial.Settings, n int) (float64, error) {
	var nodes []served
	for i := range n {
		s, done, err := b.serve(set, fmt.Sprintf("rate%d.%d", n, i))
		if err != nil {
			return 0, err
		}
		defer func() { _ = done() }()
		nodes = append(nodes, s)
	}
	began := time.Now()
	err := kit.Each(4*n, 4*n, func(i int) error {
		return b.appends(nodes[i/4], fmt.Sprintf("a%05d", 1+i), b.rounds, func(time.Duration) {})
	})
	return float64(4*n*b.rounds) / time.Since(began).Seconds(), err
}

// startUp measures the program itself with many agents in the store.
func (b *bench) startUp(agents int) ([]kit.Row, error) {
	if err := replica.SetConfig(b.ctx, b.s, "bench", time.Now(), fleetConfig("2s", agents)); err != nil {
		return nil, err
	}
	tend, err := kit.BuildTend(b.dir)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	cmd := exec.Command(tend, "up", "--store", "s3://bucket/tend", "--endpoint", b.endpoint, "--cache", filepath.Join(b.dir, "many"), "--listen", "127.0.0.1:0")
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !strings.Contains(lines.Text(), "msg=keeping") {
			continue
		}
		took := time.Since(began)
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		peak := 0.0
		for line := range strings.Lines(string(status)) {
			if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				_, _ = fmt.Sscan(kb, &peak)
			}
		}
		return []kit.Row{
			{What: fmt.Sprintf("start of a replica with %d agents in the store", agents), Value: kit.Ms(took), Unit: "ms", Goal: "3000"},
			{What: "  memory at its peak", Value: peak / 1024, Unit: "MiB", Goal: "200"},
		}, err
	}
	return nil, errors.New("the replica did not start")
}
