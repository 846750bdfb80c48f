package job

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Fix repairs what can be repaired without understanding the memory's content: header lines,
// the tags' place, closure blocks, the buffer's head. It never claims that a file was
// verified, and never touches the operator's text.
func Fix(in Input) plan.Plan {
	d := fixer{newDraft(in, "check")}
	for _, f := range HeadedFiles(in, layout.Header.FixesTitle) {
		d.fixTitle(f)
	}
	for _, f := range HeadedFiles(in, layout.Header.HasTags) {
		d.fixTags(f)
	}
	for _, f := range HeadedFiles(in, func(h layout.Header) bool { return h.Exact }) {
		if slices.ContainsFunc(f.Rule.Lines, func(s string) bool { return strings.HasPrefix(s, "last_updated:") }) {
			d.fixHeader(f.Path, "last_updated")
		}
	}
	if WantsClosure(in) {
		for _, log := range in.Logs() {
			d.fixClosure(log)
		}
	}
	if WantsBufferHeader(in) {
		d.fixBuffer(in.File(in.Sole(layout.Buffer)))
	}
	pl := d.plan()
	pl.Summary = fmt.Sprintf("%d files fixed", len(pl.Changes))
	if pl.Empty() {
		pl.Summary = "nothing can be fixed safely"
	}
	return pl
}

// fixer is a draft being repaired.
type fixer struct{ *draft }

// repair makes edits that leave the operator's text alone.
func (d fixer) repair(p vault.Path, why string, edits ...note.Edit) {
	owned := d.Owned(d.File(p))
	for _, e := range edits {
		if e.At < owned {
			return
		}
	}
	d.edit(p, why, edits...)
}

// fixTitle adds a missing title, from the layout or the file's name, and removes blank lines above a title. A title below
// other text is left to a person, since a second one would not help.
func (d fixer) fixTitle(f Headed) {
	first := f.Top(1)
	want := f.Rule.Lines[0]
	if len(f.Data) == 0 || !strings.HasPrefix(want, "# ") || len(first) == 1 && strings.HasPrefix(first[0], "# ") {
		return
	}
	top := len(f.Data) - len(strings.TrimPrefix(string(f.Data), "\ufeff"))
	for _, s := range d.Parse(d.File(f.Path)).Sections {
		if s.Level == 1 {
			if strings.TrimSpace(string(f.Data[top:s.Start])) == "" {
				d.repair(f.Path, "bring the title to the first line", note.Edit{At: top, Cut: s.Start - top})
			}
			return
		}
	}
	title := strings.ReplaceAll(want, "{title}", titleOf(f.Path))
	d.repair(f.Path, "add the title", note.Edit{At: top, Text: title + note.Newline(f.Data)})
}

// titleOf makes a title of a file's name: "lessons-learned.md" is "Lessons Learned".
func titleOf(p vault.Path) string {
	words := strings.FieldsFunc(strings.TrimSuffix(p.Base(), path.Ext(string(p))),
		func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// fixTags moves the tags to their line. Which tags a file should have, a person says.
func (d fixer) fixTags(f Headed) {
	doc := d.File(f.Path)
	h, ok := d.Parse(doc).Header("tags")
	if !ok || h.Line == f.Rule.TagsLine() || h.Start < d.Owned(doc) {
		return
	}
	without, err := note.Apply(doc.Data, []note.Edit{{At: h.Start, Cut: h.End - h.Start}})
	if err != nil {
		return
	}
	e := d.Syntax(f.Path).Parse(without).SetHeader("tags", "", false)
	e.Text = strings.TrimRight(string(doc.Data[h.Start:h.End]), "\r\n") + note.Newline(doc.Data)
	if after, err := note.Apply(without, []note.Edit{e}); err == nil && e.At >= d.Owned(doc) {
		d.set(f.Path, after, "bring the tags to their line")
	}
}

func (d fixer) fixHeader(p vault.Path, name string) {
	doc := d.File(p)
	parsed := d.Parse(doc)
	if h, ok := parsed.Header(name); !ok || strings.TrimSpace(h.Value) == "" {
		d.repair(p, "add "+name, parsed.SetHeader(name, d.Today().String(), false))
	}
}

// fixClosure adds a missing closure block. Which of several is right, only a person can say.
func (d fixer) fixClosure(log Log) {
	parsed := d.Parse(log.Doc)
	if len(log.Data) > 0 && len(parsed.Closures()) == 0 {
		d.repair(log.Path, "add the closure block", parsed.SetClosure(note.Closure{Updated: log.Day}))
	}
}

// fixBuffer rewrites the buffer's head. It does not claim that the buffer was used just now, unless the file's time is in
// the future.
func (d fixer) fixBuffer(doc vault.Doc) {
	b := note.ParseBuffer(doc.Data, d.Now.Location())
	if doc.Version == vault.Absent || b.Valid {
		return
	}
	active, created := b.LastActive, b.Created
	if active.IsZero() {
		active = doc.ModTime.In(d.Now.Location())
	}
	if doc.ModTime.IsZero() && b.LastActive.IsZero() || active.After(d.Now) {
		active = d.Now
	}
	if created.IsZero() {
		created = active
	}
	head := strings.ReplaceAll(note.NewBuffer(created, active), "\n", note.Newline(doc.Data))
	d.repair(doc.Path, "write the head again", note.Edit{Cut: b.Body, Text: head})
}

// WantsClosure reports whether daily logs end with a closure block.
func WantsClosure(in Input) bool { return in.Sole(layout.Daily) != "" && len(in.Layout.Closure) > 0 }

// WantsBufferHeader reports whether the layout says how the buffer begins.
func WantsBufferHeader(in Input) bool {
	_, ok := in.Layout.Header(layout.Buffer)
	return ok && in.Sole(layout.Buffer) != ""
}

// Headed is a file with the layout's header for it.
type Headed struct {
	vault.Doc
	Rule layout.Header
}

// HeadedFiles lists the files for which the layout has a header of some kind, by name, without the buffer.
func HeadedFiles(in Input, want func(layout.Header) bool) []Headed {
	var out []Headed
	for _, h := range in.Layout.Headers {
		if !want(h) {
			continue
		}
		for _, d := range in.WithRoles(h.Roles...) {
			if role, _ := in.Layout.RoleOf(string(d.Path)); role != layout.Buffer {
				out = append(out, Headed{d, h})
			}
		}
	}
	slices.SortFunc(out, func(a, b Headed) int { return byPath(a.Doc, b.Doc) })
	return out
}

// Top returns the first n lines of a file, without line endings.
func (f Headed) Top(n int) []string {
	var out []string
	for line := range bytes.Lines(bytes.TrimPrefix(f.Data, []byte("\ufeff"))) {
		if len(out) == n {
			break
		}
		out = append(out, strings.TrimRight(string(line), " \t\r\n"))
	}
	return out
}
