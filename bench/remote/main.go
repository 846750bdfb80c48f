// Command remote measures the reset of a fleet on another host, over one SSH connection, compared with the bare SFTP
// operations that such a reset needs.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/disk/remote/sshdtest"
)

func main() {
	agents := flag.Int("agents", 1000, "number of agents")
	rounds := flag.Int("rounds", 3, "how often each is measured")
	dir := flag.String("dir", "", "work in this folder (default: a temporary one)")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	kit.Measure(*dir, fmt.Sprintf("Reset of %d agents on one host over SFTP (12 KB baseline, 1.8 KB of notes each)", *agents), *asJSON,
		func(dir string) ([]kit.Row, error) {
			return measure(dir, *agents, *rounds)
		})
}

func measure(dir string, agents, rounds int) ([]kit.Row, error) {
	tend, f, err := kit.TendAndFleet(dir, agents)
	if err != nil {
		return nil, err
	}
	s, err := sshdtest.Launch(filepath.Join(dir, "sshd"), sshdtest.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if err := os.Setenv("HOME", s.Home); err != nil {
		return nil, err
	}
	conf, err := os.ReadFile(f.Config)
	if err != nil {
		return nil, err
	}
	far := strings.ReplaceAll(string(conf), "workspace: ./", "workspace: "+s.URL(f.Dir)+"/")
	if err := os.WriteFile(f.Config, []byte(far), 0o644); err != nil {
		return nil, err
	}
	workers := []int{8, 128}
	floors := make([][]time.Duration, len(workers))
	var times []time.Duration
	var peak float64
	before := strings.Count(s.Log(), "Accepted publickey")
	for round := range rounds {
		for i, n := range workers {
			if err := f.AddNotes(round); err != nil {
				return nil, err
			}
			took, err := floor(s, f, filepath.Join(dir, fmt.Sprintf("floor-%d-%d", n, round)), n)
			if err != nil {
				return nil, err
			}
			floors[i] = append(floors[i], took)
		}
		if err := f.AddNotes(round); err != nil {
			return nil, err
		}
		u, err := kit.Run(tend, "--config", f.Config, "--quiet", "reset", "--all")
		if err != nil {
			return nil, err
		}
		times = append(times, u.Wall)
		peak = max(peak, u.PeakMiB)
	}
	connections := strings.Count(s.Log(), "Accepted publickey") - before - rounds*len(workers) // without those of the floors
	per := func(ds []time.Duration) float64 { return kit.Ms(kit.Median(ds)) / float64(agents) }
	return []kit.Row{
		{What: "floor: bare SFTP, 8 workers", Value: per(floors[0]), Unit: "ms/agent"},
		{What: "floor: bare SFTP, 128 workers", Value: per(floors[1]), Unit: "ms/agent"},
		{What: "tend reset --all, against the first floor", Value: per(times), Unit: "ms/agent", Ratio: per(times) / per(floors[0]),
			Goal: "<= 2"},
		{What: "tend reset --all, against the second floor", Value: per(times), Unit: "ms/agent", Ratio: per(times) / per(floors[1]),
			Goal: "<= 2"},
		{What: "connections of one tend reset --all", Value: float64(connections) / float64(rounds), Unit: "", Goal: "1"},
		{What: "tend, peak memory", Value: peak, Unit: "MiB"},
	}, nil
}
