package claim

import (
	"slices"
	"strings"

	"tend/internal/text/note"
)

// Worth says whether a text belongs in long-term memory.
type Worth struct {
	Score   int      // the more, the later it leaves
	Form    string   // what makes it matter: "rule", "wish", "agreement", "correction", "trait", "role", "place"; "" if nothing does
	Passing string   // why it will soon be of no use; "" if it lasts
	Until   note.Day // the last day it holds, where the text says so
	Report  bool     // it tells what happened
	Fact    bool     // it says how things are, for longer than a few days

	soon bool // the sentence that gives it its form holds for a few days
}

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
	return worths.get(textKey{text: text, day: day}, func(k textKey) Worth { return worthOf(k.text, k.day) })
}

func worthOf(text string, day note.Day) Worth {
	var w Worth
	text = topic().ReplaceAllString(strings.ReplaceAll(text, "**", ""), "")
	spans := sentences(text)
	if len(spans) == 0 {
		w.Score, w.Passing = -9, "no words"
		return w
	}
	first := text[spans[0][0]:spans[0][1]]
	if a := analyse(first); command().MatchString(first) && !a.has("rule") && !a.has("present") && labelEnd(first) < 0 {
		w.Score, w.Passing = -9, "a command"
		return w
	}
	if strings.HasSuffix(first, ":") && len(spans) == 1 {
		w.Score, w.Passing = -9, "a heading without a body"
		return w
	}
	s := Read(text, day)
	lead := analyse(first)
	for i, span := range spans {
		a := analyse(text[span[0]:span[1]])
		if w.Form == "wish" && len(a.words) <= 2 && a.has("rule") { // "Ida wants no music. Never."
			w.Form = "rule"
			w.Score++
			continue
		}
		for _, f := range forms {
			p := a.phrase(f.section)
			if p == "" || f.form == w.Form || f.form == "agreement" && a.when().past() && a.has("reminder") || f.form == "rule" && a.manner().descriptive() || f.form == "wish" && a.manner().counted() {
				continue
			}
			if w.Form == "" || i == 0 && f.score > formScore(w.Form) {
				w.Form, w.soon = f.form, a.when().soon(day)
				w.Score += f.score
			}
		}
	}
	if w.Form != "rule" && w.Form != "agreement" {
		for i, span := range spans[:min(2, len(spans))] {
			a := analyse(text[span[0]:span[1]])
			if p := a.manner().directs(); p != "" && (i == 0 || lead.manner().told() == "") {
				w.Form, w.soon = "rule", a.when().soon(day)
				w.Score += 3 // a rule
				break
			}
		}
	}
	if who := lead.manner().speaker(); who != "" {
		if w.Form == "" || w.Form == "wish" {
			w.Form = "wish"
			w.Score += 3 // a wish
		}
		w.soon = lead.when().soon(day)
	}
	for _, span := range spans {
		if p := analyse(text[span[0]:span[1]]).phrase("attention"); p != "" {
			w.Score += 2
			break
		}
	}
	if at := labelEnd(first); at > 0 && lead.manner().labelled() && strings.Contains(first[at:], "`") {
		w.Score += 2 // a form or a command to go by
	}
	if p := lead.manner().softly(); p != "" {
		w.Score++
	}
	if s.Changed {
		w.Score++ // says that something changed
	}
	for _, c := range s.Claims {
		if c.Kind != State && live(c) {
			w.Score++ // gives a value
			break
		}
	}
	if lead.manner().labelled() && slices.ContainsFunc(s.Claims, func(c Claim) bool {
		return live(c) && (c.Kind == Address || c.Kind == Phone || c.Kind == Port || c.Kind == Path)
	}) {
		w.Score++ // where something is reached
	}
	w.limits(lead, s, day)
	w.endsLater(lead, s, text, spans, day)
	w.soon = w.soon || lead.has("soon")
	w.Fact = w.Passing == "" && !w.Report && w.Score >= 0 && (lead.manner().states() || lead.when().shifts() && s.tellsChange()) && len(s.topic.Strong) > 0 && !slices.ContainsFunc(spans, func(span [2]int) bool {
		a := analyse(text[span[0]:span[1]])
		return a.when().soon(day) || a.when().planned() || strings.HasSuffix(a.text, "?")
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

// Brief reports whether a text without a tag holds for a few days only, by the sentence that makes it matter.
func (w Worth) Brief() bool { return w.soon }

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
	firm := w.Form == "rule" || w.Form == "agreement"
	if due, ok := a.when().deadline(s, day); ok {
		w.Until = due
	}
	if until, ok := a.when().until(day); ok && !a.when().changedElsewhere(day) {
		w.Until = until
		if until.Sub(day) <= near {
			w.Passing = "it holds until " + until.String() + " only"
		}
	} else if p := a.when().passingPhrase(); p != "" && !(firm && !once(p)) && !a.when().changedElsewhere(day) {
		w.Passing = `"` + p + `"`
	}
	if w.Passing == "" && !firm && w.Form != "trait" {
		if back, ok := a.when().notBefore(day); ok && back.Sub(day) <= near && back > day {
			w.Until, w.Passing = back, "it holds until "+back.String()+" only"
		}
	}
	if w.Passing == "" && a.lacking() {
		w.Passing = "something is missing since today"
	}
	if w.Passing != "" {
		w.Score -= 4 // passing
	}
	if p := a.manner().trivia(); p != "" && !firm {
		w.Score -= 3 // small talk
	}
	if strings.HasSuffix(strings.TrimSpace(a.text), "?") {
		w.Score -= 2 // a question
	}
	if told := a.manner().told(); told != "" && !a.has("correct") && (!firm && !s.Changed || a.manner().report()) && !(w.Form == "wish" && a.manner().quotes()) {
		w.Score -= 2 // tells what happened
		w.Report = true
	}
	if p := a.manner().returns(); p != "" && !firm && !w.Report {
		w.Score -= 2 // tells what happened
		w.Report = true
	}
	if a.isPhraseAt("stranger", 0) {
		w.Score -= 3 // an episode
		w.Report = true
	}
	if len(s.topic.Strong) < 2 {
		w.Score-- // few words
	}
}

// endsLater looks for a last day in the sentences behind the first, where that gives no value of its own: "Ann has a cold. Off work until
// Friday 6 March".
func (w *Worth) endsLater(lead analysis, s Statement, text string, spans [][2]int, day note.Day) {
	if w.Passing != "" || w.Form == "rule" || w.Form == "agreement" || w.Form == "trait" || w.Form == "wish" || s.Changed || len(spans) < 2 ||
		slices.ContainsFunc(s.Claims, func(c Claim) bool {
			return c.Sentence == lead.text && c.Kind != State && c.Kind != Clock && (c.Kind != Name || w.Form == "role") && live(c)
		}) {
		return
	}
	for _, span := range spans[1:] {
		if until, ok := analyse(text[span[0]:span[1]]).when().until(day); ok && until.Sub(day) <= near {
			w.Until, w.Passing = until, "it holds until "+until.String()+" only"
			w.Score -= 4
			return
		}
	}
}

// lacking reports an outage: "no hot water since this morning".
func (a analysis) lacking() bool {
	if len(a.words) == 0 || !slices.Contains(noWords, a.words[0].low) {
		return false
	}
	return slices.ContainsFunc(a.find("passing"), func(m [2]int) bool { return m[0] > 0 && a.isPhraseAt("since", m[0]-1) })
}

// once reports phrases that can only mean one day.
func once(p string) bool {
	return strings.Contains(p, "tomorrow") || strings.Contains(p, "tonight") || strings.Contains(p, "yesterday") || strings.HasPrefix(p, "next ")
}

// topic matches a hashtag at the beginning, which says what a text is about and is no part of its sentence.
var topic = expr(`^#\pL[\pL\d_-]*:?\s+`)

// command matches lines of a shell and of a log.
var command = expr("^(?:\\$ |> ?\\$|sudo |git |npm |docker |kubectl |curl |cd |\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d|(?:INFO|WARN|ERROR|DEBUG)\\b|level=)")
