package claim

import (
	"slices"
	"strings"
)

// clauses divides a sentence at commas, brackets and dashes that stand between words.
func (a analysis) clauses(values []value) [][2]int {
	var out [][2]int
	from := 0
	aside := a.asides(values)
	said := a.reported()
	for i, r := range a.text {
		if i == said && i > from {
			out = append(out, [2]int{from, i})
			from = i
		}
		if !strings.ContainsRune(",;()–—、", r) || slices.ContainsFunc(values, func(v value) bool { return v.at <= i && i < v.end && v.kind != Name }) ||
			slices.ContainsFunc(aside, func(b [2]int) bool { return b[0] <= i && i <= b[1] }) {
			continue
		}
		if i > from {
			out = append(out, [2]int{from, i})
		}
		from = i + len(string(r))
	}
	if from < len(a.text) {
		out = append(out, [2]int{from, len(a.text)})
	}
	return out
}

// asides are brackets in the middle of a clause that only explain a word of it: "the waste (Ecocycle) is collected on …".
func (a analysis) asides(values []value) [][2]int {
	var out [][2]int
	for from := 0; ; {
		open := strings.IndexByte(a.text[from:], '(')
		if open < 0 {
			return out
		}
		open += from
		n := strings.IndexByte(a.text[open:], ')')
		if n < 0 {
			return out
		}
		end := open + n
		from = end
		rest := strings.TrimSpace(a.text[end+1:])
		goesOn := rest != "" && !strings.ContainsAny(rest[:1], ".,;:)–—") && open > 0
		in := a.cut([2]int{open, end})
		if goesOn && len(within(values, [2]int{open, end})) == 0 && len(in.words) <= 3 && !in.hasHere("was") && !in.hasHere("changed") {
			out = append(out, [2]int{open, end})
		}
	}
}

// reported is where what somebody said begins, behind "told them that", -1 if nowhere.
func (a analysis) reported() int {
	for i, t := range a.words {
		if slices.Contains([]string{"that", "dass", "que"}, t.low) && slices.ContainsFunc(a.words[:i], func(w word) bool {
			return slices.Contains([]string{"told", "said", "says", "wrote", "writes", "reminded", "informed", "sagte", "schrieb", "dit", "dijo"}, w.low)
		}) {
			return t.at
		}
	}
	return -1
}

// within are the values that begin in a clause.
func within(values []value, c [2]int) []value {
	var out []value
	for _, v := range values {
		if c[0] <= v.at && v.at < c[1] {
			out = append(out, v)
		}
	}
	return out
}

func inValue(values []value, t word) bool {
	return slices.ContainsFunc(values, func(v value) bool { return t.at < v.end && v.at < t.end })
}

// past reports whether a sentence tells how it was. "It was raised to 5" tells how it is.
func (a analysis) past() bool {
	if !a.has("was") {
		if len(a.words) > 0 && a.isPhraseAt("until", 0) && slices.ContainsFunc(a.words, func(w word) bool { return strings.HasSuffix(w.low, "ed") }) {
			return true
		}
		return false
	}
	return !a.has("changed")
}

// lead is the first clause of a sentence.
func (a analysis) lead() analysis {
	if list := a.clauses(nil); len(list) > 1 {
		return a.cut(list[0])
	}
	return a
}

// passing reports whether a sentence speaks of a few days only.
func (a analysis) passing() bool { return a.passingPhrase() != "" }

func (a analysis) passingPhrase() string {
	for _, l := range a.langs {
		for _, p := range l.loose["passing"] {
			if strings.Contains(a.text, p) {
				return p
			}
		}
	}
	for _, m := range a.find("passing") {
		begins := false // "from today" and "as of this week" say when something begins
		for j := m[0] - 1; j >= 0 && j >= m[0]-3; j-- {
			begins = begins || a.isPhraseAt("since", j)
		}
		if on := m[1]-m[0] == 2 && words().weekdays[a.words[m[1]-1].low] != 0; on && (len(a.find("changed")) > 0 && a.states() || a.recurs()) {
			continue // "the pickup on Friday is at 11:00 now" and "on Friday afternoons" speak of every Friday
		}
		if !begins {
			return a.join(m)
		}
	}
	for _, m := range a.find("until") {
		if a.words[m[0]].low == "by" || a.words[m[0]].low == "through" || m[1] >= len(a.words) || a.recurs() {
			continue
		}
		for _, t := range a.words[m[1]:min(len(a.words), m[1]+4)] {
			_, day := words().weekdays[t.low]
			month := words().months[t.low] != 0 && capital(t.text)
			if day || month || t.low == "end" || t.low == "ende" || t.low == "noon" || t.low == "tomorrow" || t.low == "tonight" {
				return a.join([2]int{m[0], m[1] + 1})
			}
		}
	}
	return ""
}

// recurring are words for what comes again.
var recurring = []string{
	"every", "each", "daily", "weekly", "biweekly", "fortnightly", "monthly", "always", "wöchentlich", "monatlich", "mornings", "afternoons", "evenings", "nights", "weekends", "weekdays", "jeden", "jede", "täglich", "immer", "vormittags",
	"nachmittags", "abends", "morgens",
}

// recurs reports whether a sentence speaks of what comes again and again: "Fridays", "montags", "every day".
func (a analysis) recurs() bool {
	return slices.ContainsFunc(a.words, func(w word) bool {
		return words().weekdays[w.low] != 0 && strings.HasSuffix(w.low, "s") && len(w.low) > 5 || slices.Contains(recurring, w.low)
	})
}

func (a analysis) join(m [2]int) string {
	var out []string
	for _, w := range a.words[m[0]:min(m[1], len(a.words))] {
		out = append(out, w.low)
	}
	return strings.Join(out, " ")
}

// changes reports whether a sentence says that something is different from before. "19 new" only counts.
func (a analysis) changes() bool {
	found := a.find("changed")
	if len(found) == 0 && a.upOrDown() {
		return true
	}
	return len(found) == 0 && a.has("changed") || slices.ContainsFunc(found, func(m [2]int) bool {
		at := a.words[m[0]]
		ends := m[1] == len(a.words) || strings.ContainsAny(a.text[at.end:a.words[m[1]].at], ",;.")
		return !ends || !slices.Contains(news, at.low) || !slices.ContainsFunc(a.words[max(0, m[0]-2):m[0]], func(w word) bool { return isNumber(w.text) })
	})
}

// upOrDown reports "put my limit up", "turned it down to 18": a verb with its particle some words behind it.
func (a analysis) upOrDown() bool {
	for i, t := range a.words {
		if !slices.Contains([]string{"put", "puts", "took", "takes", "take", "brought", "brings", "turned", "turns", "goes", "go", "went", "is", "are"}, t.low) {
			continue
		}
		for j := i + 1; j < len(a.words) && j <= i+4; j++ {
			near := t.low != "is" && t.low != "are" || j == i+1 // "is up to 26"
			if w := a.words[j].low; near && (w == "up" || w == "down") && !strings.ContainsAny(a.text[t.end:a.words[j].at], ",;:()") {
				return true
			}
		}
	}
	return false
}

// news are words for what came in.
var news = []string{"new", "neu", "neue", "nouveau", "nouveaux", "nuevo", "nuevos"}

// begins reports whether a sentence says from which day on it holds: "from 1 April", "ab Mai".
func (a analysis) begins() bool {
	for _, m := range a.find("since") {
		for _, t := range a.words[min(m[1], len(a.words)):min(len(a.words), m[1]+3)] {
			if n := words().months[t.low]; n != 0 && capital(t.text) || t.low == "today" || t.low == "week" || t.low == "month" {
				return true
			}
		}
	}
	return false
}

// planned reports whether a sentence speaks of what may come.
func (a analysis) planned() bool {
	for _, m := range a.find("plan") {
		if low := a.words[m[0]].low; m[0] == 0 && low != "planned" || !strings.HasPrefix(low, "plan") { // "planned go-live: 2 March" has a date
			return true
		}
	}
	for i, w := range a.words[:max(0, len(a.words)-1)] { // "the next harbour is Lysekil", but not "next week"
		after := a.words[i+1].low
		_, unit := words().units[after]
		if w.low == "next" && i < 2 && !unit && words().weekdays[after] == 0 && words().months[after] == 0 && !a.filler(after) {
			return true
		}
	}
	return false
}

// dropped takes from the values those that the sentence says hold no longer: "not X", "instead of X", "from X to Y",
// "X → Y", "was X".
func (a analysis) dropped(values []value, changed bool) (kept []value, was []Claim, gone []string) {
	out := make([]bool, len(values))
	for _, m := range a.find("drops") {
		end := len(a.text)
		if m[1] > len(a.words) {
			continue
		}
		start := a.words[m[1]-1].end
		if i := strings.IndexAny(a.text[start:], ",;:(—–"); i >= 0 {
			end = start + i
		}
		for _, but := range []string{" but ", " sondern ", " mais ", " sino "} {
			if i := strings.Index(a.text[start:end], but); i >= 0 {
				end = start + i
			}
		}
		if a.negatesVerb(m) {
			continue
		}
		for i, v := range values {
			out[i] = out[i] || v.at >= start && v.at < end
		}
		gone = append(gone, a.namesBetween(start, end)...)
		for _, t := range a.words {
			if t.name && t.at >= start && t.end <= end && !inValue(values, t) {
				was = append(was, Claim{Kind: Name, Values: []string{t.stem}})
			}
		}
	}
	for i, v := range values {
		for _, w := range values[i+1:] {
			if w.kind != v.kind || w.at < v.end {
				continue
			}
			between := a.text[v.end:w.at]
			arrow := strings.Contains(between, "→") || strings.Contains(between, "->") || strings.Contains(between, "=>")
			moved := changed && a.wordBefore(v.at, "from", "von", "vom", "de", "desde", "du") && a.wordBefore(w.at, "to", "auf", "nach", "zu", "à", "a", "port")
			out[i] = out[i] || arrow || moved
		}
	}
	for _, c := range a.clauses(values) {
		part := a.cut(c)
		over := part.hasHere("ended") && len(within(values, c)) < len(values) // "v2 is in use, the v1 one is removed"
		if !over && (!part.has("was") || part.has("changed")) {
			continue
		}
		for i, v := range values {
			out[i] = out[i] || c[0] <= v.at && v.at < c[1]
		}
		for i, w := range part.words { // "14 was too short", "was 14"
			if isNumber(w.text) && (part.isPhraseAt("was", i+1) || part.isPhraseAt("was", i-1)) {
				gone = append(gone, w.text)
			}
		}
	}
	for i, v := range values {
		if out[i] {
			gone, was = append(gone, v.text...), append(was, Claim{Kind: v.kind, Attr: v.attr, Values: v.text})
		} else {
			kept = append(kept, v)
		}
	}
	return kept, was, gone
}

// negatesVerb tells "does not run on 80" from "runs on 81, not 80": a value behind a negated verb is denied, which is
// another claim, but a value right behind the word is dropped.
func (a analysis) negatesVerb(m [2]int) bool {
	if m[1]-m[0] != 1 || !slices.Contains([]string{"not", "nicht", "no", "pas", "non"}, a.words[m[0]].low) {
		return false
	}
	return m[0] == 0 || !strings.ContainsAny(a.text[a.words[m[0]-1].end:a.words[m[0]].at], ",;(–—-")
}

// wordBefore reports whether one of the words stands up to two words in front of an offset.
func (a analysis) wordBefore(at int, list ...string) bool {
	n := 0
	for _, t := range slices.Backward(a.words) {
		if t.end > at {
			continue
		}
		if slices.Contains(list, t.low) {
			return true
		}
		if n++; n == 2 {
			return false
		}
	}
	return false
}

// namesBetween are the stems of the weighty words in a part of the sentence.
func (a analysis) namesBetween(from, to int) []string {
	var out []string
	for _, t := range a.words {
		if t.at >= from && t.end <= to && !a.filler(t.low) && !words().titles[t.low] && !a.weak(t.stem) {
			out = append(out, t.stem)
		}
	}
	return out
}

// hasHere is has for a part of a sentence.
func (a analysis) hasHere(section string) bool {
	if len(a.find(section)) > 0 {
		return true
	}
	for _, l := range a.langs { // no words to tell the part by
		for _, p := range l.loose[section] {
			if strings.Contains(a.text, p) {
				return true
			}
		}
	}
	return false
}

// aroundEnd are the words of a clause that say what is over: up to a colon, without those that say that it is.
func (a analysis) aroundEnd() analysis {
	out := a.less("ended")
	for _, m := range a.find("ended") {
		at := a.words[m[0]].at
		if i := strings.Index(a.text[at:], ": "); i >= 0 {
			out.words = slices.DeleteFunc(out.words, func(w word) bool { return w.at > at+i })
		}
		if i := strings.LastIndex(a.text[:at], ": "); i >= 0 && len(out.words) > 0 && out.words[0].at < i {
			break // the colon names the subject
		}
	}
	return out
}

// label is what a sentence names before a colon or an equals sign: the subject of all that follows.
type label struct {
	subject Subject
	end     int
	speaks  bool // it names who says the rest
}

// label finds the label of a sentence. A long one is a clause, and one without a word of its own none.
func (a analysis) label() label {
	at := labelEnd(a.text)
	if at <= 0 {
		return label{}
	}
	part := a.cut([2]int{labelStart(a.text[:at]), at})
	if open := strings.IndexByte(a.text[:at], '('); open > 0 && strings.HasSuffix(strings.TrimSpace(a.text[:at]), ")") { // "status page (https://…): …"
		part = a.cut([2]int{labelStart(a.text[:open]), open})
	}
	if len(part.words) > 0 && (part.isPhraseAt("reason", 0) || a.occasion(at)) {
		return label{}
	}
	if len(part.words) == 0 || len(part.words) > 5 || len(part.words) > 2 && a.speaker() == "" && part.acts() {
		return label{}
	}
	part.text = a.text[:at]
	return label{subject: subjectOf(part, nil, ""), end: at, speaks: a.speaker() != ""}
}

// conditional reports whether a clause says under which condition something is so: "if the order is cancelled".
func (a analysis) conditional() bool {
	return slices.ContainsFunc(a.words, func(w word) bool { return slices.Contains(conditions, w.low) || w.low == "unless" })
}

// upTo is the part of a clause in front of an offset.
func (a analysis) upTo(at int) analysis {
	out := a
	out.words = slices.DeleteFunc(slices.Clone(a.words), func(w word) bool { return w.end > at })
	return out
}

// beforeRemark is a clause without what follows a colon behind all of its values: "logs are kept 30 days: too much spam".
func (a analysis) beforeRemark(values []value) analysis {
	if len(values) == 0 {
		return a
	}
	last := values[len(values)-1].end
	i := strings.Index(a.text[last:], ": ")
	if i < 0 || labelEnd(a.text) < last {
		return a
	}
	if said := a.cut([2]int{0, last + i}); said.hasHere("present") || said.hasHere("changed") {
		return said
	}
	return a
}

// labelStart is where the last clause before a colon begins.
func labelStart(text string) int { return 1 + strings.LastIndexAny(text, ",;(") }

// acts reports whether a label is a sentence of its own: "loki eats disk: …".
func (a analysis) acts() bool {
	for i, t := range a.words[1:] {
		if before := a.words[i]; !t.name && len(t.low) > 3 && strings.HasSuffix(t.low, "s") && !strings.HasSuffix(before.low, "s") && !strings.HasSuffix(t.low, "ss") && i+2 < len(a.words) &&
			(before.first || before.name) && !slices.Contains(articles, before.low) && !a.filler(before.low) && !a.filler(a.words[i+2].low) {
			return true
		}
	}
	return false
}

// labelEnd is where the label of a text ends, -1 if it has none.
func labelEnd(text string) int {
	colon, equals := strings.Index(text, ": "), strings.Index(text, " = ")
	if colon < 0 || equals >= 0 && equals < colon {
		return equals
	}
	return colon
}

// denies reports whether a clause says of a value behind its verb that it is not so: "does not deliver on Sundays".
func (a analysis) denies(v value) bool {
	for _, m := range a.find("negate") {
		if a.words[m[0]].at < v.at && m[0] > 0 {
			return true
		}
	}
	for _, m := range a.find("negate") { // "62 mm no longer fits"
		if m[1]-m[0] == 2 && a.words[m[0]].at >= v.end {
			return true
		}
	}
	at := labelEnd(a.text)
	for i, w := range a.words { // "no deploys on Fridays"
		if w.at > at {
			return at < v.at && a.isPhraseAt("forbid", i) && !v.bound // "nothing after 21:30" tells a time
		}
	}
	return false
}

// state finds in the first clause a word for one of two states behind a verb of being: "http3 is off", "the shop stays closed".
func (a analysis) state() (int, opposite) {
	lead := a.lead()
	for i, t := range lead.words {
		if i == 0 || t.name {
			continue
		}
		before := lead.words[i-1].low
		if i > 1 && (before == "not" || before == "nicht" || before == "now" || before == "jetzt" || before == "still") {
			before = lead.words[i-2].low
		}
		if !slices.Contains(copulas, before) && !slices.Contains([]string{"stays", "stay", "bleibt", "bleiben"}, before) {
			continue
		}
		if i+1 < len(lead.words) && a.isPhraseAt("where", i-1) && !slices.Contains(insides, lead.words[i+1].low) {
			continue // "is on web2", but not "is on in the cellar"
		}
		for _, l := range a.langs {
			if o, ok := l.opposites[t.low]; ok {
				return i, o
			}
		}
	}
	return -1, opposite{}
}

// insides are words with which a place begins.
var insides = []string{"in", "at", "for", "im", "bei", "für", "dans", "en"}

// dropWord is a sentence without one of its words.
func (a analysis) dropWord(i int) analysis {
	out := a
	out.words = slices.Delete(slices.Clone(a.words), i, i+1)
	return out
}

// beginsWith reports whether a clause begins with a value, as an addition to the clause before it does: "…, €380 a day".
func (a analysis) beginsWith(v value) bool {
	return slices.Contains([]Kind{Money, Percent, Clock, Phone, Address, Duration}, v.kind) && len(a.words) > 0 && (v.at <= a.words[0].at+1)
}

// spending stands in a subject for what the writer may spend without asking, which people say in many ways.
const spending = "may spend"

// authority reports whether a sentence says how much the writer may spend: "orders up to 50 EUR without asking", "my limit".
func (a analysis) authority() bool {
	return a.has("authority") || a.has("perhaps") && a.has("spend")
}

// deniesInLabel reports whether all that denies something stands before a colon: "Never again: all guests sign".
func (a analysis) deniesInLabel() bool {
	at := labelEnd(a.text)
	return at > 0 && !slices.ContainsFunc(a.find("negate"), func(m [2]int) bool { return a.words[m[0]].at > at })
}

// possessive reports whether a clause begins with a word for whose it is: "his own line in the room".
func (a analysis) possessive() bool {
	return len(a.words) > 0 && slices.Contains([]string{"his", "her", "its", "their", "sein", "seine", "ihr", "ihre", "son", "sa", "ses", "leur", "su", "sus"}, a.words[0].low)
}
