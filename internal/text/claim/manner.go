package claim

import (
	"slices"
	"strings"
	"unicode"
)

// manner is the way a sentence speaks: it says how things are, tells somebody what to do, tells what happened, or quotes.
type manner struct{ analysis }

// states reports whether a sentence says how things are, not what happened: it has a verb in the present, or it is a label
// with a value behind it, as in "Ann's extension: 14".
func (a manner) states() bool {
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
		// "Ann picks", "the lab delivers", "nobody climbs"
		if before.name || slices.Contains(nobody, before.low) || before.first && capital(before.text) && !a.filler(before.low) || i > 1 && slices.Contains(articles, a.words[i-2].low) && !strings.HasSuffix(before.low, "s") {
			return true
		}
	}
	return false
}

var articles = []string{"the", "our", "my", "his", "her", "their", "your", "its"}

// nobody are words for no person, which a verb may follow.
var nobody = []string{"nobody", "no-one", "noone"}

// labelled reports "label: value".
func (a manner) labelled() bool {
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
	return slices.ContainsFunc(valuesOf(a.analysis), func(v value) bool {
		reached := v.kind == Phone || v.kind == Address // "Ann Poe, mobile for burst pipes and alarms: 0113 555 0144"
		return v.at > at && v.kind != Count && (n <= 5 || reached && n <= 9)
	})
}

// directs reports whether a sentence tells somebody what to do by its form: "No orders without …", "If he calls, say …".
func (a manner) directs() string {
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
		for i, w := range a.words[1:min(len(a.words), 14)] {
			bound := w.low == "has" && i+2 < len(a.words) && a.words[i+2].low == "to"
			if bound || slices.Contains(habits, w.low) {
				return first + " … " + w.low
			}
		}
	}
	if slices.Contains([]string{"we", "i", "wir", "ich", "nous"}, first) && a.states() && a.has("alone") && a.told() == "" && !perfect(a.words[1]) { // "we use paper bags only"
		return first + " … " + a.phrase("alone")
	}
	if no := slices.IndexFunc(a.words, func(w word) bool { return slices.Contains(noWords, w.low) }); (no == 0 || no == 1 && slices.Contains([]string{"so", "also", "und", "and"}, first)) && a.when().often() && a.told() == "" {
		return a.words[no].low + " … " // "no orders to the mill on a Friday"
	}
	for i, w := range a.words { // "there is no call before 10:30"
		if i > 1 && slices.Contains(noWords, w.low) && slices.Contains([]string{"there", "gibt"}, a.words[i-2].low) && a.told() == "" && (a.when().often() || slices.ContainsFunc(valuesOf(a.analysis), func(v value) bool { return v.bound })) {
			return "there is no"
		}
	}
	if p := a.phrase("negate"); p != "" && a.when().often() && a.told() == "" && !a.recounts() { // "freitags liefern wir nicht"
		return p
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
	if p := a.notDone(); p != "" {
		return p
	}
	if p := a.routes(); p != "" && a.told() == "" {
		return p
	}
	if p := a.requires(); p != "" && a.told() == "" {
		return p
	}
	last := a.words[len(a.words)-1]
	if is := a.words[len(a.words)-2].low; a.isPhraseAt("alone", len(a.words)-1) && a.states() && a.told() == "" && !slices.Contains([]string{"is", "are", "ist", "sind"}, is) {
		return "… " + last.low // "refunds go out in cash only"
	}
	at := labelEnd(a.text)
	for i, w := range a.words[:len(a.words)-2] { // "rule of the yard: nobody climbs alone"
		if at > 0 && w.at > at && (slices.Contains(nobody, w.low) && strings.HasSuffix(a.words[i+1].low, "s") && !slices.Contains([]string{"has", "is", "was"}, a.words[i+1].low) || w.low == "niemand") && !strings.ContainsAny(a.text[at+1:w.at], ".,;") && a.told() == "" {
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
// them", "no, it is in the other house".
func (a manner) recounts() bool {
	next := a.words[1]
	if a.words[0].low == "not" {
		return !slices.Contains([]string{"without", "before", "after", "even", "until"}, next.low)
	}
	return answers(a.text) || pastVerb(next) || perfect(next) || slices.Contains([]string{"to", "was", "were", "wants", "knows"}, next.low)
}

// perfect reports a verb that begins "has seen".
func perfect(w word) bool { return slices.Contains([]string{"has", "have", "had"}, w.low) }

// without finds "no schema change without Ann on the call": a "no", or what is not done, and in the same clause on what condition.
func (a manner) without() string {
	for _, c := range a.clauses(nil) {
		part := a.cut(c)
		for i, w := range part.words {
			if !slices.Contains([]string{"no", "kein", "keine", "keinen"}, w.low) && !(w.low == "not" && part.manner().deniedVerb(w)) {
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

// routes finds "questions about the rota go to Ann, not to Ben".
func (a manner) routes() string {
	for i, w := range a.words[:len(a.words)-2] {
		if i == 0 || !slices.Contains([]string{"go", "goes", "gehen", "geht", "vont", "va"}, w.low) || !slices.Contains([]string{"to", "an", "à", "a"}, a.words[i+1].low) || !a.words[i+2].name {
			continue
		}
		for j := i + 3; j < len(a.words); j++ {
			if slices.Contains([]string{"not", "nicht", "pas", "no", "never"}, a.words[j].low) && strings.Contains(a.text[a.words[j-1].end:a.words[j].at], ",") {
				return w.low + " " + a.words[i+1].low + " …, " + a.words[j].low
			}
		}
	}
	return ""
}

// requires finds "a refund needs a signature": what of all things of a sort somebody has to agree to.
func (a manner) requires() string {
	first := a.words[0]
	if a.find("require") == nil || first.name || slices.Contains(articles, first.low) || capital(first.text) && !strings.HasSuffix(first.low, "s") && !slices.Contains(indefinite, first.low) && !a.isPhraseAt("universal", 0) {
		return ""
	}
	m := a.find("require")[0]
	for _, consent := range a.find("consent") {
		if m[0] > 0 && m[0] <= 8 && consent[0] >= m[1] && consent[0] <= m[1]+4 {
			return a.join(m) + " … " + a.join(consent)
		}
	}
	return ""
}

// notDone finds "no calls are put through", at the beginning or behind words that say when.
func (a manner) notDone() string {
	i := slices.IndexFunc(a.words, func(w word) bool { return slices.Contains(noWords, w.low) })
	if i < 0 || i > 6 || i+3 >= len(a.words) || i > 0 && !a.isPhraseAt("aside", 0) || a.told() != "" || strings.ContainsAny(a.text[:a.words[i].at], ".;:") {
		return ""
	}
	for j := i + 2; j < min(i+5, len(a.words)-1); j++ {
		if next := a.words[j+1]; slices.Contains([]string{"is", "are", "gets", "get"}, a.words[j].low) && (pastVerb(next) || slices.Contains(participles, next.low)) {
			return a.words[i].low + " … " + a.words[j].low + " " + next.low
		}
	}
	return ""
}

// participles are those that do not end in "ed".
var participles = []string{"put", "done", "made", "given", "taken", "sent", "sold", "set", "cut", "let", "kept", "held", "shown", "told", "written", "read", "bought", "paid", "left", "run", "brought", "lent", "built", "used"}

// deniedVerb reports whether a "not" denies what somebody does: "the dog does not come in".
func (a manner) deniedVerb(not word) bool {
	return slices.ContainsFunc(a.words, func(w word) bool {
		return w.end+1 == not.at && slices.Contains([]string{"do", "does", "is", "are", "may", "must", "will", "should"}, w.low)
	})
}

// habits are verbs with which a sentence about all of something makes a rule.
var habits = []string{
	"goes", "go", "gets", "get", "needs", "need", "must", "may", "stays", "stay", "belongs", "belong", "comes", "waits", "requires", "geht", "gehen", "kommt",
	"kommen", "muss", "müssen", "braucht", "bleibt", "va", "vont", "doit", "doivent", "va", "van", "debe", "deben",
}

var conditions = []string{"if", "when", "wenn", "falls", "si", "quand", "cuando"}

// speaker is who a sentence quotes: "Ann: …", "Ann said: …", with words of their own behind it.
func (a manner) speaker() string {
	at := strings.Index(a.text, ": ")
	if at <= 0 || at > 50 {
		return ""
	}
	before := a.words[:a.before(at)]
	rest := 0
	for i := range a.words {
		if a.words[i].at > at {
			rest++
		}
	}
	if len(before) == 1 && strings.HasPrefix(a.text, "@") {
		return before[0].text
	}
	if len(before) == 0 || rest < 4 || len(before) > 7 || !capital(before[0].text) || a.filler(before[0].low) || a.isPhraseAt("status", 0) || words().weekdays[before[0].low] != 0 {
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

// asks reports whether the words after a speaker's colon are quoted or tell somebody what to do.
func (a manner) asks(colon int) bool {
	rest := strings.TrimLeft(a.text[colon:], ": ")
	said := analyse(rest)
	if len(said.words) == 0 || unicode.IsDigit([]rune(rest)[0]) {
		return false
	}
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "“") || strings.HasPrefix(rest, "„") {
		return strings.IndexAny(rest[1:], `"”“`) > len(rest)*2/3 // not a name in quotes
	}
	return said.manner().told() == "" && (said.has("wish") || said.has("rule") || said.has("universal") || said.isPhraseAt("imperative", 0) || said.isPhraseAt("forbid", 0))
}

// counted reports a sentence in which only a number of people want something, or nobody does: "31 new mails, 6 want an answer".
func (a manner) counted() bool {
	found := a.find("wish")
	return len(found) > 0 && !slices.ContainsFunc(found, func(m [2]int) bool {
		if m[0] == 0 {
			return true
		}
		_, number := parseNumber(a.words[m[0]-1].text)
		return !number && a.words[m[0]-1].low != "nobody"
	})
}

// descriptive reports a sentence whose only word of a rule is none: it tells how something was ("that was never switched
// off"), answers a question ("We do not.") or leaves it open ("may or may not").
func (a manner) descriptive() bool {
	found := a.find("rule")
	return len(found) > 0 && !slices.ContainsFunc(found, func(m [2]int) bool {
		answer := m[1] == len(a.words) && m[0] > 0 && slices.Contains([]string{"not", "don't"}, a.words[m[1]-1].low)
		return !answer && !a.tellsNot(m) && !a.tellsNever(m) && !a.tellsElse(m) && (m[0] == 0 || !slices.Contains([]string{"was", "were", "has", "had", "been", "i've", "i'd", "or", "as", "that", "which", "who"}, a.words[m[0]-1].low))
	})
}

// tellsNever reports a "never" that tells what did not happen: "they never answered". "Is never renamed" is a rule.
func (a manner) tellsNever(m [2]int) bool {
	if m[1] < len(a.words) && a.words[m[0]].low == "never" && a.words[m[1]].low == "mind" {
		return true
	}
	if m[0] == 0 || m[1] >= len(a.words) || !slices.Contains([]string{"never", "always"}, a.words[m[0]].low) {
		return false
	}
	before := a.words[m[0]-1]
	named := before.name || slices.Contains([]string{"i", "we", "he", "she", "they", "it", "who"}, before.low)
	return named && pastVerb(a.words[m[1]])
}

// tellsElse reports a "nothing else" that tells what was done: "deleted my drafts, nothing else", "nothing else but rain".
func (a manner) tellsElse(m [2]int) bool {
	if a.words[m[1]-1].low != "else" {
		return false
	}
	return a.told() != "" || a.report() || m[1] < len(a.words) && a.words[m[1]].low == "but"
}

// pastVerb reports a word that looks like a verb in the past: "noticed".
func pastVerb(w word) bool { return len(w.low) > 4 && strings.HasSuffix(w.low, "ed") && !w.name }

// tellsNot reports a "do not" that tells how things are: "the levels do not match". One that commands begins its clause, or
// follows who is to obey.
func (a manner) tellsNot(m [2]int) bool {
	if w := a.words[m[0]].low; m[0] == 0 || w != "do" && w != "don't" {
		return false
	}
	if m[1] < len(a.words) && slices.Contains([]string{"know", "understand", "mind", "remember", "think", "believe", "care", "matter"}, a.words[m[1]].low) {
		return true // "I do not understand"
	}
	before := a.words[m[0]-1]
	return !strings.ContainsAny(a.text[before.end:a.words[m[0]].at], ",;:.()–—\"“„") && !slices.Contains([]string{"i", "we", "you", "please", "and", "so", "but", "or", "just", "they", "people"}, before.low)
}

// trivia finds a word of small talk. "At breakfast" only says when.
func (a manner) trivia() string {
	for _, m := range a.find("trivia") {
		if m[0] == 0 || !slices.Contains([]string{"at", "over", "after", "before", "during", "beim", "nach", "vor"}, a.words[m[0]-1].low) {
			return a.join(m)
		}
	}
	return ""
}

// returns finds what makes a sentence news of somebody or of some work: "Ann is back, with samples", "1 to 9 are finished".
func (a manner) returns() string {
	for i, t := range a.words {
		if i == 0 || i > 5 || !slices.Contains([]string{"is", "are", "ist", "sind"}, a.words[i-1].low) {
			continue
		}
		after := ""
		if i+1 < len(a.words) {
			after = a.words[i+1].low
		}
		person := i == 2 && a.words[0].first && capital(a.words[0].text) && !a.filler(a.words[0].low)
		if person && (t.low == "back" && after != "on" && after != "at" && after != "to" || t.low == "zurück") || slices.Contains([]string{"finished", "fertig", "done"}, t.low) && after != "by" {
			return a.join([2]int{i - 1, i + 1})
		}
	}
	return ""
}

// softly finds a word of a weak rule. The month of May is none.
func (a manner) softly() string {
	for _, m := range a.find("soft") {
		if w := a.words[m[0]]; w.text != "May" || w.first {
			return a.join(m)
		}
	}
	return ""
}

// quotes reports whether a sentence tells what somebody told or asked the writer.
func (a manner) quotes() bool {
	for i, t := range a.words[:max(0, len(a.words)-1)] {
		if (t.low == "told" || t.low == "asked") && slices.Contains([]string{"me", "us", "that"}, a.words[i+1].low) {
			return true
		}
	}
	return false
}

// told finds what makes a sentence a report: it begins with what was done, or tells it in the past.
func (a manner) told() string {
	for _, m := range a.find("status") {
		if m[0] <= 2 || m[1] == len(a.words) {
			return a.join(m)
		}
	}
	if a.lead().when().past() {
		return a.phrase("was")
	}
	if len(a.words) > 2 && a.words[0].first && pastVerb(a.words[0]) && (slices.Contains(articles, a.words[1].low) || slices.Contains(indefinite, a.words[1].low)) {
		return a.words[0].low // "deleted my own branch"
	}
	present := false
	for i, t := range a.words {
		if i > 6 {
			break
		}
		switch t.low {
		case "is", "are", "has", "have", "must", "may", "can", "will", "do", "does", "needs", "should", "be":
			present = true
		}
	}
	label := labelEnd(a.text)
	for i, t := range a.words {
		if t.end == label && a.labelled() {
			break // "jump host introduced: …" gives a value
		}
		if i > 0 && i <= 3 && !present && len(t.low) > 4 && strings.HasSuffix(t.low, "ed") && !t.name {
			return t.low
		}
	}
	return ""
}

// report reports a sentence that begins with what was done: "Merged six of them".
func (a manner) report() bool {
	for _, m := range a.find("status") {
		if m[0] == 0 {
			return true
		}
	}
	if len(a.words) > 3 && slices.Contains([]string{"i", "we", "ich", "wir"}, a.words[0].low) && a.isPhraseAt("status", 1) && !a.has("agree") { // "I went through the photos"
		return true
	}
	if len(a.words) > 1 && a.isPhraseAt("done", 1) && (len(a.words) == 2 || strings.ContainsAny(a.text[a.words[1].end:a.words[2].at], ",;.:(–")) { // "boxes filled, one was empty"
		return true
	}
	return len(a.words) > 2 && a.words[0].first && strings.HasSuffix(a.words[0].low, "ed") && len(a.words[0].low) > 4
}

// authority reports whether a sentence says how much the writer may spend: "orders up to 50 EUR without asking", "my limit".
func (a manner) authority() bool {
	return (a.has("authority") || a.has("perhaps") && a.has("spend")) && !withinLimit().MatchString(a.text)
}

// withinLimit finds that a sum kept to a limit, which does not set one: "236 EUR, under the new limit".
var withinLimit = expr(`(?i)\b(?:under|below|within|inside|unter|unterhalb|innerhalb) (?:the|my|our|dem|der|des|meinem|meines) (?:\pL+ )?(?:limit|budget|grenze)s?\b`)
