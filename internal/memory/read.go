package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
	"tend/internal/words"
)

// ReadRequest names a file and, if wanted, some of its lines.
type ReadRequest struct {
	Path string
	From int // first line, from 1; 0 is the first
	To   int // last line; 0 or -1 is the last
}

// Text is a file, or a part of it, as it is now.
type Text struct {
	Path    vault.Path `json:"path"`
	Version string     `json:"version"` // of the whole file
	Text    string     `json:"text"`
	From    int        `json:"from"`  // first line given
	To      int        `json:"to"`    // last line given
	Lines   int        `json:"lines"` // of the whole file
	Bytes   int        `json:"bytes"` // of the whole file
	// Mended: bytes that are no text are shown as U+FFFD.
	Mended bool `json:"mended,omitempty"`
}

// Read gives a file's text; also of what a search of the past has found, under
// the name it has there.
func (r *Reader) Read(ctx context.Context, q ReadRequest) (Text, error) {
	if text, ok, err := r.index.pastText(q.Path); ok {
		var t Text
		if err == nil {
			t, err = lineRange(vault.Doc{Path: vault.Path(q.Path), Data: []byte(text), Version: vault.VersionOf([]byte(text))}, q.From, q.To)
		}
		if err != nil {
			return t, r.fail("read", "read", "", translatePast(q.Path, err))
		}
		return t, nil
	}
	p, err := r.files.parseName(q.Path)
	if err != nil {
		return Text{}, r.fail("read", "read", "", err)
	}
	doc, err := r.files.load(ctx, p)
	if err == nil && doc.Version == vault.Absent {
		err = r.files.missing(ctx, p)
	}
	if err != nil {
		return Text{}, r.fail("read", "read", p, err)
	}
	t, err := lineRange(doc, q.From, q.To)
	if most := policy.FileMaxBytes.Of(r.agent.Policy); err == nil && len(t.Text) > most {
		err = refuse(TooLarge, "%s has %d bytes, more than the %d a memory file may have.", p, t.Bytes, most).
			try("Read some of its %d lines at a time.", t.Lines)
	}
	if err != nil {
		return Text{}, r.fail("read", "read", p, err)
	}
	return t, nil
}

// lineRange cuts lines out of a file.
func lineRange(doc vault.Doc, from, to int) (Text, error) {
	t := Text{Path: doc.Path, Version: doc.Version.Short(), Lines: note.Lines(doc.Data), Bytes: len(doc.Data)}
	t.From, t.To = max(from, 1), to
	if to <= 0 || to > t.Lines {
		t.To = t.Lines
	}
	switch {
	case from < 0 || to < -1:
		return t, refuse(BadRange, "Lines are counted from 1.")
	case t.From > t.Lines && from > 1:
		return t, refuse(BadRange, "%s has %s, so there is no line %d.", doc.Path, words.Count(t.Lines, "line"), from)
	case to > 0 && to < t.From:
		return t, refuse(BadRange, "Line %d comes before line %d.", to, t.From)
	}
	data := string(doc.Data)
	if t.From > 1 || t.To < t.Lines {
		start := offset(data, t.From)
		data = data[start : start+offset(data[start:], t.To-t.From+2)]
	}
	if t.Mended = !utf8.ValidString(data); t.Mended {
		data = strings.ToValidUTF8(data, "\uFFFD")
	}
	t.Text = data
	return t, nil
}

// offset is where a line begins, or the end of the text.
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

// settle is how long a second name of a file may be the rest of a write in
// progress: making a file gives it two names for a moment.
const settle = 20 * time.Millisecond

// load reads a file for a tool. One that does not exist is no error but has the
// version vault.Absent. One that others reach under another name is refused:
// it may be anybody's.
func (f *files) load(ctx context.Context, p vault.Path) (vault.Doc, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		doc, err := f.read(ctx, p)
		switch {
		case errors.Is(err, vault.ErrAbsent):
			return vault.Doc{Path: p}, nil
		case err != nil:
			return doc, f.noFile(ctx, p, err)
		case doc.Links <= 1:
			return doc, nil
		case wait > settle:
			return doc, refuse(Unsafe, "%s has a second name elsewhere (a hard link), so it may not be this memory's.", p).
				try("Tell the operator.")
		}
		if err := sleep(ctx, wait); err != nil {
			return doc, err
		}
	}
}

// noFile says why something cannot be read as a file, where that is simple.
func (f *files) noFile(ctx context.Context, p vault.Path, err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return refuse(BadPath, "%s is no folder, so nothing can be in it.", p.Dir())
	}
	if !errors.Is(err, vault.ErrRefused) {
		return err
	}
	infos, lerr := f.agent.Vault.List(ctx, p.Dir())
	if lerr == nil && slices.ContainsFunc(infos, func(i vault.Info) bool { return i.Path == p && i.Dir }) {
		return refuse(BadPath, "%s is a folder.", p).try("memory_list shows what is in it.")
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// missing is the error for a file that does not exist, with the one that was
// probably meant.
func (f *files) missing(ctx context.Context, p vault.Path) error {
	e := refuse(NotFound, "%s does not exist.", p)
	if there, _, err := f.twin(ctx, p); err == nil && there != "" {
		return e.try("There is %s.", there)
	}
	var names []string
	infos, err := f.agent.Vault.List(ctx, p.Dir())
	if err == nil {
		for _, i := range infos {
			if !i.Dir && !i.Special {
				names = append(names, i.Path.Base())
			}
		}
	}
	if near := policy.Nearest(p.Base(), names); near != "" {
		return e.try("Did you mean %s? memory_list shows all files.", p.Dir().Join(near))
	}
	if there := f.elsewhere(ctx, p.Base()); there != "" {
		return e.try("There is %s. memory_list shows all files.", there)
	}
	return e.try("memory_list shows all files.")
}

// elsewhere finds a file of this name in another folder, among the first of a large memory.
func (f *files) elsewhere(ctx context.Context, name string) (found vault.Path) {
	n := 0
	_ = f.walk(ctx, "", "", func(i vault.Info) bool {
		if n++; fold(i.Path.Base()) == fold(name) {
			found = i.Path
		}
		return found == "" && n < 1000
	})
	return found
}
