package web

import (
	"net/url"
	"slices"
	"strconv"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/notice"
)

// agentPage is a page of an agent.
type agentPage struct {
	*agentView
	Shown    []fileRow
	Pages    pager    // of the files
	Folded   []option // kinds of files of which not all are listed
	Roles    []option
	Kinds    []option
	Tags     []option
	Days     calendar
	Open     []notice.Notice
	Findings []finding.Finding
	More     int
}

// What a page of an agent shows at most.
const filesPerPage, mostFindings, mostEvents = 60, 12, 30

// fewLogs is how many logs and archives are listed among the other files; their own lists have them all.
const fewLogs = 7

// agentPage shows one agent: state, findings, files, entries by day, growth and what happened.
func (s *Site) agentPage(v *visit) error {
	name, err := v.named()
	if err != nil {
		return err
	}
	s.board.visit()
	ctx, cancel := v.limited()
	defer cancel()
	return v.cached(name, func() error {
		view, err := s.view(ctx, name)
		if err != nil {
			return err
		}
		q := v.r.URL.Query()
		p := agentPage{agentView: view, Open: notice.Open(view.Notices), Findings: view.Findings}
		p.Findings = slices.DeleteFunc(slices.Clone(p.Findings), func(f finding.Finding) bool { // the keeper has said it already
			return slices.ContainsFunc(p.Open, func(n notice.Notice) bool { return n.Code == f.Code && n.File == f.File })
		})
		if len(p.Findings) > mostFindings {
			p.More, p.Findings = len(p.Findings)-mostFindings, p.Findings[:mostFindings]
		}
		p.Open = p.Open[:min(len(p.Open), mostFindings)]
		p.files(q)
		p.calendar(q)
		return v.render("agent", name, p)
	})
}

// files picks the files of a role and cuts the page out of them.
func (p *agentPage) files(q url.Values) {
	role := q.Get("role")
	counts := map[string]int{}
	var order []string
	var list []fileRow
	for _, f := range p.agentView.Files {
		if counts[f.Role]++; counts[f.Role] == 1 {
			order = append(order, f.Role)
		}
		if f.Role == role || role == "" && (counts[f.Role] <= fewLogs || f.Lost > 0 || f.Role != string(layout.Daily) && f.Role != string(layout.Archive)) {
			list = append(list, f)
		}
	}
	link := func(role string, from int) string {
		u := url.Values{}
		if role != "" {
			u.Set("role", role)
		}
		if from > 0 {
			u.Set("from", strconv.Itoa(from))
		}
		return "?" + u.Encode() + "#files"
	}
	p.Roles = append(p.Roles, option{Title: "all", URL: link("", 0), Count: len(p.agentView.Files), On: role == ""})
	for _, r := range order {
		p.Roles = append(p.Roles, option{Title: r, URL: link(r, 0), Count: counts[r], On: r == role})
	}
	for _, r := range []layout.Role{layout.Daily, layout.Archive} {
		if n := counts[string(r)] - fewLogs; role == "" && n > 0 {
			p.Folded = append(p.Folded, option{Title: string(r), URL: link(string(r), 0), Count: n})
		}
	}
	p.Shown, p.Pages = pageOf(list, q.Get("from"), filesPerPage, func(from int) string { return link(role, from) })
	p.Pages.Label = " of files"
}

// calendar counts the entries of each day, of one kind of file and one tag if they are chosen.
func (p *agentPage) calendar(q url.Values) {
	tier, tag := q.Get("kind"), q.Get("tag")
	link := func(tier, tag string) string {
		u := url.Values{}
		for key, value := range map[string]string{"kind": tier, "tag": tag} {
			if value != "" {
				u.Set(key, value)
			}
		}
		return "?" + u.Encode() + "#entries"
	}
	e := p.agentView.Entries
	known := func(list []option, title string) string {
		if slices.ContainsFunc(list, func(o option) bool { return o.Title == title }) {
			return title
		}
		return ""
	}
	tier, tag = known(e.kinds, tier), known(e.tags, tag)
	p.Days = e.of(tier, tag)
	p.Kinds = append(p.Kinds, option{Title: "all files", URL: link("", tag), On: tier == ""})
	for _, k := range e.kinds {
		p.Kinds = append(p.Kinds, option{Title: k.Title, URL: link(k.Title, tag), Count: k.Count, On: k.Title == tier})
	}
	p.Tags = append(p.Tags, option{Title: "all tags", URL: link(tier, ""), On: tag == ""})
	for _, t := range e.tags {
		p.Tags = append(p.Tags, option{Title: t.Title, URL: link(tier, t.Title), Count: t.Count, On: t.Title == tag})
	}
}
