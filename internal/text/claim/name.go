package claim

import (
	"slices"
	"strings"
	"unicode"
)

// naming looks for names in a sentence, beside the values already found there.
type naming struct {
	analysis
	taken []value
}

// names finds who or where: "the server stands in Oslo", "tax adviser: Ms Yildiz", "Lars owns the payments code".
func (a naming) names() []value {
	var out []value
	add := func(v value) {
		if v.subject == nil || len(v.text) == 0 || slices.ContainsFunc(out, func(o value) bool { return v.at < o.end && o.at < v.end }) {
			return
		}
		v.kind = Name
		out = append(out, v)
	}
	for _, m := range slices.Concat(a.find("where"), a.find("where it")) {
		add(a.placed(m))
	}
	add(a.onHost())
	for i := range a.words {
		if a.isPhraseAt("role", i) || a.isPhraseAt("office", i) && i > 0 && a.joined(i) {
			add(a.titled(i))
			add(a.holder(i))
		}
	}
	add(a.doneBy())
	add(a.called())
	add(a.identified())
	add(a.quoted())
	return out
}

// quoted reads a name in quotes at the end of a line without a verb: `Guest wifi "Waiting Room"`.
func (a naming) quoted() value {
	if !strings.ContainsAny(a.text, `"“„`) {
		return value{}
	}
	m := quotedEnd().FindStringSubmatchIndex(a.text)
	if m == nil || labelEnd(a.text) >= 0 || a.has("present") || a.has("speech") || a.has("was") {
		return value{}
	}
	about, in := a.cut([2]int{0, m[2]}), a.cut([2]int{m[2], m[3]})
	s := subjectOf(about, a.taken, Name)
	if len(about.words) > 4 || len(in.words) > 4 || !s.tells() {
		return value{}
	}
	var vals []string
	for _, t := range in.words {
		vals = append(vals, t.stem)
	}
	return value{text: compact(vals), at: m[2], end: m[3], subject: &s}
}

var quotedEnd = expr(`^[^"“”„]+ ["“„]([^"“”„]+)["”“]\.?$`)

// placed reads what follows a phrase such as "stands in".
func (a naming) placed(m [2]int) value {
	if m[1] > len(a.words) {
		return value{}
	}
	from, to := m[1], a.objectEnd(m[1])
	if from >= to || slices.Contains(insides, a.words[from].low) || a.isPhraseAt("where.not", from) {
		return value{}
	}
	if slices.ContainsFunc(a.taken, func(v value) bool { // "kept under `photos/`" says it already
		return (v.kind == Path || v.kind == Address) && v.at <= a.words[from].end && a.words[from].at < v.end
	}) {
		return value{}
	}
	var vals []string
	at, end := a.words[from].at, a.words[to-1].end
	for i, t := range a.words[from:to] {
		counted := isNumber(t.text) || i > 0 && isNumber(a.words[from+i-1].text) // "up to 6 Beaufort", "under 18"
		if t.name && !counted && !inValue(a.taken, t) && !words().titles[t.low] && words().months[t.low] == 0 {
			vals = append(vals, t.stem)
		}
	}
	if len(vals) == 0 {
		for _, t := range a.words[from:to] {
			if !a.filler(t.low) && !a.weak(t.stem) && !isNumber(t.text) && !inValue(a.taken, t) && len(vals) < 2 {
				vals = append(vals, t.stem)
			}
		}
	}
	if inside := a.words[m[1]-1].low; slices.Contains([]string{"in", "at", "im"}, inside) {
		for _, v := range a.taken { // the number of a street or room is part of the place
			if v.kind == Number && v.attr != "" && v.at >= at && v.end <= end {
				vals = append(vals, v.text...)
			}
		}
	}
	about := a.cut([2]int{clauseStart(a.text[:a.words[m[0]].at]), a.words[m[0]].at})
	s := subjectOf(about, a.taken, Name)
	if !s.tells() { // the clause leaves its subject to those before it
		about.words = a.words[:m[0]]
		s = subjectOf(about, a.taken, Name)
	}
	return value{attr: "place", text: compact(vals), at: at, end: end, subject: &s}
}

// clauseStart is where the last clause of a text begins. Brackets that are closed belong to it.
func clauseStart(text string) int {
	from := 1 + strings.LastIndexAny(text, ",;:")
	if open := strings.LastIndexByte(text, '('); open >= from && !strings.Contains(text[open:], ")") {
		from = open + 1
	}
	return from
}

// onHost reads "monitoring: Icinga on web2": without a verb, only a name with digits in it says where.
func (a naming) onHost() value {
	for i, t := range a.words {
		if i < 1 || !coded(t.text) || isNumber(t.text) || !mixed(t.text) || inValue(a.taken, t) || !slices.Contains([]string{"on", "auf", "sur", "en"}, a.words[i-1].low) {
			continue
		}
		from := 1 + strings.LastIndexAny(a.text[:a.words[i-1].at], ",;(")
		s := subjectOf(a.cut([2]int{from, a.words[i-1].at}), a.taken, Name)
		if len(s.Strong) == 0 {
			continue
		}
		return value{attr: "place", text: []string{t.stem}, at: t.at, end: t.end, subject: &s}
	}
	return value{}
}

// objectEnd is where the words behind a verb end: at punctuation, or at words that say since when.
func (a naming) objectEnd(from int) int {
	to := from
	for to < len(a.words) {
		if to > from && strings.ContainsAny(a.text[a.words[to-1].end:a.words[to].at], ",;:()–—") {
			break
		}
		if a.isPhraseAt("since", to) || a.isPhraseAt("until", to) || a.words[to].low == "now" || a.words[to].low == "and" || a.words[to].low == "because" {
			break
		}
		to++
	}
	return to
}

// holder reads the name in front of a role: "Priya owns …", "Ms Lindqvist is our contact for …".
func (a naming) holder(i int) value {
	j := i - 1
	for j >= 0 && (a.filler(a.words[j].low) && !a.words[j].name) && i-j <= 3 {
		j--
	}
	for j >= 0 && possessed(a.words[j]) && a.words[j].name { // "Mr Okafor is Ann's teacher"
		j--
		for j >= 0 && a.words[j].name && !possessed(a.words[j]) && a.text[a.words[j].end:a.words[j+1].at] == " " { // "… is Oma Trude's doctor"
			j--
		}
		for j >= 0 && a.filler(a.words[j].low) && !a.words[j].name && i-j <= 4 {
			j--
		}
	}
	to := j + 1
	for j >= 0 && (a.words[j].name || a.words[j].first && capital(a.words[j].text) && !a.filler(a.words[j].low) || words().titles[a.words[j].low]) {
		j--
	}
	from := j + 1
	if from == 0 && to == 1 && i == 1 && a.isPhraseAt("office", 1) {
		return value{} // "Emergency contact" is no contact of that name
	}
	if from >= to || strings.ContainsAny(a.text[a.words[to-1].end:a.words[i].at], ",;:(") || possessed(a.words[to-1]) {
		return value{} // "Ann's teacher" is not Ann
	}
	if low := a.words[i].low; (low == "runs" || low == "heads") && (to-from < 2 || i+1 == len(a.words) || a.words[i+1].name || !unicode.IsLetter(rune(a.words[i+1].text[0])) || a.isPhraseAt("since", i+1) || slices.Contains(leading, a.words[i+1].low)) {
		return value{} // "Staging runs PostgreSQL", "the Trafic runs on diesel"
	}
	var vals []string
	for _, t := range a.words[from:to] {
		if !words().titles[t.low] && !inValue(a.taken, t) {
			vals = append(vals, t.stem)
		}
	}
	about := a.analysis
	about.words = slices.Concat(a.words[:from], a.words[to:a.objectEnd(i)])
	s := subjectOf(about, a.taken, Name)
	return value{attr: "who", text: compact(vals), at: a.words[from].at, end: a.words[to-1].end, subject: &s}
}

// joined reports whether a verb leads to an office: "Hal is treasurer", "Hal becomes the new treasurer". "Dot the cleaner" only says
// who Dot is.
func (a naming) joined(i int) bool {
	return slices.ContainsFunc(a.words[max(0, i-3):i], func(w word) bool {
		return slices.Contains(copulas, w.low) || slices.Contains([]string{"becomes", "become", "remains", "wird", "bleibt", "devient"}, w.low)
	})
}

// possessed reports a word such as "Ann's".
func possessed(w word) bool {
	return strings.HasSuffix(w.text, "'s") || strings.HasSuffix(w.text, "’s")
}

// titled reads a name right behind a role: "contact Dr. Lindow".
func (a naming) titled(i int) value {
	to := i + 1
	for to < len(a.words) && (words().titles[a.words[to].low] || a.words[to].name && to > i+1 && words().titles[a.words[to-1].low]) &&
		!strings.ContainsAny(a.text[a.words[to-1].end:a.words[to].at], ",;:()") {
		to++
	}
	if to < i+3 || inValue(a.taken, a.words[to-1]) {
		return value{}
	}
	from := 1 + strings.LastIndexAny(a.text[:a.words[i].at], ",;(")
	about := a.cut([2]int{from, a.words[i].end})
	s := subjectOf(about, a.taken, Name).with(labelOf(a.analysis).subject)
	return value{attr: "who", text: []string{a.words[to-1].stem}, at: a.words[i+1].at, end: a.words[to-1].end, subject: &s}
}

// copulas link a subject and what it is called.
var copulas = []string{"is", "are", "ist", "sind", "est", "sont", "es", "son", "be"}

// namings say what a thing is called.
var namings = []string{"called", "named", "renamed", "heißt", "s'appelle", "llama"}

// called reads "tax adviser: Ms Yildiz" and "our contact there is Mr Possehl".
func (a naming) called() value {
	for i := range a.words {
		if i == 0 {
			continue
		}
		gap := a.text[a.words[i-1].end:a.words[i].at]
		colon := strings.Contains(gap, ": ") || strings.Contains(gap, " = ")
		named := slices.Contains(namings, a.words[i-1].low)
		verb := slices.Contains(copulas, a.words[i-1].low) || named
		comma := strings.HasPrefix(gap, ", ") && a.wasNew(i)
		if !colon && !verb && !comma {
			continue
		}
		j := i
		for j < len(a.words) && a.filler(a.words[j].low) && !a.words[j].name && j-i < 4 {
			j++
		}
		to := j
		for to < len(a.words) && !inValue(a.taken, a.words[to]) && (a.words[to].name || colon && a.shortObject(i) && capital(a.words[to].text) && !a.filler(a.words[to].low) || words().titles[a.words[to].low]) && (to == j || !strings.ContainsAny(a.text[a.words[to-1].end:a.words[to].at], ",;:(")) {
			to++
		}
		for to > j && to+1 <= len(a.words)-1 && strings.TrimSpace(a.text[a.words[to-1].end:a.words[to].at]) == "&" {
			to++ // "Fenwick & Daughter"
		}
		if to == j && (colon || verb) && a.roleIn(i) && j < len(a.words) && !a.filler(a.words[j].low) && !a.weak(a.words[j].stem) {
			to = j + 1 // "grafana admin = yara"
		}
		if to > j && to < len(a.words) && inValue(a.taken, a.words[to]) && a.text[a.words[to-1].end:a.words[to].at] == " " {
			continue // "window: Immich v1.132 → v2.0" gives a version
		}
		if to > j && words().months[a.words[j].low] != 0 && a.wordBefore(a.words[j].at, "from", "since", "in", "until", "ab", "seit", "bis") {
			continue // "the new trainee, from September: Ann"
		}
		if to == j || possessed(a.words[to-1]) || inValue(a.taken, a.words[j]) || a.goesOn(to) || colon && a.lists(to) && !(a.isPhraseAt("office", i-1) && !strings.HasSuffix(a.words[i-1].low, "s")) {
			continue
		}
		about := a.analysis
		about.words = a.words[:i]
		if named {
			from := 1 + strings.LastIndexAny(a.text[:a.words[i].at], ",;(")
			about = a.cut([2]int{from, a.words[i-1].at})
		}
		s := subjectOf(about, a.taken, Name)
		if len(s.Strong)+len(s.Weak) == 0 {
			continue
		}
		var vals []string
		for _, t := range a.words[j:to] {
			if !words().titles[t.low] {
				vals = append(vals, t.stem)
			}
		}
		return value{text: compact(vals), at: a.words[j].at, end: a.words[to-1].end, subject: &s}
	}
	return value{}
}

// identified reads what stands before a verb where the words behind it say which one is meant: "Piotr Zielak is the accompanist now", "v9
// is the current best model".
func (a naming) identified() value {
	i := slices.IndexFunc(a.words, func(w word) bool { return slices.Contains(copulas, w.low) || w.low == "has" || w.low == "hat" })
	if i < 1 || i+2 >= len(a.words) {
		return value{}
	}
	from := i
	for from > 0 && (a.words[from-1].name || words().titles[a.words[from-1].low] || a.words[from-1].first && (capital(a.words[from-1].text) || coded(a.words[from-1].text)) && !a.filler(a.words[from-1].low)) {
		from--
	}
	j := i + 1
	if slices.Contains(nowWords, a.words[j].low) {
		j++
	}
	if j+2 < len(a.words) && a.words[j].low == "back" && a.words[j+1].low == "as" { // "Ann is back as the treasurer"
		j += 2
	}
	as := false
	if j+3 < len(a.words) && a.words[j].low == "taken" && a.words[j+1].low == "over" && a.words[j+2].low == "as" {
		j, as = j+3, true
	}
	to := a.objectEnd(j)
	if k := slices.IndexFunc(a.words[j:to], func(w word) bool { return w.low == "from" || w.low == "von" }); as && k > 0 {
		to = j + k
	}
	if from == i || a.words[from].at > clauseStart(a.text[:a.words[i].at])+1 || !as && !slices.Contains(definite, a.words[j].low) && !(possessed(a.words[j]) && to > j+1) || to-j > 6 || possessed(a.words[i-1]) ||
		slices.ContainsFunc(a.words[from:i], func(w word) bool { return inValue(a.taken, w) || words().weekdays[w.low] != 0 }) || slices.ContainsFunc(a.words[j:to], func(w word) bool { return inValue(a.taken, w) }) {
		return value{}
	}
	about := a.analysis
	about.words = a.words[j:to]
	s := subjectOf(about, a.taken, Name)
	if len(s.Strong) == 0 {
		return value{}
	}
	var vals []string
	for _, t := range a.words[from:i] {
		if !words().titles[t.low] {
			vals = append(vals, t.stem)
		}
	}
	return value{text: compact(vals), at: a.words[from].at, end: a.words[i-1].end, subject: &s}
}

// definite are words with which a thing begins of which there is one.
var definite = []string{"the", "our", "my", "your", "his", "her", "their", "der", "die", "das", "unser", "unsere", "mein", "meine", "le", "la", "notre", "mon", "ma", "el", "nuestro", "nuestra", "mi"}

// nowWords may stand between a verb and what it says.
var nowWords = []string{"now", "again", "jetzt", "nun", "wieder", "maintenant", "ahora"}

// lists reports whether another name follows behind a comma, so that the first is one of several.
func (a naming) lists(i int) bool {
	return i < len(a.words) && strings.TrimSpace(a.text[a.words[i-1].end:a.words[i].at]) == "," && a.words[i].name &&
		!words().names(Phone, a.words[i].stem) &&
		(i+1 == len(a.words) || strings.ContainsAny(a.text[a.words[i].end:a.words[i+1].at], ",;")) // "Harbours: Oslo, Kiel, Stavanger"
}

// doneBy reads "the series is run by Ann".
func (a naming) doneBy() value {
	for i := 2; i+1 < len(a.words); i++ {
		verb, who := a.words[i-1].low, a.words[i+1]
		is := (slices.Contains(copulas, a.words[i-2].low) || a.words[i-2].low == "now") && (strings.HasSuffix(verb, "ed") || slices.Contains([]string{"run", "led", "done", "kept", "held", "made", "taught"}, verb))
		if a.words[i].low != "by" || !is && !slices.Contains(duties, verb) || !who.name || inValue(a.taken, who) {
			continue
		}
		to := i + 2
		for to < len(a.words) && a.words[to].name && a.text[a.words[to-1].end:a.words[to].at] == " " {
			to++
		}
		var vals []string
		for _, t := range a.words[i+1 : to] {
			if !words().titles[t.low] {
				vals = append(vals, t.stem)
			}
		}
		s := subjectOf(a.cut([2]int{clauseStart(a.text[:a.words[i-2].at]), a.words[i].at}), a.taken, Name)
		if !s.tells() { // "payroll: handled by Ann"
			s = s.with(labelOf(a.analysis).subject)
		}
		s.Quals = append(s.Quals, duty(verb)) // what is painted by Ann may be run by Ben
		attr := "who"
		if slices.Contains([]string{"delivered", "supplied", "made", "printed", "brought", "baked", "hosted", "provided"}, verb) {
			attr = "" // a supplier is somewhere and somebody
		}
		return value{attr: attr, text: compact(vals), at: who.at, end: a.words[to-1].end, subject: &s}
	}
	return value{}
}

// duty names what somebody does, which is one and the same for all verbs of running a thing.
func duty(verb string) string {
	if slices.Contains(duties, verb) || verb == "done" || verb == "kept" || verb == "held" {
		return "run by"
	}
	return stem(verb) + " by"
}

// duties are verbs for what somebody does again and again, so that "handled by Ann" needs no verb before it.
var duties = []string{"handled", "managed", "maintained", "organised", "organized", "coordinated", "run", "led", "taught"}

// roleIn reports whether one of the words in front of a place names a role.
func (a naming) roleIn(i int) bool {
	for k := range i {
		if a.isPhraseAt("role", k) || a.isPhraseAt("office", k) {
			return true
		}
	}
	return false
}

// shortObject reports whether what follows a colon is a few words only, as a name is.
func (a naming) shortObject(i int) bool {
	n := 0
	for k := i; k < len(a.words); k++ {
		if k > i && strings.ContainsAny(a.text[a.words[k-1].end:a.words[k].at], ",;.()–—") {
			break
		}
		n++
	}
	return n <= 4
}

// wasNew reports "a new tax adviser, Ms Yildiz".
func (a naming) wasNew(i int) bool {
	for _, t := range a.words[max(0, i-5):i] {
		if slices.Contains([]string{"new", "neue", "neuer", "neuen", "nouveau", "nouvelle", "nuevo", "nueva"}, t.low) {
			return true
		}
	}
	return false
}

// goesOn reports whether a sentence goes on behind a name with words of its own, so that the name is no value.
func (a naming) goesOn(i int) bool {
	if i >= len(a.words) || strings.ContainsAny(a.text[a.words[i-1].end:a.words[i].at], ",;.:()–—#\"”") {
		return false
	}
	return !slices.Contains(afterName, a.words[i].low) && !words().qualifiers[a.words[i].low] // "Hanna weekdays, Piotr weekends"
}

// afterName are words with which a sentence may go on behind a name that is a value.
var afterName = []string{
	"and", "or", "for", "in", "at", "from", "since", "as", "on", "of", "now", "with", "via", "until", "und", "oder", "für", "seit", "ab", "im",
	"himself", "herself", "themselves", "bis", "et", "pour", "depuis", "à", "y", "para", "desde", "en", "de", "jusqu", "hasta", "not", "nicht", "instead", "statt", "again",
}
