package fleet

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"tend/internal/finding"
	"tend/internal/guard"
	"tend/internal/layout"
	"tend/internal/vault"
)

// Approved are the operator's texts by file: those that were approved, as they were approved. The approved copy is the
// authority; what stands under baselines/ is the operator's draft, and a draft owns nothing until it is approved.
func (a *Agent) Approved() (map[vault.Path][]byte, error) {
	if len(a.Agent.Baselines) == 0 {
		return nil, nil
	}
	list, err := a.Baselines()
	if err != nil {
		return nil, err
	}
	approvals, err := a.Guard.Approvals()
	if err != nil {
		return nil, err
	}
	texts := make(map[vault.Path][]byte, len(approvals))
	for _, b := range list {
		ap, ok := approvals[b.File]
		if !ok {
			continue
		}
		if texts[b.File], err = a.authority(b, ap); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// authority is the approved copy of a baseline. If that was damaged or removed, the baseline itself serves while it has
// the approved digest. A disk that cannot be read is an error.
func (a *Agent) authority(b guard.Baseline, ap guard.Approval) ([]byte, error) {
	text, err := a.Guard.Approved(ap)
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

// missing reports a memory file that Tend has known and that is gone, and a workspace in which nothing is where the
// layout says: nobody can call well what was not seen.
func (a *Agent) missing(ctx context.Context, st *Status, guarded bool) error {
	hot := vault.Path(a.Layout.Path(layout.Hot, ""))
	if hot == "" || st.Hot != nil || slices.ContainsFunc(st.Findings, func(f finding.Finding) bool { return f.File == string(hot) }) {
		return nil
	}
	p, err := a.past()
	if err != nil {
		return err
	}
	if _, known := p.Files[hot]; known {
		st.Findings = append(st.Findings, finding.HotFile.In(string(hot), "%s is missing; `tend restore %s` brings back its last text", hot, hot))
		return nil
	}
	if guarded {
		return nil
	}
	seen, err := a.anyRole(ctx, "", 2)
	if err == nil && !seen {
		st.Findings = append(st.Findings, finding.NothingSeen.In("", "no file of the layout %s is in %s", a.Layout.Ref(), a.Workspace))
	}
	return err
}

// anyRole reports whether a file that the layout names is in a folder of the workspace, or a few folders below it.
func (a *Agent) anyRole(ctx context.Context, dir vault.Path, depth int) (bool, error) {
	infos, err := a.Vault.List(ctx, dir)
	if err != nil {
		if errors.Is(err, vault.ErrUnreachable) || dir == "" {
			return false, err
		}
		return false, nil
	}
	for _, i := range infos {
		if _, ok := a.Layout.RoleOf(string(i.Path)); ok && !i.Dir {
			return true, nil
		}
		if i.Dir && depth > 0 && i.Path.Base() != ".git" && i.Path.Base() != "node_modules" {
			if seen, err := a.anyRole(ctx, i.Path, depth-1); seen || err != nil {
				return seen, err
			}
		}
	}
	return false, nil
}
