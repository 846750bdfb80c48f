// Command year lives 365 days of some agents with about 2,000 entries each and runs the nightly jobs of all of them after
// each day. It checks that the loaded files stay within their limit every night and that no line is lost, and compares what
// a night costs with a bare read of the agents' files, and with a bare read and a durable write of the files that the night
// changes.
//
//	go run ./bench/year [-json] [-agents 8] [-nights 365] [-cpuprofile FILE]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"

	"tend/bench/kit"
)

// figures are what is printed.
type figures struct {
	Agents   int     `json:"agents"`
	Nights   int     `json:"nights"`
	Entries  int     `json:"entries"`
	MaxLines int     `json:"hot_lines_most"`
	Limit    int     `json:"hot_lines_limit"`
	Over     int     `json:"nights_over_limit"`
	Lost     int     `json:"lines_lost"`
	Months   []night `json:"months"`

	// Over the whole year.
	NightRatio   float64 `json:"night_ratio"`         // nights with a day's log against all bare reads
	DurableRatio float64 `json:"night_durable_ratio"` // the same against bare reads with a durable write of what changed
	QuietRatio   float64 `json:"quiet_ratio"`         // nights with nothing to do
	Mean         night   `json:"mean"`
	Quiet        line    `json:"quiet_by_read"`         // ms of a quiet night by ms of a bare read
	News         []news  `json:"nights_with_new_lines"` // after some months
}

// night is one agent's night in ms of processor time, or the mean of several.
type night struct {
	Files   float64 `json:"files"`
	Bytes   float64 `json:"bytes"`
	Wrote   float64 `json:"files_changed"`
	Written float64 `json:"bytes_changed"`
	State   float64 `json:"state_bytes"` // what Tend keeps, on the disk
	Read    float64 `json:"bare_read_cpu_ms"`
	Durable float64 `json:"durable_floor_cpu_ms"` // a bare read, and each changed file written and synced
	Night   float64 `json:"nightly_cpu_ms"`
	Quiet   float64 `json:"quiet_night_cpu_ms"` // a second run on the same night, with nothing to do
}

func (n *night) fields() []*float64 {
	return []*float64{&n.Files, &n.Bytes, &n.Wrote, &n.Written, &n.State, &n.Read, &n.Durable, &n.Night, &n.Quiet}
}

func mean(list []night) (m night) {
	for _, n := range list {
		for i, f := range n.fields() {
			*m.fields()[i] += *f / float64(len(list))
		}
	}
	return m
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// line is the straight line through points that misses them least. R2 tells how much of the differences it explains.
type line struct {
	Slope float64 `json:"slope"`
	Fixed float64 `json:"fixed"`
	R2    float64 `json:"r2"`
}

func fit(nights []night, at func(night) (x, y float64)) line {
	var n, sx, sy, sxx, sxy, syy float64
	for _, v := range nights {
		x, y := at(v)
		n, sx, sy, sxx, sxy, syy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y, syy+y*y
	}
	dx, dy, d := n*sxx-sx*sx, n*syy-sy*sy, n*sxy-sx*sy
	if dx == 0 || dy == 0 {
		return line{}
	}
	return line{Slope: d / dx, Fixed: (sy - d/dx*sx) / n, R2: d * d / (dx * dy)}
}

// sum says what the nights come to.
func (f *figures) sum(nights []night) {
	m := mean(nights)
	f.Mean = m
	f.NightRatio, f.DurableRatio, f.QuietRatio = m.Night/m.Read, m.Night/m.Durable, m.Quiet/m.Read
	f.Quiet = fit(nights, func(v night) (float64, float64) { return v.Read, v.Quiet })
}

const (
	goal      = 3.0
	monthDays = 30
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	agents := flag.Int("agents", 8, "how many agents")
	nights := flag.Int("nights", 365, "how many nights")
	profile := flag.String("cpuprofile", "",
		"only play the year, and write its CPU profile to this `file`; the label \"part\" has the values night, quiet, read and durable")
	flag.Parse()
	kit.In("", func(dir string) error {
		if *profile != "" {
			return profiled(*profile, func() error {
				f, err := year(filepath.Join(dir, "year"), *agents, *nights)
				print(f)
				return err
			})
		}
		f, err := year(filepath.Join(dir, "year"), *agents, *nights)
		if err != nil {
			return err
		}
		for _, months := range []int{1, 6, 12} {
			if months*monthDays > *nights {
				break
			}
			n, err := measureNews(filepath.Join(dir, fmt.Sprint("news", months)), *agents, months)
			if err != nil {
				return err
			}
			f.News = append(f.News, n)
		}
		if *asJSON {
			return json.NewEncoder(os.Stdout).Encode(f)
		}
		print(f)
		return nil
	})
}

// profiled writes a CPU profile of do to a file.
func profiled(name string, do func() error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	err = do()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

func print(f figures) {
	fmt.Printf("%d agents, %d nights, %d entries: loaded file at most %d of %d lines, %d nights over the limit, %d lines lost\n",
		f.Agents, f.Nights, f.Entries, f.MaxLines, f.Limit, f.Over, f.Lost)
	fmt.Println("means of a month, in ms of processor time per agent:")
	fmt.Printf("  %5s %6s %6s %8s %10s %12s %8s %12s %10s %14s\n",
		"month", "files", "KB", "kept KB", "bare read", "quiet night", "ratio", "with a log",
		"to a read", "durable floor")
	for i, m := range f.Months {
		fmt.Printf("  %5d %6.0f %6.0f %8.0f %10.2f %12.2f %7.2fx %12.2f %9.2fx %14.2f\n",
			i+1, m.Files, m.Bytes/1e3, m.State/1e3, m.Read, m.Quiet, m.Quiet/m.Read, m.Night, m.Night/m.Read, m.Durable)
	}
	fmt.Printf("  %5s %6.0f %6.0f %8.0f %10.2f %12.2f %7.2fx %12.2f %9.2fx %14.2f\n",
		"year",
		f.Mean.Files, f.Mean.Bytes/1e3, f.Mean.State/1e3, f.Mean.Read, f.Mean.Quiet, f.QuietRatio, f.Mean.Night, f.NightRatio, f.Mean.Durable)
	fmt.Printf("over the year, against all bare reads (goal %.0fx): quiet nights %.2fx, nights with a day's log %.2fx\n",
		goal, f.QuietRatio, f.NightRatio)
	fmt.Printf("against bare reads with a durable write of the files that changed: nights with a day's log %.2fx\n", f.DurableRatio)
	fmt.Printf("a quiet night takes %.2fx its bare read and %.2f ms (r² %.2f)\n", f.Quiet.Slope, f.Quiet.Fixed, f.Quiet.R2)
	if len(f.News) == 0 {
		return
	}
	fmt.Println("nights with so many new lines, ms of processor time and ms a line:")
	fmt.Printf("  %7s", "month")
	for _, n := range amounts {
		fmt.Printf(" %16d", n)
	}
	fmt.Println()
	for _, n := range f.News {
		fmt.Printf("  %7d", n.Month)
		for _, amount := range amounts {
			if amount == 0 {
				fmt.Printf(" %16.2f", n.CPU[0])
				continue
			}
			fmt.Printf(" %9.2f %6.3f", n.CPU[amount], n.Line[amount])
		}
		fmt.Println()
	}
}
