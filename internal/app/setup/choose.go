package setup

import (
	"context"
	"encoding/json"
	"fmt"

	"tend/internal/engine/curator"
	"tend/internal/engine/curator/dial"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/note"
	"tend/internal/text/scan"
	"tend/internal/text/session"
)

const maxReason = 200 // characters of an error

// Choice is what the old agent's curator did about a page that has no room for everything.
type Choice struct {
	Page  string `json:"page"`
	Model string `json:"model"`
	Lines int    `json:"lines"` // it would take off the page
	// Failed says why there is no answer, "" if there is one. Then marks, order and dates decide.
	Failed string `json:"failed,omitempty"`
}

// askCurator asks the old agent's curator, if it has one, what leaves each page that is too small. The request is that for
// shrinking a page: the answer can only name lines, which then fill the page after all others. It returns the indices of
// these lines by file, and the answers for the ledger.
func (m *migrating) askCurator(ctx context.Context, small []migrate.Small) (leaving map[string]map[int]bool, judges []plan.Judge) {
	p := m.from.Policy
	if policy.Curator.Of(p).Off() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, policy.CurateTimeout.Of(p).Std())
	defer cancel()
	leaving = map[string]map[int]bool{}
	earlier := m.earlierAnswers(ctx)
	model, err := dial.New(policy.Curator.Of(p), dial.Options{KeyFile: policy.CuratorKeyFile.Of(p)})
	for _, s := range small {
		c, r := Choice{Page: s.Page}, m.shrinkRequest(s)
		var decided []curator.Decision
		if ops, ok := earlier[r.Key]; ok {
			decided = curator.Check(r, policy.CuratorExtract, ops)
		} else if err == nil {
			decided, err = curator.Consult(ctx, model, r, policy.CuratorExtract)
		}
		if model != nil {
			c.Model = model.Name()
		}
		if err != nil { // it is not asked about the next page, either
			c.Failed = scan.Quote(err.Error(), maxReason)
			m.out.Chosen = append(m.out.Chosen, c)
			continue
		}
		var ops []curator.Operation
		for _, d := range decided {
			ops = append(ops, d.Operation)
			leaves := d.Op == curator.Move || d.Op == curator.Retire || d.Op == curator.Merge
			if d.Verdict == curator.Rejected || !leaves {
				continue
			}
			for _, t := range d.Targets {
				f := r.Pages[t.Page]
				if leaving[f.File] == nil {
					leaving[f.File] = map[int]bool{}
				}
				for id := t.From; id <= t.To; id++ {
					leaving[f.File][id-f.Lines[0].ID] = true
					c.Lines++
				}
			}
		}
		m.out.Chosen = append(m.out.Chosen, c)
		if data, err := json.Marshal(ops); err == nil {
			judges = append(judges, plan.Judge{Model: c.Model, Request: r.Key, Answer: string(scan.Mask(data))})
		}
	}
	return leaving, judges
}

// earlierAnswers returns the answers that a move to this agent used before, by the key of the request. The same request gets the
// same answer, so that a move which is made again finds its files as it left them.
func (m *migrating) earlierAnswers(ctx context.Context) map[string][]curator.Operation {
	f, err := fleet.Open(m.cfg, fleet.Options{Clock: m.req.Clock})
	if err != nil {
		return nil
	}
	defer f.Close()
	ag, err := f.Agent(ctx, m.out.Agent)
	if err != nil {
		return nil // it is new
	}
	defer ag.Close()
	out := map[string][]curator.Operation{}
	for act, err := range ag.Ledger.Actions() {
		if err != nil {
			return out
		}
		for _, j := range act.Judges {
			var ops []curator.Operation
			if json.Unmarshal([]byte(j.Answer), &ops) == nil {
				out[j.Request] = ops
			}
		}
	}
	return out
}

// shrinkRequest returns the request to shrink a page: the files that go there, as they are in the old workspace.
func (m *migrating) shrinkRequest(s migrate.Small) curator.Request {
	p := m.from.Policy
	r := curator.Request{Agent: m.from.Name, Date: m.memory.Today.String(), Task: curator.Shrink, Part: 1, Parts: 1}
	next := 1
	for _, f := range s.Files {
		doc := m.from.Layout.Syntax(f.Path, p).Parse(f.Data)
		page := curator.NewPage(f.Path, doc, next, func(note.Entry) curator.Author { return curator.Unknown }, 0)
		page.Size, page.Limit, page.Unit = s.Room.Size(f.Data), s.Room.Units(), "characters"
		if m.to.Show.Unit == layout.Bytes {
			page.Unit = "bytes"
		}
		for i, h := range doc.Sections {
			if i == 0 && h.End == len(doc.Text) {
				continue // the title of the file
			}
			page.Sections = append(page.Sections, curator.Section{Line: next + h.Line - 1, Size: s.Room.Size(doc.Text[h.Start:h.End])})
		}
		next += len(page.Lines)
		r.Pages = append(r.Pages, page)
	}
	r.Suggestions = []string{fmt.Sprintf("The agent moves to %s, whose page %s has %d %s for all of this. "+
		"Use only move: what leaves goes to one file beside the page, whichever you name.", m.to.Ref(), s.Page, s.Room.Units(), r.Pages[0].Unit)}
	for _, brief := range []int{0, 200, 80, 30, -1} { // the first that leaves room for the answer, or the briefest
		r.Brief = brief
		if session.EstimateTokens(r.Text()) <= policy.CuratorWindow.Of(p)/2 {
			break
		}
	}
	r.Seal()
	return r
}
