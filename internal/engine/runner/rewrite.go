package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/referee"
)

// Choice selects from what a rewrite lost. The zero value is everything.
type Choice struct {
	Section string     // below headings with these words
	Lines   string     // numbers of lines in the text before, such as "4-9,12"
	Into    vault.Path // a file to put them into, "" for where they were
}

// RestoreLost puts what a rewrite lost back where it was, or into another file. The rest of the file stays as it is.
func RestoreLost(ctx context.Context, a *fleet.Agent, ref string, c Choice, o Options) (Result, error) {
	o.Reason = strings.TrimSpace("lost by " + ref + " " + o.Reason)
	return Run(ctx, a, Request{
		Options: o, Read: Whole(a),
		Plan: func(in job.Input) (plan.Plan, error) {
			r, err := findRewrite(a, in, ref)
			if err != nil {
				return plan.Plan{}, err
			}
			there := plan.Plan{Job: "restore", Outcome: plan.Unchanged, Summary: "nothing that " + ref + " took out is missing now"}
			if len(r.Verdict.Lost) == 0 {
				return there, nil
			}
			parts, err := c.choose(r.Verdict)
			if err != nil {
				return plan.Plan{}, err
			}
			if _, ok := in.Layout.RoleOf(string(c.Into)); c.Into != "" && !ok {
				why := fmt.Sprintf("%s is no file of the layout %s, and would not be kept", c.Into, in.Layout.Ref())
				return plan.Plan{}, &job.Refusal{Why: why, Try: "a name such as memory/lost.md is one", Usage: true}
			}
			doc, did := in.File(cmp.Or(c.Into, r.File)), "restored"
			if o.DryRun {
				did = "would be restored"
			}
			text := referee.PutBack(r.Before, doc.Data, parts)
			if bytes.Equal(text, doc.Data) {
				return there, nil
			}
			return replaceText(doc, text, "%s: %s %s", doc.Path, textfmt.Count(linesIn(text)-linesIn(doc.Data), "line"), did), nil
		},
	})
}

// linesIn counts the lines of a text that are not blank.
func linesIn(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

// TakeBack restores a file to what it was before a rewrite, if nobody has changed it since.
func TakeBack(ctx context.Context, a *fleet.Agent, ref string, o Options) (Result, error) {
	o.Reason = strings.TrimSpace("undo of " + ref + " " + o.Reason)
	return Run(ctx, a, Request{
		Options: o, Read: Whole(a),
		Plan: func(in job.Input) (plan.Plan, error) {
			r, err := findRewrite(a, in, ref)
			if err != nil {
				return plan.Plan{}, err
			}
			doc := in.File(r.File)
			switch {
			case bytes.Equal(doc.Data, r.Before) && doc.Version != vault.Absent:
				summary := fmt.Sprintf("%s is already as it was before", r.File)
				return plan.Plan{Job: "restore", Outcome: plan.Unchanged, Summary: summary}, nil
			case !bytes.Equal(doc.Data, r.After):
				try := "`tend restore --lost " + ref + "` puts back only what was lost"
				return plan.Plan{}, &job.Refusal{Why: fmt.Sprintf("%s has changed since", r.File), Try: try}
			}
			return replaceText(doc, r.Before, "%s: as it was before, %d bytes", r.File, len(r.Before)), nil
		},
	})
}

// replaceText returns a plan that replaces a file's text.
func replaceText(doc vault.Doc, text []byte, summary string, args ...any) plan.Plan {
	return plan.Plan{
		Job: "restore", Outcome: plan.Written, Summary: fmt.Sprintf(summary, args...),
		Changes: []plan.Change{{Path: doc.Path, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: text}},
	}
}

// findRewrite finds a rewrite, or says where the names of rewrites come from.
func findRewrite(a *fleet.Agent, in job.Input, ref string) (fleet.Rewrite, error) {
	r, err := a.Rewrite(in, ref)
	if errors.Is(err, fleet.ErrNoRewrite) {
		why := fmt.Sprintf("no change of a memory file is called %q", ref)
		return r, &job.Refusal{Why: why, Try: "`tend log` lists the changes", Usage: true}
	}
	return r, err
}

// choose returns the lost parts to restore.
func (c Choice) choose(v referee.Verdict) ([]referee.Range, error) {
	numbers, err := c.parseLines()
	if err != nil {
		return nil, err
	}
	var out []referee.Range
	wanted := note.Normal(c.Section)
	for _, s := range v.Lost {
		named := slices.ContainsFunc(s.Path, func(title string) bool { return strings.Contains(note.Normal(title), wanted) })
		if c.Section != "" && !named {
			continue
		}
		if c.Lines == "" {
			out = append(out, s.Parts()...)
			continue
		}
		chosen := slices.DeleteFunc(slices.Clone(s.Lost), func(l referee.Line) bool { return !numbers[l.Number] })
		out = append(out, referee.Parts(chosen)...)
	}
	if len(out) == 0 {
		try := "`tend show CHANGE` lists what was lost, with the numbers of the lines"
		return nil, &job.Refusal{Why: "nothing of that was lost", Try: try, Usage: true}
	}
	return out, nil
}

// parseLines parses "4-9,12".
func (c Choice) parseLines() (map[int]bool, error) {
	out := map[int]bool{}
	if c.Lines == "" {
		return out, nil
	}
	for part := range strings.SplitSeq(c.Lines, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(from)
		b := a
		if ranged && err == nil {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < 1 || b < a || b-a > maxLines {
			return nil, &job.Refusal{Why: fmt.Sprintf("%q are not numbers of lines", c.Lines), Try: "write them as 4-9,12", Usage: true}
		}
		for i := a; i <= b; i++ {
			out[i] = true
		}
	}
	return out, nil
}

// maxLines is more than a memory file has.
const maxLines = 1 << 20
