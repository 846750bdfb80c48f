package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"tend/bench/kit"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/text/note"
	"tend/internal/text/referee"
)

// The sample of a year: as many rewrites a day of one agent, and how many days are printed in one row.
const (
	perDay = 50
	rowOf  = 5
	// burstEvery is how many rewrites there are for each burst, as in real histories.
	burstEvery = 25
)

// year lives some days of an agent whose memory is rewritten all day, as the keeper sees it: each rewrite is recorded and judged.
// Every burstEvery-th rewrite is a burst, and the next one puts the page back. It prints what a rewrite costs as the past grows.
func year(days int, out io.Writer) error {
	dir, err := os.MkdirTemp("", "tend-referee-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	file := filepath.Join(dir, "w", "MEMORY.md")
	r := rand.New(rand.NewPCG(1, 1))
	page := statements(r, 120)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), put(file, page)); err != nil {
		return err
	}
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	cfg, err := config.Parse(filepath.Join(dir, "tend.yaml"),
		[]byte("version: 1\nstate_dir: ./state\nagents:\n  a:\n    workspace: ./w\n    layout: openclaw\n    timezone: UTC\n"), env)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "day\trewrites\tms a rewrite\tof that judging\treading the two texts\ta verdict\tstate MB\t")
	var step, judging, reading, verdict time.Duration
	for day := 1; day <= days; day++ {
		f, err := fleet.Open(cfg, fleet.Options{Clock: func() time.Time { return now }, Write: true})
		if err != nil {
			return err
		}
		a, err := f.Agent(context.Background(), "a")
		if err != nil {
			return err
		}
		for i := range perDay {
			before, whole := strings.Join(page, "\n"), page
			if page = edited(r, page); i%burstEvery == 10 {
				page = page[:20]
			}
			if err := put(file, page); err != nil {
				return err
			}
			now = now.Add(15 * time.Minute)
			t0 := kit.CPUTime()
			_, _, err := a.History.Sync(context.Background())
			t1 := kit.CPUTime()
			if err == nil {
				_, err = a.Judge(context.Background())
			}
			if err != nil {
				return err
			}
			t2 := kit.CPUTime()
			after := strings.Join(page, "\n")
			note.Parse([]byte(before)).Entries(0)
			note.Parse([]byte(after)).Entries(0)
			t3 := kit.CPUTime()
			referee.Verify([]byte(before), []byte(after), nil, referee.Options{})
			step, judging, reading, verdict = step+t2-t0, judging+t2-t1, reading+t3-t2, verdict+kit.CPUTime()-t3
			if len(page) == 20 {
				page = whole
			}
		}
		if err := errors.Join(a.Close(), f.Close()); err != nil {
			return err
		}
		now = now.Add(24*time.Hour - perDay*15*time.Minute)
		if day%rowOf == 0 {
			n := float64(rowOf * perDay)
			ms := func(d time.Duration) float64 { return d.Seconds() * 1000 / n }
			fmt.Fprintf(t, "%d\t%d\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t\n", day, day*perDay, ms(step), ms(judging), ms(reading), ms(verdict),
				float64(kept(filepath.Join(dir, "state")))/1e6)
			t.Flush()
			step, judging, reading, verdict = 0, 0, 0, 0
		}
	}
	return nil
}

func put(file string, lines []string) error {
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// statements are lines that each say something else, below headings.
func statements(r *rand.Rand, n int) []string {
	words := strings.Fields("relay vault harbour invoice newsletter orchard printer kiosk ledger canal archive courier lantern meadow " +
		"parcel quarry saddle tunnel violin walnut backup deploy release owner budget meeting report customer supplier order")
	lines := []string{"# Memory"}
	for len(lines) < n {
		if len(lines)%12 == 1 {
			lines = append(lines, fmt.Sprintf("\n## Topic %d\n", len(lines)/12))
		}
		lines = append(lines, statement(r, words))
	}
	return lines
}

func statement(r *rand.Rand, words []string) string {
	said := make([]string, 8+r.IntN(6))
	for i := range said {
		said[i] = words[r.IntN(len(words))]
	}
	return fmt.Sprintf("- %s %d", strings.Join(said, " "), r.IntN(100000))
}

// edited replaces one line and moves another.
func edited(r *rand.Rand, page []string) []string {
	page = append([]string{}, page...)
	fresh := statements(r, 4)
	page[2+r.IntN(len(page)-2)] = fresh[len(fresh)-1]
	i, j := 2+r.IntN(len(page)-2), 2+r.IntN(len(page)-2)
	page[i], page[j] = page[j], page[i]
	return page
}

// kept is the size of the files of a folder.
func kept(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if i, err := d.Info(); err == nil {
				size += i.Size()
			}
		}
		return nil
	})
	return size
}
