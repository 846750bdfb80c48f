package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/textfmt"
	"tend/internal/text/note"
)

type timePage struct {
	Agent, Path string
	Versions    []versionRow // oldest first
	Hidden      int          // older ones
	At, End     int          // the chosen one and the last one
	Chosen      *versionRow
	Now         string // version of the file as it is now
	Gone        bool   // the file no longer exists
	Same        bool
	TooLarge    bool
	NoText      bool
	Hunks       []hunk // from the present text to the chosen one
	More        int
	Sections    []section
	Window      window
	Sizes       spark
	First, Last time.Time
}

// versionRow is one of a file's versions.
type versionRow struct {
	past.Version
	N    int
	What string
	URL  string
	On   bool
}

// Limits of the history page.
const mostVersions, mostHunks = 200, 20

// timePage shows a file at a moment of its history and how it differs from now, and restores parts of it.
func (s *Site) timePage(ctx context.Context, v *visit) error {
	path, err := v.file()
	if err != nil {
		return err
	}
	return v.agent(ctx, func(_ *fleet.Fleet, a *fleet.Agent) error {
		p := timePage{Agent: a.Name, Path: string(path)}
		list, err := past.Open(a).Versions(ctx, path)
		if err != nil {
			return err
		}
		if p.Hidden = max(0, len(list)-mostVersions); p.Hidden > 0 {
			list = list[p.Hidden:]
		}
		p.choose(list, v.r.URL.Query().Get("at"), a)
		if p.Chosen != nil {
			if err := p.compare(ctx, a, path, v.r.URL.Query().Get("from")); err != nil {
				return err
			}
		}
		return v.render("time", "History of "+p.Path, p)
	})
}

// choose marks the requested version, by default the one before the last.
func (p *timePage) choose(list []past.Version, at string, a *fleet.Agent) {
	p.At = max(0, len(list)-2)
	for i, x := range list {
		if x.Ref == at {
			p.At = i
		}
		p.Sizes = append(p.Sizes, x.Size)
		r := versionRow{Version: x, N: i, What: "edit seen", URL: "?" + url.Values{"at": {x.Ref}}.Encode()}
		r.At = x.At.In(a.Location)
		switch {
		case x.Action != nil:
			r.What = x.Action.Job + " by " + x.Action.Who
		case len(x.Ref) > 0 && x.Ref[len(x.Ref)-1] == '~':
			r.What = "before the first action"
		}
		p.Versions = append(p.Versions, r)
	}
	if len(list) > 0 {
		p.Versions[p.At].On, p.End = true, len(list)-1
		p.Chosen = &p.Versions[p.At]
		p.First, p.Last = p.Versions[0].At, p.Versions[len(list)-1].At
	}
}

// Newest returns the versions, newest first.
func (p timePage) Newest() []versionRow {
	list := slices.Clone(p.Versions)
	slices.Reverse(list)
	return list
}

// compare compares the chosen version with the file as it is now.
func (p *timePage) compare(ctx context.Context, a *fleet.Agent, path vault.Path, from string) error {
	doc, err := a.Vault.Read(ctx, path)
	if errors.Is(err, vault.ErrAbsent) {
		p.Gone, err = true, nil
	}
	if err != nil {
		return err
	}
	p.Now = string(doc.Version)
	then, err := past.Open(a).Text(ctx, path, p.Chosen.Ref)
	if errors.Is(err, past.ErrUnknown) {
		p.NoText = true
		return nil
	}
	if err != nil {
		return err
	}
	old, now := string(then.Data), string(doc.Data)
	p.Same = !p.Gone && !then.Gone && old == now
	n, _ := strconv.Atoi(from)
	p.Window = windowOf(old, n, nil, true)
	list, ok := edits(now, old)
	p.TooLarge = !ok
	p.Hunks, p.More = hunksOf(now, list, mostHunks)
	if !p.Same && ok {
		have := sectionsOf(now)
		for _, x := range sectionsOf(old) {
			if !slices.ContainsFunc(have, func(y section) bool { return y.Title == x.Title && y.text == x.text }) && len(p.Sections) < 30 {
				x.Title = textfmt.Clip(x.Title, 100)
				p.Sections = append(p.Sections, x)
			}
		}
	}
	return nil
}

// section is a part of a text under a heading, with everything below it.
type section struct {
	N          int
	Title      string
	text       string
	start, end int
}

// sectionsOf lists the sections of a text.
func sectionsOf(text string) []section {
	var out []section
	for i, s := range (note.Syntax{}).Parse([]byte(text)).Sections {
		out = append(out, section{i, s.Title, text[s.Start:s.End], s.Start, s.End})
	}
	return out
}

// withSection replaces the section with the same heading, or appends it if there is none.
func withSection(text string, s section) string {
	for _, x := range sectionsOf(text) {
		if x.Title == s.Title {
			return text[:x.start] + s.text + text[x.end:]
		}
	}
	if text != "" {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	return text + s.text
}
