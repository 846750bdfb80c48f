package web

import (
	"errors"
	"html/template"
	"strconv"

	"tend/internal/fleet"
	"tend/internal/layout/inject"
	"tend/internal/vault"
	"tend/internal/web/markdown"
	"tend/internal/words"
)

type filePage struct {
	Agent, Path string
	Role, Owner string
	Bytes       int
	Window      window
	Rendered    template.HTML
	Plain       bool   // the text could not be rendered as markdown within the page's limits
	Shown       string // what the harness does with the file, in words
	Bad         bool
	Lost        int // lines
	FirstLost   int
	Marker      string // what the harness puts where it cuts
	Gone        bool
	Mentioned   int // line to mark
}

// filePage shows a file as markdown beside what the model is really shown of it.
func (s *Site) filePage(v *visit) error {
	ctx, cancel := v.limited()
	defer cancel()
	path, err := v.file()
	if err != nil {
		return err
	}
	s.board.visit()
	return v.agent(ctx, func(_ *fleet.Fleet, a *fleet.Agent) error {
		role, _ := a.Layout.RoleOf(string(path))
		p := filePage{Agent: a.Name, Path: string(path), Role: string(role), Owner: string(a.Layout.OwnerOf(string(path)))}
		doc, err := a.Vault.Read(ctx, path)
		switch {
		case errors.Is(err, vault.ErrAbsent):
			p.Gone = true
			return v.render("file", p.Path+" of "+a.Name, p)
		case err != nil:
			return err
		}
		shown, _, err := a.Files.Shown(ctx, a.Layout)
		if err != nil {
			return err
		}
		p.Bytes = len(doc.Data)
		in, looked := inject.Inject(a.Layout, shown, inject.Options{Root: a.Workspace.Path}).File(string(path))
		p.judge(a.Layout.Ref(), in, looked)
		from, _ := strconv.Atoi(v.r.URL.Query().Get("from"))
		p.Window = windowOf(string(doc.Data), from, in.Kept, !looked)
		html, ok := markdown.HTML(p.Window.text, func(dest string) string { return linkTarget(a.Name, p.Path, dest) })
		p.Rendered, p.Plain = html, !ok
		return v.render("file", p.Path+" of "+a.Name, p)
	})
}

// judge says in words what the harness does with the file.
func (p *filePage) judge(layout string, in inject.Injected, looked bool) {
	for _, span := range in.Lines {
		p.Lost += span.To - span.From + 1
		if p.FirstLost == 0 {
			p.FirstLost = span.From
		}
	}
	p.Marker = words.Clip(in.Marker, 200)
	switch {
	case !looked:
		p.Shown = layout + " does not load this file by itself; the model sees it when it is read."
	case !in.Shown && in.Reason != inject.Whole:
		p.Shown, p.Bad = layout+" does not show it: "+string(in.Reason)+".", in.Lost > 0
	case in.Lost > 0:
		p.Bad = true
		p.Shown = layout + " cuts it: " + words.Count(p.Lost, "line") + " never reach the model."
	default:
		p.Shown = layout + " shows all of it to the model."
	}
}
