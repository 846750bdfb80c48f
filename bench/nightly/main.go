// Command nightly measures a night with nothing to do: audit, curation and pruning of many agents, compared with a bare
// read of the same files in the same run.
//
//	go run ./bench/nightly [-json] [-agents 1000] [-files 100]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"tend/bench/kit"
	"time"
)

// figures are what is printed.
type figures struct {
	Agents int     `json:"agents"`
	Files  int     `json:"files_each"`
	Bytes  int64   `json:"bytes"`
	Read   float64 `json:"bare_read_ms"`
	Night  float64 `json:"nightly_ms"`
	Ratio  float64 `json:"ratio"`
	// The same in CPU time, which other load on the machine disturbs less.
	ReadCPU  float64 `json:"bare_read_cpu_ms"`
	NightCPU float64 `json:"nightly_cpu_ms"`
	RatioCPU float64 `json:"ratio_cpu"`
	Goal     float64 `json:"goal"`
	Linear   []step  `json:"linear"`
}

// step is one agent with so many files.
type step struct {
	Files   int     `json:"files"`
	Read    float64 `json:"bare_read_ms"`
	Night   float64 `json:"nightly_ms"`
	PerFile float64 `json:"nightly_cpu_us_per_file"`
}

const (
	goal   = 3.0
	rounds = 3
)

func main() {
	var asJSON bool
	var agents, files int
	flag.BoolVar(&asJSON, "json", false, "print JSON")
	flag.IntVar(&agents, "agents", 1000, "agents")
	flag.IntVar(&files, "files", 100, "files of each")
	flag.Parse()
	f, err := measure(agents, files)
	if err != nil {
		fmt.Fprintln(os.Stderr, "nightly:", err)
		os.Exit(1)
	}
	if asJSON {
		_ = json.NewEncoder(os.Stdout).Encode(f)
		return
	}
	fmt.Printf("%d agents of %d files, %.0f MB, nothing to do (best of %d rounds)\n", f.Agents, f.Files, float64(f.Bytes)/1e6, rounds)
	fmt.Printf("  bare read of the files   %8.0f ms   %8.0f ms of processor time\n", f.Read, f.ReadCPU)
	fmt.Printf("  nightly                  %8.0f ms   %8.0f ms of processor time\n", f.Night, f.NightCPU)
	fmt.Printf("  times the bare read      %8.2f      %8.2f      the goal is at most %.0f\n", f.Ratio, f.RatioCPU, f.Goal)
	fmt.Printf("one agent\n")
	for _, s := range f.Linear {
		fmt.Printf("  %6d files   read %7.1f ms   nightly %7.1f ms   %.1f µs of processor time a file\n", s.Files, s.Read, s.Night, s.PerFile)
	}
}

func measure(agents, files int) (f figures, err error) {
	dir, err := os.MkdirTemp("", "tend-bench-nightly-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	many, err := build(dir+"/many", agents, files)
	if err != nil {
		return f, err
	}
	read, night, err := many.compare()
	if err != nil {
		return f, err
	}
	f = figures{
		Agents: agents, Files: files, Bytes: many.bytes, Goal: goal,
		Read: ms(read.wall), Night: ms(night.wall), Ratio: ms(night.wall) / ms(read.wall),
		ReadCPU: ms(read.cpu), NightCPU: ms(night.cpu), RatioCPU: ms(night.cpu) / ms(read.cpu),
	}
	for _, n := range []int{100, 1000, 10_000} {
		one, err := build(fmt.Sprintf("%s/one-%d", dir, n), 1, n)
		if err != nil {
			return f, err
		}
		read, night, err := one.compare()
		if err != nil {
			return f, err
		}
		f.Linear = append(f.Linear, step{n, ms(read.wall), ms(night.wall), 1000 * ms(night.cpu) / float64(n)})
	}
	return f, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// cost is what something took.
type cost struct{ wall, cpu time.Duration }

// timed runs something and returns what it took.
func timed(do func() error) (cost, error) {
	runtime.GC() // do not measure earlier garbage
	began, used := time.Now(), kit.CPUTime()
	err := do()
	return cost{time.Since(began), kit.CPUTime() - used}, err
}

// compare times both alternately and takes the best of each, as noise only adds.
func (w *world) compare() (read, night cost, err error) {
	if err := w.settle(); err != nil {
		return read, night, err
	}
	for i := range rounds {
		r, err := timed(w.read)
		if err != nil {
			return read, night, err
		}
		n, err := timed(func() error { return w.night(true) })
		if err != nil {
			return read, night, err
		}
		if i == 0 {
			read, night = r, n
		}
		read, night = best(read, r), best(night, n)
	}
	return read, night, nil
}

func best(a, b cost) cost { return cost{min(a.wall, b.wall), min(a.cpu, b.cpu)} }
