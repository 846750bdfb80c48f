// Command year simulates 365 days of one agent with about 2,000 entries and runs the nightly jobs after each. It checks
// that the loaded file stays within its limit every night and that no line is lost, and compares the cost of a night with
// a bare read of the agent's files.
//
//	go run ./bench/year [-json] [-nights 365]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"tend/bench/kit"
)

// figures are what is printed.
type figures struct {
	Nights   int     `json:"nights"`
	Entries  int     `json:"entries"`
	MaxLines int     `json:"hot_lines_most"`
	Limit    int     `json:"hot_lines_limit"`
	Over     int     `json:"nights_over_limit"`
	Lost     int     `json:"lines_lost"`
	Months   []month `json:"months"`

	// Over the whole year, against all bare reads.
	NightRatio float64 `json:"night_ratio"`
	QuietRatio float64 `json:"quiet_ratio"`
	Quiet      line    `json:"quiet_by_read"`  // ms of a quiet night by ms of a bare read
	Added      line    `json:"added_by_lines"` // ms that a day's log adds to a night by its lines
}

// night is one night, in ms of processor time, and the lines that were written that day.
type night struct{ read, full, quiet, lines float64 }

// line is a linear regression. R2 is the share of the variance it explains.
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

// sum sums up the nights.
func (f *figures) sum(nights []night) {
	var all night
	for _, v := range nights {
		all.read, all.full, all.quiet = all.read+v.read, all.full+v.full, all.quiet+v.quiet
	}
	f.NightRatio, f.QuietRatio = all.full/all.read, all.quiet/all.read
	f.Quiet = fit(nights, func(v night) (float64, float64) { return v.read, v.quiet })
	f.Added = fit(nights, func(v night) (float64, float64) { return v.lines, v.full - v.quiet })
}

// month is the mean of its nights. The ratio compares CPU time, which other load on the machine disturbs least.
type month struct {
	Files   int     `json:"files"`
	Bytes   int64   `json:"bytes"`
	Read    float64 `json:"bare_read_cpu_ms"`
	Night   float64 `json:"nightly_cpu_ms"`
	Quiet   float64 `json:"quiet_night_cpu_ms"` // a second run on the same night, with nothing to do
	Ratio   float64 `json:"quiet_ratio"`
	PerLine float64 `json:"cpu_us_per_new_line"`
}

const (
	goal      = 3.0
	monthDays = 30
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	nights := flag.Int("nights", 365, "how many nights")
	flag.Parse()
	kit.In("", func(dir string) error {
		f, err := live(dir, *nights)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(os.Stdout).Encode(f)
		}
		print(f)
		return nil
	})
}

func print(f figures) {
	fmt.Printf("%d nights, %d entries: loaded file at most %d of %d lines, %d nights over the limit, %d lines lost\n",
		f.Nights, f.Entries, f.MaxLines, f.Limit, f.Over, f.Lost)
	fmt.Printf("  %6s %6s %8s %12s %12s %12s %8s %14s\n", "month", "files", "KB", "bare read", "a night", "quiet night", "ratio", "per new line")
	for i, m := range f.Months {
		fmt.Printf("  %6d %6d %8.0f %9.2f ms %9.2f ms %9.2f ms %7.2fx %11.2f ms\n", i+1, m.Files, float64(m.Bytes)/1e3, m.Read, m.Night, m.Quiet, m.Ratio, m.PerLine/1e3)
	}
	fmt.Printf("processor time; the goal for a night in which nothing changed is at most %.0fx\n", goal)
	fmt.Printf("over the year: quiet nights %.2fx all bare reads, nights with a day's log %.2fx\n", f.QuietRatio, f.NightRatio)
	fmt.Printf("a quiet night takes %.2fx its bare read and %.2f ms (r² %.2f); a day's log adds %.2f ms a line and %.2f ms (r² %.2f)\n",
		f.Quiet.Slope, f.Quiet.Fixed, f.Quiet.R2, f.Added.Slope, f.Added.Fixed, f.Added.R2)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
