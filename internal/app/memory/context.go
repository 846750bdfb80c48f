package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/session"
	"tend/internal/text/session/seen"
)

// Context renders the session context. It only reads.
func (s *Session) Context(ctx context.Context, o session.Options) (session.Context, error) {
	in, err := s.sessionInput(ctx)
	if err == nil && o.Harness.Runs(s.agent.Layout) {
		var start seen.Start
		if start, err = s.loaded(ctx, session.Event{}); err == nil {
			markLoaded(in.Files, start)
			err = s.withhold(in.Files)
		}
	}
	if err != nil {
		return session.Context{}, s.fail("context", "gather the context", "", err)
	}
	return session.Render(in, o), nil
}

func (s *Session) sessionInput(ctx context.Context) (session.Input, error) {
	l := s.agent.Layout
	in := session.Input{
		Agent: s.agent.Name, Workspace: s.agent.Workspace.String(), Now: s.agent.Now(), Layout: l, Policy: s.agent.Policy,
	}
	all, err := s.contextFiles(ctx)
	if err != nil {
		return in, err
	}
	today := note.DayOf(in.Now, s.agent.Location)
	paths := map[vault.Path]layout.Role{}
	for _, part := range l.Context.Parts {
		switch part.Kind {
		case layout.PartToday, layout.PartYesterday:
			for _, log := range recentLogs(all, today) {
				paths[log] = layout.Daily
			}
		case layout.PartHealth:
			in.Health = s.health(all)
		case layout.PartFiles:
			for _, p := range l.Paths(part.Role, today.String()) {
				paths[vault.Path(p)] = part.Role
			}
			for p := range all.Files {
				if role, ok := l.RoleOf(string(p)); ok && role == part.Role {
					paths[p] = role
				}
			}
		}
	}
	delete(paths, "")
	for p, role := range paths {
		f := session.File{Path: string(p), Role: role, Baseline: all.Baselines[p]}
		doc, ok := all.Files[p]
		if !ok {
			most := policy.FileMaxBytes.Of(s.agent.Policy)
			switch doc, err = s.files.Load(ctx, p); {
			case err != nil:
				f.Broken = toolerr.Translate("read", p, err).Text
			case doc.Version == vault.Absent:
				continue
			case len(doc.Data) > most:
				f.Broken = fmt.Sprintf("it has %d bytes, more than the %d a memory file may have (file.max_bytes)", len(doc.Data), most)
				doc.Data = nil
			}
		}
		f.Text = doc.Data
		in.Files = append(in.Files, f)
	}
	slices.SortFunc(in.Files, func(a, b session.File) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	in.Proposed, err = s.proposed()
	return in, err
}

// recentLogs lists the logs of today, and of the newest day before it that has one.
func recentLogs(in job.Input, today note.Day) []vault.Path {
	var last note.Day
	days := map[vault.Path]note.Day{}
	for _, log := range in.Logs() {
		if log.Day == today || log.Day < today && len(bytes.TrimSpace(log.Data)) > 0 {
			days[log.Path] = log.Day
		}
		if log.Day < today && len(bytes.TrimSpace(log.Data)) > 0 {
			last = max(last, log.Day)
		}
	}
	// Files that could not be read are named too.
	out := []vault.Path{vault.Path(in.Layout.Path(layout.Daily, today.String())),
		vault.Path(in.Layout.Path(layout.Daily, today.AddDays(-1).String()))}
	for p, day := range days {
		if (day == today || day == last) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// proposed lists pending entries for files that the harness accepts only from the agent itself.
func (s *Session) proposed() ([]session.Proposed, error) {
	records, unreadable := s.agent.Files.Recorded()
	if len(records) == 0 && unreadable == nil {
		return nil, nil
	}
	list, err := s.agent.Proposals.List()
	var out []session.Proposed
	for _, p := range list {
		if p.State == fleet.Waiting && p.Job != job.ByAgent && !p.Elsewhere && s.agent.Files.Guards(p.Target, nil, records, unreadable) {
			out = append(out, session.Proposed{Path: string(p.Target), Text: p.Text})
		}
	}
	slices.SortStableFunc(out, func(a, b session.Proposed) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

// contextFiles reads the files for a context and its checks. If a harness keeps its memory in one folder of a large
// tree, these are only the files the context prints and those with approved baselines.
func (s *Session) contextFiles(ctx context.Context) (job.Input, error) {
	l := s.agent.Layout
	if l.Reach == "" {
		return s.agent.Input(ctx)
	}
	in := s.agent.Files.Empty()
	var err error
	if in.Baselines, err = s.agent.Baselines.Approved(); err != nil {
		return in, err
	}
	load := func(p vault.Path) {
		if _, done := in.Files[p]; done || p == "" {
			return
		}
		if doc, err := s.files.Load(ctx, p); err == nil && doc.Version != vault.Absent { // otherwise the context reports it
			in.Files[p] = doc
		}
	}
	for p := range in.Baselines {
		load(p)
	}
	today := note.DayOf(in.Now, s.agent.Location).String()
	printed := map[layout.Role]bool{}
	for _, part := range l.Context.Parts {
		if part.Kind == layout.PartFiles {
			printed[part.Role] = true
			for _, p := range l.Paths(part.Role, today) {
				load(vault.Path(p))
			}
		}
	}
	err = s.files.Walk(ctx, vault.Path(l.Reach), "", func(i vault.Info) bool {
		if role, known := l.RoleOf(string(i.Path)); known && printed[role] {
			load(i.Path)
		}
		return ctx.Err() == nil
	})
	if errors.Is(err, vault.ErrAbsent) { // no memory yet
		err = nil
	}
	return in.Indexed(), err
}

// health returns what the checks find wrong with this memory, and the state of the operator's part.
func (s *Session) health(in job.Input) []finding.Finding {
	// Limits and form are advice for the operator, not a reason for the model to distrust the memory.
	found := slices.DeleteFunc(audit.Check(in).Findings(), func(f finding.Finding) bool {
		return f.Severity == finding.Info || finding.CostOf(f.Code) > finding.Wrong
	})
	for file, baseline := range in.Baselines {
		doc, ok := in.Files[file]
		if !ok || baseline == nil {
			continue
		}
		if z := note.Split(doc.Data, baseline, s.agent.LineOf(string(file), baseline)); z.Drift || !z.Equal && !z.Marked && !z.Overwrite {
			found = append(found, finding.Drift.In(string(file), "the operator's part was changed by someone else"))
		}
	}
	finding.Sort(found)
	return found
}

// Prompt returns the text of a prompt for this agent.
func (s *Session) Prompt(p session.Prompt) string {
	return p.Text(s.agent.Layout, s.agent.Policy, s.agent.Now())
}
