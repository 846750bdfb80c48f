package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tend/internal/text/note"
	"tend/internal/text/search"
)

var depths = [4]int{1, 5, 10, 20}

// recalls sums, for each depth, the share of a question's evidence found.
type recalls [len(depths)]float64

func (r recalls) percent(n int) map[string]float64 {
	out := map[string]float64{}
	for i, k := range depths {
		out[fmt.Sprintf("r%d", k)] = 100 * r[i] / float64(n)
	}
	return out
}

type tally struct {
	questions     int
	session, turn recalls
}

func (t *tally) add(o tally) {
	t.questions += o.questions
	for i := range depths {
		t.session[i] += o.session[i]
		t.turn[i] += o.turn[i]
	}
}

func (t tally) print(w io.Writer, name string) {
	row := func(r recalls) string {
		var s []string
		for _, v := range r {
			s = append(s, fmt.Sprintf("%5.1f", 100*v/float64(max(t.questions, 1))))
		}
		return strings.Join(s, " / ")
	}
	fmt.Fprintf(w, "%-16s %9d   %-30s   %-30s\n", name, t.questions, row(t.session), row(t.turn))
}

// memory is a conversation as an agent's notes, with the turn of each line.
type memory struct {
	index *search.Index
	turns map[place]string // id of the turn at a line
	files map[string]int   // session of a file
	texts map[string]string
}

type place struct {
	path string
	line int
}

func remember(c conversation) *memory {
	m := &memory{index: search.New(), turns: map[place]string{}, files: map[string]int{}, texts: map[string]string{}}
	for _, s := range c.sessions {
		path := fmt.Sprintf("memory/session-%03d.md", s.number)
		m.files[path] = s.number
		var b strings.Builder
		fmt.Fprintf(&b, "# %s\n\n", s.date)
		line := 3
		for _, t := range s.turns {
			m.turns[place{path, line}] = t.ID
			fmt.Fprintf(&b, "- %s\n", entry(t))
			line++
		}
		m.texts[path] = b.String()
		m.index.Put(search.Markdown(path, search.Warm, day(s.date), note.Syntax{}, []byte(b.String())))
	}
	return m
}

func (m *memory) text(path string) (string, error) { return m.texts[path], nil }

// entry writes a turn as one line.
func entry(t turn) string {
	text := t.Text
	if t.Caption != "" {
		text += " [image: " + t.Caption + "]"
	}
	return t.Speaker + ": " + strings.Join(strings.Fields(text), " ")
}

// day reads a session's date; a session without one stays undated.
func day(s string) note.Day {
	t, err := time.Parse("3:04 pm on 2 January, 2006", s)
	if err != nil {
		return 0
	}
	return note.DayOf(t, time.UTC)
}

// measure asks every question of a conversation.
func measure(c conversation) tally {
	m := remember(c)
	deepest, now := depths[len(depths)-1], time.Now()
	var t tally
	for _, q := range c.questions {
		want, wantSessions := map[string]bool{}, map[int]bool{}
		for _, id := range q.evidence {
			want[id] = true
		}
		for path, n := range m.files {
			for p, id := range m.turns {
				if p.path == path && want[id] {
					wantSessions[n] = true
				}
			}
		}
		t.questions++
		ask := search.Request{Query: q.text, Limit: deepest, Now: now, Current: true, Source: m.text}
		entries := m.index.Search(context.Background(), ask).Hits
		score(&t.turn, entries, len(want), func(h search.Hit) bool { return want[m.turns[place{h.Path, h.Line}]] })
		ask.Group = search.ByFile
		files := m.index.Search(context.Background(), ask).Hits
		score(&t.session, files, len(wantSessions), func(h search.Hit) bool { return wantSessions[m.files[h.Path]] })
	}
	return t
}

// score adds the share of the wanted hits within each depth.
func score(r *recalls, hits []search.Hit, wanted int, good func(search.Hit) bool) {
	for i, k := range depths {
		n := 0
		for _, h := range hits[:min(k, len(hits))] {
			if good(h) {
				n++
			}
		}
		r[i] += float64(n) / float64(wanted)
	}
}
