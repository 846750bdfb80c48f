package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/ledgersum"
	"tend/internal/engine/job"
	"tend/internal/engine/job/write"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
)

// Files reads an agent's workspace for planning and reporting.
type Files struct {
	agent     *config.Agent
	vault     *vault.Vault
	ws        fsys.FS
	baselines *Baselines
	tally     ledgersum.Store
	now       func() time.Time
}

// Empty is an input without files.
func (f *Files) Empty() job.Input {
	in := job.Input{Layout: f.agent.Layout, Policy: f.agent.Policy}
	in.Snapshot = plan.Snapshot{Agent: f.agent.Name, Now: f.now(), Files: map[vault.Path]vault.Doc{}}
	in.Facts.Log, in.Facts.BufferRecorded = f.writable(in.Today().String())
	return in
}

// Glance reads only some files, for requests that must be quick in any workspace.
func (f *Files) Glance(ctx context.Context, paths []vault.Path) (Snapshot, error) {
	in := f.Empty()
	for _, p := range paths {
		doc, err := f.vault.Read(ctx, p)
		if errors.Is(err, vault.ErrAbsent) {
			continue
		}
		if err != nil {
			return Snapshot{}, err
		}
		in.Files[p] = doc
	}
	var err error
	in.Baselines, err = f.baselines.Approved()
	return Snapshot{Input: in}, err
}

// all reads every memory file, within the policy's limits, and the approved texts.
func (f *Files) all(ctx context.Context) (job.Input, error) {
	in := f.Empty()
	in.Facts.Unread, in.Facts.Heads = map[vault.Path]string{}, map[vault.Path]vault.Doc{}
	in.Facts.Audit.Others, in.Facts.Audit.Left = map[vault.Path]bool{}, map[vault.Path]job.Seal{}
	err := f.read(ctx, "", 0, &in)
	if err != nil && f.ws != fsys.Missing { // a Missing workspace reads as empty
		return in, cmp.Or(f.ends(ctx, err), err)
	}
	for _, p := range job.Others(f.agent.Layout) {
		if !in.Facts.Audit.Others[p] {
			continue
		}
		doc, err := f.vault.Read(ctx, p)
		if errors.Is(err, vault.ErrUnreachable) {
			return in, err
		}
		if err == nil {
			in.Files[p] = doc
		}
	}
	f.follow(&in)
	if in.Baselines, err = f.baselines.Approved(); err != nil {
		return in, err
	}
	for p, baseline := range in.Baselines {
		if _, unread := in.Facts.Unread[p]; !unread || baseline == nil {
			continue
		}
		if doc, err := f.vault.Head(ctx, p, headOf(baseline)); err == nil { // on an error it stays unread
			in.Facts.Heads[p] = doc
		}
	}
	return in, nil
}

// follow chooses the protocol whose rules the agent has been given, unless the configuration says which.
func (f *Files) follow(in *job.Input) {
	p := vault.Path(in.Layout.Path(layout.Agents, ""))
	if protocol := policy.Recognise(string(in.Files[p].Data)); protocol != policy.ProtocolNone {
		in.Policy = in.Policy.Follow(protocol, string(p))
	}
}

// read reads every markdown file of a folder, within the policy's limits.
func (f *Files) read(ctx context.Context, dir vault.Path, depth int, in *job.Input) error {
	infos, err := f.vault.Kinds(ctx, dir)
	if err != nil {
		return err
	}
	if len(infos) > 2*len(in.Files) { // grow once
		all := make(map[vault.Path]vault.Doc, len(in.Files)+len(infos))
		maps.Copy(all, in.Files)
		in.Files = all
	}
	most := int64(policy.FileMaxBytes.Of(f.agent.Policy))
	for _, i := range infos {
		switch {
		case f.hidden(i.Path, i.Dir):
			if !i.Dir && strings.HasPrefix(i.Path.Base(), ".") {
				in.Facts.Audit.Others[i.Path] = true
			}
		case i.Dir:
			if depth >= policy.PathMaxDepth.Of(f.agent.Policy) || i.Path.Base() == "node_modules" {
				in.Facts.Unread[i.Path] = "is too deep"
				continue
			}
			if err := f.read(ctx, i.Path, depth+1, in); err != nil {
				if end := f.ends(ctx, err); end != nil {
					return end
				}
				in.Facts.Unread[i.Path] = err.Error()
			}
		case i.Special:
			in.Facts.Unread[i.Path] = "is not a file in the workspace"
		case !strings.EqualFold(path.Ext(string(i.Path)), ".md"):
			in.Facts.Audit.Others[i.Path] = true
		case policy.FilesMaxCount.Of(f.agent.Policy) > 0 && len(in.Files) >= policy.FilesMaxCount.Of(f.agent.Policy):
			in.Facts.Unread[i.Path] = "is beyond files.max_count"
		default:
			doc, err := f.vault.ReadUpTo(ctx, i.Path, most)
			var large *vault.TooLargeError
			switch {
			case err == nil:
				in.Files[i.Path] = doc
			case errors.As(err, &large) && large.Most == most:
				in.Facts.Unread[i.Path] = "is larger than file.max_bytes"
			default:
				if end := f.ends(ctx, err); end != nil {
					return end
				}
				in.Facts.Unread[i.Path] = err.Error()
			}
		}
	}
	return nil
}

// hidden reports what is not read: names with a leading dot, and what is below them, except the skills below hidden
// folders of a layout. A file whose own name is hidden is none: macOS leaves "._SKILL.md" beside each unpacked SKILL.md.
func (f *Files) hidden(p vault.Path, dir bool) bool {
	dotted := false
	for part := range strings.SplitSeq(string(p), "/") {
		dotted = dotted || strings.HasPrefix(part, ".") && part != ".learnings"
	}
	switch {
	case !dotted:
		return false
	case dir:
		return !f.agent.Layout.LeadsToSkills(string(p))
	}
	return strings.HasPrefix(p.Base(), ".") || !f.agent.Layout.IsSkill(string(p))
}

var errVanished = errors.New("the workspace is gone")

// ends returns the error if it must end the reading, nil if it is about one file only: jobs would act on a partial view
// as if it were complete, and a workspace that went away must not look like an agent that deleted all its notes.
func (f *Files) ends(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, vault.ErrUnreachable), errors.Is(err, errVanished):
		return err
	case errors.Is(err, vault.ErrAbsent):
		if _, gone := f.vault.List(ctx, ""); gone != nil {
			return fmt.Errorf("%w: %s: %w", errVanished, f.agent.Workspace, gone)
		}
	}
	return nil
}

// WithRoles returns the files of roles; for a role with daily files, today's.
func (f *Files) WithRoles(roles ...layout.Role) []vault.Path {
	day := f.now().Format(time.DateOnly)
	var paths []vault.Path
	for _, r := range roles {
		p := f.agent.Layout.Path(r, day)
		if r == layout.Daily {
			p = string(f.Log())
		}
		if p != "" {
			paths = append(paths, vault.Path(p))
		}
	}
	return paths
}

// Buffer returns the state of the working buffer.
func (f *Files) Buffer(ctx context.Context) (write.BufferState, error) {
	s, err := f.Glance(ctx, f.WithRoles(layout.Buffer))
	if err != nil {
		return write.BufferState{}, err
	}
	return write.Buffer(s.Input)
}

// SessionState is the session's current state.
type SessionState struct {
	File vault.Path `json:"file"`
	Text string     `json:"text"`
}

// Session reads the session's state; the text is empty if there is none.
func (f *Files) Session(ctx context.Context) (SessionState, error) {
	p, err := write.RoleFile(job.Input{Layout: f.agent.Layout}, layout.Session)
	if err != nil {
		return SessionState{}, err
	}
	doc, err := f.vault.Read(ctx, p)
	if errors.Is(err, vault.ErrAbsent) {
		err = nil
	}
	return SessionState{File: p, Text: string(doc.Data)}, err
}
