package web

import (
	"context"
	"slices"
	"strings"

	"tend/internal/app/baseline"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
	"tend/internal/state/findinglog"
)

// guardedEdit is a change of a guarded file, for its owner to keep or restore.
type guardedEdit struct {
	baseline.Edit
	Parts   []hunk
	More    int      // changes that are not shown: then it cannot be accepted here
	Hits    []string // what the scan finds in the new lines
	Answers []string // the notices that a decision answers
}

// guardedEdits lists the changes of guarded files that wait for a decision. One that the keeper took back waits as long as
// its notice is open.
func guardedEdits(ctx context.Context, a *fleet.Agent, notices []findinglog.Notice) (out []guardedEdit, err error) {
	if len(a.Agent.Baselines) == 0 {
		return nil, nil
	}
	list, err := baseline.Edits(ctx, a)
	for _, e := range list {
		x := guardedEdit{Edit: e, Answers: baseline.Answered(notices, e.File)}
		if e.Action != "" && len(x.Answers) == 0 {
			continue
		}
		x.Parts, x.More = whole(e.Baseline, e.Text)
		x.Hits = hitsIn(added(e.Diff()))
		out = append(out, x)
	}
	return out, err
}

// mostDecided is the size of a text that a person can decide on here.
const mostDecided = 1 << 20

// whole prepares a change of which nothing may be left out, because a person decides on it. more is the number of its parts if it is
// too long for any page.
func whole(was, is []byte) (out []hunk, more int) {
	from := string(was)
	list, ok := edits(from, string(is))
	if !ok || len(is) > mostDecided {
		return nil, max(1, len(list))
	}
	lines := func(text string) (all []string) {
		for line := range strings.Lines(text) {
			all = append(all, textfmt.InLine(strings.TrimRight(line, "\r\n")))
		}
		return all
	}
	for i, e := range list {
		out = append(out, hunk{N: i, Line: 1 + strings.Count(from[:e.Start], "\n"), Removed: lines(from[e.Start:e.End]), Added: lines(e.New)})
	}
	return out, 0
}

// theEdit finds the change that a form names, if it still is the one that was shown.
func theEdit(ctx context.Context, v *visit, a *fleet.Agent) (guardedEdit, error) {
	list, err := guardedEdits(ctx, a, v.backend.Findings([]string{a.Name}))
	if err != nil {
		return guardedEdit{}, err
	}
	i := slices.IndexFunc(list, func(e guardedEdit) bool { return string(e.File) == v.r.PostFormValue("file") })
	if i < 0 {
		return guardedEdit{}, notFound("This change no longer exists.")
	}
	if string(list[i].Version) != v.r.PostFormValue("version") {
		return guardedEdit{}, vault.ErrChanged
	}
	return list[i], nil
}

// acceptEdit makes a change the new baseline, and puts it back if the keeper had restored the file.
func acceptEdit(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	e, err := theEdit(ctx, v, a)
	if err == nil && e.More > 0 {
		err = badRequest("The change is too long to be shown here: use `tend baseline accept`.")
	}
	if err != nil {
		return "", err
	}
	err = runner.WithLock(ctx, a, o.Who, func() error {
		set, err := baseline.Open(a)
		if err == nil {
			_, err = set.Accept(e.Edit, baseline.ApproveRequest{By: o.Who})
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if _, err := runner.CarryBaselines(ctx, a, o); err != nil {
		return "", err
	}
	return "Kept the change of " + string(e.File) + ": it is the baseline now.", v.answered(a, e, o, "the change was kept")
}

// restoreEdit restores the owner's text, or leaves it restored.
func restoreEdit(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	e, err := theEdit(ctx, v, a)
	if err != nil {
		return "", err
	}
	if e.Action == "" {
		r, err := runner.RestoreText(ctx, a, e.File, o)
		if err != nil {
			return said(r, err)
		}
	}
	return "Your text of " + string(e.File) + " is in place.", v.answered(a, e, o, "the text was restored")
}

// answered acknowledges the notices of a change that was decided.
func (v *visit) answered(a *fleet.Agent, e guardedEdit, o runner.Options, why string) error {
	if len(e.Answers) == 0 {
		return nil
	}
	_, err := v.backend.Acknowledge(a.Name, e.Answers, findinglog.Ack{By: o.Who, At: v.o.Clock(), Why: why})
	return err
}
