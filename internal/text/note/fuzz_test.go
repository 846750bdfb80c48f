package note

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf8"
)

// seeds are texts that break careless parsers.
var seeds = []string{
	"", "\n", "\r\n", "---", "---\n", "a", "a\nb", "# T\n#tags: x\n> last_verified: 2026-11-15\n\n- [decision] a\n  - b\n\n  c\n- [x] d\n",
	"# Me\r\nRules\r\n---\r\n## Scratch Notes (x)\r\n- note", utf8BOM + "---\nk: v\n---\n# T\n---\nn",
	"a\n```\n---\n```\n~~~~\n~~~\n---\n~~~~\n---\nb",
	"```\n---\nnever closed", "- a\n    ```\n    ---\n    ```\n- b\n", "- 記憶を整理 🧠\n- ＡＢＣ\u0301\n", "\xff\xfe\n- \x80[x] \xc3\n",
	"[14:30] x\n2026-11-15 14:30 - y (2026-11-16) ✅ 2026-11-17\n~~z~~\n", "a\n§\nb\n\n§\n§\nc",
	"<!-- a\n--> b\n<!-- importance: 9 | x: y -->\n",
	"Updated: 2026-11-15\nDecisions: x\nSignal: y\nOpen: none\n\n", "**Updated:** x\nDecisions:\nSignal:\nOpen:\nmore",
	"|a|\n|-|\n1. x\n2) y\n\t- z\n",
	"# Working Buffer\ncreated: 2026-11-15T08:00:00Z\nlast_active: 2026-11-15T09:30:00Z\n\n## Active Task: x\n- a\n",
	"## 2026-11-15\n\n- a\n\n## 2026-11-16\n",
	"- **[decision]:** `[lesson]` (done) [a](b) [[c]] x [human] #pinned #y\n", "* * *\n- - -\n***\n",
	"> **Last updated:** *x*\n_last_verified: y_\n", "a\rb\u2028c\u0085d\n",
}

func FuzzParseIdentity(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "---", false)
		f.Add([]byte(s), "<!-- notes -->", true)
	}
	f.Add([]byte("§"), "---", true)
	f.Fuzz(func(t *testing.T, text []byte, sep string, delimited bool) {
		syn := Syntax{Separator: sep}
		if delimited {
			syn.Style = Delimited
		}
		d := syn.Parse(text)
		pos, line := 0, 1
		for _, b := range d.Parts {
			if b.Start != pos || b.End <= b.Start || b.Line != line {
				t.Fatalf("block %+v: want start %d, line %d", b, pos, line)
			}
			pos, line = b.End, line+bytes.Count(d.Raw(b), []byte("\n"))
		}
		if pos != len(text) {
			t.Fatalf("blocks end at %d of %d", pos, len(text))
		}
		for _, s := range d.Sections {
			if s.Start >= s.Body || s.Body > s.End || s.End > len(text) {
				t.Fatalf("section %+v", s)
			}
		}
		entries := d.Entries(1)
		for _, e := range entries {
			if m := e.marks; m.body > m.tail || m.tail > m.own || m.own > len(e.Raw) {
				t.Fatalf("marks %+v of %q", m, e.Raw)
			}
			e.Friction()
			e.Meta("x")
		}
		at, inside := 0, 0
		for _, b := range d.Blocks(1) {
			if b.Start < at || string(b.Raw) != string(text[b.Start:b.End]) || b.Section >= len(d.Sections) {
				t.Fatalf("block %+v after %d", b, at)
			}
			for at = b.End; inside < len(entries) && entries[inside].Start < at; inside++ {
				if entries[inside].Start < b.Start || entries[inside].End > at {
					t.Fatalf("entry %q is split by %q", entries[inside].Raw, b.Raw)
				}
			}
			b.Text()
			d.HeadingPath(b.Section)
		}
		if inside != len(entries) {
			t.Fatalf("blocks have %d of %d entries", inside, len(entries))
		}
		SortOf(sep, text)
		DayInName(sep)
		if _, err := Apply(text, d.Remove(entries)); err != nil {
			t.Fatal(err)
		}
		if more, err := Apply(text, []Edit{d.Append("- new entry")}); err == nil && syn.Separator == "---" {
			if es := syn.Parse(more).Entries(0); len(es) == 0 || es[len(es)-1].Text() != "new entry" {
				t.Fatalf("appended to %q: %q has no such entry", text, more)
			}
		}
		for _, ed := range []Edit{
			d.Append("- new\n"), d.Append("## X\ny"), d.SetHeader("tags", "a", false), d.SetClosure(Closure{Updated: 1}),
			ParseBuffer(text, time.UTC).Heartbeat(time.Unix(0, 0)),
		} {
			out, err := Apply(text, []Edit{ed})
			must(t, err)
			if !bytes.HasPrefix(out, text[:ed.At]) || !bytes.HasSuffix(out, text[ed.At+ed.Cut:]) {
				t.Fatalf("%+v on %q gives %q", ed, text, out)
			}
		}
	})
}

func FuzzSplitConserves(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), []byte(seeds[(i+7)%len(seeds)]), "---")
		f.Add([]byte(s), []byte("# Me\nRules\n---\n## Scratch\n"), "")
		f.Add([]byte("# Me\nRules\n---\n"+s), []byte("# Me\nRules\n---\n"), "---")
		f.Add([]byte(s), []byte(s+"...\n"), "...")
	}
	f.Fuzz(func(t *testing.T, text, baseline []byte, sep string) {
		z := Split(text, baseline, sep)
		if !bytes.Equal(append(bytes.Clone(z.Above()), z.Notes()...), text) {
			t.Fatalf("above %q and notes %q are not %q", z.Above(), z.Notes(), text)
		}
		if !bytes.HasSuffix(z.Notes(), z.Added()) || z.Equal != bytes.Equal(text, baseline) {
			t.Fatalf("%+v: added %q, notes %q", z, z.Added(), z.Notes())
		}
		if !z.Equal && !z.Drift && z.Marked && !bytes.HasPrefix(trimBOM(text), trimBOM(baseline[:lineStart(baseline, sep)])) {
			t.Fatalf("no drift reported: %q against %q", text, baseline)
		}
		// Whatever is appended to a fresh file is notes, and nothing else is.
		if _, _, ok := FindLine(trimBOM(baseline), sep); ok {
			z := Split(append(bytes.Clone(baseline), text...), baseline, sep)
			rest, found := bytes.CutSuffix(text, z.Added())
			if z.Drift || !found || !isBlank(rest) {
				t.Fatalf("appended %q to %q: drift %v, added %q", text, baseline, z.Drift, z.Added())
			}
		}
	})
}

// lineStart returns where the baseline's separator line starts.
func lineStart(baseline []byte, sep string) int {
	body := trimBOM(baseline)
	start, _, _ := FindLine(body, sep)
	return len(baseline) - len(body) + start
}

func FuzzApply(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), []byte(seeds[(i+1)%len(seeds)]), []byte{1, 1, 3, 0, 2, 9})
	}
	f.Add([]byte("記憶"), []byte("記録"), []byte{0, 0})
	f.Fuzz(func(t *testing.T, old, new, steps []byte) {
		e := Trim(old, new)
		out, err := Apply(old, []Edit{e})
		if err != nil || !bytes.Equal(out, new) {
			t.Fatalf("Trim(%q, %q) = %+v gives %q, %v", old, new, e, out, err)
		}
		if utf8.Valid(old) && utf8.Valid(new) && !(utf8.Valid(old[e.At:e.At+e.Cut]) && utf8.ValidString(e.Text)) {
			t.Fatalf("Trim(%q, %q) = %+v cuts a character in two", old, new, e)
		}

		// Edits in order must equal the plain assembly of their pieces; all others must be rejected.
		var edits []Edit
		var want []byte
		pos, good := 0, true
		for i := 0; i+1 < len(steps); i += 2 {
			e := Edit{At: pos + int(int8(steps[i])), Cut: int(steps[i+1] % 16), Text: "+"}
			edits = append(edits, e)
			if good = good && e.At >= pos && e.At+e.Cut <= len(old); good {
				want = append(append(want, old[pos:e.At]...), '+')
				pos = e.At + e.Cut
			}
		}
		out, err = Apply(old, edits)
		if good && (err != nil || !bytes.Equal(out, append(want, old[pos:]...))) {
			t.Fatalf("Apply(%q, %v) = %q, %v", old, edits, out, err)
		}
		for _, e := range edits {
			if (e.At < 0 || e.At+e.Cut > len(old)) && err == nil {
				t.Fatalf("Apply(%q, %v) reached outside the text", old, edits)
			}
		}
	})
}
