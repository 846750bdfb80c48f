package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/guard"
	"tend/internal/state/ledger"
	"tend/internal/text/note"
)

// Baselines are one agent's baselines: the operator's working files, and the approved
// copies, which are the authority.
type Baselines struct {
	agent  *config.Agent
	guard  *guard.Guard
	ledger *ledger.Ledger
	tree   func(dir string) (fsys.FS, error) // the opened folder of a working file
}

// linkOf returns the target if a baseline file is a link. Baselines may be links into a repository;
// the approval covers the target they had when they were approved.
func linkOf(dir fsys.FS, name string) string {
	if i, err := dir.Lstat(filepath.Base(name)); err == nil && i.Mode&fs.ModeSymlink == 0 {
		return ""
	}
	to, err := os.Readlink(name)
	if err != nil {
		return ""
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		return target
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(name), to)
	}
	return to
}

// WithFolder returns a baseline with an open folder, which it creates if it was removed.
func (l *Baselines) WithFolder(b guard.Baseline) (guard.Baseline, error) {
	if b.Tree != fsys.Missing || b.Link != "" { // the target's folder is not ours to create
		return b, nil
	}
	dir := filepath.Dir(b.Source)
	if err := fsys.MakeFolder(dir, 0o755); err != nil {
		return b, fmt.Errorf("make the baseline's folder: %w", err)
	}
	t, err := l.tree(dir)
	b.Tree = t
	return b, err
}

// List returns the baselines, ready to be read.
func (l *Baselines) List() ([]guard.Baseline, error) {
	list := make([]guard.Baseline, len(l.agent.Baselines))
	for i, b := range l.agent.Baselines {
		p, err := vault.ParsePath(b.File)
		if err != nil {
			return nil, err
		}
		t, err := l.tree(filepath.Dir(b.Source))
		if err != nil {
			return nil, fmt.Errorf("baseline %s: %w", b.Source, err)
		}
		list[i] = guard.Baseline{File: p, Source: b.Source, Tree: t, Name: filepath.Base(b.Source)}
		if link := linkOf(t, b.Source); link != "" {
			target, err := l.tree(filepath.Dir(link))
			if err != nil {
				target = fsys.Missing // it leads nowhere
			}
			list[i].Link, list[i].LinkTree, list[i].LinkName = link, t, list[i].Name
			list[i].Tree, list[i].Name = target, filepath.Base(link)
		}
	}
	return list, nil
}

// Approved returns the approved texts by file. The approved copy is the authority; the file under baselines/ is the
// operator's draft, which has no effect until it is approved.
func (l *Baselines) Approved() (map[vault.Path][]byte, error) {
	if len(l.agent.Baselines) == 0 {
		return nil, nil
	}
	list, err := l.List()
	if err != nil {
		return nil, err
	}
	approvals, err := l.guard.Approvals()
	if err != nil {
		return nil, err
	}
	texts := make(map[vault.Path][]byte, len(approvals))
	for _, b := range list {
		ap, ok := approvals[b.File]
		if !ok {
			continue
		}
		if texts[b.File], err = l.approvedCopy(b, ap); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// approvedCopy returns the approved copy of a baseline. If that was damaged or removed, the baseline itself is used as long
// as it has the approved digest. A disk that cannot be read is an error.
func (l *Baselines) approvedCopy(b guard.Baseline, ap guard.Approval) ([]byte, error) {
	text, err := l.guard.Approved(ap)
	if err == nil || isDiskError(err) {
		return text, err
	}
	if text, other := vault.ReadFile(b.Tree, b.Name); other == nil && vault.VersionOf(text) == ap.Version {
		return text, nil
	}
	return nil, err
}

// isDiskError reports whether the disk failed, rather than the file being missing or changed.
func isDiskError(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && !errors.Is(err, fs.ErrNotExist)
}

// ErrNoBaseline: the agent has no baseline to reset to.
var ErrNoBaseline = errors.New("no baseline")

type noBaselineError struct{ agent string }

func (e *noBaselineError) Error() string {
	return "agent " + e.agent + " has no baseline to reset to"
}
func (e *noBaselineError) Hint() string {
	return "name a file and its text under `baselines` of the agent in the configuration"
}
func (e *noBaselineError) Is(target error) bool {
	return target == ErrNoBaseline || target == vault.ErrRefused
}

// Check reads the approved texts and reports where a baseline differs from its approved copy. A baseline that was
// never approved is reported and has no text.
func (l *Baselines) Check() (map[vault.Path]job.Guarded, []finding.Finding, error) {
	list, err := l.List()
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, &noBaselineError{l.agent.Name}
	}
	approvals, err := l.guard.Approvals()
	if err != nil {
		return nil, nil, err
	}
	texts := make(map[vault.Path]job.Guarded, len(list))
	var found []finding.Finding
	for _, b := range list {
		text, problems, err := l.guard.Check(b, approvals, policy.BaselineMinBytes.Of(l.agent.Policy))
		if err != nil {
			return nil, nil, err
		}
		found = append(found, problems...)
		ap, approved := approvals[b.File]
		if !approved {
			continue
		}
		if len(problems) > 0 { // otherwise the baseline has the approved digest, and its copy can only be the same
			text, err = l.approvedCopy(b, ap)
		}
		if isDiskError(err) {
			return nil, nil, err
		}
		if err != nil {
			found = append(found, finding.BaselineTampered.In(string(b.File), "%v", err))
			continue
		}
		texts[b.File] = job.Guarded{Baseline: text, Approved: ap.Version, From: ledger.FromBaseline(ap.Version)}
	}
	finding.Sort(found)
	return texts, found, nil
}

// formerText returns the earlier approved text that a guarded file still has because the current one was approved after it
// was written; nil if the file has had the current one already, or if that is unknown. An agent that puts an old
// baseline back over the new one has drifted like any other.
func (l *Baselines) formerText(g job.Guarded) ([]byte, error) {
	if g.Baseline == nil || g.Doc.Version == vault.Absent || bytes.HasPrefix(g.Doc.Data, g.Baseline) {
		return nil, nil
	}
	if job.ZoneIntact(note.Split(g.Doc.Data, g.Baseline, l.agent.LineOf(string(g.Doc.Path), g.Baseline))) {
		return nil, nil
	}
	approvals, err := l.guard.Approvals()
	now := approvals[g.Doc.Path]
	if err != nil || now.Version != vault.VersionOf(g.Baseline) {
		return nil, err
	}
	last, err := l.lastPut(g.Doc.Path, now)
	if err != nil || last == "" || last == now.Version {
		return nil, err
	}
	text, err := l.guard.Approved(guard.Approval{File: g.Doc.Path, Version: last})
	if err != nil {
		return nil, nil // no longer kept: treat it as drift
	}
	return text, nil
}

// lastPut returns the approved text an action last wrote to a file, or the previously approved one if no action
// did.
func (l *Baselines) lastPut(p vault.Path, now guard.Approval) (vault.Version, error) {
	for act, err := range l.ledger.Actions() {
		if err != nil {
			return "", err
		}
		if act.Outcome == ledger.RolledBack {
			continue
		}
		for _, f := range act.Files {
			if f.Path != p || f.Skipped {
				continue
			}
			if v, ok := strings.CutPrefix(f.From, ledger.FromBaseline("")); ok {
				return vault.Version(v), nil
			}
			if act.Job == "restore-zone" && act.At.Truncate(time.Second).After(now.At) { // approvals have whole seconds
				return now.Version, nil
			}
		}
	}
	return now.Replaces, nil
}
