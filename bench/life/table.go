package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// total adds up the lives: the share of each measure, and the lines that were lost.
func total(all []scored) (shares map[string]share, lost int, short []string) {
	shares = map[string]share{}
	for _, s := range all {
		for name, n := range s.shares {
			sum := shares[name]
			shares[name] = share{sum.Got + n.Got, sum.Of + n.Of}
		}
		lost += s.lost
	}
	for _, m := range measures {
		if !m.met(shares[m.name].rate()) {
			short = append(short, m.name)
		}
	}
	if lost > 0 {
		short = append(short, "lost")
	}
	return shares, lost, short
}

func printTable(w io.Writer, all []scored, show bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-16s", "")
	for _, s := range all {
		fmt.Fprintf(&b, "%18s", s.Name)
	}
	fmt.Fprintf(&b, "%18s  goal\n", "all")
	shares, lost, short := total(all)
	for _, m := range measures {
		fmt.Fprintf(&b, "%-16s", m.name)
		for _, s := range all {
			cell(&b, s.shares[m.name])
		}
		cell(&b, shares[m.name])
		op := "at most"
		if m.atLeast {
			op = "at least"
		}
		fmt.Fprintf(&b, "  %s %.0f %%\n", op, 100*m.goal)
	}
	numbers(&b, "lost", all, lost, func(s scored) int { return s.lost })
	repeated := 0
	for _, s := range all {
		repeated += s.repeated
	}
	numbers(&b, "repeated", all, repeated, func(s scored) int { return s.repeated })
	numbers(&b, "hot lines", all, -1, func(s scored) int { return strings.Count(s.hot, "\n") })
	numbers(&b, "hot bytes", all, -1, func(s scored) int { return len(s.hot) })
	numbers(&b, "edits missed", all, -1, func(s scored) int { return s.played.missed })
	fmt.Fprintf(&b, "\nThe start of a session's context that is as in the session before, %d days of four sessions:\n", month)
	for _, s := range all {
		fmt.Fprintf(&b, "  %-14s %5.1f %% on the same day, %5.1f %% over a night, %d bytes at most\n", s.Name, s.prefix.within.percent(), s.prefix.across.percent(), s.prefix.largest)
	}
	if len(short) == 0 {
		short = []string{"nothing"}
	}
	fmt.Fprintf(&b, "short of the goal: %s\n", strings.Join(short, ", "))
	if show {
		for _, s := range all {
			fmt.Fprintf(&b, "\n%s: %s\n", s.Name, s.About)
			for _, code := range slices.Sorted(maps.Keys(s.played.codes)) {
				fmt.Fprintf(&b, "  %d findings %s\n", s.played.codes[code], code)
			}
			for _, name := range slices.Sorted(maps.Keys(s.missed)) {
				fmt.Fprintf(&b, "  %s: %s\n", name, strings.Join(s.missed[name], "; "))
			}
			fmt.Fprintf(&b, "\n%s", s.hot)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cell(b *strings.Builder, s share) {
	fmt.Fprintf(b, "%9s %6.1f %%", fmt.Sprintf("%d/%d", s.Got, s.Of), 100*s.rate())
}

// numbers prints a row of plain numbers; a negative sum is left out.
func numbers(b *strings.Builder, name string, all []scored, sum int, of func(scored) int) {
	fmt.Fprintf(b, "%-16s", name)
	for _, s := range all {
		fmt.Fprintf(b, "%18d", of(s))
	}
	if sum >= 0 {
		fmt.Fprintf(b, "%18d", sum)
	}
	b.WriteByte('\n')
}

func printJSON(w io.Writer, all []scored) error {
	lives := map[string]any{}
	for _, s := range all {
		m := map[string]any{"lost": s.lost, "repeated": s.repeated, "codes": s.played.codes, "edits_missed": s.played.missed,
			"hot_lines": strings.Count(s.hot, "\n"), "hot_bytes": len(s.hot),
			"prefix_same_day": s.prefix.within.percent(), "prefix_over_night": s.prefix.across.percent()}
		for name, n := range s.shares {
			m[name] = n
		}
		lives[s.Name] = m
	}
	shares, lost, short := total(all)
	rates := map[string]float64{"lost": float64(lost)}
	for name, n := range shares {
		rates[name] = n.rate()
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"lives": lives, "rates": rates, "short": short})
}
