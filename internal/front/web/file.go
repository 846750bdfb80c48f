package web

import (
	"context"
	"errors"
	"html/template"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/front/web/markdown"
	"tend/internal/model/textfmt"
	"tend/internal/text/layout/loadview"
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
	Marker      string // the harness's marker where it cuts
	Gone        bool
}

// filePage shows a file as markdown beside what the model is really shown.
func (s *Site) filePage(ctx context.Context, v *visit) error {
	path, err := v.file()
	if err != nil {
		return err
	}
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
		in, looked := loadview.Inject(a.Layout, shown, loadview.Options{Root: a.Workspace.Path}).File(string(path))
		p.judge(a.Layout.Ref(), in, looked)
		from, _ := strconv.Atoi(v.r.URL.Query().Get("from"))
		p.Window = windowOf(string(doc.Data), from, in.Intact, !looked)
		html, ok := markdown.HTML(p.Window.text, func(dest string) string { return linkTarget(a.Name, p.Path, dest) })
		p.Rendered, p.Plain = html, !ok
		return v.render("file", p.Path+" of "+a.Name, p)
	})
}

// judge describes what the harness does with the file.
func (p *filePage) judge(layout string, in loadview.Injected, looked bool) {
	for _, span := range in.Lines {
		p.Lost += span.To - span.From + 1
		if p.FirstLost == 0 {
			p.FirstLost = span.From
		}
	}
	p.Marker = textfmt.Clip(in.Marker, 200)
	switch {
	case !looked:
		p.Shown = layout + " does not load this file by itself; the model sees it when it is read."
	case !in.Shown && in.Reason != loadview.Whole:
		p.Shown, p.Bad = layout+" does not show it: "+string(in.Reason)+".", in.Lost > 0
	case in.Lost > 0:
		p.Bad = true
		p.Shown = layout + " cuts it: " + textfmt.Count(p.Lost, "line") + " never reach the model."
	default:
		p.Shown = layout + " shows all of it to the model."
	}
}

// Limits of a text on a page: lines, characters per line, and bytes as HTML.
const linesPerPage, lineChars, windowBytes = 250, 1500, 22 << 10

// window is a part of a text that fits on a page.
type window struct {
	Lines []line
	From  int // number of its first line
	Total int // lines of the whole text
	Prev  int // where the previous page begins, 0 if there is none
	Next  int
	Long  bool // a line was cut for the page
	text  string
}

// line is a line of a text, split into pieces that the model is shown and pieces that it is not.
type line struct {
	N      int
	Pieces []piece
	Lost   bool // all of it
}

type piece struct {
	Text string
	Lost bool
}

// windowOf cuts out the lines from a number on. kept are the bytes the model is shown; nil means all.
func windowOf(text string, from int, kept []loadview.Range, all bool) window {
	w := window{From: max(1, from), Total: strings.Count(text, "\n")}
	if !strings.HasSuffix(text, "\n") && text != "" {
		w.Total++
	}
	if w.From > w.Total {
		w.From = max(1, w.Total-linesPerPage+1)
	}
	var shown strings.Builder
	at, n, bytes := 0, 0, 0
	for raw := range strings.Lines(text) {
		n++
		start := at
		at += len(raw)
		if n < w.From {
			continue
		}
		end := start + len(strings.TrimRight(raw, "\r\n"))
		if end-start > lineChars {
			w.Long = true
			for end = start + lineChars; end > start && !utf8.RuneStart(text[end]); {
				end--
			}
		}
		bytes += 80 + len(template.HTMLEscapeString(textfmt.Safe(text[start:end])))
		if n > w.From && (bytes > windowBytes || n >= w.From+linesPerPage) {
			w.Next = n
			break
		}
		w.Lines = append(w.Lines, pieces(n, text, start, end, kept, all))
		shown.WriteString(text[start:end])
		shown.WriteByte('\n')
	}
	if w.From > 1 {
		w.Prev = max(1, w.From-linesPerPage)
	}
	w.text = shown.String()
	return w
}

// pieces splits a line where the shown text begins or ends.
func pieces(n int, text string, start, end int, kept []loadview.Range, all bool) line {
	l := line{N: n}
	if all {
		l.Pieces = []piece{{Text: textfmt.InLine(text[start:end])}}
		return l
	}
	add := func(from, to int, lost bool) {
		if from < to {
			l.Pieces = append(l.Pieces, piece{textfmt.InLine(text[from:to]), lost})
		}
	}
	at := start
	for _, r := range kept {
		from, to := max(at, r.From), min(end, r.To)
		if from >= to {
			continue
		}
		add(at, from, true)
		add(from, to, false)
		at = to
	}
	add(at, end, true)
	l.Lost = len(l.Pieces) == 1 && l.Pieces[0].Lost
	return l
}

// linkTarget returns where a link in an agent's file may lead, "" if nowhere: to the agent's files and, with http and
// mailto, elsewhere.
func linkTarget(agent, from, dest string) string {
	u, err := url.Parse(dest)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return u.String()
	case "mailto":
		return u.String()
	case "":
	default:
		return ""
	}
	if u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return ""
	}
	file := path.Join(path.Dir(from), u.Path)
	if file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return "/a/" + escapePath(agent) + "/file/" + escapePath(file)
}
