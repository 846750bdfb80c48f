package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tend/internal/app/baseline"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/audit"
	"tend/internal/engine/past"
	"tend/internal/engine/runner"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/findinglog"
)

// flash is the message that the next page shows.
type flash struct {
	Text string
}

// deed is an operation that a form requests.
type deed func(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error)

func deeds() map[string]deed {
	return map[string]deed{
		"ack": acknowledge, "dismiss": dismiss, "accept": accept, "undo": undo, "undo-part": undoPart, "approve": approve, "reject": reject,
		"resolve": resolve, "baseline-approve": baselineApprove, "baseline-restore": baselineRestore,
		"edit-accept": acceptEdit, "edit-restore": restoreEdit,
		"restore-lost": restoreLost, "undo-rewrite": undoRewrite,
		"restore": restore, "restore-part": restorePart, "restore-section": restoreSection,
	}
}

// do carries out what a form requests, in the name of the person who sent it, and returns to the form's page.
func (s *Site) do(v *visit) error {
	do, ok := deeds()[v.r.PathValue("verb")]
	if !ok {
		return notFound("No such operation.")
	}
	// What was begun is finished, even if the browser disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), 2*time.Minute)
	defer cancel()
	name := v.r.PostFormValue("agent")
	return v.open(ctx, name, func(_ *fleet.Fleet, a *fleet.Agent) error {
		text, err := do(ctx, v, a, v.options())
		if err != nil {
			return err
		}
		s.backend.FilesChanged(name)
		v.session.flash.Store(&flash{Text: text})
		http.Redirect(v.w, v.r, v.back("/a/"+escapePath(name)), http.StatusSeeOther)
		return nil
	})
}

// options returns who asks and why.
func (v *visit) options() runner.Options {
	return runner.Options{Who: v.session.who, Reason: textfmt.Clip(textfmt.InLine(strings.TrimSpace(v.r.PostFormValue("reason"))), 500)}
}

// back returns the page that a form was on.
func (v *visit) back(otherwise string) string {
	return wayBack(v.r.PostFormValue("back"), otherwise)
}

// wayBack returns a path of this site. Browsers ignore tabs and line breaks in an address, and take a backslash for a
// slash.
func wayBack(to, otherwise string) string {
	odd := func(r rune) bool { return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) }
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsFunc(to, odd) {
		return otherwise
	}
	return to
}

// wrote describes what was written, with the action that can be undone.
func wrote(what string, r runner.Result, err error) (string, error) {
	if err = cmp.Or(err, r.Err); err != nil {
		return "", err
	}
	if r.Action == "" {
		return "Nothing to do: the file is already like that.", nil
	}
	return what + " (" + r.Action + ")", nil
}

// said describes a result.
func said(r runner.Result, err error) (string, error) {
	if err = cmp.Or(err, r.Err); err != nil {
		return "", err
	}
	text := cmp.Or(r.Summary, string(r.Outcome))
	if r.Action != "" {
		text += " (" + r.Action + ")"
	}
	return text, nil
}

func acknowledge(_ context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	done, err := v.backend.Acknowledge(a.Name, v.r.PostForm["id"], findinglog.Ack{By: o.Who, At: v.o.Clock(), Why: o.Reason})
	if err != nil {
		return "", err
	}
	if len(done) == 0 {
		return "", notFound("This finding no longer exists.")
	}
	return "Acknowledged.", nil
}

// dismiss decides that places of a finding are no problem, as `tend check --accept FILE:LINE` does. The lines must be those that the
// person saw.
func dismiss(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	snap, err := a.Snapshot(ctx)
	if err == nil {
		err = a.Gather(ctx, &snap)
	}
	if err != nil {
		return "", err
	}
	now := v.o.Clock()
	var until *time.Time
	if d, err := policy.ParseDuration(v.r.PostFormValue("until")); err == nil {
		end := now.Add(d.Std())
		until = &end
	}
	var list []finding.Acceptance
	for _, p := range audit.Places(snap.Input, audit.Examine(snap.Input)) {
		same := foundNow{Finding: p.Finding}.Key() == v.r.PostFormValue("finding")
		if same && slices.Contains(v.r.PostForm["line"], strconv.Itoa(p.Line)) {
			list = append(list, finding.NewAcceptance(finding.Acceptance{Agent: a.Name, Code: p.Code, File: p.File, Line: p.Digest,
				Reason: o.Reason, By: o.Who, At: now.UTC(), Until: until}))
		}
	}
	if len(list) == 0 {
		return "", notFound("This finding no longer exists.")
	}
	if err := findinglog.Accept(v.o.State, a.Name, list); err != nil {
		return "", err
	}
	if ids := v.r.PostForm["id"]; len(ids) > 0 {
		_, err = v.backend.Acknowledge(a.Name, ids, findinglog.Ack{By: o.Who, At: now, Why: o.Reason})
	}
	return "Not reported again; `tend check --accepted` lists what was decided.", err
}

func accept(_ context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	ids := v.r.PostForm["action"]
	if err := findinglog.Review(v.o.State, a.Name, ids, findinglog.Ack{By: o.Who, At: v.o.Clock(), Why: o.Reason}); err != nil {
		return "", err
	}
	return "Accepted " + textfmt.Count(len(ids), "action") + " of " + a.Name + ".", nil
}

func undo(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	did, err := a.Ledger.Find(v.r.PostFormValue("action"))
	if err != nil {
		return "", err
	}
	return said(runner.Undo(ctx, a, did, v.r.PostFormValue("merge") != "", o))
}

// undoPart reverts one change of an action and keeps the others.
func undoPart(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	did, err := a.Ledger.Find(v.r.PostFormValue("action"))
	if err != nil {
		return "", err
	}
	i, _ := strconv.Atoi(v.r.PostFormValue("slot"))
	n, _ := strconv.Atoi(v.r.PostFormValue("part"))
	if i < 0 || i >= len(did.Files) {
		return "", badRequest("The action has no such file.")
	}
	file := did.Files[i].Path
	before, text, err := past.Open(a).Texts(did, i)
	if err != nil {
		return "", err
	}
	after := string(text)
	doc, err := a.Vault.Read(ctx, file)
	if err != nil {
		return "", err
	}
	list, ok := edits(after, string(before))
	if !ok || n < 0 || n >= len(list) {
		return "", badRequest("The action has no such change.")
	}
	now, ok := takeBack(string(doc.Data), after, list[n])
	if !ok {
		return "", &failure{status: http.StatusConflict, text: string(file) + " has changed there since.",
			hint: "Restore single lines on its history page instead."}
	}
	o.Reason = strings.TrimSpace("undo part of " + did.ID + " " + o.Reason)
	r, err := runner.Write(ctx, a, file, []byte(now), &doc.Version, "restore", o)
	return wrote("Undid one change of "+did.Job+" in "+string(file)+"; the others stay.", r, err)
}

func approve(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	if err := seen(v, a); err != nil {
		return "", err
	}
	r, err := runner.Approve(ctx, a, v.r.PostFormValue("id"), o)
	if err == nil && r.Action == "" && len(r.Findings) > 0 {
		return "", &failure{status: http.StatusConflict, text: r.Findings[0].Text, hint: r.Findings[0].Remedy}
	}
	return said(r, err)
}

// seen refuses to approve a proposal other than the one the person has seen.
func seen(v *visit, a *fleet.Agent) error {
	list, err := a.Proposals.List()
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.ID == v.r.PostFormValue("id") && p.State == fleet.Waiting && string(p.Digest()) != v.r.PostFormValue("version") {
			return vault.ErrChanged
		}
	}
	return nil
}

func reject(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	return said(runner.Reject(ctx, a, v.r.PostFormValue("id"), o))
}

// baselineApprove approves the text the person has seen, and no other.
func baselineApprove(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (text string, err error) {
	set, err := onlyBaseline(v, a)
	if err != nil {
		return "", err
	}
	err = runner.WithLock(ctx, a, o.Who, func() error {
		pending, err := set.Pending()
		if err != nil {
			return err
		}
		if len(pending) != 1 || string(pending[0].SHA256) != v.r.PostFormValue("version") {
			return vault.ErrChanged
		}
		if _, more := whole(pending[0].Was, pending[0].Is); more > 0 {
			return &failure{status: http.StatusConflict, text: "The change is too long to be shown here.",
				hint: "Read and approve it with `tend baseline approve`."}
		}
		_, err = set.Approve(baseline.ApproveRequest{By: o.Who})
		return err
	})
	return "Approved the new text of " + v.r.PostFormValue("file") + ".", err
}

func baselineRestore(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (text string, err error) {
	set, err := onlyBaseline(v, a)
	if err != nil {
		return "", err
	}
	var changes []baseline.Change
	err = runner.WithLock(ctx, a, o.Who, func() (err error) {
		changes, err = set.Restore(false)
		return err
	})
	text = "Restored the approved text of " + v.r.PostFormValue("file") + "."
	if err == nil && changes[0].Replaced != "" {
		text += " The other text is kept as " + changes[0].Replaced + "."
	}
	return text, err
}

func onlyBaseline(v *visit, a *fleet.Agent) (baseline.Set, error) {
	set, err := baseline.Open(a)
	if err != nil {
		return set, err
	}
	return set.Only(v.r.PostFormValue("file"))
}

// restore restores a file to one of its versions.
func restore(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	file, then, _, err := versionIn(ctx, v, a)
	if err != nil {
		return "", err
	}
	o.Reason = strings.TrimSpace("as at " + then.Known + " " + o.Reason)
	r, err := runner.Write(ctx, a, file, then.Data, nil, "restore", o)
	return wrote("Restored "+string(file)+" as it was "+then.Known+".", r, err)
}

// restorePart restores the lines of one change.
func restorePart(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	file, then, now, err := versionIn(ctx, v, a)
	if err != nil {
		return "", err
	}
	if string(now.Version) != v.r.PostFormValue("version") {
		return "", vault.ErrChanged
	}
	list, ok := edits(string(now.Data), string(then.Data))
	n, _ := strconv.Atoi(v.r.PostFormValue("part"))
	if !ok || n < 0 || n >= len(list) {
		return "", badRequest("There is no such change.")
	}
	o.Reason = strings.TrimSpace("lines as at " + then.Known + " " + o.Reason)
	r, err := runner.Write(ctx, a, file, []byte(apply(string(now.Data), list[n])), &now.Version, "restore", o)
	return wrote("Restored these lines of "+string(file)+"; the rest stays as it is.", r, err)
}

// restoreSection restores a section, in the place of the one with the same heading if there is one.
func restoreSection(ctx context.Context, v *visit, a *fleet.Agent, o runner.Options) (string, error) {
	file, then, now, err := versionIn(ctx, v, a)
	if err != nil {
		return "", err
	}
	n, _ := strconv.Atoi(v.r.PostFormValue("section"))
	all := sectionsOf(string(then.Data))
	if n < 0 || n >= len(all) {
		return "", badRequest("There is no such section.")
	}
	o.Reason = strings.TrimSpace("section as at " + then.Known + " " + o.Reason)
	at := &now.Version
	if now.Version == vault.Absent {
		at = nil
	}
	r, err := runner.Write(ctx, a, file, []byte(withSection(string(now.Data), all[n])), at, "restore", o)
	return wrote("Restored the section “"+textfmt.Clip(textfmt.InLine(all[n].Title), 80)+"” of "+string(file)+".", r, err)
}

// versionIn returns the version of a file that a form names, with the file as it is now.
func versionIn(ctx context.Context, v *visit, a *fleet.Agent) (vault.Path, past.Text, vault.Doc, error) {
	file, err := vault.ParsePath(v.r.PostFormValue("file"))
	if err != nil {
		return "", past.Text{}, vault.Doc{}, badRequest("%v", err)
	}
	then, err := past.Open(a).Text(ctx, file, v.r.PostFormValue("at"))
	if errors.Is(err, past.ErrUnknown) || err == nil && then.Gone {
		err = notFound("The text of that version is not kept.")
	}
	if err != nil {
		return "", then, vault.Doc{}, err
	}
	now, err := a.Vault.Read(ctx, file)
	if errors.Is(err, vault.ErrAbsent) {
		now, err = vault.Doc{Path: file, Version: vault.Absent}, nil
	}
	return file, then, now, err
}
