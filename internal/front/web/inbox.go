package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/app/baseline"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/past"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/findinglog"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// agentsPerInbox is how many agents a page of the inbox has.
const agentsPerInbox = 10

type inboxPage struct {
	Only   string // one agent
	Agents []inboxAgent
	pager
}

// inboxPage shows what needs a decision: last night, proposals, findings, baselines, conflicts.
func (s *Site) inboxPage(ctx context.Context, v *visit) error {
	p := inboxPage{Only: v.r.URL.Query().Get("agent")}
	names := []string{p.Only}
	if p.Only != "" {
		if err := v.known(p.Only); err != nil {
			return err
		}
	} else {
		from, _ := strconv.Atoi(v.r.URL.Query().Get("from"))
		all := s.board.page(0, 0, "", 0, perPage) // the first visitor waits for agents that were not examined yet
		soon, cancel := context.WithTimeout(ctx, firstLook)
		s.board.fresh(soon, all.rows)
		cancel()
		c := s.board.page(0, filterNamed("inbox"), "", from, agentsPerInbox)
		names = c.names()
		p.pager = pageAt(from, len(names), agentsPerInbox, c.total, pageLink("/inbox"))
	}
	list := make([]inboxAgent, len(names))
	few := len(names) > 1
	fleet.Parallel(len(names), runtime.GOMAXPROCS(0), func(i int) { list[i] = s.inboxOf(ctx, names[i], few) })
	for _, a := range list {
		if !a.Empty() || p.Only != "" {
			p.Agents = append(p.Agents, a)
		}
	}
	return v.render("inbox", "Inbox", p)
}

// lastNight is the time since when actions are shown for review: six in the evening before the last night.
func lastNight(now time.Time) time.Time {
	t := now.Add(-6 * time.Hour) // until the small hours the night before counts
	evening := time.Date(t.Year(), t.Month(), t.Day(), 18, 0, 0, 0, t.Location())
	if t.Before(evening) {
		evening = evening.AddDate(0, 0, -1)
	}
	return evening
}

// inboxAgent is what needs a decision about one agent.
type inboxAgent struct {
	Name      string
	Night     []night
	Older     int // actions beyond those shown
	IDs       []string
	Proposals []proposal
	Conflicts []conflict
	Notices   []findinglog.Notice
	Baselines []baselineItem
	Edits     []guardedEdit // of guarded files
	Error     string
}

// Empty reports whether there is nothing to decide.
func (a inboxAgent) Empty() bool {
	return len(a.Night)+len(a.Proposals)+len(a.Conflicts)+len(a.Notices)+len(a.Baselines)+len(a.Edits) == 0 && a.Error == ""
}

// night is an action with what it did, change by change.
type night struct {
	ID, Job, Who, Reason, Summary string
	At                            time.Time
	Same                          []string // older actions that did the same, on a page of many agents
	Moved                         []plan.Source
	Said                          map[string]string // the text of moved entries, as it was written
	MoreMoved                     int
	Parts                         []part
	MoreParts                     int
}

// Count returns how many actions are grouped here.
func (n night) Count() int { return 1 + len(n.Same) }

// collapse groups actions of one job that say the same except for numbers.
func collapse(list []night) (out []night) {
	at := map[string]int{}
	for _, n := range list {
		key := n.Job + " " + strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, n.Summary)
		if i, ok := at[key]; ok && len(n.Moved) == 0 { // each promotion is one to look at
			out[i].Same = append(out[i].Same, n.ID)
			continue
		}
		at[key] = len(out)
		out = append(out, n)
	}
	return out
}

// part is one change of an action, which can be undone separately.
type part struct {
	Slot int
	File string
	hunk
}

type baselineItem struct {
	baseline.Change
	State string
	Parts []hunk
	More  int      // changes that are not shown: then it cannot be approved here
	Hits  []string // what the scan finds in the new lines
}

// proposal is a proposal as a person sees it: all of its text, and what the scan finds in it.
type proposal struct {
	fleet.Proposal
	Lines []string
	Gone  []string // the lines that would leave the target
	Hits  []string
	Shown vault.Version // of all that is shown
}

func proposalOf(p fleet.Proposal) proposal {
	x := proposal{Proposal: p, Hits: hitsIn(p.Text + "\n" + p.Why), Shown: p.Digest()}
	for line := range strings.Lines(p.Text) {
		x.Lines = append(x.Lines, textfmt.InLine(strings.TrimRight(line, "\r\n")))
	}
	for _, old := range append([]string{p.Replaces}, p.Removes...) {
		for line := range strings.Lines(string(scan.Mask([]byte(old)))) {
			x.Gone = append(x.Gone, textfmt.InLine(strings.TrimRight(line, "\r\n")))
		}
	}
	return x
}

// Before and After are the lines that leave and come, side by side.
func (p proposal) Before() [][]span { return marked(p.Gone, p.Lines) }

// After is the other side.
func (p proposal) After() [][]span { return marked(p.Lines, p.Gone) }

// hitsIn says what the scan finds in a text.
func hitsIn(text string) (list []string) {
	for _, h := range scan.Text([]byte(text), scan.Options{Incoming: true}) {
		list = append(list, fmt.Sprintf("line %d: %s", h.Line, h.What))
	}
	return list
}

// inboxOf collects what needs a decision about an agent; on a page of many agents only the beginning.
func (s *Site) inboxOf(ctx context.Context, name string, few bool) inboxAgent {
	x := inboxAgent{Name: name}
	f, done := s.backend.Use()
	defer done()
	a, err := f.Agent(ctx, name)
	if err != nil {
		x.Error = err.Error()
		if a, err = f.Records(name); err != nil {
			return x
		}
	}
	defer a.Close()
	proposals, err := a.Proposals.List()
	for _, p := range proposals {
		if p.State == fleet.Waiting {
			x.Proposals = append(x.Proposals, proposalOf(p))
		}
	}
	if err != nil {
		x.Error = err.Error()
	}
	x.Baselines = baselinesOf(a)
	notices := s.backend.Findings([]string{name})
	if x.Edits, err = guardedEdits(ctx, a, notices); err != nil {
		x.Error = err.Error()
	}
	for _, n := range findinglog.Open(notices) {
		n.Text = s.near(n.Text)
		switch {
		case slices.ContainsFunc(x.Baselines, func(b baselineItem) bool {
			return string(b.File) == n.File && strings.HasPrefix(n.Code, "baseline-")
		}):
			// The baseline itself is shown, to be approved or restored.
		case slices.ContainsFunc(x.Edits, func(e guardedEdit) bool { return slices.Contains(e.Answers, n.ID) }):
			// the change itself is shown
		case n.Code == finding.SyncConflict.Code:
			x.Conflicts = append(x.Conflicts, conflictOf(ctx, a, n))
		case n.Code == finding.ProposalsWaiting.Code, n.Code == finding.ProposalMade.Code && len(x.Proposals) > 0:
			// the proposals themselves are below
		default:
			x.Notices = append(x.Notices, n)
		}
	}
	for i := range x.Baselines {
		x.Baselines[i].Source = s.near(x.Baselines[i].Source)
	}
	x.nights(ctx, s, a)
	most := 12
	if few {
		most, x.Night = 3, collapse(x.Night)
	}
	if len(x.Night) > most {
		x.Older, x.Night = len(x.Night)-most, x.Night[:most]
	}
	for i := range x.Night {
		x.IDs = append(append(x.IDs, x.Night[i].ID), x.Night[i].Same...)
		x.Night[i].detail(a, few)
	}
	x.Proposals = x.Proposals[:min(len(x.Proposals), 4*most)]
	x.Notices = x.Notices[:min(len(x.Notices), 3*most)]
	return x
}

// nights lists recent actions of jobs that nobody has accepted or undone.
func (x *inboxAgent) nights(ctx context.Context, s *Site, a *fleet.Agent) {
	reviewed, err := findinglog.Reviewed(s.o.State, a.Name)
	if err != nil {
		x.Error = err.Error()
	}
	list, err := past.Open(a).Events(ctx, past.Filter{Since: lastNight(a.Now())})
	if err != nil {
		x.Error = err.Error()
		return
	}
	undone := map[string]bool{}
	for _, e := range list { // newest first, so an undo comes before what it undid
		if e.Action == nil {
			continue
		}
		act := e.Action
		undone[act.Undoes] = true
		if _, known := table.Named(act.Job); !known || undone[act.ID] || len(act.Files) == 0 || act.Outcome == ledger.RolledBack ||
			act.Outcome == ledger.Intent {
			continue
		}
		if _, seen := reviewed[act.ID]; !seen {
			x.Night = append(x.Night,
				night{ID: act.ID, Job: act.Job, Who: act.Who, Reason: act.Reason, Summary: act.Summary, At: act.At.In(a.Location), Moved: act.Sources})
		}
	}
}

// quote finds the moved entries in a text, to show them as they were written.
func (n *night) quote(text []byte) {
	for _, e := range note.Parse(text).Entries(0) {
		if key := e.Normal(); slices.ContainsFunc(n.Moved, func(m plan.Source) bool { return m.Entry == key }) {
			if n.Said == nil {
				n.Said = map[string]string{}
			}
			n.Said[key] = strings.TrimPrefix(strings.TrimSpace(string(scan.Mask(e.Raw))), "- ")
		}
	}
}

// Original is an entry as it was written, or its words if the text no longer has it.
func (n night) Original(entry string) string { return cmp.Or(n.Said[entry], entry) }

// detail adds the changes of an action.
func (n *night) detail(a *fleet.Agent, few bool) {
	most := 24
	if few {
		most = 5
	}
	n.Moved = slices.CompactFunc(n.Moved, func(x, y plan.Source) bool {
		return x.Entry == y.Entry && x.Target == y.Target && x.Path == y.Path && x.Line == y.Line
	})
	if len(n.Moved) > most {
		n.MoreMoved, n.Moved = len(n.Moved)-most, n.Moved[:most]
	}
	did, err := a.Ledger.Find(n.ID)
	if err != nil {
		return
	}
	for i, f := range did.Files {
		before, text, err := past.Open(a).Texts(did, i)
		if err != nil {
			continue
		}
		after := string(text)
		n.quote(text)
		list, ok := edits(after, string(before))
		if !ok {
			continue
		}
		hunks, more := hunksOf(after, list, max(0, most-len(n.Parts)))
		n.MoreParts += more
		for _, h := range hunks {
			h.Removed, h.Added = h.Added, h.Removed // shown as what the action did
			n.Parts = append(n.Parts, part{i, string(f.Path), h})
		}
	}
}

// baselinesOf lists the baselines that differ from their approved copies.
func baselinesOf(a *fleet.Agent) []baselineItem {
	set, err := baseline.Open(a)
	if err != nil {
		return nil
	}
	rows, err := set.Rows(false)
	if err != nil {
		return nil
	}
	var out []baselineItem
	for _, r := range rows {
		if r.State == "approved" {
			continue
		}
		item := baselineItem{State: r.State, Change: baseline.Change{Agent: a.Name, File: r.File, Source: r.Source}}
		if one, err := set.Only(string(r.File)); err == nil {
			if pending, err := one.Pending(); err == nil && len(pending) == 1 {
				item.Change = pending[0]
				item.Parts, item.More = whole(pending[0].Was, pending[0].Is)
				item.Hits = hitsIn(added(pending[0].Diff))
			}
		}
		out = append(out, item)
	}
	return slices.Clip(out)
}

// conflict is a file in which two machines changed the same lines: this one's text is in the file, the other's in an
// archive.
type conflict struct {
	findinglog.Notice
	Version vault.Version // of the file that the person sees
	Parts   []hunk        // Removed is this side's text, Added the other's
	More    int
	Same    bool // the file has all of the other text
}

// conflictOf shows the other machine's text beside the file.
func conflictOf(ctx context.Context, a *fleet.Agent, n findinglog.Notice) conflict {
	c := conflict{Notice: n}
	doc, other, err := sidesOf(ctx, a, &c)
	if err != nil {
		return c
	}
	if list, ok := contested(string(doc.Data), other); ok {
		c.Version, c.Same = doc.Version, len(list) == 0
		c.Parts, c.More = hunksOf(string(doc.Data), list, mostHunks)
	}
	return c
}

// sidesOf reads both texts of a conflict.
func sidesOf(ctx context.Context, a *fleet.Agent, c *conflict) (doc vault.Doc, other string, err error) {
	for word := range strings.FieldsSeq(c.Text) {
		kept, ok, err := past.Open(a).Find("archive:" + word)
		if !ok || err != nil {
			continue
		}
		doc, err = a.Vault.Read(ctx, kept.File)
		return doc, string(kept.Data), err
	}
	return doc, "", notFound("The other machine's text is no longer kept.")
}

// contested returns the places where the other text has something that this one does not. What only this one has was
// written here, and stays.
func contested(now, other string) (list []udiff.Edit, ok bool) {
	all, ok := edits(now, other)
	for _, e := range all {
		if strings.TrimSpace(e.New) != "" {
			list = append(list, e)
		}
	}
	return list, ok
}

// merged computes the text of a conflict: with the other side's lines in the place of ours, or after them.
func merged(now string, list []udiff.Edit, both bool) string {
	var b strings.Builder
	at := 0
	for _, e := range list {
		b.WriteString(now[at:e.Start])
		if both {
			b.WriteString(now[e.Start:e.End])
			if e.End > e.Start && now[e.End-1] != '\n' {
				b.WriteByte('\n')
			}
		}
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(now[at:])
	return b.String()
}

// resolve decides a conflict: this side's text stays, the other side's replaces it, or both are kept. The finding is
// then acknowledged with the decision.
func resolve(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	c := conflict{}
	for _, n := range v.backend.Findings([]string{a.Name}) {
		if n.ID == v.r.PostFormValue("id") && n.Code == finding.SyncConflict.Code {
			c.Notice = n
		}
	}
	if c.ID == "" {
		return "", notFound("This conflict no longer exists.")
	}
	side := v.r.PostFormValue("take")
	said := map[string]string{"here": "kept this side", "other": "took the other side", "both": "kept both"}[side]
	if said == "" {
		return "", badRequest("Take this side, the other, or both.")
	}
	text := "Resolved: " + said + " of " + c.File + "."
	if side != "here" {
		doc, other, err := sidesOf(ctx, a, &c)
		if err != nil {
			return "", err
		}
		if string(doc.Version) != v.r.PostFormValue("version") {
			return "", vault.ErrChanged
		}
		list, ok := contested(string(doc.Data), other)
		if !ok {
			return "", &failure{status: http.StatusConflict, text: "The texts are too large to merge here.",
				hint: "Edit the file, then acknowledge the finding."}
		}
		w := o
		w.Reason = strings.TrimSpace("conflict: " + said + " " + o.Reason)
		r, err := runner.Write(ctx, a, doc.Path, []byte(merged(string(doc.Data), list, side == "both")), &doc.Version, "restore", w)
		if err = errors.Join(err, r.Err); err != nil {
			return "", err
		}
		if r.Action != "" {
			text += " (" + r.Action + ")"
		}
	}
	o.Reason = strings.TrimSpace(said + " " + o.Reason)
	_, err := v.backend.Acknowledge(a.Name, []string{c.ID}, findinglog.Ack{By: o.Who, At: v.o.Clock(), Why: o.Reason})
	return text, err
}
