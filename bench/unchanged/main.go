// Command unchanged measures a fleet with nothing to do: status and reset of agents whose files equal their baselines,
// compared with a bare read and hash of the same files.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tend/bench/kit"
)

func main() {
	agents := flag.Int("agents", 10000, "number of agents")
	rounds := flag.Int("rounds", 3, "how often each is measured")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	kit.Measure("", fmt.Sprintf("%d agents with nothing to do", *agents), *asJSON, func(dir string) ([]kit.Row, error) {
		return measure(dir, *agents, *rounds)
	})
}

func measure(dir string, agents, rounds int) ([]kit.Row, error) {
	tend, f, err := kit.TendAndFleet(dir, agents)
	if err != nil {
		return nil, err
	}
	// A fleet in use: every agent has been reset before.
	if err := f.AddNotes(0); err != nil {
		return nil, err
	}
	if _, err := kit.Run(tend, "--config", f.Config, "--quiet", "reset", "--all"); err != nil {
		return nil, err
	}
	commands := [][]string{{"status"}, {"reset", "--all"}}
	floors := []time.Duration{}
	times := make([][]time.Duration, len(commands))
	peak := 0.0
	for range rounds {
		began := time.Now()
		if err := readAll(f); err != nil {
			return nil, err
		}
		floors = append(floors, time.Since(began))
		for i, c := range commands {
			u, err := kit.Run(tend, append([]string{"--config", f.Config, "--quiet"}, c...)...)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], u.Wall)
			peak = max(peak, u.PeakMiB)
		}
	}
	base := kit.Ms(kit.Median(floors))
	rows := []kit.Row{{What: "floor: read and hash memory file and baseline", Value: base, Unit: "ms"}}
	for i, c := range commands {
		ms := kit.Ms(kit.Median(times[i]))
		goal := "<= 2"
		if c[0] == "status" {
			goal = "<= 1.9"
		}
		rows = append(rows, kit.Row{What: "tend " + strings.Join(c, " "), Value: ms, Unit: "ms", Ratio: ms / base, Goal: goal})
	}
	syncs, err := countSyncs(dir, tend, f)
	if err != nil {
		return nil, err
	}
	return append(rows,
		kit.Row{What: "peak memory", Value: peak, Unit: "MiB", Goal: "< 150"},
		kit.Row{What: "fsync, fdatasync and syncfs calls in an unchanged reset", Value: float64(syncs), Unit: "calls", Goal: "0"},
	), nil
}

// readAll does the minimum: it reads and hashes both files of every agent, on all cores.
func readAll(f kit.Fleet) error {
	return kit.Each(2, f.Agents, func(i int) error {
		for _, name := range []string{f.Memory(i), f.Source(i)} {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			_ = sha256.Sum256(data)
		}
		return nil
	})
}

func countSyncs(dir, tend string, f kit.Fleet) (int, error) {
	out := filepath.Join(dir, "strace")
	cmd := exec.Command("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,syncfs,sync", "-o", out, tend, "--config",
		f.Config, "--quiet", "reset", "--all")
	if diag, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("strace: %w: %s", err, diag)
	}
	data, err := os.ReadFile(out)
	return strings.Count(string(data), "sync"), err
}
