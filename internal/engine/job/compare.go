package job

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Compare finds labels that have different values in two files under the same headings, and promoted lines whose source
// says something else now. It reads structure only and changes nothing: what a sentence means is for a person or a model
// to say. With a curator's answer, what it found becomes proposals: the outdated line, and the words of the line that is right.
func Compare(in Input) plan.Plan {
	pl := judgedPairs(in)
	pl.Findings = append(pl.Findings, append(differing(in), sourcesChanged(in)...)...)
	finding.Sort(pl.Findings)
	pl.Summary = "nothing differs"
	if n := len(pl.Findings); n > 0 {
		pl.Summary = fmt.Sprintf("%d to look at", n)
	}
	return pl
}

// judgedPairs proposes what a curator found: each pair of lines was checked, and only a person decides which one holds.
func judgedPairs(in Input) plan.Plan {
	d := newDraft(in, "compare")
	j := &judging{promotion: d.promotion("compare", maxPromoted)}
	for _, a := range in.Judged {
		if a.Failed != "" {
			d.find(finding.CuratorFailed.In("", "%s", a.Failed))
			continue
		}
		j.current = a
		for _, dec := range a.Decisions {
			if dec.Op == curator.Replace && dec.Verdict == curator.Proposed {
				j.replace(dec)
			}
		}
	}
	return d.plan()
}

// sourcesChanged finds promoted lines that stand as Tend wrote them although their log has a newer version of the entry
// they came from.
func sourcesChanged(in Input) []finding.Finding {
	var out []finding.Finding
	reported := map[string]bool{}
	lines := map[vault.Path]map[string]int{} // of each target, by the words of its entries
	for _, s := range in.Facts.Sources {
		if lines[s.Target] == nil {
			lines[s.Target] = entryLines(in, s.Target)
		}
		line, stands := lines[s.Target][s.Entry]
		doc := in.File(s.Path)
		if s.Moved || !stands || reported[s.Entry] || doc.Version == vault.Absent {
			continue
		}
		reported[s.Entry] = true
		was := cmp.Or(s.Was, s.Entry)
		list := in.Parse(doc).Entries(0)
		if slices.ContainsFunc(list, func(e note.Entry) bool { return e.Normal() == was }) {
			continue
		}
		for _, e := range list {
			if Versions(e.Normal(), was) >= NewerAt {
				out = append(out, finding.SourceDiffers.In(string(s.Target), "it was promoted from %s, which says at line %d now: %s", s.Path,
					e.Line, scan.Quote(e.Text(), briefRunes)).AtLine(line))
				break
			}
		}
	}
	return out
}

// entryLines are the lines of a file's entries, by their words.
func entryLines(in Input, p vault.Path) map[string]int {
	out := map[string]int{}
	for _, e := range in.Parse(in.File(p)).Entries(0) {
		out[e.Normal()] = e.Line
	}
	return out
}

// labelled is the value of a label in a file.
type labelled struct {
	path  vault.Path
	line  int
	value string
	often bool // the file has the label more than once: it is a record, and none of its values is the value
}

// differing compares the labels of long-term files by their heading path.
func differing(in Input) []finding.Finding {
	first := map[string]labelled{}
	var out []finding.Finding
	for _, doc := range in.WithRoles(longTerm()...) {
		order, here := labels(in.Parse(doc), doc.Path)
		for _, key := range order {
			now := here[key]
			was, ok := first[key]
			switch {
			case now.often:
			case !ok:
				first[key] = now
			case note.Normal(was.value) != note.Normal(now.value):
				out = append(out, finding.LabelDiffers.In(string(doc.Path), "%q, but %s:%d says %q",
					scan.Quote(now.value, 80), was.path, was.line, scan.Quote(was.value, 80)).AtLine(now.line))
			}
		}
	}
	return out
}

// labels returns the labels of a file with their values, by heading path and label. Dated sections are records of a day.
func labels(d *note.Doc, p vault.Path) (order []string, out map[string]labelled) {
	out = map[string]labelled{}
	for _, b := range d.Blocks(0) {
		if b.Label == "" || b.Section < 0 || b.Day != 0 || b.Kind != note.BulletBlock && b.Kind != note.ParagraphBlock {
			continue
		}
		key, ok := subject(d, b)
		text := b.Text()
		_, value, found := strings.Cut(text, b.Label)
		value = strings.TrimLeft(value, "*_:：—– \t")
		if !ok || !found || value == "" || strings.Contains(value, "\n") {
			continue
		}
		had, often := out[key]
		if !often {
			order = append(order, key)
			had = labelled{path: p, line: b.Line, value: value}
		}
		had.often = often
		out[key] = had
	}
	return order, out
}

// subject is the heading path of a block and its label. The title of the file says nothing: every file has another one.
func subject(d *note.Doc, b note.Block) (string, bool) {
	titles := d.HeadingPath(b.Section)
	if d.Sections[0].Level == 1 && titles[0] == d.Sections[0].Title {
		titles = titles[1:]
	}
	if len(titles) == 0 {
		return "", false
	}
	return strings.ToLower(strings.Join(append(titles, b.Label), "\x00")), true
}
