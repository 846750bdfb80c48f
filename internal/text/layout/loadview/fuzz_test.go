package loadview

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tend/internal/text/layout"
)

func FuzzInject(f *testing.F) {
	f.Add("plain text\nof two lines", 10, 100, 0)
	f.Add("- must 😀\r\nnever\n"+strings.Repeat("漢字 ", 90), 120, 400, 3)
	f.Add("---\na: b\n---\n<!-- x -->\ny\n§\ny", 5, 1, 7)
	f.Add("\xff\xf0\x9f broken \xed\xa0\x80", 4, 64, 5)
	refs := []string{
		"openclaw@2026.9", "openclaw@2026.8", "openclaw@2026.4", "openclaw@2026.2", "hermes", "claude-code", "codex",
		"zeroclaw", "harness", "letta",
	}
	var layouts []layout.Layout
	for _, ref := range refs {
		layouts = append(layouts, preset(f, ref))
	}
	names := []string{"AGENTS.md", "SOUL.md", "MEMORY.md", "USER.md", "memories/MEMORY.md", "memory/CONTEXT.md", "system/a.md", "CLAUDE.md"}
	f.Fuzz(func(t *testing.T, text string, limit, total, pick int) {
		l := layouts[uint(pick)%uint(len(layouts))]
		var files []File
		for _, name := range names {
			files = append(files, File{Name: name, Data: []byte(text)})
		}
		o := Options{Root: "/w", FileLimit: limit % 5000, TotalLimit: total % 20000}
		r := Inject(l, files, o)
		if r.Total > 0 && l.Show.Cut.Inside && r.Used > r.Total {
			t.Errorf("%s: used %d of %d", l.Ref(), r.Used, r.Total)
		}
		for _, in := range r.Files {
			check(t, l, in, text)
		}
	})
}

func check(t *testing.T, l layout.Layout, in Injected, text string) {
	t.Helper()
	if !in.Shown {
		if in.Text != "" || in.Intact != nil {
			t.Errorf("%s %s: not shown, yet %q %v", l.Ref(), in.Name, in.Text, in.Intact)
		}
		return
	}
	if !utf8.ValidString(in.Text) {
		t.Errorf("%s %s: %q is not UTF-8", l.Ref(), in.Name, in.Text)
	}
	if l.Show.Cut.Inside && in.Limit > 0 && in.Size > in.Limit {
		t.Errorf("%s %s: %d is over the limit of %d", l.Ref(), in.Name, in.Size, in.Limit)
	}
	if in.Size != count(in.Text, l.Show.Unit) {
		t.Errorf("%s %s: size %d, text has %d", l.Ref(), in.Name, in.Size, count(in.Text, l.Show.Unit))
	}
	last := 0
	for _, k := range in.Intact {
		if k.From < last || k.To <= k.From || k.To > len(text) {
			t.Errorf("%s %s: range %+v is not in order within %d", l.Ref(), in.Name, k, len(text))
			return
		}
		last = k.To
		if part := text[k.From:k.To]; utf8.ValidString(text) && !strings.Contains(in.Text, part) {
			t.Errorf("%s %s: %q is not in %q", l.Ref(), in.Name, part, in.Text)
		}
	}
	if in.Cut != (in.Reason == Truncated) {
		t.Errorf("%s %s: cut %v, reason %q", l.Ref(), in.Name, in.Cut, in.Reason)
	}
	if !in.Cut && (in.Lost > 0 || in.Lines != nil) {
		t.Errorf("%s %s: whole, yet %d lost, %v", l.Ref(), in.Name, in.Lost, in.Lines)
	}
}
