package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"time"

	"tend/internal/text/note"
	"tend/internal/text/search"
)

// workspace is one memory of a set: files, and questions with the lines that answer them.
type workspace struct {
	Name      string            `json:"name"`
	Now       string            `json:"now"`   // the day on which it is asked
	Files     map[string]string `json:"files"` // text by path
	Questions []asked           `json:"questions"`
}

type asked struct {
	Kind string `json:"kind"` // a row of the table
	Text string `json:"q"`
	New  []spot `json:"new"` // lines that answer it
	Old  []spot `json:"old"` // lines that did before
}

// spot is a path and a line.
type spot struct {
	path string
	line int
}

func (s *spot) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.path, &s.line})
}

func (s spot) in(h search.Hit) bool {
	return h.Path == s.path && h.Line <= s.line && s.line <= h.EndLine
}

// row sums up the questions of a kind.
type row struct {
	questions, pairs, oldAbove, unmarked int
	first, five, ten                     int
}

func loadSet(name string) ([]workspace, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var set []workspace
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("read %s: not a set of workspaces: %w", name, err)
	}
	return set, nil
}

// runSet measures a set: the share of questions whose answer is among the first 1, 5 and 10 hits; for values that
// changed, how often the old one is above the new one, and how often it is among the first five without a mark.
func runSet(w io.Writer, name string, each bool) error {
	set, err := loadSet(name)
	if err != nil {
		return err
	}
	rows := map[string]*row{}
	for _, ws := range set {
		if err := ws.ask(w, each, rows); err != nil {
			return fmt.Errorf("%s, %s: %w", name, ws.Name, err)
		}
	}
	var total row
	for _, kind := range slices.SortedFunc(keys(rows), cmp.Compare[string]) {
		r := rows[kind]
		r.print(w, kind)
		total.add(*r)
	}
	total.print(w, "all")
	return nil
}

func keys(m map[string]*row) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (ws workspace) ask(w io.Writer, each bool, rows map[string]*row) error {
	now, err := time.Parse(time.DateOnly, ws.Now)
	if err != nil {
		return err
	}
	index := search.New()
	for name, text := range ws.Files {
		day, _ := note.DayInName(path.Base(name))
		tier := search.Warm
		switch {
		case !day.IsZero():
			tier = search.Cold
		case path.Dir(name) == ".":
			tier = search.Hot
		}
		index.Put(search.Markdown(name, tier, day, note.Syntax{}, []byte(text)))
	}
	for _, q := range ws.Questions {
		r := rows[q.Kind]
		if r == nil {
			r = &row{}
			rows[q.Kind] = r
		}
		hits := index.Search(context.Background(), search.Request{
			Query: q.Text, Limit: 10, Now: now, Current: true,
			Source: func(p string) (string, error) { return ws.Files[p], nil },
		}).Hits
		r.count(hits, q)
		if each {
			fmt.Fprintf(w, "%-20s new %2d old %2d  %s\n", ws.Name, rank(hits, q.New), rank(hits, q.Old), q.Text)
		}
	}
	return nil
}

const nowhere = 99

func rank(hits []search.Hit, want []spot) int {
	i := slices.IndexFunc(hits, func(h search.Hit) bool { return slices.ContainsFunc(want, func(s spot) bool { return s.in(h) }) })
	if i < 0 {
		return nowhere
	}
	return i
}

func (r *row) count(hits []search.Hit, q asked) {
	at, old := rank(hits, q.New), rank(hits, q.Old)
	r.questions++
	r.first += among(at, 1)
	r.five += among(at, 5)
	r.ten += among(at, 10)
	if len(q.Old) == 0 || min(at, old) == nowhere {
		return
	}
	r.pairs++
	if old < at {
		r.oldAbove++
	}
	if old < 5 && hits[old].Superseded == nil {
		r.unmarked++
	}
}

func among(at, depth int) int {
	if at < depth {
		return 1
	}
	return 0
}

func (r *row) add(o row) {
	r.questions, r.pairs, r.oldAbove, r.unmarked = r.questions+o.questions, r.pairs+o.pairs, r.oldAbove+o.oldAbove, r.unmarked+o.unmarked
	r.first, r.five, r.ten = r.first+o.first, r.five+o.five, r.ten+o.ten
}

func (r *row) print(w io.Writer, name string) {
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	fmt.Fprintf(w, "%-24s %4d  R@1 %5.1f  R@5 %5.1f  R@10 %5.1f", name, r.questions, share(r.first, r.questions),
		share(r.five, r.questions), share(r.ten, r.questions))
	if r.pairs > 0 {
		fmt.Fprintf(w, "  old above new %5.1f, unmarked %5.1f of %d", share(r.oldAbove, r.pairs), share(r.unmarked, r.pairs), r.pairs)
	}
	fmt.Fprintln(w)
}
