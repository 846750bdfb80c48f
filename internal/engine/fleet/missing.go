package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/job/audit"
	"tend/internal/model/finding"
	"tend/internal/text/layout"
)

// addMissing reports a memory file that Tend has known and that is gone, and a workspace without any file of the layout:
// an agent is not well if none of its memory was read.
func (l statusReader) addMissing(ctx context.Context, guarded bool) error {
	st := l.st
	hot := vault.Path(l.a.Layout.Path(layout.Hot, ""))
	if hot == "" || st.Hot != nil || slices.ContainsFunc(st.Findings, func(f finding.Finding) bool { return f.File == string(hot) }) {
		return nil
	}
	known, err := l.a.everHad(hot)
	if err != nil {
		return err
	}
	if known {
		st.Findings = append(st.Findings, audit.Gone(hot))
		return nil
	}
	if guarded {
		return nil
	}
	unread, err := l.a.Files.whyNothingRead(ctx)
	if unread != "" {
		st.Findings = append(st.Findings, finding.NothingSeen.In("", "%s", unread))
	}
	return err
}

// whyNothingRead says why no memory is read in a workspace without its memory file, "" for no reason.
func (f *Files) whyNothingRead(ctx context.Context) (string, error) {
	paths, err := filesBelow(ctx, f.vault, "", 2, nil)
	if err != nil {
		return "", err
	}
	return whyLayoutReadsNothing(f.agent.Layout, paths, f.agent.Workspace.String()), nil
}

// minConfidence is how sure a guess of the harness must be to call the configured layout wrong.
const minConfidence = 0.6

// whyLayoutReadsNothing decides by the paths of the files: the layout names none of them, or only those about the agent while the
// memory is another harness's. An empty workspace has none of them.
func whyLayoutReadsNothing(l layout.Layout, paths []string, workspace string) string {
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
	if err == nil && len(guesses) > 0 && guesses[0].Confidence >= minConfidence {
		if other, _, _ := strings.Cut(guesses[0].Ref, "@"); other != l.Name {
			why := guesses[0].Reasons
			return fmt.Sprintf("the layout %s reads no memory in %s, which looks like a workspace of %s (%s)", l.Ref(), workspace, other,
				strings.Join(why[:min(3, len(why))], ", "))
		}
	}
	if named {
		return ""
	}
	return fmt.Sprintf("no file of the layout %s is in %s", l.Ref(), workspace)
}

// filesBelow adds the files of a folder and of the folders below it, down to depth.
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
