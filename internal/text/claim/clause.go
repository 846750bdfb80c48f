package claim

import (
	"slices"
	"strings"
)

// clauses divides a sentence at commas, brackets and dashes between words.
func (a analysis) clauses(values []value) [][2]int {
	var out [][2]int
	from := 0
	aside := asides(a, values)
	said := reported(a)
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
func asides(a analysis, values []value) [][2]int {
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

// reported is where reported speech begins, after "told them that", -1 if nowhere.
func reported(a analysis) int {
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

// things are values without those that say who: "Hanne does our books, 380 EUR a day" tells a price of Hanne's.
func things(values []value) []value {
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool { return v.kind == Name && v.attr == "who" })
}

func inValue(values []value, t word) bool {
	return slices.ContainsFunc(values, func(v value) bool { return t.at < v.end && v.at < t.end })
}

// dropped takes from the values those that the sentence says hold no longer: "not X", "instead of X", "from X to Y",
// "X → Y", "was X".
func dropped(a analysis, values []value, changed bool) (kept []value, was []Claim, gone []string) {
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
		if negatesVerb(a, m) {
			continue
		}
		for i, v := range values {
			out[i] = out[i] || v.at >= start && v.at < end
		}
		if inside := a.cut([2]int{start, end}); m[1]-m[0] > 1 || len(inside.words) <= 4 { // "not peanuts", but not "not seen for more than half a year"
			gone = append(gone, a.namesBetween(start, end)...)
		}
		for _, t := range a.words {
			if t.at >= start && t.end <= end && !inValue(values, t) {
				was = append(was, alike(a, t, values)...)
			}
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
	label := labelEnd(a.text)
	for i, v := range values { // "Thursdays are full: the lesson is on Tuesdays again"
		behind := slices.DeleteFunc(slices.Clone(values), func(w value) bool { return w.at < label || w.kind != v.kind || w.attr != v.attr })
		again := slices.ContainsFunc(behind, func(w value) bool { return slices.Equal(w.text, v.text) })
		out[i] = out[i] || changed && v.end <= label && v.kind != Name && len(behind) > 0 && !again
	}
	for i, v := range values { // "three weeks now, six weeks was too early"
		next := slices.IndexFunc(a.words, func(w word) bool { return w.at >= v.end })
		out[i] = out[i] || i > 0 && changed && v.kind != Name && next > 0 && a.isPhraseAt("was", next) || next >= 0 && a.tooMuch(next)
	}
	if changed {
		for i, v := range values { // "the old /srv/in is read by nobody"
			out[i] = out[i] || len(values) > 1 && v.kind != Name && a.wordRight(v.at, "old", "alte", "alten", "former", "ancien", "ancienne", "antiguo", "antigua")
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
			if _, number := parseNumber(w.text); number && !slices.Contains(indefinite, w.low) && (part.isPhraseAt("was", i+1) || part.isPhraseAt("was", i-1)) {
				gone, was = append(gone, w.text), append(was, alike(a, w, values)...)
			}
		}
	}
	if a.has("correct") {
		for _, m := range a.find("harmless") { // "it is walnuts, hazelnuts are fine"
			if m[0] > 0 && !a.filler(a.words[m[0]-1].low) {
				gone = append(gone, a.words[m[0]-1].stem)
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

// tooMuch reports whether the words from i on reject the value before them: "7:00 is too early".
func (a analysis) tooMuch(i int) bool {
	return i+1 < len(a.words) && (slices.Contains(copulas, a.words[i].low) || a.isPhraseAt("was", i)) && slices.Contains([]string{"too", "zu", "trop", "demasiado"}, a.words[i+1].low)
}

// alike reads a bare number as a value of the same sort as the one before it: "three blanks instead of two", "9:30, not 8".
func alike(a analysis, t word, values []value) []Claim {
	n, ok := parseNumber(t.text)
	if !ok || slices.Contains(indefinite, t.low) || inValue(values, t) {
		return nil
	}
	for _, v := range slices.Backward(values) {
		if v.at > t.at {
			continue
		}
		switch v.kind {
		case Count, Money, Percent, Number:
			return []Claim{{Kind: v.kind, Attr: v.attr, Values: []string{canonical(n)}}}
		case Clock:
			return []Claim{{Kind: v.kind, Attr: v.attr, Values: []string{canonical(60 * n)}}}
		case Duration:
			if in := a.cut([2]int{v.at, v.end}); len(in.words) > 0 { // "ten days instead of fourteen"
				unit := words().units[in.words[len(in.words)-1].low]
				return []Claim{{Kind: v.kind, Attr: v.attr, Values: []string{canonical(n * seconds[unit])}}}
			}
		}
	}
	return nil
}

// negatesVerb tells "does not run on 80" from "runs on 81, not 80": a value behind a negated verb is denied, which is
// another claim, but a value right behind the word is dropped.
func negatesVerb(a analysis, m [2]int) bool {
	if m[1]-m[0] != 1 || !slices.Contains([]string{"not", "nicht", "no", "pas", "non"}, a.words[m[0]].low) {
		return false
	}
	if m[0] > 0 && slices.Contains([]string{"and", "und", "et", "y"}, a.words[m[0]-1].low) && m[1] == len(a.words)-1 {
		return false // "it is bees and not wasps"
	}
	return m[0] == 0 || !strings.ContainsAny(a.text[a.words[m[0]-1].end:a.words[m[0]].at], ",;(–—-")
}

// aroundEnd are the words of a clause that say what is over: up to a colon, without those that say that it is.
func aroundEnd(a analysis) analysis {
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
func labelOf(a analysis) label {
	at := labelEnd(a.text)
	if at <= 0 {
		return label{}
	}
	part := a.cut([2]int{labelStart(a.text[:at]), at})
	if open := strings.IndexByte(a.text[:at], '('); open > 0 && strings.HasSuffix(strings.TrimSpace(a.text[:at]), ")") { // "status page (https://…): …"
		part = a.cut([2]int{labelStart(a.text[:open]), open})
	}
	if len(part.words) > 0 && (part.isPhraseAt("reason", 0) || occasion(a, at)) {
		return label{}
	}
	if len(part.words) == 0 || len(part.words) > 5 || len(part.words) > 2 && a.manner().speaker() == "" && acts(part) {
		return label{}
	}
	part.text = a.text[:at]
	return label{subject: subjectOf(part, nil, ""), end: at, speaks: a.manner().speaker() != ""}
}

// conditional reports whether a clause says under which condition something is so: "if the order is cancelled".
func conditional(a analysis) bool {
	return slices.ContainsFunc(a.words, func(w word) bool { return slices.Contains(conditions, w.low) || w.low == "unless" })
}

// beforeRemark is a clause without what follows a colon behind all of its values: "logs are kept 30 days: too much spam".
func beforeRemark(a analysis, values []value) analysis {
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

// takeMoments takes the days and times of a label from the values where something was counted then, "eggs on Monday: 4": they tell
// one count from another.
func takeMoments(a analysis, values []value) (rest []value, moments []string) {
	end := labelEnd(a.text)
	counted := false
	for _, v := range values {
		counted = counted || v.at > end && (v.kind == Count || v.kind == Number || v.kind == Money)
	}
	for _, v := range values {
		if end > 0 && counted && v.end <= end && (v.kind == Weekday || v.kind == Clock) {
			moments = append(moments, string(v.kind)+" "+strings.Join(v.text, " "))
			continue
		}
		rest = append(rest, v)
	}
	return rest, moments
}

// labelStart is where the last clause before a colon begins.
func labelStart(text string) int { return 1 + strings.LastIndexAny(text, ",;(") }

// acts reports whether a label is a sentence of its own: "loki eats disk: …".
func acts(a analysis) bool {
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
func denies(a analysis, v value) bool {
	for _, m := range a.find("negate") {
		if a.words[m[0]].at < v.at && m[0] > 0 {
			return true
		}
	}
	if slices.ContainsFunc(a.words, func(w word) bool {
		return w.at < v.at && slices.Contains([]string{"when", "if", "wenn", "falls", "quand", "si", "cuando"}, w.low)
	}) {
		return false // "no single without the launch when the water is below 10 °C"
	}
	for _, m := range a.find("negate") { // "62 mm no longer fits"
		if m[1]-m[0] == 2 && a.words[m[0]].at >= v.end {
			return true
		}
	}
	at := labelEnd(a.text)
	if i := slices.IndexFunc(a.words, func(w word) bool { return w.at > at }); v.kind == Clock && i >= 0 && v.at >= at && v.at <= a.words[i].end+1 && slices.ContainsFunc(a.words, func(w word) bool { return w.at > v.end && slices.Contains(noWords, w.low) }) {
		return true // "between 12 and 13 we take no calls"
	}
	for i, w := range a.words { // "no deploys on Fridays"
		if w.at > at && w.low != "so" {
			return at < v.at && a.isPhraseAt("forbid", i) && !v.bound // "nothing after 21:30" tells a time
		}
	}
	return false
}

// state finds in the first clause a word for one of two states behind a verb of being: "http3 is off", "the shop stays closed".
func stateOf(a analysis) (int, opposite) {
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

// beginsWith reports whether a clause begins with a value, as an addition to the clause before it does: "…, €380 a day".
func beginsWith(a analysis, v value) bool {
	return slices.Contains([]Kind{Money, Percent, Clock, Phone, Address, Duration}, v.kind) && len(a.words) > 0 && (v.at <= a.words[0].at+1)
}

// spending stands in a subject for what the writer may spend without asking, which people say in many ways.
const spending = "may spend"

// deniesInLabel reports whether all denials come before a colon: "Never again: all guests sign".
func deniesInLabel(a analysis) bool {
	at := labelEnd(a.text)
	return at > 0 && !slices.ContainsFunc(a.find("negate"), func(m [2]int) bool { return a.words[m[0]].at > at })
}

// lacks reports whether a sentence says that there is none of something: "the game has no voice acting", "no preprints before June".
func lacks(a analysis) bool {
	i := slices.IndexFunc(a.words, func(w word) bool { return slices.Contains(noWords, w.low) })
	return i == 0 || i > 0 && (slices.Contains(copulas, a.words[i-1].low) || slices.Contains([]string{"has", "have", "hat", "haben", "gibt", "a", "ont", "hay", "tiene"}, a.words[i-1].low))
}

// possessive reports whether a clause begins with a word for whose it is: "his own line in the room".
func possessive(a analysis) bool {
	return len(a.words) > 0 && slices.Contains([]string{"his", "her", "its", "their", "sein", "seine", "ihr", "ihre", "son", "sa", "ses", "leur", "su", "sus"}, a.words[0].low)
}
