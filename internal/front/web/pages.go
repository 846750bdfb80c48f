package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

// pages holds the templates, each with the layout around it.
type pages struct {
	byName map[string]*template.Template
	rows   *template.Template
	stamp  string // the version of script and style, so that browsers may cache them
}

func loadPages() *pages {
	p := &pages{byName: map[string]*template.Template{}}
	base := template.Must(template.New("").Funcs(template.FuncMap{
		"t": textfmt.Safe, "line": textfmt.InLine, "clip": func(n int, s string) string { return textfmt.InLine(textfmt.Clip(s, n)) },
		"rich": rich, "title": title, "when": when, "day": func(t time.Time) string { return t.Format("2 Jan 2006") },
		"iso":   func(t time.Time) string { return t.Format(time.RFC3339) },
		"count": textfmt.Count, "agenttabs": agentTabs, "sub": func(a, b int) int { return a - b }, "num": textfmt.Thousands, "tone": tone,
		"about": func(e event, agent, csrf, back string, readOnly bool) eventOf {
			return eventOf{formFields{csrf, back, agent}, readOnly, e}
		},
		"linked": func(agent string, f finding.Finding) linkedFinding { return linkedFinding{agent, f} },
		"change": func(was, is string, h any) changeOf { return changeOf{was, is, h} },
		"side":   func(class string, lines [][]span) sideOf { return sideOf{class, lines} },
		"person": person, "capital": capital, "join": strings.Join,
		"str":   func(v any) string { return fmt.Sprint(v) },
		"form":  func(csrf, back, agent string) formFields { return formFields{csrf, back, agent} },
		"lost":  func(f formFields, readOnly bool, list []fleet.Loss) lostList { return lostList{f, readOnly, list} },
		"agent": func(name string) string { return "/a/" + escapePath(name) },
		"file":  func(agent, name string) string { return "/a/" + escapePath(agent) + "/file/" + escapePath(name) },
		"times": historyOf, "doing": doing,
	}).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/lost.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		if b := path.Base(name); b != "layout.html" && b != "parts.html" && b != "lost.html" {
			p.byName[strings.TrimSuffix(b, ".html")] = template.Must(template.Must(base.Clone()).ParseFS(files, name))
		}
	}
	p.rows = base
	h := sha256.New()
	for _, name := range []string{"style.css", "app.js"} {
		data, err := files.ReadFile("static/" + name)
		if err != nil {
			panic(err)
		}
		h.Write(data)
	}
	p.stamp = hex.EncodeToString(h.Sum(nil)[:6])
	return p
}

// agentTabs are the links between the pages of an agent.
func agentTabs(agent, on string) []option {
	q := "?" + url.Values{"agent": {agent}}.Encode()
	list := []option{
		{Key: "agent", Title: "Overview", URL: "/a/" + escapePath(agent)}, {Key: "inbox", Title: "Inbox", URL: "/inbox" + q},
		{Key: "jobs", Title: "Jobs", URL: "/jobs" + q}, {Key: "search", Title: "Search", URL: "/search" + q},
		{Key: "fact", Title: "Life of a fact", URL: "/a/" + escapePath(agent) + "/fact"},
		{Key: "bill", Title: "Cost", URL: "/a/" + escapePath(agent) + "/cost"},
	}
	for i := range list {
		list[i].On = list[i].Key == on
	}
	return list
}

// escapePath escapes the parts between the slashes of an address.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, x := range parts {
		parts[i] = url.PathEscape(x)
	}
	return strings.Join(parts, "/")
}

// rich renders a short text of ours; commands in backquotes become code.
func rich(n int, s string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(textfmt.InLine(textfmt.Clip(s, n)), "`") {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// when formats a time for people.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format("2 Jan 15:04")
}

// tone returns the class of a severity.
func tone(s finding.Severity) string {
	switch s {
	case finding.Error:
		return "bad"
	case finding.Warning:
		return "warn"
	}
	return "calm"
}

// row draws an agent's row of the fleet page. It is drawn once and kept until the agent changes.
func (p *pages) row(r *row) template.HTML {
	var b bytes.Buffer
	if err := p.rows.ExecuteTemplate(&b, "row", r); err != nil {
		return template.HTML("<tr><td>" + template.HTMLEscapeString(textfmt.Safe(r.Name+": "+err.Error())) + "</td></tr>")
	}
	return template.HTML(b.String())
}

// formFields are in every form.
// linkedFinding is a finding with the agent whose pages it links to.
type linkedFinding struct {
	Agent   string
	Finding finding.Finding
}

type formFields struct{ CSRF, Back, Agent string }

// shell is the frame of every page.
type shell struct {
	Title    string
	Name     string
	Stamp    string
	Who      string
	CSRF     string
	ReadOnly bool
	Version  string
	Attend   int // agents that need attention
	Flash    *flash
	Back     string // this page, for forms to return to
	Body     any
}

// render writes a page.
func (v *visit) render(name, title string, body any) error {
	x := shell{Title: title, Name: name, Stamp: v.pages.stamp, Version: v.o.Version, Body: body}
	if v.session != nil {
		x.Who, x.CSRF, x.ReadOnly = v.session.who, v.session.csrf, v.session.readOnly
		x.Attend, x.Back = v.board.counts()[1], v.r.URL.RequestURI()
		if !v.update() {
			x.Flash = v.session.flash.Swap(nil)
		}
		if v.r.Method == http.MethodPost {
			x.Back = "/"
		}
	}
	var b bytes.Buffer
	if err := v.pages.byName[name].ExecuteTemplate(&b, "layout", x); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = v.w.Write(b.Bytes()) // the browser is gone
	return nil
}

// helpPage explains the pages, terms and keys.
func (s *Site) helpPage(v *visit) error { return v.render("help", "Help", nil) }

// static serves script and style. Their address changes with their content.
func (s *Site) static(v *visit) error {
	kind := map[string]string{"style.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
		"icon.svg": "image/svg+xml"}[v.r.PathValue("name")]
	if kind == "" {
		return notFound("Page not found.")
	}
	data, err := files.ReadFile("static/" + v.r.PathValue("name"))
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", kind)
	v.w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	if v.r.URL.Query().Get("v") != s.pages.stamp {
		v.w.Header().Set("Cache-Control", "no-cache")
	}
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(data)
	}
	return nil
}

// titles maps the codes of findings to their meaning.
var titles = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, k := range finding.Kinds() {
		all[k.Code] = k.Title
	}
	return all
})

// title returns a verdict for people: the meaning of a code, or the word itself.
func title(word string) string {
	if t := titles()[word]; t != "" {
		return capital(t)
	}
	return capital(word)
}

// person names who did something, as people know them.
func person(who string) string {
	name, ok := strings.CutPrefix(who, "operator:")
	if ok && !strings.HasPrefix(name, "uid-") {
		return name
	}
	if ok {
		return "the operator"
	}
	return strings.TrimPrefix(who, "agent:")
}

// capital capitalizes the first letter of a text.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// near shortens paths below the configuration's folder in a text: people know where that is.
func (s *Site) near(text string) string {
	f, done := s.backend.Use()
	defer done()
	if dir := filepath.Dir(f.Config.Path); dir != "." && dir != "/" && f.Config.Path != "" {
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	}
	return text
}

// shorten does so for what decided a verdict, and puts its place before it.
func (s *Site) shorten(v *fleet.Verdict) {
	if v.Worst != nil {
		f := *v.Worst
		f.Text = f.Where() + s.near(f.Text)
		v.Worst = &f
	}
}

// inWords describes a simple schedule in words; otherwise it returns the schedule itself.
func inWords(spec string) string {
	if every, ok := strings.CutPrefix(spec, "@every "); ok {
		if d, err := time.ParseDuration(every); err == nil && d%time.Hour == 0 {
			return "every " + strconv.Itoa(int(d.Hours())) + " h"
		} else if err == nil && d%time.Minute == 0 {
			return "every " + strconv.Itoa(int(d.Minutes())) + " min"
		}
		return "every " + every
	}
	f := strings.Fields(spec)
	if len(f) != 5 || f[3] != "*" || !isNumber(f[0]) || !isNumber(f[1]) {
		return spec
	}
	at := " at " + twoDigits(f[1]) + ":" + twoDigits(f[0])
	days := map[string]string{"0": "Sundays", "1": "Mondays", "2": "Tuesdays", "3": "Wednesdays", "4": "Thursdays", "5": "Fridays",
		"6": "Saturdays", "7": "Sundays",
		"sun": "Sundays", "mon": "Mondays", "tue": "Tuesdays", "wed": "Wednesdays", "thu": "Thursdays", "fri": "Fridays", "sat": "Saturdays"}
	switch {
	case f[2] == "*" && f[4] == "*":
		return "every day" + at
	case f[2] == "*" && days[strings.ToLower(f[4])] != "":
		return days[strings.ToLower(f[4])] + at
	case f[4] == "*" && isNumber(f[2]):
		return "on day " + f[2] + " of the month" + at
	}
	return spec
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func twoDigits(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
