package claim

import (
	"slices"
	"strings"
)

// row reads the row of a table as a sentence, its first cell as the label of the others: "| Ann | porter | ext. 12 |" as
// "Ann: porter, ext. 12". Every byte stays in its place, so that values are found at their place in the row.
func row(text string) string {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) < 5 || trimmed[0] != '|' || strings.Count(trimmed, "|") < 3 || strings.Contains(trimmed, "\n") {
		return text
	}
	out := []byte(text)
	for i, n := 0, 0; i < len(out); i++ {
		if out[i] != '|' {
			continue
		}
		switch n++; n {
		case 1:
			out[i] = ' '
		case 2:
			out[i] = ':'
		default:
			out[i] = ','
		}
	}
	return string(out)
}

// theme is what a sentence begins with, up to its verb, a preposition, a value or a colon: it names what the sentence is about.
// Who says it, and at which occasion, is no theme.
func themeOf(a analysis, values []value) []string {
	if at := labelEnd(a.text); at > 0 && (a.manner().speaker() != "" || occasion(a, at) || clauseAfter(a, at)) {
		return themeFrom(a, at, values)
	}
	return themeFrom(a, 0, values)
}

// clauseAfter reports whether a label of one word has a clause with a subject and a verb of its own behind it: "Lars: imaging
// changes to 08:15".
func clauseAfter(a analysis, at int) bool {
	if i := slices.IndexFunc(a.words, func(w word) bool { return w.at > at }); i != 1 || !capital(a.words[0].text) || capital(a.words[1].text) || a.filler(a.words[1].low) {
		return false
	}
	return slices.ContainsFunc([]int{2, 3}, func(k int) bool { return a.isPhraseAt("present", k) || a.isPhraseAt("changed", k) })
}

func themeFrom(a analysis, from int, values []value) []string {
	var out []string
	told := false
	for i, t := range a.words {
		if t.at < from {
			continue
		}
		gap := i > 0 && t.at > from && a.words[i-1].at >= from && strings.ContainsAny(a.text[a.words[i-1].end:t.at], ",;:()=–—→")
		if gap || inValue(values, t) {
			break
		}
		if slices.Contains(articles, t.low) || slices.Contains(genitives, t.low) {
			continue
		}
		if a.filler(t.low) && (told || i > 0) || a.isPhraseAt("present", i) && i > 0 || told && (a.isPhraseAt("changed", i) || a.weak(t.stem) && strings.HasSuffix(t.low, "s")) {
			break
		}
		if a.filler(t.low) || words().titles[t.low] || words().weekdays[t.low] != 0 || slices.Contains(occasions, t.low) {
			continue
		}
		told = true
		out = append(out, t.stem)
	}
	return compact(out)
}

// genitives join two nouns of one theme: "retention of logs".
var genitives = []string{"of", "von", "vom", "des", "de", "du", "del"}

// occasion reports whether a label only says when or where something was said: "Meeting: …".
func occasion(a analysis, at int) bool {
	part := a.cut([2]int{0, at})
	if len(part.words) > 2 && slices.Contains(messages, part.words[0].low) && slices.Contains([]string{"from", "with", "von", "vom", "mit", "de", "du", "avec", "con"}, part.words[1].low) {
		return true // "Letter from the city: …"
	}
	return len(part.words) > 0 && len(part.words) <= 3 && slices.ContainsFunc(part.words, func(w word) bool { return slices.Contains(occasions, w.low) }) &&
		!slices.ContainsFunc(part.words, func(w word) bool {
			return !slices.Contains(occasions, w.low) && !a.filler(w.low) && !isNumber(w.text) && words().weekdays[w.low] == 0
		})
}

// occasions are labels that say when something was said or of what sort it is, not what it is about.
var occasions = []string{
	"meeting", "call", "standup", "note", "notes", "update", "correction", "decision", "reminder", "news", "fyi", "important", "agreed", "settled", "change", "changed", "today", "lesson", "jour", "fixe",
	"besprechung", "korrektur", "notiz", "wichtig", "entscheidung", "neu", "réunion", "rappel", "correction", "reunión", "nota", "corrección",
}

// messages are ways to hear of something.
var messages = []string{
	"letter", "mail", "email", "e-mail", "message", "note", "call", "text", "sms", "news", "word", "memo", "notice", "brief", "nachricht", "anruf", "post", "lettre", "courrier", "appel", "carta", "correo", "mensaje", "llamada",
}

// sameTheme reports whether two sentences begin with the same words for what they are about and give one value of the kind each,
// and the newer one says that it changed.
func sameTheme(x, y Claim, newer, older Statement) bool {
	if x.Kind == Name || !x.Changed || otherSort(x.Subject, y.Subject) || !single(x, newer) || !single(y, older) {
		return false
	}
	shared := common(x.Theme, y.Theme)
	least := min(len(x.Theme), len(y.Theme))
	switch x.Kind {
	case Clock, Weekday, Date:
		least = max(len(x.Theme), len(y.Theme)) // a customer has many of these
	}
	about := func(c Claim) bool { // "summer" only says when
		return slices.ContainsFunc(common(shared, c.Subject.Strong), func(w string) bool { return !slices.Contains(c.Subject.Quals, w) })
	}
	return len(shared) > 0 && len(shared) == least && about(x) && about(y)
}

// single reports whether a statement has no other value of a claim's kind.
func single(c Claim, s Statement) bool {
	n := 0
	for _, o := range s.Claims {
		if o.Kind == c.Kind && o.Attr == c.Attr && live(o) {
			n++
		}
	}
	return n == 1
}

// elliptic reports whether a clause leaves out its subject: "…, to be delivered by …", "… and kept under …".
func elliptic(a analysis) bool {
	i := 0
	if len(a.words) > 1 && slices.Contains([]string{"and", "und", "et", "y"}, a.words[0].low) {
		i = 1
	}
	if i >= len(a.words) {
		return false
	}
	w := a.words[i].low
	return w == "to" && i+1 < len(a.words) && a.words[i+1].low == "be" || strings.HasSuffix(w, "ed") && len(w) > 4 && !a.words[i].name || slices.Contains([]string{"kept", "held", "paid", "due", "sent", "put", "set"}, w)
}
