package fleet

import (
	"context"
	"errors"
	"slices"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/vault"
)

// missing reports a memory file that Tend has known and that is gone, and a workspace in which nothing is where the
// layout says: nobody can call well what was not seen.
func (a *Agent) missing(ctx context.Context, st *Status, guarded bool) error {
	hot := vault.Path(a.Layout.Path(layout.Hot, ""))
	if hot == "" || st.Hot != nil || slices.ContainsFunc(st.Findings, func(f finding.Finding) bool { return f.File == string(hot) }) {
		return nil
	}
	known, err := a.knew(hot)
	if err != nil {
		return err
	}
	if known {
		st.Findings = append(st.Findings, job.Gone(hot))
		return nil
	}
	if guarded {
		return nil
	}
	seen, err := anyRole(ctx, a.Vault, a.Layout, "", 2)
	if err == nil && !seen {
		st.Findings = append(st.Findings, finding.NothingSeen.In("", "no file of the layout %s is in %s", a.Layout.Ref(), a.Workspace))
	}
	return err
}

// knew reports whether a file once had a text, as the ledger or what was seen of the workspace says.
func (a *Agent) knew(file vault.Path) (bool, error) {
	p, err := a.past()
	if err != nil {
		return false, err
	}
	if _, known := p.Files[file]; known {
		return true, nil
	}
	return a.History.Saw(file)
}

// anyRole reports whether a file that the layout names is in a folder of the workspace, or a few folders below it.
func anyRole(ctx context.Context, v *vault.Vault, l layout.Layout, dir vault.Path, depth int) (bool, error) {
	infos, err := v.List(ctx, dir)
	if err != nil {
		if errors.Is(err, vault.ErrUnreachable) || dir == "" {
			return false, err
		}
		return false, nil
	}
	for _, i := range infos {
		if _, ok := l.RoleOf(string(i.Path)); ok && !i.Dir {
			return true, nil
		}
		if i.Dir && depth > 0 && i.Path.Base() != ".git" && i.Path.Base() != "node_modules" {
			if seen, err := anyRole(ctx, v, l, i.Path, depth-1); seen || err != nil {
				return seen, err
			}
		}
	}
	return false, nil
}
