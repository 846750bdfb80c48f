// Command nightly measures a night with nothing to do: audit, curation and pruning of many agents, compared with a bare
// read of the same files in the same run.
//
//	go run ./bench/nightly [-json] [-agents 1000] [-files 100]
package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"tend/bench/kit"
)

const rounds = 3

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	agents := flag.Int("agents", 1000, "agents")
	files := flag.Int("files", 100, "files of each")
	flag.Parse()
	title := fmt.Sprintf("Nights with nothing to do, best of %d rounds", rounds)
	kit.Measure("", title, *asJSON, func(dir string) (rows []kit.Row, err error) {
		for _, size := range [][2]int{{*agents, *files}, {1, 100}, {1, 1000}, {1, 10_000}} {
			more, err := measure(filepath.Join(dir, fmt.Sprintf("%d-%d", size[0], size[1])), size[0], size[1])
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
		return rows, nil
	})
}

func measure(dir string, agents, files int) ([]kit.Row, error) {
	w, err := build(dir, agents, files)
	if err != nil {
		return nil, err
	}
	read, night, err := w.compare()
	if err != nil {
		return nil, err
	}
	of := fmt.Sprintf("%d agents of %d files, %.0f MB", agents, files, float64(w.bytes)/1e6)
	ratio := func(a, b time.Duration) float64 { return float64(a) / float64(b) }
	// Neighbours on the machine disturb the time of the processors least.
	return []kit.Row{
		{What: "floor: bare read, " + of, Value: kit.Ms(read.wall), Unit: "ms"},
		{What: "nightly", Value: kit.Ms(night.wall), Unit: "ms", Ratio: ratio(night.wall, read.wall), Goal: "<= 3"},
		{What: "its processor time", Value: kit.Ms(night.cpu), Unit: "ms", Ratio: ratio(night.cpu, read.cpu), Goal: "<= 3"},
		{What: "its processor time a file", Value: 1000 * kit.Ms(night.cpu) / float64(agents*files), Unit: "µs"},
	}, nil
}

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
	if err := w.night(false); err != nil { // it does what there is to do
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
