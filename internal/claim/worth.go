package claim

import (
	"slices"
	"strings"

	"tend/internal/note"
)

// Worth says whether a text belongs in long-term memory.
type Worth struct {
	Score   int      // the more, the later it leaves
	Form    string   // what makes it matter: "rule", "wish", "agreement", "correction", "trait", "role", "place"; "" if nothing does
	Why     []string // for people: what was seen
	Passing string   // why it will soon be of no use; "" if it lasts
	Until   note.Day // the last day it holds, where the text says so
	Report  bool     // it tells what happened
	Fact    bool     // it says how things are, for longer than a few days

	soon bool // the sentence that gives it its form holds for a few days
}

// Reason is the worth for people, in one line.
func (w Worth) Reason() string { return strings.Join(w.Why, ", ") }

// forms are looked for in this order; the first found names the form.
var forms = []struct {
	section, form string
	score         int
}{
	{"trait", "trait", 3}, {"agree", "agreement", 3}, {"rule", "rule", 3}, {"wish", "wish", 2}, {"correct", "correction", 2}, {"role", "role", 1}, {"where", "place", 1},
}

// near is for how many days a statement must hold to be worth more than a place in the log.
const near = 21

// WorthOf weighs a text by its form. The day is when it was said.
func WorthOf(text string, day note.Day) Worth {
	var w Worth
	text = strings.ReplaceAll(text, "**", "")
	spans := sentences(text)
	if len(spans) == 0 {
		w.Score, w.Passing = -9, "no words"
		return w
	}
	first := text[spans[0][0]:spans[0][1]]
	if command().MatchString(first) {
		w.Score, w.Passing = -9, "a command"
		return w
	}
	if strings.HasSuffix(first, ":") && len(spans) == 1 {
		w.Score, w.Passing = -9, "a heading without a body"
		return w
	}
	s := Read(text, day)
	lead := analyse(first)
	add := func(n int, why string) {
		w.Score += n
		w.Why = append(w.Why, why)
	}
	for i, span := range spans {
		a := analyse(text[span[0]:span[1]])
		for _, f := range forms {
			p := a.phrase(f.section)
			if p == "" || f.form == w.Form || f.form == "rule" && a.descriptive() || f.form == "wish" && a.counted() {
				continue
			}
			if w.Form == "" || i == 0 && f.score > formScore(w.Form) {
				w.Form, w.soon = f.form, a.soon(day)
				add(f.score, f.form+`: "`+p+`"`)
			}
		}
	}
	if w.Form != "rule" && w.Form != "agreement" {
		for i, span := range spans[:min(2, len(spans))] {
			a := analyse(text[span[0]:span[1]])
			if p := a.directs(); p != "" && (i == 0 || lead.told() == "") {
				w.Form, w.soon = "rule", a.soon(day)
				add(3, `rule: "`+p+`"`)
				break
			}
		}
	}
	if who := lead.speaker(); who != "" {
		if w.Form == "" || w.Form == "wish" {
			w.Form = "wish"
			add(3, "wish: of "+who)
		}
		w.soon = lead.soon(day)
	}
	for _, span := range spans {
		if p := analyse(text[span[0]:span[1]]).phrase("attention"); p != "" {
			add(2, `"`+p+`"`)
			break
		}
	}
	if at := labelEnd(first); at > 0 && lead.labelled() && strings.Contains(first[at:], "`") {
		add(2, "a form or a command to go by")
	}
	if p := lead.softly(); p != "" {
		add(1, `"`+p+`"`)
	}
	if s.Changed {
		add(1, "says that something changed")
	}
	for _, c := range s.Claims {
		if c.Kind != State && live(c) {
			add(1, "gives a value: "+string(c.Kind))
			break
		}
	}
	if lead.labelled() && slices.ContainsFunc(s.Claims, func(c Claim) bool {
		return live(c) && (c.Kind == Address || c.Kind == Phone || c.Kind == Port || c.Kind == Path)
	}) {
		add(1, "where something is reached")
	}
	w.limits(lead, s, day)
	w.soon = w.soon || lead.has("soon")
	w.Fact = w.Passing == "" && !w.Report && w.Score >= 0 && (lead.states() || lead.shifts() && s.tellsChange()) && len(s.topic.Strong) > 0 && !slices.ContainsFunc(spans, func(span [2]int) bool {
		a := analyse(text[span[0]:span[1]])
		return a.soon(day) || a.planned() || strings.HasSuffix(a.text, "?")
	})
	return w
}

// tellsChange reports whether a statement gives a value that it says is different from before: "the relay switched to …".
func (s Statement) tellsChange() bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Changed && live(c) && !c.Not && c.Kind != State && c.Kind != Name })
}

// givesNew reports whether a statement gives a value that is different from before.
func (s Statement) givesNew() bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Changed && live(c) && !c.Not && c.Kind != State })
}

// shifts reports whether a sentence says what something was changed to: "switched to …", "30 -> 60".
func (a analysis) shifts() bool {
	if a.arrow() {
		return true
	}
	for _, m := range a.find("changed") {
		for _, t := range a.words[min(m[1], len(a.words)):min(m[1]+2, len(a.words))] {
			if slices.Contains([]string{"to", "auf", "nach", "zu", "à", "au", "a"}, t.low) {
				return true
			}
		}
	}
	return false
}

// counted reports a sentence in which only a number of people want something: "31 new mails, 6 want an answer".
func (a analysis) counted() bool {
	found := a.find("wish")
	return len(found) > 0 && !slices.ContainsFunc(found, func(m [2]int) bool {
		if m[0] == 0 {
			return true
		}
		_, number := parseNumber(a.words[m[0]-1].text)
		return !number
	})
}

// descriptive reports a sentence whose only word of a rule is none: it tells how something was ("that was never switched
// off"), answers a question ("We do not.") or leaves it open ("may or may not").
func (a analysis) descriptive() bool {
	found := a.find("rule")
	return len(found) > 0 && !slices.ContainsFunc(found, func(m [2]int) bool {
		answer := m[1] == len(a.words) && m[0] > 0 && slices.Contains([]string{"not", "don't"}, a.words[m[1]-1].low)
		return !answer && !a.tellsNot(m) && !a.tellsNever(m) && (m[0] == 0 || !slices.Contains([]string{"was", "were", "has", "had", "been", "i've", "i'd", "or", "that", "which", "who"}, a.words[m[0]-1].low))
	})
}

// tellsNever reports a "never" that tells what did not happen: "they never answered". "Is never renamed" is a rule.
func (a analysis) tellsNever(m [2]int) bool {
	if m[0] == 0 || m[1] >= len(a.words) || !slices.Contains([]string{"never", "always"}, a.words[m[0]].low) {
		return false
	}
	before := a.words[m[0]-1]
	named := before.name || slices.Contains([]string{"i", "we", "he", "she", "they", "it", "who"}, before.low)
	return named && pastVerb(a.words[m[1]])
}

// pastVerb reports a word that looks like a verb in the past: "noticed".
func pastVerb(w word) bool { return len(w.low) > 4 && strings.HasSuffix(w.low, "ed") && !w.name }

// tellsNot reports a "do not" that tells how things are: "the levels do not match". One that commands begins its clause, or
// stands behind who is to obey.
func (a analysis) tellsNot(m [2]int) bool {
	if w := a.words[m[0]].low; m[0] == 0 || w != "do" && w != "don't" {
		return false
	}
	if m[1] < len(a.words) && slices.Contains([]string{"know", "understand", "mind", "remember", "think", "believe", "care", "matter"}, a.words[m[1]].low) {
		return true // "I do not understand"
	}
	before := a.words[m[0]-1]
	return !strings.ContainsAny(a.text[before.end:a.words[m[0]].at], ",;:.()–—\"“„") && !slices.Contains([]string{"i", "we", "you", "please", "and", "so", "but", "or", "just", "they", "people"}, before.low)
}

// Brief reports whether a text without a tag holds for a few days only, by the sentence that makes it matter.
func (w Worth) Brief() bool { return w.soon }

// soon reports whether a sentence speaks of how things are for a few days.
func (a analysis) soon(day note.Day) bool {
	until, ok := untilOf(a, day)
	return a.passingPhrase() != "" || a.has("soon") || ok && until.Sub(day) <= near
}

// Rules reports whether a heading is that of a list of rules.
func Rules(title string) bool { return analyse(title).has("rules") }

func formScore(form string) int {
	for _, f := range forms {
		if f.form == form {
			return f.score
		}
	}
	return 0
}

// limits takes off for what makes a statement passing.
func (w *Worth) limits(a analysis, s Statement, day note.Day) {
	less := func(n int, why string) {
		w.Score -= n
		w.Why = append(w.Why, why)
	}
	firm := w.Form == "rule" || w.Form == "agreement"
	if due, ok := a.deadline(s, day); ok {
		w.Until = due
	}
	if until, ok := untilOf(a, day); ok && !a.changedElsewhere() {
		w.Until = until
		if until.Sub(day) <= near {
			w.Passing = "it holds until " + until.String() + " only"
		}
	} else if p := a.passingPhrase(); p != "" && !(firm && !once(p)) && !a.changedElsewhere() {
		w.Passing = `"` + p + `"`
	}
	if w.Passing != "" {
		less(4, "passing: "+w.Passing)
	}
	if p := a.trivia(); p != "" && !firm {
		less(3, `small talk: "`+p+`"`)
	}
	if strings.HasSuffix(strings.TrimSpace(a.text), "?") {
		less(2, "a question")
	}
	if told := a.told(); told != "" && (!firm && !s.Changed || a.report()) && !(w.Form == "wish" && a.quotes()) {
		less(2, `tells what happened: "`+told+`"`)
		w.Report = true
	}
	if p := a.returns(); p != "" && !firm && !w.Report {
		less(2, `tells what happened: "`+p+`"`)
		w.Report = true
	}
	if a.isPhraseAt("stranger", 0) {
		less(3, "an episode")
		w.Report = true
	}
	if len(s.topic.Strong) < 2 {
		less(1, "few words")
	}
}

// trivia finds a word of small talk. "At breakfast" only says when.
func (a analysis) trivia() string {
	for _, m := range a.find("trivia") {
		if m[0] == 0 || !slices.Contains([]string{"at", "over", "after", "before", "during", "beim", "nach", "vor"}, a.words[m[0]-1].low) {
			return a.join(m)
		}
	}
	return ""
}

// returns finds what makes a sentence news of somebody or of some work: "Ann is back, with samples", "1 to 9 are finished".
func (a analysis) returns() string {
	for i, t := range a.words {
		if i == 0 || i > 5 || !slices.Contains([]string{"is", "are", "ist", "sind"}, a.words[i-1].low) {
			continue
		}
		after := ""
		if i+1 < len(a.words) {
			after = a.words[i+1].low
		}
		person := i == 2 && a.words[0].first && capital(a.words[0].text) && !a.filler(a.words[0].low)
		if person && (t.low == "back" && after != "on" && after != "at" && after != "to" || t.low == "zurück") || slices.Contains([]string{"finished", "fertig", "done"}, t.low) {
			return a.join([2]int{i - 1, i + 1})
		}
	}
	return ""
}

// softly finds a word of a weak rule. The month of May is none.
func (a analysis) softly() string {
	for _, m := range a.find("soft") {
		if w := a.words[m[0]]; w.text != "May" || w.first {
			return a.join(m)
		}
	}
	return ""
}

// quotes reports whether a sentence tells what somebody told or asked the writer.
func (a analysis) quotes() bool {
	for i, t := range a.words[:max(0, len(a.words)-1)] {
		if (t.low == "told" || t.low == "asked") && slices.Contains([]string{"me", "us", "that"}, a.words[i+1].low) {
			return true
		}
	}
	return false
}

// changedElsewhere reports whether a clause without a word of passing says that something changed: "Ann is on leave, Ben is our
// contact now".
func (a analysis) changedElsewhere() bool {
	for _, c := range a.clauses(nil) {
		part := a.cut(c)
		if len(part.find("changed")) > 0 && part.passingPhrase() == "" && slices.ContainsFunc(Read(part.text, 0).Claims, func(c Claim) bool {
			return c.Changed && live(c) && !c.Not && c.Kind != State && c.Kind != Count // "two bags left" is a stock
		}) {
			return true
		}
	}
	return false
}

// once reports phrases that can only mean one day.
func once(p string) bool {
	return strings.Contains(p, "tomorrow") || strings.Contains(p, "tonight") || strings.Contains(p, "yesterday") || strings.HasPrefix(p, "next ")
}

// told finds what makes a sentence a report: it begins with what was done, or tells it in the past.
func (a analysis) told() string {
	for _, m := range a.find("status") {
		if m[0] <= 2 || m[1] == len(a.words) {
			return a.join(m)
		}
	}
	if a.lead().past() {
		return a.phrase("was")
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
func (a analysis) report() bool {
	for _, m := range a.find("status") {
		if m[0] == 0 {
			return true
		}
	}
	if len(a.words) > 3 && slices.Contains([]string{"i", "we", "ich", "wir"}, a.words[0].low) && a.isPhraseAt("status", 1) && !a.has("agree") { // "I went through the photos"
		return true
	}
	return len(a.words) > 2 && a.words[0].first && strings.HasSuffix(a.words[0].low, "ed") && len(a.words[0].low) > 4
}

// command matches lines of a shell and of a log.
var command = expr("^(?:\\$ |> ?\\$|sudo |git |npm |docker |kubectl |curl |cd |\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d|(?:INFO|WARN|ERROR|DEBUG)\\b|level=)")
