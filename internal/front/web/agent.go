package web

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/app/memory"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/past"
	"tend/internal/front/mcp"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
	"tend/internal/text/session/cost"
)

// agentPage is a page of an agent.
type agentPage struct {
	*agentView
	Shown   []fileRow
	Pages   pager    // of the files
	Partial []option // kinds of files that are not listed completely
	Roles   []option
	Kinds   []option
	Tags    []option
	Days    calendar
	Wants   []want // the worst first
	More    int
}

// want is what needs a decision: a notice of the keeper about nothing found now, or a present finding.
type want struct {
	severity finding.Severity
	Open     *findinglog.Notice
	Found    *foundNow
}

// foundNow is a present finding with the keeper's notices about it, which a decision answers, too.
type foundNow struct {
	finding.Finding
	Notices []string
}

// Key names the finding in a form, whatever its file is called.
func (f foundNow) Key() string { return finding.LineDigest(f.Finding.Key()) }

// Decided returns the page of the inbox where a notice is decided; "" if it is only acknowledged.
func (*agentPage) Decided(n findinglog.Notice) string {
	if page := Page(n); strings.HasPrefix(page, "/inbox") {
		return page
	}
	return ""
}

// Limits of an agent's page.
const filesPerPage, mostFindings, mostEvents = 25, 12, 30

// fewLogs is how many logs and archives are listed among the other files; each role has a full list.
const fewLogs = 7

// agentPage shows one agent: state, findings, files, entries by day, growth and what happened.
func (s *Site) agentPage(ctx context.Context, v *visit) error {
	name, err := v.named()
	if err != nil {
		return err
	}
	view, err := s.view(ctx, name)
	if err != nil {
		return err
	}
	q := v.r.URL.Query()
	p := agentPage{agentView: view}
	open, found := findinglog.Open(view.Notices), []want{}
	for _, f := range view.Findings {
		now := foundNow{Finding: f}
		open = slices.DeleteFunc(open, func(n findinglog.Notice) bool {
			same := n.Code == f.Code && n.File == f.File
			if same {
				now.Notices = append(now.Notices, n.ID)
			}
			return same
		})
		found = append(found, want{f.Severity, nil, &now})
	}
	if len(found) > mostFindings {
		p.More, found = len(found)-mostFindings, found[:mostFindings]
	}
	for _, n := range open[:min(len(open), mostFindings)] {
		p.Wants = append(p.Wants, want{n.Severity, &n, nil})
	}
	p.Wants = append(p.Wants, found...)
	slices.SortStableFunc(p.Wants, func(a, b want) int { return cmp.Compare(b.severity, a.severity) })
	p.files(q)
	p.calendar(q)
	return v.render("agent", name, &p)
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
		if f.Role == role || role == "" &&
			(counts[f.Role] <= fewLogs || f.Lost > 0 || f.Role != string(layout.Daily) && f.Role != string(layout.Archive)) {
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
			p.Partial = append(p.Partial, option{Title: string(r), URL: link(string(r), 0), Count: n})
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

// agentView is what the page shows of one agent.
type agentView struct {
	Name     string
	Status   fleet.Status
	Verdict  fleet.Verdict
	Notices  []findinglog.Notice
	Findings []finding.Finding // of the check engine, the costliest first
	Passed   int
	Layout   string
	Where    string
	Loaded   *gauge
	Buffer   *gauge
	Last     *moment
	Next     *moment
	Spark    spark
	Files    []fileRow
	Tiers    []tier
	Entries  entryDays
	Events   []event
	Lost     []fleet.Loss // by recent rewrites
	Bill     *cost.Bill   // what the start of a session costs; nil if its files cannot be read
}

// fileRow is a file of the workspace.
type fileRow struct {
	Path   string
	Role   string
	Owner  string
	Bytes  int
	Lines  int
	Lost   int    // lines hidden from the model
	Loaded bool   // a session starts with it
	Tokens int    // of what a session loads of it
	Why    string // why it is not shown, or could not be read
	order  int
}

// event is a line of the timeline.
type event struct {
	At      time.Time
	What    string
	Who     string
	Reason  string
	Summary string
	Action  string // "" for an observed edit
	Undoes  string
	Lost    bool // rolled back before anything had changed
	Files   []eventFile
	More    int // files
	Times   int // how often the same happened before without touching a file
}

// eventOf is what the template of an event needs.
type eventOf struct {
	formFields
	ReadOnly bool
	Event    event
}

// fewEvents is how many changes a page shows at once.
const fewEvents = 6

// Recent and Earlier are the changes, newest first: what is shown at once, and what is folded.
func (v *agentView) Recent() []event { return v.Events[:min(len(v.Events), fewEvents)] }

// Earlier is the rest.
func (v *agentView) Earlier() []event { return v.Events[len(v.Recent()):] }

type eventFile struct {
	Path           string
	Added, Removed int
	Gone           bool
}

// view gathers what is known of an agent. If its files cannot be read it still shows what is kept.
func (s *Site) view(ctx context.Context, name string) (*agentView, error) {
	f, done := s.backend.Use()
	defer done()
	st := s.state(ctx, f, name)
	v := &agentView{Name: name, Status: st.Status, Notices: st.Notices, Verdict: st.Verdict(), Layout: st.Layout, Buffer: sizeGauge(st.Buffer)}
	s.shorten(&v.Verdict)
	for i := range v.Notices {
		v.Notices[i].Text = s.near(v.Notices[i].Text)
	}
	a, err := f.Agent(ctx, name)
	if err != nil {
		if a, err = f.Records(name); err != nil {
			return nil, err
		}
		v.Where = a.Workspace.String()
		v.Events, err = events(ctx, a, past.Filter{Limit: mostEvents})
		return v, err
	}
	defer a.Close()
	v.Where = a.Workspace.String()
	v.Last, v.Next = lastAndNext(st.Jobs, a.Location)
	snap, err := a.Snapshot(ctx)
	if err == nil {
		err = a.Gather(ctx, &snap)
	}
	if err != nil {
		return nil, err
	}
	in := snap.Input
	x := f.Examine(ctx, name, audit.Examine)
	st.AddExamination(x)
	v.Status, v.Verdict, v.Notices = st.Status, st.Verdict(), st.Notices
	s.shorten(&v.Verdict)
	v.Findings, v.Passed = x.Report.Findings(), x.Pass
	finding.Rank(v.Findings)
	shown, _, err := a.Files.Shown(ctx, a.Layout)
	if err != nil {
		return nil, err
	}
	injected := loadview.Inject(a.Layout, shown, loadview.Options{Root: a.Workspace.Path})
	v.Loaded = gaugeOf(injected, v.Status.Hot)
	bill, err := mcp.Bill(ctx, memory.New(a, memory.Options{Log: s.o.Log}))
	if err != nil {
		return nil, err
	}
	v.Bill = &bill
	v.Files = fileRows(in, injected, bill)
	v.Entries = entriesOf(in)
	if v.Events, err = events(ctx, a, past.Filter{Limit: mostEvents}); err != nil {
		return nil, err
	}
	if v.Lost, err = lostText(a, in); err != nil {
		return nil, err
	}
	versions, err := past.Open(a).All(ctx)
	if err != nil {
		return nil, err
	}
	v.Tiers = growth(in, versions)
	if v.Status.Hot != nil {
		v.Spark = daily(versions[v.Status.Hot.File], a.Now(), sparkDays)
	}
	return v, nil
}

// roleOrder is the order in which an agent's files are listed: those loaded in every session first.
var roleOrder = []layout.Role{
	layout.Hot, layout.Identity, layout.Agents, layout.User, layout.Tools, layout.Session, layout.Buffer, layout.Tasks, layout.Daily,
	layout.Observations, layout.Semantic, layout.Procedural, layout.Decisions, layout.Lessons, layout.Learnings,
	layout.History, layout.Archive,
}

// fileRows lists the files by role.
func fileRows(in job.Input, shown loadview.Result, bill cost.Bill) []fileRow {
	var list []fileRow
	add := func(r fileRow) {
		role, ok := in.Layout.RoleOf(r.Path)
		r.order, r.Role = slices.Index(roleOrder, role), string(role)
		if !ok || r.order < 0 {
			r.order, r.Role = len(roleOrder), "other"
		}
		r.Owner = string(in.Layout.OwnerOf(r.Path))
		list = append(list, r)
	}
	lost := map[string]loadview.Injected{}
	for _, x := range shown.Files {
		lost[x.Name] = x
	}
	tokens := map[string]int{}
	for _, x := range bill.Files {
		tokens[x.Path] = x.Tokens
	}
	for _, d := range in.All() {
		r := fileRow{Path: string(d.Path), Bytes: len(d.Data), Lines: note.Lines(d.Data)}
		_, r.Loaded = lost[r.Path]
		r.Tokens = tokens[r.Path]
		for _, span := range lost[r.Path].Lines {
			r.Lost += span.To - span.From + 1
		}
		add(r)
	}
	for p, why := range in.Facts.Unread {
		add(fileRow{Path: string(p), Why: why})
	}
	slices.SortFunc(list, func(x, y fileRow) int {
		if x.order == y.order && (x.Role == string(layout.Daily) || x.Role == string(layout.Archive)) {
			return strings.Compare(y.Path, x.Path) // the newest first
		}
		return cmp.Or(x.order-y.order, strings.Compare(x.Path, y.Path))
	})
	return list
}

// mostEventFiles is how many files an event lists.
const mostEventFiles = 6

// events returns the timeline of an agent, newest first.
func events(ctx context.Context, a *fleet.Agent, f past.Filter) ([]event, error) {
	most := f.Limit
	f.Limit *= 4 // some are grouped
	list, err := past.Open(a).Events(ctx, f)
	if err != nil && !errors.Is(err, ledger.ErrNoText) {
		return nil, err
	}
	out := make([]event, 0, len(list))
	for _, x := range list {
		if len(out) >= most {
			break
		}
		e := event{At: x.At.In(a.Location), What: "changed", Who: "the agent or a person"}
		if act := x.Action; act != nil {
			e.What, e.Who, e.Reason, e.Summary, e.Action, e.Undoes = cmp.Or(act.Job, "write"), act.Who, act.Reason, act.Summary, act.ID, act.Undoes
			e.Lost = act.Outcome == ledger.RolledBack
			for _, f := range act.Files {
				e.Files = append(e.Files, eventFile{Path: string(f.Path), Gone: f.After == ""})
			}
		}
		for _, d := range x.Seen {
			e.Files = append(e.Files, eventFile{Path: string(d.File), Added: d.Added, Removed: d.Removed, Gone: d.Gone})
		}
		if n := len(out); len(e.Files) == 0 && n > 0 && len(out[n-1].Files) == 0 && out[n-1].What == e.What {
			out[n-1].Times++ // nights with nothing to do
			continue
		}
		if len(e.Files) > mostEventFiles {
			e.More, e.Files = len(e.Files)-mostEventFiles, e.Files[:mostEventFiles]
		}
		out = append(out, e)
	}
	return out, nil
}
