package web

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/note"
	"tend/internal/past"
	"tend/internal/vault"
	"tend/internal/words"
)

type factPage struct {
	Agent  string
	Query  string
	Whence past.Whence
	Steps  []step
	Later  []step // statements that took its place, and those it took the place of
	None   bool
	Error  string
}

// step is a moment in the life of an entry.
type step struct {
	At      time.Time
	What    string
	File    string
	Line    int
	Text    string
	Who     string
	Action  string
	Archive string
}

// factPage follows an entry from where it was first written to where it is now.
func (s *Site) factPage(v *visit) error {
	ctx, cancel := v.limited()
	defer cancel()
	s.board.visit()
	query := words.Clip(strings.TrimSpace(v.r.URL.Query().Get("q")), 1000)
	return v.agent(ctx, func(_ *fleet.Fleet, a *fleet.Agent) error {
		p := factPage{Agent: a.Name, Query: query}
		if query == "" {
			return v.render("fact", "Life of a fact", p)
		}
		w, err := past.Of(a).Why(ctx, query)
		switch {
		case errors.Is(err, past.ErrNoEntry), errors.Is(err, vault.ErrAbsent):
			p.Error = "No entry begins on that line. Name some of its words."
			return v.render("fact", "Life of a fact", p)
		case err != nil:
			return err
		}
		p.Whence = w
		p.life(w)
		p.None = len(w.Stands) == 0 && len(p.Steps) == 0
		m := memory.New(a, memory.Options{Log: s.o.Log})
		defer m.Close()
		f, err := m.Search(ctx, memory.SearchRequest{Query: plainQuery(w.Entry), Past: true, Limit: 12})
		if err == nil {
			p.kept(f)
		}
		slices.SortStableFunc(p.Steps, func(x, y step) int { return x.At.Compare(y.At) })
		p.Steps = slices.Compact(p.Steps) // an entry of two lines has two sources
		return v.render("fact", "Life of a fact", p)
	})
}

// plainQuery is an entry as words to search for, without what the query language would act on.
func plainQuery(entry string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`":+-*[]()#`, r) {
			return ' '
		}
		return r
	}, words.Clip(entry, 300))), " ")
}

// life are the steps that are on record.
func (p *factPage) life(w past.Whence) {
	if f := w.First; f != nil {
		what := "first seen"
		if f.Ref == "" {
			what = "first logged"
		}
		p.Steps = append(p.Steps, step{At: f.At, What: what, File: string(f.File), Line: f.Line})
	}
	for _, o := range w.Origins {
		p.Steps = append(p.Steps, step{At: o.At, What: o.Job + ": moved from " + string(o.Path) + ":" + strconv.Itoa(o.Line) + " to " + string(o.Target), File: string(o.Target), Text: o.Was, Who: o.Who, Action: o.Action})
	}
	for _, x := range w.Proposals {
		p.Steps = append(p.Steps, step{At: x.At, What: "proposed for " + string(x.Target) + ": " + x.State, File: string(x.Target), Text: x.Why, Who: cmp.Or(x.By, x.Job), Action: x.Action})
	}
}

// kept adds where the entry is kept, and what replaced it or was replaced by it.
func (p *factPage) kept(f memory.Found) {
	want := note.Normal(p.Whence.Entry)
	for _, h := range f.Hits {
		same := want != "" && strings.Contains(note.Normal(h.Snippet.Text), want)
		x := step{At: h.Date, File: h.Path, Line: h.Line, Text: words.Clip(h.Snippet.Text, 300)}
		if strings.HasPrefix(h.Path, "archive:") || strings.HasPrefix(h.Path, "trash:") || strings.Contains(h.Path, "@") {
			x.Archive, x.File = h.Path, ""
		}
		switch {
		case h.Superseded != nil && same:
			x.What = "superseded by " + h.Superseded.By.Path + ":" + strconv.Itoa(h.Superseded.By.Line)
			p.Later = append(p.Later, x)
		case h.Superseded != nil:
			x.What = "an older statement, superseded by " + h.Superseded.By.Path + ":" + strconv.Itoa(h.Superseded.By.Line)
			p.Later = append(p.Later, x)
		case same && x.Archive != "":
			x.What = "kept in " + x.Archive
			p.Later = append(p.Later, x)
		}
	}
}
