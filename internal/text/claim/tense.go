package claim

import (
	"slices"
	"strings"

	"tend/internal/text/note"
)

// tense is when a sentence holds: whether it was so, is so for a few days, has changed, or may come.
type tense struct{ analysis }

// past reports whether a sentence tells how it was. "It was raised to 5" tells how it is.
func (a tense) past() bool {
	if len(a.words) > 2 && slices.Contains([]string{"before", "in", "vor", "im", "avant", "antes"}, a.words[0].low) && (words().months[a.words[1].low] != 0 || isYear(a.words[1].text)) &&
		slices.ContainsFunc(a.words, func(w word) bool {
			return slices.Contains([]string{"went", "was", "were", "had", "did", "ran", "took", "came", "war", "waren", "ging", "gingen", "lief"}, w.low) || pastVerb(w)
		}) {
		return true // "before April consumables went on …"
	}
	if !a.has("was") {
		if len(a.words) > 0 && a.isPhraseAt("until", 0) && slices.ContainsFunc(a.words, func(w word) bool { return strings.HasSuffix(w.low, "ed") }) {
			return true
		}
		return false
	}
	return !a.has("changed")
}

// passing reports whether a sentence speaks of a few days only.
func (a tense) passing() bool { return a.passingPhrase() != "" }

func (a tense) passingPhrase() string {
	for _, l := range a.langs {
		for _, p := range l.loose["passing"] {
			if strings.Contains(a.text, p) {
				return p
			}
		}
	}
	for _, m := range a.find("passing") {
		begins := m[0] > 0 && slices.Contains([]string{"after", "nach"}, a.words[m[0]-1].low) // "everything signed after today", "from today" and "as of this week" say when something begins
		for j := m[0] - 1; j >= 0 && j >= m[0]-3; j-- {
			begins = begins || a.isPhraseAt("since", j)
		}
		if last := a.words[m[1]-1]; strings.HasPrefix(a.text[last.end:], "'s ") || strings.HasPrefix(a.text[last.end:], "’s ") || strings.HasSuffix(last.text, "'s") || strings.HasSuffix(last.text, "’s") {
			continue // "with this month's pay"
		}
		if on := m[1]-m[0] == 2 && words().weekdays[a.words[m[1]-1].low] != 0; on && (len(a.find("changed")) > 0 && a.manner().states() || a.recurs() || a.habit(m[0])) {
			continue // "the pickup on Friday is at 11:00 now" and "on Friday afternoons" speak of every Friday
		}
		if on := words().weekdays[a.words[m[1]-1].low] != 0; on && m[1]+1 < len(a.words) && isNumber(a.words[m[1]].text) && words().months[a.words[m[1]+1].low] != 0 {
			continue // "on Saturday 18 April" may be months away
		}
		if p := a.join(m); !begins && !(p == "this time" && a.changes()) { // "up to 410 EUR, diesel included this time"
			return p
		}
	}
	for _, m := range a.find("until") {
		if a.words[m[0]].low == "by" || a.words[m[0]].low == "through" || m[1] >= len(a.words) || a.recurs() {
			continue
		}
		for _, t := range a.words[m[1]:min(len(a.words), m[1]+4)] {
			_, day := words().weekdays[t.low]
			if t.low == "next" { // "until next March" is a long time
				break
			}
			month := words().months[t.low] != 0 && capital(t.text)
			if day || month || t.low == "christmas" || t.low == "easter" || t.low == "new" || t.low == "end" || t.low == "ende" || t.low == "noon" || t.low == "tomorrow" || t.low == "tonight" {
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
func (a tense) recurs() bool {
	return slices.ContainsFunc(a.words, func(w word) bool {
		return words().weekdays[w.low] != 0 && strings.HasSuffix(w.low, "s") && len(w.low) > 5 || slices.Contains(recurring, w.low)
	})
}

// habit reports whether the words before a day say what is done with several things: "the boxes are filled on Sunday".
func (a tense) habit(on int) bool {
	return on > 1 && a.words[on-2].low == "are" && (strings.HasSuffix(a.words[on-1].low, "ed") || slices.Contains([]string{"done", "taken", "put", "set", "sent", "given", "paid", "read", "cut", "fed", "held", "made", "written"}, a.words[on-1].low))
}

// often reports whether a sentence names a day that comes again: "Fridays", "on a Friday".
func (a tense) often() bool {
	return a.recurs() || slices.ContainsFunc(a.words, func(w word) bool {
		return words().weekdays[w.low] != 0 && a.wordBefore(w.at, "a", "an", "einem")
	})
}

// changes reports whether a sentence says that something is different from before. "19 new" only counts.
func (a tense) changes() bool {
	found := a.find("changed")
	if len(found) == 0 && (a.upOrDown() || a.backAt()) {
		return true
	}
	return len(found) == 0 && a.has("changed") || slices.ContainsFunc(found, func(m [2]int) bool {
		at := a.words[m[0]]
		if slices.Contains(news, at.low) && a.manner().report() {
			return false // "counted April for the new condition" changes nothing
		}
		if slices.Contains(again, at.low) && !a.besideValue(at.at) {
			return false // "lag, hockey again" is no change
		}
		ends := m[1] == len(a.words) || strings.ContainsAny(a.text[at.end:a.words[m[1]].at], ",;.")
		return !ends || !slices.Contains(news, at.low) || !slices.ContainsFunc(a.words[max(0, m[0]-2):m[0]], func(w word) bool { return isNumber(w.text) })
	})
}

// backAt reports a value that returns: "back at 145 °F", "back down to 12". A time is when somebody comes back.
func (a tense) backAt() bool {
	for i, t := range a.words {
		if t.low != "back" {
			continue
		}
		for _, next := range a.words[i+1 : min(len(a.words), i+4)] {
			if isNumber(next.text) {
				rest := strings.TrimSpace(strings.ToLower(a.text[next.end:]))
				return !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "am") && !strings.HasPrefix(rest, "pm") && !strings.HasPrefix(rest, "uhr")
			}
			if !slices.Contains([]string{"at", "to", "up", "down", "on", "auf", "bei"}, next.low) {
				break
			}
		}
	}
	return false
}

// upOrDown reports "put my limit up", "turned it down to 18": a verb with its particle some words behind it, or a label that
// ends with one.
func (a tense) upOrDown() bool {
	at := labelEnd(a.text)
	for i, t := range a.words {
		if i > 0 && t.end == at && (t.low == "up" || t.low == "down") { // "threshold up: 50 %"
			return true
		}
		if !slices.Contains([]string{"put", "puts", "took", "takes", "take", "brought", "brings", "turned", "turns", "goes", "go", "went", "is", "are"}, t.low) {
			continue
		}
		for j := i + 1; j < len(a.words) && j <= i+4; j++ {
			near := t.low != "is" && t.low != "are" || j == i+1 // "is up to 26"
			if w := a.words[j].low; near && (w == "up" || w == "down") && !(t.low == "turned" && j == i+1 && j+1 < len(a.words) && a.words[j+1].low == "at") && !strings.ContainsAny(a.text[t.end:a.words[j].at], ",;:()") {
				return true
			}
		}
	}
	return false
}

// again are words for what comes once more, and with a value for one that returns.
var again = []string{"again", "wieder"}

// besideValue reports whether the clause around a place in the text, or the one behind it, has a value.
func (a tense) besideValue(at int) bool {
	values := valuesOf(a.analysis)
	list := a.clauses(values)
	i := slices.IndexFunc(list, func(c [2]int) bool { return c[0] <= at && at < c[1] })
	return i >= 0 && len(within(values, [2]int{list[i][0], list[min(i+1, len(list)-1)][1]})) > 0
}

// news are words for what came in.
var news = []string{"new", "neu", "neue", "nouveau", "nouveaux", "nuevo", "nuevos"}

// begins reports whether a sentence says from which day on it holds: "from 1 April", "ab Mai", "from Monday". A span such as
// "from Monday to Friday" begins nothing.
func (a tense) begins() bool {
	for _, m := range a.find("since") {
		for i := m[1]; i < min(len(a.words), m[1]+3); i++ {
			t := a.words[i]
			month, day := words().months[t.low] != 0 && capital(t.text), words().weekdays[t.low] != 0 && !strings.HasSuffix(t.low, "s")
			if (month || day) && i+1 < len(a.words) && (slices.Contains(spans, a.words[i+1].low) || strings.ContainsAny(a.text[t.end:a.words[i+1].at], "-–")) {
				return false
			}
			if month || day || slices.Contains([]string{"today", "tonight", "tomorrow", "week", "month", "heute", "morgen"}, t.low) {
				return true
			}
		}
	}
	return false
}

// spans come between the two ends of a span.
var spans = []string{"to", "until", "till", "through", "bis", "à", "au", "a", "hasta"}

// planned reports whether a sentence speaks of what may come.
func (a tense) planned() bool {
	for _, m := range a.find("plan") {
		if a.words[m[0]].low == "idea" && m[0] > 1 {
			continue // "open at 7:00, Ann's idea" is no plan
		}
		low := a.words[m[0]].low
		if low == "planning" && m[0] == 0 && len(a.words) > 1 && (slices.Contains(copulas, a.words[1].low) || slices.Contains([]string{"at", "on"}, a.words[1].low) || strings.HasPrefix(a.text[a.words[0].end:], ":")) {
			continue // "planning is at 9:00" is a meeting
		}
		if m[0] == 0 && low != "planned" || !strings.HasPrefix(low, "plan") { // "planned go-live: 2 March" has a date
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

// shifts reports whether a sentence says what something was changed to: "switched to …", "30 -> 60".
func (a tense) shifts() bool {
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

// ends reports whether a sentence names a last day.
func (a tense) ends(day note.Day) bool {
	_, ok := a.until(day)
	return ok
}

// holds reports whether a sentence names a last day that is far enough away to be worth knowing.
func (a tense) holds(day note.Day) bool {
	until, ok := a.until(day)
	return ok && until.Sub(day) > near
}

// soon reports whether a sentence speaks of how things are for a few days.
func (a tense) soon(day note.Day) bool {
	until, ok := a.until(day)
	return a.passingPhrase() != "" || a.has("soon") || a.provisional() || ok && until.Sub(day) <= near
}

// provisional reports whether a sentence holds until something happens: "the spare is in use until the dealer cuts a new one". With
// a denial that is a condition: "no release until the tests are green".
func (a tense) provisional() bool {
	for _, m := range a.find("until") {
		if low := a.words[m[0]].low; low == "by" || low == "through" || m[0] == 0 || m[1] >= len(a.words) || a.recurs() {
			continue
		}
		denied := slices.ContainsFunc(a.words[:m[0]], func(w word) bool {
			return slices.Contains(noWords, w.low) || slices.Contains([]string{"not", "never", "nothing", "nobody", "don't", "doesn't", "only", "nicht", "nie", "nichts", "niemand"}, w.low)
		})
		subject := slices.Contains(articles, a.words[m[1]].low) || slices.Contains([]string{"we", "it", "it's", "he", "she", "they", "der", "die", "das", "wir", "es", "er", "sie"}, a.words[m[1]].low)
		if denied || !subject {
			continue
		}
		for i := m[1]; i < min(len(a.words), m[1]+6); i++ {
			if i > m[1] && strings.ContainsAny(a.text[a.words[i-1].end:a.words[i].at], ",;.:()") {
				break
			}
			noun := i > m[1] && !a.filler(a.words[i-1].low) && strings.HasSuffix(a.words[i].low, "s") && !strings.HasSuffix(a.words[i-1].low, "s") // "the dealer cuts"
			if a.isPhraseAt("present", i) || noun || i == m[1]+1 && a.words[m[1]].low != "the" && !slices.Contains(articles, a.words[m[1]].low) {
				return true
			}
		}
	}
	return false
}

// changedElsewhere reports whether a clause without a word of passing says that something changed: "Ann is on leave, Ben is our
// contact now".
func (a tense) changedElsewhere(day note.Day) bool {
	for _, c := range a.clauses(nil) {
		part := a.cut(c)
		if len(part.find("changed")) > 0 && part.when().passingPhrase() == "" && !part.when().ends(day) && slices.ContainsFunc(Read(part.text, 0).Claims, func(c Claim) bool {
			return c.Changed && live(c) && !c.Not && c.Kind != State && c.Kind != Count // "two bags left" is a stock
		}) {
			return true
		}
	}
	return false
}
