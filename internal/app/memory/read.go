package memory

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// ReadRequest names a file and optionally some of its lines.
type ReadRequest struct {
	Path string `json:"filename"`
	From int    `json:"from,omitempty" jsonschema:"first line, from 1"` // 0 is the first
	To   int    `json:"to,omitempty" jsonschema:"last line"`            // 0 or -1 is the last
}

// Text is a file, or part of it, as it is now.
type Text struct {
	Path    vault.Path `json:"path"`
	Version string     `json:"version"` // of the whole file
	Text    string     `json:"text"`
	From    int        `json:"from"`  // first line returned
	To      int        `json:"to"`    // last line returned
	Lines   int        `json:"lines"` // of the whole file
	Bytes   int        `json:"bytes"` // of the whole file
	// Mended reports whether there are bytes that are not UTF-8, shown as U+FFFD.
	Mended bool `json:"mended,omitempty"`
}

// Read returns the text of a file, or of an earlier text by the name that a search gave it.
func (r *Reader) Read(ctx context.Context, q ReadRequest) (Text, error) {
	if t, ok, err := r.readPast(q); ok {
		if err != nil {
			return Text{}, r.fail("read", "read", "", err)
		}
		return t, nil
	}
	p, err := r.files.Name(q.Path)
	if err != nil {
		return Text{}, r.fail("read", "read", "", err)
	}
	t, err := r.readFile(ctx, p, q)
	if err != nil {
		return Text{}, r.fail("read", "read", p, err)
	}
	return t, nil
}

// readPast reads an earlier text; ok is false if the name is that of a file.
func (r *Reader) readPast(q ReadRequest) (t Text, ok bool, err error) {
	text, ok, err := r.index.PastText(q.Path)
	if !ok {
		return t, false, nil
	}
	if err == nil {
		t, err = lineRange(vault.Doc{Path: vault.Path(q.Path), Data: []byte(text), Version: vault.VersionOf([]byte(text))}, q.From, q.To)
	}
	return t, true, translatePast(q.Path, err)
}

func (r *Reader) readFile(ctx context.Context, p vault.Path, q ReadRequest) (Text, error) {
	doc, err := r.files.Load(ctx, p)
	if err != nil {
		return Text{}, err
	}
	if doc.Version == vault.Absent {
		return Text{}, r.files.Missing(ctx, p)
	}
	t, err := lineRange(doc, q.From, q.To)
	if most := policy.FileMaxBytes.Of(r.agent.Policy); err == nil && len(t.Text) > most {
		err = toolerr.New(toolerr.TooLarge, "%s has %d bytes, more than the %d a memory file may have.", p, t.Bytes, most).
			Try("Read some of its %d lines at a time.", t.Lines)
	}
	return t, err
}

// Identity returns the text of the agent's identity file.
func (r *Reader) Identity(ctx context.Context) (string, error) {
	p := vault.Path(r.agent.Layout.Path(layout.Identity, ""))
	if p == "" {
		return "", r.fail("read", "read", "", toolerr.New(toolerr.NotFound, "This layout has no identity file."))
	}
	doc, err := r.agent.Vault.Read(ctx, p)
	if err != nil {
		return "", r.fail("read", "read", p, err)
	}
	return string(doc.Data), nil
}

// lineRange returns some lines of a file, or all of them.
func lineRange(doc vault.Doc, from, to int) (Text, error) {
	t := Text{Path: doc.Path, Version: doc.Version.Short(), Lines: note.Lines(doc.Data), Bytes: len(doc.Data)}
	switch {
	case from < 0 || to < -1:
		return t, toolerr.New(toolerr.BadRange, "Lines are counted from 1.")
	case from > max(t.Lines, 1):
		return t, toolerr.New(toolerr.BadRange, "%s has %s; line %d does not exist.", doc.Path, textfmt.Count(t.Lines, "line"), from)
	case to > 0 && to < from:
		return t, toolerr.New(toolerr.BadRange, "Line %d comes before line %d.", to, from)
	}
	t.From, t.To = max(from, 1), to
	if to <= 0 || to > t.Lines {
		t.To = t.Lines
	}
	data := string(doc.Data)
	if t.From > 1 || t.To < t.Lines {
		data = data[offset(data, t.From):offset(data, t.To+1)]
	}
	if t.Mended = !utf8.ValidString(data); t.Mended {
		data = strings.ToValidUTF8(data, "\uFFFD")
	}
	t.Text = data
	return t, nil
}

// offset returns where a line begins, or the end of the text.
func offset(text string, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// translatePast words the errors that say that there is no such text; others stay as they are.
func translatePast(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ledger.ErrNoText) || errors.Is(err, ledger.ErrNoAction) {
		return toolerr.New(toolerr.NotFound, "The past has no %s.", toolerr.Quote(path))
	}
	return err
}
