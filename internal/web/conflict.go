package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/act"
	"tend/internal/finding"
	"tend/internal/fleet"
	"tend/internal/notice"
	"tend/internal/past"
	"tend/internal/vault"
)

// conflict is a file of which two machines changed the same lines: this one's text is in the file, the other's in an
// archive.
type conflict struct {
	notice.Notice
	Version vault.Version // of the file, which is what the person sees
	Parts   []hunk        // Removed is what this side says, Added the other
	More    int
	Same    bool // the file has all of the other text
	Archive string
}

// conflictOf shows the other machine's text beside what is in the file.
func conflictOf(ctx context.Context, a *fleet.Agent, n notice.Notice) conflict {
	c := conflict{Notice: n}
	doc, other, err := sidesOf(ctx, a, &c)
	if err != nil {
		return c
	}
	if list, ok := contested(string(doc.Data), other); ok {
		c.Version, c.Same = doc.Version, len(list) == 0
		c.Parts, c.More = hunksOf(string(doc.Data), list, mostHunks)
	}
	return c
}

// sidesOf reads both texts of a conflict.
func sidesOf(ctx context.Context, a *fleet.Agent, c *conflict) (doc vault.Doc, other string, err error) {
	for word := range strings.FieldsSeq(c.Text) {
		kept, ok, err := past.Of(a).Find("archive:" + word)
		if !ok || err != nil {
			continue
		}
		c.Archive = word
		doc, err = a.Vault.Read(ctx, kept.File)
		return doc, string(kept.Data), err
	}
	return doc, "", notFound("The other machine's text is no longer kept.")
}

// contested are the places where the other text says something that this one does not. What only this one has was
// written here alone, and stays.
func contested(now, other string) (list []udiff.Edit, ok bool) {
	all, ok := edits(now, other)
	for _, e := range all {
		if strings.TrimSpace(e.New) != "" {
			list = append(list, e)
		}
	}
	return list, ok
}

// settle makes the text of a conflict: with the other side's lines in the place of ours, or after them.
func settle(now string, list []udiff.Edit, both bool) string {
	var b strings.Builder
	at := 0
	for _, e := range list {
		b.WriteString(now[at:e.Start])
		if both {
			b.WriteString(now[e.Start:e.End])
			if e.End > e.Start && now[e.End-1] != '\n' {
				b.WriteByte('\n')
			}
		}
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(now[at:])
	return b.String()
}

// resolve decides a conflict: the text of this side stays, the other side's takes its place, or both are kept. The
// finding is then acknowledged, with what was decided.
func resolve(ctx context.Context, v *visit, a *fleet.Agent, o act.Options) (string, error) {
	c := conflict{}
	for _, n := range v.house.Findings([]string{a.Name}) {
		if n.ID == v.r.PostFormValue("id") && n.Code == finding.SyncConflict.Code {
			c.Notice = n
		}
	}
	if c.ID == "" {
		return "", notFound("This conflict is over.")
	}
	side := v.r.PostFormValue("take")
	said := map[string]string{"here": "kept this side", "other": "took the other side", "both": "kept both"}[side]
	if said == "" {
		return "", badRequest("Take this side, the other, or both.")
	}
	text := "Settled: " + said + " of " + c.File + "."
	if side != "here" {
		doc, other, err := sidesOf(ctx, a, &c)
		if err != nil {
			return "", err
		}
		if string(doc.Version) != v.r.PostFormValue("version") {
			return "", vault.ErrChanged
		}
		list, ok := contested(string(doc.Data), other)
		if !ok {
			return "", &failure{status: http.StatusConflict, text: "The texts are too large to merge here.", hint: "Edit the file, then acknowledge the finding."}
		}
		w := o
		w.Reason = strings.TrimSpace("conflict: " + said + " " + o.Reason)
		r, err := act.Write(ctx, a, doc.Path, []byte(settle(string(doc.Data), list, side == "both")), &doc.Version, "restore", w)
		if err = errors.Join(err, r.Err); err != nil {
			return "", err
		}
		if r.Action != "" {
			text += " (" + r.Action + ")"
		}
	}
	o.Reason = strings.TrimSpace(said + " " + o.Reason)
	_, err := v.house.Acknowledge(a.Name, []string{c.ID}, notice.Ack{By: o.Who, At: v.o.Clock(), Why: o.Reason})
	return text, err
}
