package claim

import (
	"slices"
	"strings"
	"unicode"
)

// states reports whether a sentence says how things are, not what happened: it has a verb in the present, or it is a label
// with a value behind it, as in "Ann's extension: 14".
func (a analysis) states() bool {
	if len(a.words) < 2 {
		return false
	}
	if a.has("present") || a.labelled() {
		return true
	}
	for i := 1; i < len(a.words) && i <= 6; i++ {
		t, before := a.words[i], a.words[i-1]
		if t.name || len(t.low) < 4 || !strings.HasSuffix(t.text, "s") || strings.HasSuffix(t.low, "ss") || strings.HasSuffix(t.low, "us") || strings.HasSuffix(t.low, "is") {
			continue
		}
		if strings.ContainsAny(a.text[before.end:t.at], ",;:()") {
			continue
		}
		// "Ann picks", "the lab delivers"
		if before.name || before.first && capital(before.text) && !a.filler(before.low) || i > 1 && slices.Contains(articles, a.words[i-2].low) && !strings.HasSuffix(before.low, "s") {
			return true
		}
	}
	return false
}

var articles = []string{"the", "our", "my", "his", "her", "their", "your", "its"}

// labelled reports "label: value".
func (a analysis) labelled() bool {
	at := labelEnd(a.text)
	if at <= 0 || len(a.words) == 0 || a.words[0].at > at {
		return false
	}
	n := 0
	for _, w := range a.words {
		if w.end <= at {
			n++
		}
	}
	if n <= 5 && strings.HasPrefix(strings.TrimLeft(a.text[at:], ":= "), "`") {
		return true
	}
	return slices.ContainsFunc(a.values(), func(v value) bool {
		reached := v.kind == Phone || v.kind == Address // "Ann Poe, mobile for burst pipes and alarms: 0113 555 0144"
		return v.at > at && v.kind != Count && (n <= 5 || reached && n <= 9)
	})
}

// directs reports whether a sentence tells somebody what to do by its form: "No orders without …", "If he calls, say …".
func (a analysis) directs() string {
	if len(a.words) < 4 {
		return ""
	}
	first := a.words[0].low
	i := 0
	if slices.Contains(conditions, first) { // "If he calls, say nothing"
		at := strings.Index(a.text, ", ")
		if at < 0 {
			return ""
		}
		for i = range a.words {
			if a.words[i].at > at {
				break
			}
		}
		if a.isPhraseAt("imperative", i) {
			return first + " …, " + a.words[i].low
		}
		return ""
	}
	if a.isPhraseAt("forbid", 0) && a.states() && !a.recounts() {
		return first
	}
	if a.isPhraseAt("universal", 0) && a.told() == "" { // "anything from the council goes to Ann"
		for _, w := range a.words[1:min(len(a.words), 14)] {
			if slices.Contains(habits, w.low) {
				return first + " … " + w.low
			}
		}
	}
	if slices.Contains([]string{"we", "i", "wir", "ich", "nous"}, first) && a.states() && a.has("alone") { // "we use paper bags only"
		return first + " … " + a.phrase("alone")
	}
	for i, w := range a.words { // "no phones at the table, ever"
		if w.low == "ever" && strings.IndexAny(a.text[w.end:]+".", ".;!,") == 0 && slices.ContainsFunc(a.words[:i], func(no word) bool {
			return slices.Contains([]string{"no", "not", "nobody", "nothing"}, no.low) && (no.first || strings.ContainsAny(a.text[:no.at][max(0, no.at-2):], ".,;:")) || no.low == "not" && a.deniedVerb(no)
		}) {
			return "no … ever"
		}
	}
	if p := a.without(); p != "" && a.told() == "" {
		return p
	}
	if last := a.words[len(a.words)-1]; a.isPhraseAt("alone", len(a.words)-1) && a.states() && a.told() == "" { // "refunds go out in cash only"
		return "… " + last.low
	}
	at := labelEnd(a.text)
	for i, w := range a.words[:len(a.words)-2] { // "rule of the yard: nobody climbs alone"
		if at > 0 && w.at > at && (w.low == "nobody" && strings.HasSuffix(a.words[i+1].low, "s") && !slices.Contains([]string{"has", "is", "was"}, a.words[i+1].low) || w.low == "niemand") && !strings.ContainsAny(a.text[at+1:w.at], ".,;") && a.told() == "" {
			return w.low + " " + a.words[i+1].low
		}
	}
	for i, w := range a.words { // "noted: no calls after 19:00 unless …"
		if at > 0 && w.at > at {
			if i <= 3 && a.isPhraseAt("forbid", i) && a.has("unless") && len(a.words) > i+2 {
				return w.low
			}
			break
		}
	}
	return ""
}

// recounts reports whether a sentence that begins with "no" or "nobody" forbids nothing: "nobody noticed", "nothing to say about
// them", "not ours, it is in the other house".
func (a analysis) recounts() bool {
	next := a.words[1]
	if a.words[0].low == "not" {
		return !slices.Contains([]string{"without", "before", "after", "even", "until"}, next.low)
	}
	return pastVerb(next) || slices.Contains([]string{"to", "has", "have", "had", "was", "were"}, next.low)
}

// without finds "no schema change without Ann on the call": a "no" and, in the same clause, on what condition.
func (a analysis) without() string {
	for _, c := range a.clauses(nil) {
		part := a.cut(c)
		for i, w := range part.words {
			if !slices.Contains([]string{"no", "kein", "keine", "keinen"}, w.low) {
				continue
			}
			for _, next := range part.words[i+1:] {
				if slices.Contains([]string{"without", "ohne", "unless"}, next.low) {
					return w.low + " … " + next.low
				}
			}
		}
	}
	return ""
}

// deniedVerb reports whether a "not" denies what somebody does: "the dog does not come in".
func (a analysis) deniedVerb(not word) bool {
	return slices.ContainsFunc(a.words, func(w word) bool {
		return w.end+1 == not.at && slices.Contains([]string{"do", "does", "is", "are", "may", "must", "will", "should"}, w.low)
	})
}

// habits are verbs with which a sentence about all of something makes a rule.
var habits = []string{
	"goes", "go", "gets", "get", "needs", "need", "must", "may", "has", "stays", "stay", "belongs", "belong", "comes", "waits", "requires", "geht", "gehen", "kommt",
	"kommen", "muss", "müssen", "braucht", "bleibt", "va", "vont", "doit", "doivent", "va", "van", "debe", "deben",
}

var conditions = []string{"if", "when", "wenn", "falls", "si", "quand", "cuando"}

// speaker is who a sentence quotes: "Ann: …", "Ann said: …", with words of their own behind it.
func (a analysis) speaker() string {
	at := strings.Index(a.text, ": ")
	if at <= 0 || at > 50 {
		return ""
	}
	var before []word
	rest := 0
	for _, w := range a.words {
		switch {
		case w.end <= at:
			before = append(before, w)
		case w.at > at:
			rest++
		}
	}
	if len(before) == 0 || rest < 4 || len(before) > 7 || !capital(before[0].text) || a.filler(before[0].low) || words().weekdays[before[0].low] != 0 {
		return ""
	}
	next := len(before)
	if len(before) > 1 && a.isPhraseAt("aside", 1) && a.asks(at) { // "Ann at lunch: bad news comes first in any message"
		return before[0].text
	}
	if len(before) > 4 {
		return ""
	}
	if len(before) == 1 && (a.isPhraseAt("imperative", next) || a.isPhraseAt("forbid", next) || slices.Contains(conditions, a.words[next].low)) { // "Ann: ask when unsure"
		return before[0].text
	}
	if a.isPhraseAt("speech", len(before)-1) {
		return before[0].text
	}
	return ""
}

// asks reports whether what stands behind a speaker's colon is quoted, or tells somebody what to do.
func (a analysis) asks(colon int) bool {
	rest := strings.TrimLeft(a.text[colon:], ": ")
	said := analyse(rest)
	if len(said.words) == 0 || unicode.IsDigit([]rune(rest)[0]) {
		return false
	}
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "“") || strings.HasPrefix(rest, "„") {
		return strings.IndexAny(rest[1:], `"”“`) > len(rest)*2/3 // not a name in quotes
	}
	return said.told() == "" && (said.has("wish") || said.has("rule") || said.has("universal") || said.isPhraseAt("imperative", 0) || said.isPhraseAt("forbid", 0))
}
