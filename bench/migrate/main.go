// Command migrate moves workspaces between all ordered pairs of five harnesses, there and back, and counts what became of
// each line. It reads the folders it is given, prints only counts and writes nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"tend/internal/app/setup"
	"tend/internal/engine/fleet"
	"tend/internal/text/layout"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/layout/migrate/migratetest"
)

var harnesses = []string{"openclaw", "hermes", "claude-code", "codex", "letta"}

func main() {
	as := flag.String("as", "", "the layout of the folders (default: detected)")
	verbose := flag.Bool("problems", false, "print the names of files and the lines that went wrong")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Println("nothing to measure: name folders with agents' memory")
		return
	}
	began := time.Now()
	bad := false
	for i, dir := range flag.Args() {
		t, err := all(dir, *as)
		if err != nil {
			fmt.Fprintf(os.Stderr, "workspace %d: %v\n", i+1, err)
			bad = true
			continue
		}
		fmt.Printf("workspace %d: %s, %d files, %d pairs, %d moves: lines %d, missing %d; loaded %d, beyond a limit %d, unsaid %d, over %d; "+
			"secrets masked %d, carried %d; round trips that differ %d\n", i+1, t.layout, t.files, t.pairs, t.moves, t.Lines, t.Missing,
			t.Loaded, t.Beyond, t.Unsaid, t.Over, t.masked, t.Secrets, t.differ)
		bad = bad || t.Missing+t.Unsaid+t.Over+t.Secrets+t.differ > 0
		if *verbose {
			for _, p := range t.problems {
				fmt.Println("  " + p)
			}
		}
	}
	fmt.Printf("%s\n", time.Since(began).Round(time.Millisecond))
	if bad {
		os.Exit(1)
	}
}

type tally struct {
	migratetest.Count
	layout                              string
	files, pairs, moves, masked, differ int
	problems                            []string
}

// move plans a move and counts.
func (t *tally) move(from, to layout.Layout, files []migrate.File, o *migrate.Origin, back bool) migrate.Result {
	q := migrate.Request{From: from, To: to, Files: files, Loaded: migratetest.Loaded(from, files), Origin: o}
	r := migrate.Plan(q)
	t.moves++
	if !back {
		c, problems := migratetest.Check(q, r, true)
		t.Count = t.Add(c)
		for _, p := range problems {
			t.problems = append(t.problems, from.Ref()+" to "+to.Ref()+": "+p)
		}
	}
	return r
}

func (t *tally) compare(what string, want, got []migrate.File) {
	for _, d := range migratetest.Differences(want, got) {
		t.differ++
		t.problems = append(t.problems, what+": "+d)
	}
}

func all(dir, as string) (t tally, err error) {
	cfg, found, err := setup.Unconfigured([]string{dir}, as)
	if err != nil {
		return t, err
	}
	f, err := fleet.Open(cfg, fleet.Options{})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ag, err := f.Agent(context.Background(), found[0].Name)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, ag.Close()) }()
	m, err := setup.ReadMemory(context.Background(), ag, false)
	if err != nil {
		return t, err
	}
	t.layout, t.files = ag.Layout.Ref(), len(m.Files)
	for _, s := range m.Secrets {
		t.masked += s.Lines
	}
	for _, a := range harnesses {
		for _, b := range harnesses {
			if a == b {
				continue
			}
			t.pairs++
			first, err := layout.Preset(a)
			if err != nil {
				return t, err
			}
			second, err := layout.Preset(b)
			if err != nil {
				return t, err
			}
			there := t.move(ag.Layout, first, m.Files, nil, false)
			files := migratetest.Files(there)
			next := t.move(first, second, files, &there.Origin, ag.Layout.Name == second.Name)
			home := t.move(second, first, migratetest.Files(next), &next.Origin, true)
			t.compare(a+" to "+b+" and back", files, migratetest.Files(home))
			source := t.move(first, ag.Layout, migratetest.Files(home), &home.Origin, true)
			t.compare(a+" to "+b+" and home", m.Files, migratetest.Files(source))
		}
	}
	return t, nil
}
