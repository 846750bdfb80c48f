package job

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/claim"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// held is an entry that long-term memory holds now.
type held struct {
	note.Entry
	path  vault.Path
	day   note.Day // since when it is known
	hand  bool     // written by hand: it has no date
	ours  bool     // a job wrote it, or a value of it
	open  bool     // jobs may change it
	row   bool     // of a table: only a value of it may be exchanged
	title string   // its heading
	read  *claim.Statement
	words []string // as claim.Terms has them, nil until they are needed
}

// terms are the words of the entry.
func (h *held) terms() []string {
	if h.words == nil {
		h.words = claim.Terms(h.Text())
	}
	return h.words
}

// said is what the entry says, parsed on first use.
func (h *held) said() claim.Statement {
	if h.read == nil {
		s := claim.ReadUnder(h.Text(), h.title, h.day)
		h.read = &s
	}
	return *h.read
}

// byHand reports whether a person wrote these words. A statement that replaced a hand-written line is as hard to remove as that line,
// but its words are not the person's.
func (h *held) byHand() bool { return h.hand && !(h.ours && h.said().Changed) }

// memory is what long-term memory says, found by the words of an entry.
type memory struct {
	list  []*held
	words map[string][]*held // nil until it is needed: on many nights nothing is compared
}

// memory lists the entries of all long-term files, but not of the one that keeps what was superseded.
func (in view) memory() *memory {
	m := &memory{}
	for _, doc := range in.Of(longTerm()...) {
		if in.formerly(doc.Path) {
			continue
		}
		d, line, open := in.Parse(doc), in.Owned(doc), in.open(doc.Path)
		for _, e := range d.Entries(0) {
			if !elsewhere(d, e) {
				m.add(&held{Entry: e, path: doc.Path, day: in.knownSince(doc, e), hand: !dated(e), ours: in.Facts.Past.Promoted.Has(MarkOf(e.Normal())), open: open && e.Start >= line && !e.Pinned, title: heading(d, e)})
			}
		}
	}
	return m
}

// knownSince is the day from which an entry is known, 0 if its file was written by a clock that is ahead of ours: then it is
// newer than nothing.
func (in view) knownSince(doc vault.Doc, e note.Entry) note.Day {
	if !dated(e) && in.writtenBy(doc, e).After(in.Now) {
		return 0
	}
	return in.since(doc, e)
}

func (m *memory) add(h *held) {
	m.list = append(m.list, h)
	if m.words != nil {
		m.index(h)
	}
}

func (m *memory) index(list ...*held) {
	for _, h := range list {
		for _, w := range claim.Terms(h.Text() + " " + h.title) {
			m.words[w] = append(m.words[w], h)
		}
	}
}

func (m *memory) remove(h *held) {
	m.list = slices.DeleteFunc(m.list, func(x *held) bool { return x == h })
	for w, list := range m.words {
		if slices.Contains(list, h) {
			m.words[w] = slices.DeleteFunc(slices.Clone(list), func(x *held) bool { return x == h })
		}
	}
}

// near lists the entries that share a word with a text, in the order of the files.
func (m *memory) near(text string) []*held {
	if m.words == nil {
		m.words = map[string][]*held{}
		m.index(m.list...)
	}
	met := map[*held]bool{}
	for _, w := range claim.Terms(text) {
		for _, h := range m.words[w] {
			met[h] = true
		}
	}
	var out []*held
	for _, h := range m.list {
		if met[h] {
			out = append(out, h)
		}
	}
	return out
}

// formerShelf is the name of the file that keeps what was superseded. It is not loaded.
const formerShelf = "superseded"

// formerly reports whether a file keeps what was superseded.
func (in view) formerly(p vault.Path) bool {
	return strings.TrimSuffix(p.Base(), ".md") == formerShelf && p != in.Sole(layout.Hot)
}

// retire replaces a statement by instead, or removes it if that is empty, and keeps the original with what replaced it and when.
func (d *draft) retire(h *held, by string, day note.Day, why, instead string) bool {
	doc := d.File(h.path)
	text := d.Parse(doc)
	list := text.Entries(0)
	i := slices.IndexFunc(list, func(e note.Entry) bool { return string(e.Raw) == string(h.Raw) })
	if i < 0 || h.row && instead == "" {
		return false
	}
	e := list[i]
	if instead == "" {
		d.set(h.path, spliced(text.Text, text.Remove([]note.Entry{e})...), "retire what no longer holds")
	} else {
		nl := ""
		if note.FinalNewline(e.Raw) {
			nl = note.Newline(text.Text)
		}
		d.set(h.path, spliced(text.Text, note.Edit{At: e.Start, Cut: e.End - e.Start, Text: instead + nl}), "replace what no longer holds")
	}
	d.keepFormer(h, by, day)
	d.find(finding.Superseded.In(string(h.path), "%s: %s → %s", why, briefText(h.said().Text), briefText(by)).AtLine(e.Line))
	return true
}

// keepFormer writes a retired statement to the shelf of what was, or to the archive where a layout has no such place.
func (d *draft) keepFormer(h *held, by string, day note.Day) {
	raw := strings.TrimRight(string(h.Raw), "\r\n")
	line := fmt.Sprintf("superseded %s: %s", day, joined(by))
	shelf := d.named(layout.Semantic, formerShelf)
	beside := path.Dir(string(shelf)) == path.Dir(string(d.Sole(layout.Hot))) // a harness may load that folder
	if shelf == "" || beside || !d.formerly(shelf) || !d.open(shelf) || d.Delimits(shelf) {
		d.pl.Archives = append(d.pl.Archives, plan.Archive{File: h.path, Kind: "superseded", Text: append(slices.Clone(h.Raw), "\n"+line+"\n"...), Why: line})
		return
	}
	if !h.Bullet {
		raw = "- " + strings.ReplaceAll(raw, "\n", "\n  ")
	}
	entry := raw + "\n  " + line
	text := d.File(shelf).Data
	if len(text) == 0 {
		text = []byte(d.freshFile(shelf))
	}
	d.promoted(plan.Source{Entry: h.Normal(), Target: shelf, Path: h.path, Line: h.Line, Hash: vault.VersionOf(h.Raw)})
	d.set(shelf, spliced(text, d.Syntax(shelf).Parse(text).Append(entry)), "keep what was superseded")
}

// joined joins the lines of a text.
func joined(text string) string { return strings.Join(strings.Fields(text), " ") }

// replaced is an entry with one value exchanged for the newer one, where it says other things too. "" if that cannot be done
// without touching other words.
func replaced(h *held, newer claim.Statement) string {
	cs := claim.Conflicts(newer, h.said())
	if len(cs) == 0 {
		return ""
	}
	raw := strings.TrimRight(string(h.Raw), "\r\n")
	if strings.Contains(raw, "(until ") {
		return "" // its end would have to change too
	}
	text := h.said().Text
	done := map[string]bool{}
	for _, c := range cs {
		if !c.Certain(newer, h.said()) || unclear(c, cs, newer, h.said()) {
			return ""
		}
		was, now := whole(h.said().Text, c.Old), literal(newer.Text, c.New)
		if newer.Unread(c.New.Sentence) {
			return "" // it says more than is understood
		}
		if was == "" || now == "" || done[was] || strings.Count(raw, was) != 1 || strings.Contains(now, "\n") {
			if done[was] {
				continue
			}
			return ""
		}
		if c.Old.Span() != c.New.Span() || c.Old.Span() && !c.Close() {
			return "" // one end of a span, or the hours of something else
		}
		if c.Old.Kind == claim.Name && !(proper(was) && proper(now) && (c.Old.Attr == "place") == (c.New.Attr == "place")) {
			return "" // other words around it would have to change too
		}
		before, after, _ := strings.Cut(raw, was)
		if c.Old.Kind == claim.Name && (pronoun().MatchString(before+after) || longer().MatchString(after)) {
			return "" // the rest speaks of the old one, or is part of the name
		}
		if (c.Old.Kind == claim.Weekday || c.Old.Kind == claim.Clock) && (daytime().MatchString(after) || often().MatchString(c.New.Sentence) && !often().MatchString(c.Old.Sentence)) {
			return "" // more of the schedule changed than this value
		}
		if c.Old.Kind == claim.Name && slices.ContainsFunc(strings.Fields(was), func(w string) bool { return strings.Count(raw, w) > 1 && len(w) > 3 }) {
			return "" // more of it would stay
		}
		if rangeBefore().MatchString(before) || rangeAfter().MatchString(after) {
			return "" // one end of a range
		}
		if c.Old.Kind == claim.Name && goesWith(after, newer.Text) {
			return "" // the address or number after a name is not that of another
		}
		done[was] = true
		raw, text = strings.Replace(raw, was, now, 1), strings.Replace(text, was, now, 1)
	}
	back := claim.ReadUnder(text, h.title, h.day)
	if len(claim.Conflicts(newer, back)) > 0 || slices.ContainsFunc(cs, func(c claim.Conflict) bool { return back.Gives(c.Old) }) {
		return "" // it would not say what the newer one says, or the old value twice
	}
	return raw
}

// goesWith reports whether the words after a name belong to it and the newer statement does not repeat them: "Ann Poe, Harbour Road", "Ann at
// Ledgerly", "Ann (555 0144)".
func goesWith(behind, newer string) bool {
	m := apposition().FindStringSubmatch(behind)
	return m != nil && !strings.Contains(newer, m[1])
}

// unclear reports whether a value cannot be exchanged safely: one side gives several of its kind, or the newer one differs in
// another kind as well. "Fri 14:00 to Mon 06:00" and "from Thu 16:00" would make "Thu 14:00 to Thu 06:00", and a supplier would
// get the telephone number of the one that took its place.
func unclear(c claim.Conflict, all []claim.Conflict, newer, older claim.Statement) bool {
	several := func(s claim.Statement, one, other claim.Claim) bool {
		n := 0
		for _, o := range s.Claims {
			if (o.Sentence == one.Sentence || one.Kind == claim.Weekday) && o.Kind == one.Kind && o.Attr == one.Attr && !o.Past && !slices.Equal(o.Values, other.Values) {
				n++
			}
		}
		return n > 1
	}
	if several(older, c.Old, c.New) || several(newer, c.New, c.Old) {
		return true
	}
	if c.Old.Kind != claim.Name && slices.ContainsFunc(nameRe().FindAllString(c.New.Sentence, -1), func(name string) bool {
		return !strings.Contains(older.Text, name) && !strings.Contains(literal(newer.Text, c.New), name)
	}) {
		return true
	}
	return slices.ContainsFunc(newer.Claims, func(n claim.Claim) bool {
		if n.Sentence != c.New.Sentence || n.Kind == c.New.Kind || n.Kind == claim.Name || n.Kind == claim.State || n.Past || older.Gives(n) || slices.ContainsFunc(all, func(o claim.Conflict) bool { return o.New.At == n.At }) {
			return false
		}
		return slices.ContainsFunc(older.Claims, func(o claim.Claim) bool {
			return o.Sentence == c.Old.Sentence && o.Kind == n.Kind && o.Attr == n.Attr
		})
	})
}

// remaining are the sentences of an entry that still hold when a newer statement takes the place of another of its sentences. Those
// stay that say something of their own, a rule or a fact. It is nil if the newer statement is about the entry as a whole.
func remaining(h *held, newer claim.Statement) []string {
	list := claim.Sentences(h.said().Text)
	if len(list) < 2 {
		return nil
	}
	var out []string
	for _, s := range list {
		if over, _ := claim.Supersedes(newer, claim.ReadUnder(s, h.title, h.day)); !over && tells(s, h, newer) {
			out = append(out, s)
		}
	}
	cs := claim.Conflicts(newer, h.said())
	out = slices.DeleteFunc(out, func(s string) bool { // "…; on Fridays it is Ann" goes with the days before it
		i := strings.Index(h.said().Text, s)
		return strings.HasSuffix(strings.TrimSpace(h.said().Text[:max(i, 0)]), ";") && slices.ContainsFunc(claim.Of(s, h.day), func(o claim.Claim) bool {
			return o.Kind != claim.State && slices.ContainsFunc(cs, func(c claim.Conflict) bool { return c.Old.Kind == o.Kind })
		})
	})
	if len(out) == len(list) { // it is the entry as a whole that is superseded: by a value of one of its sentences
		out = slices.DeleteFunc(out, func(s string) bool {
			return len(cs) == 0 || slices.ContainsFunc(cs, func(c claim.Conflict) bool { return c.Old.Sentence == s })
		})
	}
	return out
}

// tells reports whether a sentence says something that is worth keeping without those around it. What it says of the same thing as
// the newer statement is what has changed: a plain fact must be about something else and not be the reason of an earlier change,
// a rule must not give another value.
func tells(sentence string, h *held, newer claim.Statement) bool {
	w, st := claim.WorthOf(sentence, h.day), claim.Read(sentence, h.day)
	shared := len(claim.Shared(newer, st)) > 0
	if shared && slices.ContainsFunc(st.Claims, func(o claim.Claim) bool {
		return !newer.Gives(o) && slices.ContainsFunc(newer.Claims, func(n claim.Claim) bool { return n.Kind == o.Kind && n.Attr == o.Attr && o.Kind != claim.State })
	}) {
		return false
	}
	switch w.Form {
	case "rule", "agreement", "trait":
		return true
	}
	return w.Fact && w.Passing == "" && !w.Report && !claim.Points(sentence) && !claim.Refers(sentence) && !st.Changed && !shared && !h.said().Changed
}

// carried are those of an entry's remaining sentences that the newer statement does not say itself, and the sentence of the newer
// statement behind which they belong.
func carried(h *held, newer claim.Statement) (after, more string) {
	list := slices.DeleteFunc(remaining(h, newer), func(s string) bool { return claim.Same(newer, claim.Read(s, h.day)) })
	if len(list) == 0 {
		return "", ""
	}
	after = claim.Sentences(newer.Text)[0]
	if cs := claim.Conflicts(newer, h.said()); len(cs) > 0 {
		after = cs[0].New.Sentence
	}
	return after, strings.Join(list, " ")
}

// saysMore reports whether an entry has values that a newer statement does not replace, so that only the others are exchanged.
func saysMore(h *held, newer claim.Statement) bool {
	cs := claim.Conflicts(newer, h.said())
	loose := []claim.Kind{claim.Name, claim.State, claim.Number, claim.Count} // a word in place of another may not fit
	if slices.ContainsFunc(cs, func(c claim.Conflict) bool { return slices.Contains(loose, c.Old.Kind) || c.Old.Kind != c.New.Kind }) {
		return false
	}
	return slices.ContainsFunc(h.said().Claims, func(o claim.Claim) bool {
		return o.Kind != claim.State && !o.Past && !o.Passing &&
			!slices.ContainsFunc(cs, func(c claim.Conflict) bool { return c.Old.At == o.At }) &&
			!slices.ContainsFunc(newer.Claims, func(n claim.Claim) bool { return n.Kind == o.Kind })
	})
}

// addsMore reports whether a newer statement has a value, a name or a rule that an entry still lacks when its value is exchanged. The
// reason of a change alone is in the log.
func addsMore(h *held, newer claim.Statement) bool {
	cs := claim.Conflicts(newer, h.said())
	known := claim.Terms(h.said().Text)
	for _, c := range cs {
		known = append(known, claim.Terms(literal(newer.Text, c.New))...)
	}
	lacks := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) })
	}
	return lacks(newer.Subject.Names) || slices.ContainsFunc(newer.Claims, func(n claim.Claim) bool {
		exchanged := slices.ContainsFunc(cs, func(c claim.Conflict) bool { return c.New.At == n.At })
		return n.Kind != claim.State && !n.Past && !n.Passing && !exchanged && !h.said().Gives(n)
	}) || slices.ContainsFunc(claim.Sentences(newer.Text), func(s string) bool {
		return ruling(claim.WorthOf(s, newer.Day).Form) && lacks(claim.Terms(s)) && !slices.ContainsFunc(cs, func(c claim.Conflict) bool { return c.New.Sentence == s })
	})
}

// trimmed is an entry reduced to some of its sentences, "" if one of the others is not found in it exactly once.
func trimmed(h *held, keep []string) string {
	raw := strings.TrimRight(string(h.Raw), "\r\n")
	for _, s := range claim.Sentences(h.said().Text) {
		if slices.Contains(keep, s) {
			continue
		}
		i := strings.Index(raw, s)
		if i < 0 || strings.Count(raw, s) > 1 {
			return ""
		}
		raw = raw[:i] + strings.TrimLeft(raw[i+len(s):], " ")
	}
	return strings.TrimRight(raw, " ")
}

// proper reports whether a text is written as a name and is nothing but that: "Harbour Road", `tor2`, "web-1", "the Bay of Kiel". In
// "school on Mondays" other words would come along.
func proper(text string) bool {
	named := false
	for w := range strings.FieldsSeq(text) {
		switch {
		case strings.ContainsFunc(w, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) || r == '`' || r == '"' }):
			named = true
		case !slices.Contains([]string{"the", "of", "and", "&", "de", "la", "le", "du", "van", "von", "der", "den", "zu", "im", "am"}, w):
			return false
		}
	}
	return named
}

var (
	nameRe      = expr(`\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b\pL[\pL-]*\d+\b`) // "Green Import", "nas2"
	apposition  = expr(`^\s*(?:,|\(|at\b|of\b|in\b|from\b|bei\b|aus\b|von\b)\s*(?:\p{Ll}+ ){0,2}(\p{Lu}[\p{L}-]+|\+?\d[\d ]*)`)
	rangeBefore = expr(`\d\s*(?:to|until|-|–|bis|à|a)\s*$`)
	rangeAfter  = expr(`^\s*(?:to|until|-|–|bis|à|a)\s*\d`)

	pronoun = expr(`(?i)\b(?:he|she|they|him|her|them|his|their|it|its|er|sie|ihn|ihm|ihr|ihre|sein|seine|il|elle|ils|lui|él|ella|ellos)\b`)
	longer  = expr(`^ ["“]?\p{Lu}`)
	address = expr(`^(?:, \p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*)+`) // "…, Mill Lane"
	daytime = expr(`(?i)^s?\s+(?:mornings?|afternoons?|evenings?|nights?|vormittags?|nachmittags?|abends?|matin|soir|tarde)\b`)
	often   = expr(`(?i)\b(?:every|each|daily|nightly|weekly|monthly|hourly|täglich|wöchentlich|jede[nsr]?|chaque|cada)\b|\b(?:at|um|à) \d{1,2}(?:\s+\pL|[,;.]?$)`)
)

// whole is a claim's value as the text has it, a place with the rest of its address.
func whole(text string, c claim.Claim) string {
	value := literal(text, c)
	if c.Kind == claim.Name && c.Attr == "place" && value != "" {
		value += address().FindString(text[c.End:])
	}
	return value
}

// literal is a claim's value as the text has it.
func literal(text string, c claim.Claim) string {
	if len(c.Values) == 0 || c.At < 0 || c.End > len(text) || c.At >= c.End {
		return ""
	}
	return strings.TrimSpace(text[c.At:c.End])
}
