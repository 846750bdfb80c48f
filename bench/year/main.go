// Command year lives 365 days of one agent with about 2,000 entries and runs the nightly jobs after each. It checks that
// the loaded file stays within its limit every night and that no line is lost, and compares what a night costs with a bare
// read of the agent's files.
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
}

// month is the mean of its nights. The ratio compares processor time, which neighbours on the machine disturb least.
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
	fmt.Printf("  %6s %6s %8s %12s %12s %12s %8s\n", "month", "files", "KB", "bare read", "a night", "quiet night", "ratio")
	for i, m := range f.Months {
		fmt.Printf("  %6d %6d %8.0f %9.2f ms %9.2f ms %9.2f ms %7.2fx\n", i+1, m.Files, float64(m.Bytes)/1e3, m.Read, m.Night, m.Quiet, m.Ratio)
	}
	fmt.Printf("processor time; the goal for a night in which nothing changed is at most %.0fx\n", goal)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
