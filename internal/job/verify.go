package job

import (
	"fmt"
	"strings"

	"tend/internal/layout"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Verify stamps today's date as last_verified into files somebody has looked at. What the
// operator owns, and past daily logs, are not stamped.
func Verify(in Input, files []vault.Path) (plan.Plan, error) {
	pl := plan.Plan{Job: "verify"}
	today := in.Today().String()
	for _, p := range files {
		doc := in.File(p)
		if doc.Version == vault.Absent {
			return pl, &Refusal{Why: fmt.Sprintf("there is no file %s", p), Try: "name a file of the workspace, such as MEMORY.md", Usage: true}
		}
		role, _ := in.Layout.RoleOf(string(p))
		if day, ok := in.Layout.DayOf(string(p)); ok && role == layout.Daily && day < today {
			return pl, &Refusal{Why: fmt.Sprintf("%s is the log of a past day and stays as it is", p), Try: "verify the file that holds the fact now"}
		}
		e := in.Parse(doc).SetHeader("last_verified", today, in.quotes(role))
		if e.At < in.Owned(doc) {
			return pl, &Refusal{Why: fmt.Sprintf("the head of %s is the operator's", p), Try: "set last_verified in the baseline and approve it"}
		}
		after := append(append(append([]byte{}, doc.Data[:e.At]...), e.Text...), doc.Data[e.At+e.Cut:]...)
		if string(after) == string(doc.Data) {
			continue
		}
		pl.Changes = append(pl.Changes, plan.Change{
			Path: p, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: after, Why: "verified today",
		})
	}
	pl.Summary = fmt.Sprintf("last_verified is %s in %s", today, joinPaths(files))
	return pl, nil
}

// quotes tells whether the layout writes last_verified as a quotation in files of a role.
func (in Input) quotes(r layout.Role) bool {
	h, ok := in.Layout.Header(r)
	if !ok {
		h, ok = in.Layout.Header(layout.Semantic)
	}
	n := h.VerifiedLine()
	return ok && n > 0 && strings.HasPrefix(h.Lines[n-1], ">")
}

func joinPaths(files []vault.Path) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}
