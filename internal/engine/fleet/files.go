package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
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
	in.Facts.Log, in.Facts.BufferRecorded = f.writableLog(in.Today().String())
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

// readAll reads every memory file, within the policy's limits, and the approved texts.
func (f *Files) readAll(ctx context.Context) (job.Input, error) {
	in := f.Empty()
	in.Facts.Unread, in.Facts.Heads = map[vault.Path]string{}, map[vault.Path]vault.Doc{}
	in.Facts.Audit.Others, in.Facts.Audit.Left = map[vault.Path]bool{}, map[vault.Path]job.Seal{}
	err := f.read(ctx, &in)
	if err != nil && f.ws != fsys.Missing { // a Missing workspace reads as empty
		return in, cmp.Or(f.fatalError(ctx, err), err)
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
	f.followProtocol(&in)
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

// followProtocol chooses the protocol whose rules the agent has been given, unless the configuration says which.
func (f *Files) followProtocol(in *job.Input) {
	p := vault.Path(in.Layout.Path(layout.Agents, ""))
	if protocol := policy.Recognise(string(in.Files[p].Data)); protocol != policy.ProtocolNone {
		in.Policy = in.Policy.Follow(protocol, string(p))
	}
}

// reading is a reading of all files.
type reading struct {
	*Files
	in   *job.Input
	left int64 // bytes that files.max_total still allows
}

// read reads every markdown file, within the policy's limits.
func (f *Files) read(ctx context.Context, in *job.Input) error {
	r := reading{f, in, int64(policy.FilesMaxTotal.Of(f.agent.Policy))}
	return r.readFolder(ctx, "", 0)
}

// readFolder reads the files of a folder: its own before those in its folders, and names in reverse order, so that when there is
// too much the newest logs are read.
func (r *reading) readFolder(ctx context.Context, dir vault.Path, depth int) error {
	infos, err := r.vault.List(ctx, dir)
	if err != nil {
		return err
	}
	in, maxCount, maxDepth := r.in, policy.FilesMaxCount.Of(r.agent.Policy), policy.PathMaxDepth.Of(r.agent.Policy)
	if len(infos) > 2*len(in.Files) { // grow once
		all := make(map[vault.Path]vault.Doc, len(in.Files)+len(infos))
		maps.Copy(all, in.Files)
		in.Files = all
	}
	var below []vault.Path
	for _, i := range slices.Backward(infos) {
		switch {
		case r.isHidden(i.Path, i.Dir):
			if !i.Dir && strings.HasPrefix(i.Path.Base(), ".") {
				in.Facts.Audit.Others[i.Path] = true
			}
		case i.Dir && (depth >= maxDepth || i.Path.Base() == "node_modules"):
			in.Facts.Unread[i.Path] = "is too deep"
		case i.Dir:
			below = append(below, i.Path)
		case i.Special:
			in.Facts.Unread[i.Path] = "is not a file in the workspace"
		case !strings.EqualFold(path.Ext(string(i.Path)), ".md"):
			in.Facts.Audit.Others[i.Path] = true
		case maxCount > 0 && len(in.Files) >= maxCount:
			in.Facts.Unread[i.Path] = "is beyond files.max_count"
		default:
			if err := r.readFile(ctx, i.Path); err != nil {
				return err
			}
		}
	}
	for _, p := range below {
		if err := r.readFolder(ctx, p, depth+1); err != nil {
			if end := r.fatalError(ctx, err); end != nil {
				return end
			}
			in.Facts.Unread[p] = err.Error()
		}
	}
	return ctx.Err()
}

// readFile reads one file. An error ends the reading.
func (r *reading) readFile(ctx context.Context, p vault.Path) error {
	maxFile := int64(policy.FileMaxBytes.Of(r.agent.Policy))
	limit := max(min(maxFile, r.left), 1)
	doc, err := r.vault.ReadUpTo(ctx, p, limit)
	var large *vault.TooLargeError
	overLimit := errors.As(err, &large) && large.Most == limit
	switch {
	case err == nil:
		r.in.Files[p] = doc
		r.left -= int64(len(doc.Data))
	case overLimit && large.Size <= maxFile:
		r.in.Facts.Unread[p] = "is beyond files.max_total"
	case overLimit:
		r.in.Facts.Unread[p] = "is larger than file.max_bytes"
	default:
		if end := r.fatalError(ctx, err); end != nil {
			return end
		}
		r.in.Facts.Unread[p] = err.Error()
	}
	return nil
}

// isHidden reports what is not read: names with a leading dot, and what is below them, except the skills below hidden
// folders of a layout. A file whose own name is hidden is none: macOS leaves "._SKILL.md" beside each unpacked SKILL.md.
func (f *Files) isHidden(p vault.Path, dir bool) bool {
	dotted := false
	for part := range strings.SplitSeq(string(p), "/") {
		if strings.HasPrefix(part, ".") && part != ".learnings" {
			dotted = true
		}
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

// fatalError returns the error if it must end the reading, nil if it is about one file only: jobs would act on a partial view
// as if it were complete, and a workspace that went away must not look like an agent that deleted all its notes.
func (f *Files) fatalError(ctx context.Context, err error) error {
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
