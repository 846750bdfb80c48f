package memory

import (
	"context"
	"errors"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// AppendRequest adds to the end of a file.
type AppendRequest struct {
	Path string `json:"filename"`
	Text string `json:"text"`
	If   string `json:"if_version,omitempty"`
}

// Append adds whole lines at the end of a file, creating it if needed. It is an append down to the disk: concurrent
// appends by others are not lost.
func (w *Writer) Append(ctx context.Context, r AppendRequest) (Receipt, error) {
	p, err := w.files.Name(r.Path)
	if err == nil {
		err = checkText(p, r.Text)
	}
	if err == nil && strings.Trim(r.Text, "\r\n") == "" {
		err = toolerr.New(toolerr.BadInput, "The text to append is empty.")
	}
	if err != nil {
		return Receipt{}, w.fail("append", "append to", "", err)
	}
	rec, err := w.save(ctx, edit{
		call: "append", file: p, seen: r.If,
		plan: func(in job.Input) (plan.Plan, error) {
			before := in.File(p)
			nl := note.Newline(before.Data)
			text := wholeLines(r.Text, nl)
			if !note.FinalNewline(before.Data) {
				text = nl + text
			}
			return plan.Plan{Changes: []plan.Change{{Path: p, Op: plan.Append, Before: before.Version, Old: before.Data, New: []byte(text)}}}, nil
		},
	})
	if err != nil {
		return Receipt{}, w.fail("append", "append to", p, err)
	}
	return rec, nil
}

// confirmAppended reads back the file after an append, since others may have appended too.
func (w *Writer) confirmAppended(ctx context.Context, rec *Receipt, p vault.Path, text string) error {
	now, err := w.agent.Vault.Read(ctx, p)
	switch {
	case errors.Is(err, vault.ErrAbsent):
		rec.Warnings = append(rec.Warnings, "The file has been removed since.")
		return nil
	case err != nil:
		return err
	}
	if now.Version.Short() == rec.Version {
		return nil
	}
	rec.Version, rec.Bytes, rec.Lines = now.Version.Short(), len(now.Data), note.Lines(now.Data)
	if i := strings.LastIndex(string(now.Data), text); i >= 0 {
		rec.At = note.LineAt(now.Data, i)
	} else {
		rec.Warnings = append(rec.Warnings, "The file has been rewritten since; memory_history has your text.")
	}
	return nil
}
