// Command reset measures the reset of a fleet compared with the least work that does the same: the bare durable file
// operations.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

func main() {
	agents := flag.Int("agents", 1000, "number of agents")
	rounds := flag.Int("rounds", 7, "how often each is measured, in turns; the figures are medians")
	shepherd := flag.String("shepherd", "", "path of memory-shepherd.sh to compare with")
	dir := flag.String("dir", "", "work in this folder (default: a temporary one)")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	kit.Measure(*dir, fmt.Sprintf("Reset of %d agents (12 KB baseline, 1.8 KB of notes each)", *agents), *asJSON,
		func(dir string) ([]kit.Row, error) {
			return measure(dir, *agents, *rounds, *shepherd)
		})
}

func measure(dir string, agents, rounds int, shepherd string) ([]kit.Row, error) {
	tend, f, err := kit.TendAndFleet(dir, agents)
	if err != nil {
		return nil, err
	}
	var peak float64
	floors := []string{"floor: each file fsynced, 8 workers", "floor: shared syncfs, 128 workers"}
	runs := []func(round int) (cost, error){
		inProcess(func(round int) error { return floorEach(f, filepath.Join(dir, "floor-each"), round) }),
		inProcess(func(round int) error { return floorShared(f, filepath.Join(dir, "floor-shared"), round) }),
		func(int) (cost, error) {
			u, err := kit.Run(tend, "--config", f.Config, "--quiet", "reset", "--all")
			peak = max(peak, u.PeakMiB)
			return cost{u.Wall, u.CPU}, err
		},
	}
	times := make([][]cost, len(runs))
	// The first round creates folders and is not counted. In the others the order alternates, since each changes the disk
	// for the next.
	for round := range rounds + 1 {
		for k := range runs {
			i := (k + round) % len(runs)
			if err := f.AddNotes(round); err != nil {
				return nil, err
			}
			c, err := runs[i](round)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], c)
			}
		}
	}
	wall, cpu := func(c cost) time.Duration { return c.wall }, func(c cost) time.Duration { return c.cpu }
	per := func(i int, of func(cost) time.Duration) float64 {
		return kit.Ms(middle(times[i], func(k int, c cost) time.Duration { return of(c) })) / float64(agents)
	}
	// Each round's ratio is of two consecutive runs, so other load on the machine disturbs both.
	ratio := func(floor int, of func(cost) time.Duration) float64 {
		return middle(times[2], func(k int, c cost) float64 { return float64(of(c)) / float64(of(times[floor][k])) })
	}
	rows := []kit.Row{
		{What: floors[0], Value: per(0, wall), Unit: "ms/agent"},
		{What: floors[1], Value: per(1, wall), Unit: "ms/agent"},
		{What: "tend reset --all, against the first floor", Value: per(2, wall), Unit: "ms/agent", Ratio: ratio(0, wall), Goal: "<= 1.25"},
		{What: "tend reset --all, against the second floor", Value: per(2, wall), Unit: "ms/agent", Ratio: ratio(1, wall)},
		{What: "its processor time, against the first floor's", Value: per(2, cpu), Unit: "ms/agent", Ratio: ratio(0, cpu)},
		{What: "tend, peak memory", Value: peak, Unit: "MiB", Goal: "< 150"},
	}
	if shepherd == "" {
		return rows, nil
	}
	ms, err := runShepherd(dir, shepherd)
	if err != nil {
		return nil, err
	}
	return append(rows, kit.Row{What: "memory-shepherd.sh (nothing synced)", Value: ms, Unit: "ms/agent",
		Ratio: ms / per(2, wall), Goal: ">= 50"}), nil
}

// cost is what a reset of the fleet took.
type cost struct{ wall, cpu time.Duration }

// inProcess measures a floor.
func inProcess(run func(round int) error) func(int) (cost, error) {
	return func(round int) (cost, error) {
		runtime.GC() // do not measure earlier garbage
		cpu, began := kit.CPUTime(), time.Now()
		err := run(round)
		return cost{time.Since(began), kit.CPUTime() - cpu}, err
	}
}

// middle returns the median of a figure over the rounds.
func middle[T cmp.Ordered](rounds []cost, of func(k int, c cost) T) T {
	var all []T
	for k, c := range rounds {
		all = append(all, of(k, c))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// floorEach does the minimum of a durable reset for each agent: write the notes to an archive and replace the file by the
// baseline, each synced separately.
func floorEach(f kit.Fleet, out string, round int) error {
	return floor(f, out, round, 8, func(file *os.File) error { return file.Sync() }, func(dir string) error {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer d.Close()
		return d.Sync()
	}, func() error { return nil })
}

// floorShared does the same with one sync of the file system for all agents that wait.
func floorShared(f kit.Fleet, out string, round int) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	tree, err := fsys.Dir(out)
	if err != nil {
		return err
	}
	defer tree.Close()
	g, err := vault.NewGroupSync(tree)
	if err != nil {
		return err
	}
	defer g.Close()
	nothing := func(*os.File) error { return nil }
	return floor(f, out, round, 128, nothing, func(string) error { return nil }, g.Barrier)
}

func floor(f kit.Fleet, out string, round, workers int, syncFile func(*os.File) error, syncDir func(string) error,
	barrier func() error) error {
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
		if round == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
		}
		if err := put(filepath.Join(folder, fmt.Sprintf("notes-%d.md", round)), bytes.TrimPrefix(text, baseline)); err != nil {
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

// runShepherd times Memory Shepherd on a small fleet: its time per agent grows with their number, so few are in its
// favour.
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
