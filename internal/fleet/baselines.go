package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/guard"
	"tend/internal/job"
	"tend/internal/ledger"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Baselines are the operator's texts of one agent: the working files, and the approved
// copies that are the authority.
type Baselines struct {
	agent  *config.Agent
	guard  *guard.Guard
	ledger *ledger.Ledger
	tree   func(dir string) (fsys.FS, error) // the opened folder of a working file
}

// linkOf is where an operator's file in a folder leads if it is a link: baselines may be links into a
// repository, and are the operator's where they led when they were approved.
func linkOf(dir fsys.FS, name string) string {
	if i, err := dir.Lstat(filepath.Base(name)); err == nil && i.Mode&fs.ModeSymlink == 0 {
		return ""
	}
	to, err := os.Readlink(name)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(name), to)
	}
	return to
}

// Housed is a baseline whose folder is there: made again if somebody removed it.
func (l *Baselines) Housed(b guard.Baseline) (guard.Baseline, error) {
	if b.Tree != fsys.Missing || b.Link != "" { // where a link leads is not ours to make
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
			real, err := l.tree(filepath.Dir(link))
			if err != nil {
				real = fsys.Missing // it leads nowhere
			}
			list[i].Link, list[i].LinkTree, list[i].LinkName = link, t, list[i].Name
			list[i].Tree, list[i].Name = real, filepath.Base(link)
		}
	}
	return list, nil
}

// Approved are the operator's texts by file: those that were approved, as they were approved. The approved copy is the
// authority; what stands under baselines/ is the operator's draft, and a draft owns nothing until it is approved.
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
		if texts[b.File], err = l.authority(b, ap); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// authority is the approved copy of a baseline. If that was damaged or removed, the baseline itself serves while it has
// the approved digest. A disk that cannot be read is an error.
func (l *Baselines) authority(b guard.Baseline, ap guard.Approval) ([]byte, error) {
	text, err := l.guard.Approved(ap)
	if err == nil || unreadable(err) {
		return text, err
	}
	if text, other := vault.ReadFile(b.Tree, b.Name); other == nil && vault.VersionOf(text) == ap.Version {
		return text, nil
	}
	return nil, err
}

// unreadable reports whether the disk failed, rather than the file being missing or changed.
func unreadable(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && !errors.Is(err, fs.ErrNotExist)
}

// ErrNoBaseline says that an agent has no baseline, so that there is nothing to reset it to.
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

// Check reads the approved texts and says where a baseline differs from its approved copy. A baseline that was
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
		text, fs, err := l.guard.Check(b, approvals, policy.BaselineMinBytes.Of(l.agent.Policy))
		if err != nil {
			return nil, nil, err
		}
		found = append(found, fs...)
		ap, approved := approvals[b.File]
		if !approved {
			continue
		}
		if len(fs) > 0 { // otherwise the baseline has the approved digest, and its copy can only be the same
			text, err = l.authority(b, ap)
		}
		if unreadable(err) {
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

// former is the approved text that a guarded file has had since before the present one was
// approved; nil if the present one has been there already, or if there is no telling. An agent
// that puts an old baseline back over the new one has drifted like any other.
func (l *Baselines) former(g job.Guarded) ([]byte, error) {
	if g.Baseline == nil || g.Doc.Version == vault.Absent || bytes.HasPrefix(g.Doc.Data, g.Baseline) ||
		job.Kept(note.Split(g.Doc.Data, g.Baseline, l.agent.Separator())) {
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
		return nil, nil // it is no longer kept: then it is drift like any other
	}
	return text, nil
}

// lastPut is the approved text an action last put into a file; where none ever did, the one
// that was approved before.
func (l *Baselines) lastPut(p vault.Path, now guard.Approval) (vault.Version, error) {
	for act, err := range l.ledger.Actions() {
		if err != nil {
			return "", err
		}
		if act.Outcome == ledger.TakenBack {
			continue
		}
		for _, f := range act.Files {
			if f.Path != p || f.Skipped {
				continue
			}
			if v, ok := strings.CutPrefix(f.From, ledger.FromBaseline("")); ok {
				return vault.Version(v), nil
			}
			if act.Job == "restore-zone" && !act.At.Before(now.At) {
				return now.Version, nil
			}
		}
	}
	return now.Replaces, nil
}
