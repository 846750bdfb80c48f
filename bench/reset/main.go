// Command reset measures the reset of a fleet against the least work that does
// the same: the bare durable file operations, written as directly as Go allows.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/fsys"
	"tend/internal/vault"
)

func main() {
	agents := flag.Int("agents", 1000, "number of agents")
	rounds := flag.Int("rounds", 3, "how often each is measured")
	shepherd := flag.String("shepherd", "", "path of memory-shepherd.sh to compare with")
	dir := flag.String("dir", "", "work in this folder (default: a temporary one)")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	kit.Measure(*dir, fmt.Sprintf("Reset of %d agents (12 KB baseline, 1.8 KB of notes each)", *agents), *asJSON, func(dir string) ([]kit.Row, error) {
		return measure(dir, *agents, *rounds, *shepherd)
	})
}

func measure(dir string, agents, rounds int, shepherd string) ([]kit.Row, error) {
	tend, f, err := kit.TendAndFleet(dir, agents)
	if err != nil {
		return nil, err
	}
	floors := []struct {
		name string
		run  func(kit.Fleet, string) error
	}{{"floor: each file fsynced, 8 workers", floorEach}, {"floor: shared syncfs, 128 workers", floorShared}}
	times := make([][]time.Duration, len(floors)+1)
	var peak float64
	for round := range rounds {
		for i, fl := range floors {
			if err := f.AddNotes(round); err != nil {
				return nil, err
			}
			out := filepath.Join(dir, fmt.Sprintf("floor-%d-%d", i, round))
			began := time.Now()
			if err := fl.run(f, out); err != nil {
				return nil, err
			}
			times[i] = append(times[i], time.Since(began))
		}
		if err := f.AddNotes(round); err != nil {
			return nil, err
		}
		u, err := kit.Run(tend, "--config", f.Config, "--quiet", "reset", "--all")
		if err != nil {
			return nil, err
		}
		times[len(floors)] = append(times[len(floors)], u.Wall)
		peak = max(peak, u.PeakMiB)
	}
	per := func(i int) float64 { return kit.Ms(kit.Median(times[i])) / float64(agents) }
	rows := []kit.Row{
		{What: floors[0].name, Value: per(0), Unit: "ms/agent"},
		{What: floors[1].name, Value: per(1), Unit: "ms/agent"},
		{What: "tend reset --all, against the first floor", Value: per(2), Unit: "ms/agent", Ratio: per(2) / per(0), Goal: "<= 1.25"},
		{What: "tend reset --all, against the second floor", Value: per(2), Unit: "ms/agent", Ratio: per(2) / per(1)},
		{What: "tend, peak memory", Value: peak, Unit: "MiB", Goal: "< 150"},
	}
	if shepherd == "" {
		return rows, nil
	}
	ms, err := runShepherd(dir, shepherd)
	if err != nil {
		return nil, err
	}
	return append(rows, kit.Row{What: "memory-shepherd.sh (nothing synced)", Value: ms, Unit: "ms/agent", Ratio: ms / per(2), Goal: ">= 50"}), nil
}

// floorEach does for each agent what a durable reset cannot avoid: the notes to
// an archive and the baseline in place of the file, each durable by itself.
func floorEach(f kit.Fleet, out string) error {
	return floor(f, out, 8, func(file *os.File) error { return file.Sync() }, func(dir string) error {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer d.Close()
		return d.Sync()
	}, func() error { return nil })
}

// floorShared lets one sync of the file system serve all who wait for it.
func floorShared(f kit.Fleet, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	tree, err := fsys.Dir(out)
	if err != nil {
		return err
	}
	defer tree.Close()
	g, err := vault.NewGroup(tree)
	if err != nil {
		return err
	}
	defer g.Close()
	nothing := func(*os.File) error { return nil }
	return floor(f, out, 128, nothing, func(string) error { return nil }, g.Barrier)
}

func floor(f kit.Fleet, out string, workers int, syncFile func(*os.File) error, syncDir func(string) error, barrier func() error) error {
	put := func(name string, data []byte) error {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := file.Write(data); err != nil {
			return err
		}
		return syncFile(file)
	}
	one := func(i int) error {
		text, err := os.ReadFile(f.Memory(i))
		if err != nil {
			return err
		}
		baseline, err := os.ReadFile(f.Source(i))
		if err != nil {
			return err
		}
		folder := filepath.Join(out, fmt.Sprint(i))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := put(filepath.Join(folder, "notes.md"), bytes.TrimPrefix(text, baseline)); err != nil {
			return err
		}
		if err := syncDir(folder); err != nil {
			return err
		}
		tmp := f.Memory(i) + ".tmp"
		if err := put(tmp, baseline); err != nil {
			return err
		}
		if err := barrier(); err != nil {
			return err
		}
		if err := os.Rename(tmp, f.Memory(i)); err != nil {
			return err
		}
		if err := syncDir(filepath.Dir(f.Memory(i))); err != nil {
			return err
		}
		return barrier()
	}
	return kit.Each(workers, f.Agents, one)
}

// runShepherd times the bash tool on a small fleet of its own: it takes longer
// per agent the more there are, so few are in its favour.
func runShepherd(dir, script string) (float64, error) {
	const agents = 50
	home := filepath.Join(dir, "shepherd")
	var conf strings.Builder
	fmt.Fprintf(&conf, "[general]\nbaseline_dir=%s/base\narchive_dir=%s/archives\n", home, home)
	for _, d := range []string{"base", "ws", "archives"} {
		if err := os.MkdirAll(filepath.Join(home, d), 0o755); err != nil {
			return 0, err
		}
	}
	for i := range agents {
		fmt.Fprintf(&conf, "[a%d]\nmemory_file=%s/ws/%d.md\nbaseline=%d.md\n", i, home, i, i)
		if err := os.WriteFile(fmt.Sprintf("%s/base/%d.md", home, i), kit.Baseline(i), 0o644); err != nil {
			return 0, err
		}
		if err := os.WriteFile(fmt.Sprintf("%s/ws/%d.md", home, i), append(kit.Baseline(i), kit.Notes(i, 0)...), 0o644); err != nil {
			return 0, err
		}
	}
	name := filepath.Join(home, "memory-shepherd.conf")
	if err := os.WriteFile(name, []byte(conf.String()), 0o644); err != nil {
		return 0, err
	}
	cmd := exec.Command("bash", script, "all")
	cmd.Env = append(os.Environ(), "MEMORY_SHEPHERD_CONF="+name)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", script, err, out)
	}
	return kit.Ms(time.Since(began)) / agents, nil
}
