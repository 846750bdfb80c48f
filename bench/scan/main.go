// Command scan measures the scanner: what it finds and misses in the labelled corpus, its false positives, and its speed.
//
//	go run ./bench/scan [-json] [-v]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"tend/internal/text/scan"
	"tend/internal/text/scan/scantest"
)

func main() {
	asJSON := flag.Bool("json", false, "print the figures as JSON")
	verbose := flag.Bool("v", false, "print what was missed and what was reported wrongly")
	flag.Parse()
	if err := run(os.Stdout, *asJSON, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "bench/scan:", err)
		os.Exit(1)
	}
}

// report is everything the command prints.
type report struct {
	Rules int              `json:"rules"`
	Parts []part           `json:"parts"`
	Speed []scantest.Speed `json:"speed"`
}

type part struct {
	Name string `json:"name"`
	scantest.Result
}

func run(w io.Writer, asJSON, verbose bool) error {
	r := report{Rules: len(scan.Rules()), Speed: scantest.Speeds()}
	for _, p := range scantest.Parts() {
		r.Parts = append(r.Parts, part{p.Name, scantest.Measure(p.Set)})
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	return print(w, r, verbose)
}

func print(w io.Writer, r report, verbose bool) error {
	fmt.Fprintf(w, "%d rules\n\n", r.Rules)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "part\tclass\tsamples\tfound\trecall\tprecision\tharmless\tfalse alarms\trate\t")
	for _, p := range r.Parts {
		fmt.Fprintf(t, "%s\tall\t%d\t%d\t%.1f %%\t%.1f %%\t%d\t%d\t%.2f %%\t\n", p.Name, p.Positive, p.Found, 100*p.Recall, 100*p.Precision,
			p.Harmless, p.FalseAlarms, 100*p.AlarmRate)
		for _, c := range []scan.Class{scan.Secret, scan.Injection, scan.Exfil, scan.Hidden} {
			if s := p.Classes[c]; s.Samples > 0 {
				fmt.Fprintf(t, "\t%s\t%d\t%d\t%.1f %%\t%.1f %%\t\t\t\t\n", c, s.Samples, s.Found, 100*s.Recall, 100*s.Precision)
			}
		}
	}
	fmt.Fprintln(t, "\ntext\tbytes\tµs\tMB/s\t")
	for _, s := range r.Speed {
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.1f\t\n", s.Name, s.Bytes, s.Micros, s.MBps)
	}
	if err := t.Flush(); err != nil || !verbose {
		return err
	}
	for _, p := range r.Parts {
		for _, s := range p.Missed {
			fmt.Fprintf(w, "\n%s missed %v %s\n  %q\n", p.Name, s.Classes, s.Rule, scan.Mask([]byte(s.Text)))
		}
		for _, s := range p.Alarms {
			fmt.Fprintf(w, "\n%s false alarm\n  %q\n", p.Name, s.Text)
			for _, h := range scan.Text([]byte(s.Text), scan.Options{}) {
				fmt.Fprintf(w, "  %s\n", h)
			}
		}
	}
	return nil
}
