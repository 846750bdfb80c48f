package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	unread, err := a.unread(ctx)
	if unread != "" {
		st.Findings = append(st.Findings, finding.NothingSeen.In("", "%s", unread))
	}
	return err
}

// unread says why no memory is read in a workspace without its memory file. "" if there is no such reason.
func (a *Agent) unread(ctx context.Context) (string, error) {
	paths, err := filesBelow(ctx, a.Vault, "", 2, nil)
	if err != nil {
		return "", err
	}
	return unread(a.Layout, paths, a.Workspace.String()), nil
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

// sureEnough is how sure a guess of the harness must be to say that the configured layout is wrong.
const sureEnough = 0.6

// unread decides that from the paths of its files: the layout names none of them, or only those about the agent while
// the memory is that of another harness. A workspace that has no memory yet is no reason.
func unread(l layout.Layout, paths []string, workspace string) string {
	named := false
	for _, p := range paths {
		switch role, ok := l.RoleOf(p); {
		case !ok:
		case role == layout.Identity, role == layout.Agents, role == layout.User, role == layout.Tools:
			named = true
		default:
			return ""
		}
	}
	guesses, err := layout.Detect(paths, nil)
	if err == nil && len(guesses) > 0 && guesses[0].Confidence >= sureEnough {
		if other, _, _ := strings.Cut(guesses[0].Ref, "@"); other != l.Name {
			why := guesses[0].Reasons
			return fmt.Sprintf("the layout %s reads no memory in %s, which looks like a workspace of %s (%s)", l.Ref(), workspace, other, strings.Join(why[:min(3, len(why))], ", "))
		}
	}
	if named {
		return ""
	}
	return fmt.Sprintf("no file of the layout %s is in %s", l.Ref(), workspace)
}

// filesBelow adds the files of a folder, and of a few folders below it.
func filesBelow(ctx context.Context, v *vault.Vault, dir vault.Path, depth int, list []string) ([]string, error) {
	infos, err := v.List(ctx, dir)
	if err != nil {
		if errors.Is(err, vault.ErrUnreachable) || dir == "" {
			return nil, err
		}
		return list, nil
	}
	for _, i := range infos {
		if !i.Dir {
			list = append(list, string(i.Path))
		} else if depth > 0 && i.Path.Base() != ".git" && i.Path.Base() != "node_modules" {
			if list, err = filesBelow(ctx, v, i.Path, depth-1, list); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
