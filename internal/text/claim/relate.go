package claim

import (
	"fmt"
	"slices"
	"strings"
)

// Conflict is two claims that cannot both hold now.
type Conflict struct {
	New, Old Claim
	Reason   string
}

// Close reports whether the two claims have most of what they are about in common.
func (c Conflict) Close() bool {
	return c.Old.Kind == State || len(common(c.New.Subject.Strong, c.Old.Subject.Strong)) >= min(2, len(c.Old.Subject.Strong))
}

// Unrelated reports whether the subjects of the two claims share no word that tells things apart.
func (c Conflict) Unrelated() bool {
	return len(common(c.New.Subject.Strong, c.Old.Subject.Strong)) == 0
}

// ByName reports whether all that the two claims share is a name: somebody has many days, times and places.
func (c Conflict) ByName() bool {
	shared := common(c.New.Subject.Strong, c.Old.Subject.Strong)
	names := slices.Concat(c.New.Subject.Names, c.Old.Subject.Names)
	return len(shared) > 0 && len(common(shared, names)) == len(shared)
}

// Firm reports whether the two claims share more than one word, those included that many subjects have.
func (c Conflict) Firm() bool {
	return len(common(slices.Concat(c.New.Subject.Strong, c.New.Subject.Weak), slices.Concat(c.Old.Subject.Strong, c.Old.Subject.Weak))) >= 2
}

// Conflicts lists the claims of an older statement that a newer one gives another value. A newer statement that says that
// something changed is matched with less in common.
func Conflicts(newer, older Statement) []Conflict {
	return conflicts(newer, older, newer.Changed || newer.Agreed || contrasts(newer, older))
}

// Asked counts the words of a question that are about what a newer statement gives another value.
func Asked(newer, older Statement, terms []string) int {
	most := 0
	for _, c := range Conflicts(newer, older) {
		most = max(most, len(common(c.Old.Subject.Strong, terms)))
	}
	return most
}

// contrasts reports whether a newer statement names the number of an older one beside one of its own of that sort: "40 lux in the
// hall, the 45 was too bright".
func contrasts(newer, older Statement) bool {
	for _, y := range older.Claims {
		number := y.digits(older.Text)
		if len(number) < 2 || !slices.ContainsFunc(newer.Claims, func(x Claim) bool { return comparable(x, y) && live(x) && !agree(x, y) }) {
			continue
		}
		if slices.ContainsFunc(split(newer.Text), func(w word) bool { return w.text == number }) {
			return true
		}
	}
	return false
}

// Supersedes reports whether a newer statement takes the place of an older one, and why. The order is the caller's to
// know: it decides which of the two is newer.
func Supersedes(newer, older Statement) (bool, string) {
	if cs := Conflicts(newer, older); len(cs) > 0 {
		return true, cs[0].Reason
	}
	if word := dropsValue(newer, older); word != "" {
		return true, fmt.Sprintf("the newer statement says that %q no longer holds", word)
	}
	if ok, why := Ends(newer, older); ok {
		return true, why
	}
	if differ := twins(newer, older); differ != "" {
		return true, differ
	}
	return false, ""
}

// dropsValue finds a value of the older statement that the newer one takes back: "not peanuts", "instead of Mondays".
func dropsValue(newer, older Statement) string {
	if len(newer.Dropped) == 0 || len(common(newer.Subject.Strong, older.Subject.Strong)) == 0 {
		return ""
	}
	for _, c := range older.Claims {
		shared := common(newer.Subject.Strong, c.Subject.Strong)
		many := slices.Contains([]Kind{Weekday, Clock, Date, Duration, Count}, c.Kind) // somebody has many of these
		byName := len(shared) == 1 && slices.Contains(slices.Concat(newer.Subject.Names, c.Subject.Names), shared[0])
		if c.Past || c.Passing || c.Not || c.Kind == State || len(shared) == 0 || many && byName || otherSort(newer.Subject, c.Subject) {
			continue
		}
		for _, gone := range newer.Dropped {
			of := !isNumber(gone) || slices.ContainsFunc(newer.was, func(w Claim) bool {
				return w.Kind == c.Kind && (w.Attr == c.Attr || slices.Contains(c.Subject.Strong, w.Attr)) && slices.Contains(w.Values, gone)
			})
			if of && slices.Contains(c.Values, gone) || c.Kind == Address && len(gone) >= 5 && strings.Contains(c.Value(), gone) || isNumber(gone) && gone == c.digits(older.Text) && len(common(newer.Subject.Strong, c.Subject.Strong)) >= 2 {
				return gone
			}
		}
	}
	// A thing, not a value: "allergic to cashews, not peanuts".
	corrects := analyse(newer.Text).has("correct") || analyse(older.Text).has("trait")
	for _, part := range older.parts {
		for _, w := range common(newer.Dropped, part.Strong) {
			if newer.keeps(w) {
				continue
			}
			others := len(slices.DeleteFunc(common(newer.Subject.Strong, part.Strong), func(o string) bool { return o == w }))
			if others >= 2 || others == 1 && (corrects || len(part.Strong) <= 3) && !slices.Contains(part.Names, w) {
				return w
			}
		}
	}
	return ""
}

// keeps reports whether a sentence that takes a word back has it in what it says as well: "by expiry date, not by date of arrival".
func (s Statement) keeps(gone string) bool {
	return slices.ContainsFunc(Sentences(s.Text), func(sentence string) bool {
		n := 0
		for _, w := range split(sentence) {
			if w.stem == gone {
				n++
			}
		}
		return n > 1
	})
}

// digits is the number a claim's value begins with, as the text has it.
func (c Claim) digits(text string) string {
	if c.At < 0 || c.End > len(text) || c.At >= c.End {
		return ""
	}
	value := text[c.At:c.End]
	if i := strings.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		value = value[:i]
	}
	return value
}

// Same reports whether two statements say the same in other words: they are about the same and agree in every value both
// have.
func Same(a, b Statement) bool {
	if strings.EqualFold(strings.TrimSpace(a.Text), strings.TrimSpace(b.Text)) {
		return true
	}
	if len(conflicts(a, b, false)) > 0 || a.Ended != b.Ended {
		return false
	}
	if takesBack(a, b) || takesBack(b, a) || a.back && b.Changed && !b.back {
		return false // "back on paper, 6:40" does not repeat "by phone from now on, 6:40"
	}
	for _, x := range a.Claims {
		for _, y := range b.Claims {
			if x.Kind == Weekday && len(x.Values) != len(y.Values) || x.Kind == Every || revises(x, a, b) {
				continue // a day of a span is not the span, and many things happen every second week
			}
			if x.Kind == y.Kind && x.Kind != State && live(x) && live(y) && x.Not == y.Not && about(x.Subject, y.Subject, false) && agree(x, y) {
				return true
			}
		}
	}
	if a.back != b.back || otherSort(a.topic, b.topic) || otherCode(a.topic.Strong, b.topic.Strong) || otherActor(a, b) || a.denied != b.denied {
		return false
	}
	shared := common(a.topic.Strong, b.topic.Strong)
	less := min(len(a.topic.Strong), len(b.topic.Strong))
	names := slices.Concat(a.Subject.Names, b.Subject.Names, a.agents, b.agents)
	return len(shared) >= 3 && 4*len(shared) >= 3*less && len(common(shared, names)) < len(shared) && !valuesDiffer(a, b) && !namesOther(a, b) && !namesOther(b, a)
}

// takesBack reports whether a statement says that something the other one speaks of is not so: "bees, not wasps".
func takesBack(a, b Statement) bool { return len(common(a.Dropped, b.Subject.Strong)) > 0 }

// namesOther reports whether a statement that tells of a change names something that the other one does not. Who says it does not count.
func namesOther(a, b Statement) bool {
	known := slices.Concat(b.Subject.Strong, a.agents, a.voice.Strong)
	return a.Changed && len(common(a.topic.Names, known)) < len(a.topic.Names)
}

// revises reports whether a statement that tells of a change has another value of a claim's kind, which the other one lacks: "channel 8 is
// jammed, we are on 72 now".
func revises(x Claim, a, b Statement) bool {
	return a.Changed && slices.ContainsFunc(a.Claims, func(o Claim) bool {
		return o.Kind == x.Kind && live(o) && !slices.ContainsFunc(b.Claims, func(y Claim) bool { return o.Kind == y.Kind && agree(o, y) })
	})
}

// otherActor reports whether two statements begin with different names: who does a thing is part of what is said.
func otherActor(a, b Statement) bool {
	named := func(s Statement) bool { return s.head != "" && s.named }
	return named(a) && named(b) && a.head != b.head && !slices.Contains(a.topic.Strong, b.head) && !slices.Contains(b.topic.Strong, a.head)
}

// Alike reports whether two statements are about the same in other words, whatever they say of it: most of the words that
// tell the shorter one's subject are in the other too.
func Alike(a, b Statement) bool {
	shared := len(common(a.Subject.Strong, b.Subject.Strong))
	less := min(len(a.Subject.Strong), len(b.Subject.Strong))
	return shared >= 2 && 3*shared >= 2*less && !otherSort(a.Subject, b.Subject) && !otherCode(a.Subject.Strong, b.Subject.Strong)
}

// coded reports a word such as ci-2 or K0117.
func coded(w string) bool { return strings.ContainsAny(w, "0123456789") }

// otherCode reports whether both name things by codes such as ci-2 or K0117, and not the same ones.
func otherCode(a, b []string) bool {
	codes := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return !coded(w) })
	}
	x, y := codes(a), codes(b)
	return len(x) > 0 && len(y) > 0 && len(common(x, y)) == 0
}

// valuesDiffer reports whether two statements name different values of one kind.
func valuesDiffer(a, b Statement) bool {
	for _, x := range a.Claims {
		for _, y := range b.Claims {
			if x.Kind == y.Kind && (!agree(x, y) || x.Not != y.Not) {
				return true
			}
		}
	}
	return false
}

// Unread reports whether a sentence has a number that is part of none of its claims: "five weeks for a jacket, twelve for a coat".
func (s Statement) Unread(sentence string) bool {
	at := strings.Index(s.Text, sentence)
	list := split(sentence)
	for i, w := range list {
		_, word := words().numbers[w.low]
		bare := i+1 == len(list) || slices.Contains([]string{"for", "on", "at", "in", "and", "für", "bei", "und", "pour", "et", "para", "y"}, list[i+1].low) // of what, the words before say
		if at < 0 || !bare || !isNumber(w.text) && !word || slices.Contains(s.Dropped, w.text) {
			continue
		}
		if !slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.At <= at+w.at && at+w.end <= c.End }) {
			return true
		}
	}
	return false
}

// Gives reports whether a statement has a claim's value.
func (s Statement) Gives(c Claim) bool {
	return slices.ContainsFunc(s.Claims, func(o Claim) bool { return o.Kind == c.Kind && o.Attr == c.Attr && slices.Equal(o.Values, c.Values) })
}

func live(c Claim) bool { return !c.Past && !c.Passing && !c.Plan }

func conflicts(newer, older Statement, loose bool) []Conflict {
	var all []Conflict
	for _, x := range newer.Claims {
		var out []Conflict
		for _, y := range older.Claims {
			if (!live(x) || !live(y)) && !bothEnd(x, y) || !comparable(x, y) {
				continue
			}
			if x.Kind == State || y.Kind == State {
				if x.Not != y.Not && sameAct(x, y) && whole(x) && whole(y) {
					out = append(out, Conflict{x, y, fmt.Sprintf("%q against %q", brief(x.Sentence), brief(y.Sentence))})
				}
				continue
			}
			if x.Not != y.Not && agree(x, y) && about(x.Subject, y.Subject, false) {
				out = append(out, Conflict{x, y, fmt.Sprintf("%q against %q", brief(x.Sentence), brief(y.Sentence))})
				continue
			}
			if x.Not != y.Not || agreesElsewhere(x, newer, older) || agreesElsewhere(y, older, newer) {
				continue
			}
			if slices.Contains(y.Subject.Strong, spending) && !slices.Contains(x.Subject.Strong, spending) {
				continue // what was bought for 129 EUR is not what may be spent
			}
			if x.Kind == Name && (otherOffice(x.Subject, y.Subject, loose) || namesSubject(x, y)) {
				continue
			}
			if replacesOther(x, y, older) || ofOtherDay(x, y, newer, older) || otherCompound(x, y) || namesOnly(x, y, newer, older) || otherNumber(x, y, newer.Text, older.Text) {
				continue
			}
			if slices.Contains([]Kind{Weekday, Clock, Date, Name}, x.Kind) && analyse(x.Sentence).has("besides") {
				continue // "open on Sundays as well"
			}
			if x.Span() != y.Span() && !x.Changed {
				continue // "the window stays, 22:14" may tell when that was said
			}
			if otherHours(x, y) || bounded(x) != bounded(y) && len(common(x.Subject.Strong, y.Subject.Strong)) < 2 {
				continue // "nothing before 9:00" says nothing of when it begins
			}
			of := x.Subject
			if y.Kind == Count && x.Kind != Count {
				of = of.without(Count, y.Attr) // "the number of pots was raised to 9"
			}
			if (about(of, y.Subject, loose) && !mentions(x, y) || tookPlace(x, y, newer) || sameNumber(x, y) || sameAuthority(x, y) || sameTotal(x, y) || loose && (sameCount(x, y) || sameAttribute(x, y) || covered(x, older) || together(x, y, newer, older) && !mentions(x, y) || sameTheme(x, y, newer, older) || moved(x, y))) && !agree(x, y) {
				out = append(out, Conflict{x, y, fmt.Sprintf("%s of %s: %s against %s", x.Kind, subjectName(x, y), x.Value(), y.Value())})
			}
		}
		all = append(all, nearest(out, newer)...)
	}
	return all
}

// bothEnd reports whether two claims say until when something holds.
func bothEnd(x, y Claim) bool {
	until := func(c Claim) bool { return c.Kind == Date && c.Passing && !c.Past && !c.Plan }
	return until(x) && until(y)
}

// nearest keeps, of the older claims that one new value conflicts with, those that are most about the same: "up at 5:50, wants
// the plan at 6:15" has two times, and a new one for the plan changes the second.
func nearest(list []Conflict, newer Statement) []Conflict {
	if len(list) < 2 {
		return list
	}
	near := func(c Conflict) int {
		n := 2 * len(common(c.New.Subject.Strong, c.Old.Subject.Strong))
		if len(common(newer.Dropped, c.Old.Values)) > 0 {
			n += 3
		}
		return n
	}
	most := 0
	for _, c := range list {
		most = max(most, near(c))
	}
	return slices.DeleteFunc(list, func(c Conflict) bool { return near(c) < most })
}

// comparable reports whether two claims are of the same sort.
func comparable(x, y Claim) bool {
	plain := func(c Claim) bool {
		return c.Kind == Number && c.Attr == "" && strings.Trim(c.Value(), "0123456789") == ""
	}
	port := func(p, n Claim) bool { return p.Kind == Port && plain(n) && len(n.Value()) > 3 }
	if port(x, y) || port(y, x) {
		return true // "the door code is 9026 now" may look like a port
	}
	counts := func(n, c Claim) bool { // "the number of plants was raised to 12", "8 plants"
		return plain(n) && c.Kind == Count && (slices.Contains(n.Subject.Strong, c.Attr) || slices.Contains(n.Subject.Weak, c.Attr))
	}
	if counts(x, y) || counts(y, x) {
		return true
	}
	if x.Kind != y.Kind {
		return false
	}
	if x.Kind == Money {
		return x.Attr == y.Attr || x.Attr == "money" || y.Attr == "money"
	}
	allowed := func(a, b Claim) bool { return x.Kind == State && a.Attr == "allowed" && b.Attr == "" } // "no preprints", "preprints are allowed"
	return x.Attr == y.Attr || allowed(x, y) || allowed(y, x) || x.Kind == Name && (x.Attr == "" || y.Attr == "") || x.Kind == Clock || x.Kind == Number && (numbers(x, y) || numbers(y, x))
}

// numbers reports whether a number without a noun may be that of a noun: "extension 12", "the extension is 21 now".
func numbers(n, of Claim) bool {
	return n.Attr == "" && (slices.Contains(n.Subject.Strong, of.Attr) || slices.Contains(n.Subject.Weak, of.Attr) || len(common(n.Subject.Strong, of.Subject.Strong)) > 1)
}

// bounded reports a time before or after which something holds, or an amount above or below which it does.
func bounded(c Claim) bool { return c.Bound }

// otherHours reports whether one value says from when to when and the other before or after when.
func otherHours(x, y Claim) bool { return bounded(x) != bounded(y) && (x.Span() || y.Span()) }

// agreesElsewhere reports whether a value of one statement is in the other one too.
func agreesElsewhere(x Claim, mine, other Statement) bool {
	for _, y := range other.Claims {
		if x.Kind == Weekday && (len(x.Values) > 2) != (len(y.Values) > 2) {
			continue // a day of a span is not the span
		}
		if comparable(x, y) && x.Not == y.Not && agree(x, y) && (x.Kind != Count && x.Kind != Weekday && x.Kind != Clock || about(x.Subject, y.Subject, true)) {
			return true
		}
	}
	// Another value of mine of this kind may be the one they have.
	for _, x2 := range mine.Claims {
		if !comparable(x, x2) || !about(x.Subject, x2.Subject, false) {
			continue
		}
		for _, y := range other.Claims {
			if comparable(x2, y) && x2.Not == y.Not && agree(x2, y) && (x2.Kind != Weekday && x2.Kind != Clock || about(x2.Subject, y.Subject, true)) {
				return true
			}
		}
	}
	return false
}

// agree reports whether two claims share a value. A version agrees with one that says it more exactly.
func agree(x, y Claim) bool {
	if x.Kind == Name { // "Mr Brandt" may be "Malte Brandt"
		return len(common(x.Values, y.Values)) == min(len(x.Values), len(y.Values))
	}
	if x.Kind == Weekday && len(x.Values) > 1 && len(y.Values) > 1 { // "Monday to Thursday", "Tuesday to Thursday"
		return slices.Equal(x.Values, y.Values)
	}
	for _, v := range x.Values {
		for _, w := range y.Values {
			if x.Kind == Clock && isSpan(v) != isSpan(w) && inSpan(v, w) {
				return true
			}
			if v == w || x.Kind == Weekday && (strings.HasSuffix(v, "/"+w) || strings.HasSuffix(w, "/"+v)) || x.Kind == Clock && halfDay(v, w) || x.Kind == Number && (strings.HasPrefix(v, w+".") || strings.HasPrefix(w, v+".")) {
				return true
			}
		}
	}
	return false
}

// inSpan reports whether a time lies in a span of times, one of which each of the two is.
func inSpan(v, w string) bool {
	if isSpan(w) {
		v, w = w, v
	}
	from, to, _ := strings.Cut(v, spanMark)
	a, _ := parseNumber(from)
	b, _ := parseNumber(to)
	n, _ := parseNumber(w)
	if b < a { // over midnight
		return n >= a || n <= b
	}
	return a <= n && n <= b
}

// halfDay reports whether two times are the same on a clock of twelve hours: "4.30" may be "4.30pm".
func halfDay(v, w string) bool {
	if isSpan(v) || isSpan(w) {
		return false
	}
	a, _ := parseNumber(v)
	b, _ := parseNumber(w)
	return (a-b == 720 || b-a == 720) && min(a, b) < 720
}

// about reports whether two subjects are the same thing: they share a word that tells things apart, and at most one of
// them has such words of its own. Loosely, both may, as long as they share more than they differ in.
func about(a, b Subject, loose bool) bool {
	if otherSort(a, b) {
		return false
	}
	shared := len(common(a.Strong, b.Strong))
	if shared == 0 {
		weak := len(common(a.Weak, b.Weak))
		return weak >= 2 && len(a.Names) == 0 && len(b.Names) == 0 && (len(a.Strong) == 0 || len(b.Strong) == 0)
	}
	if disjointNames(a, b) && shared < 2 {
		return false
	}
	restA, restB := len(a.Strong)-shared, len(b.Strong)-shared
	less := min(restA, restB)
	if shared == 1 { // one word is little: it must name a thing, and the other side must not say much more
		sort := slices.Contains(a.Quals, common(a.Strong, b.Strong)[0]) && !(loose && len(common(a.Weak, b.Weak)) > 0)
		if only := common(a.Strong, b.Strong)[0]; (sort || only == "end") && max(restA, restB) > 0 || max(restA, restB) > 3 {
			return false // many things end
		}
	}
	switch {
	case less == 0:
		return true
	case loose:
		return shared >= less && shared+len(common(a.Weak, b.Weak)) >= 2
	}
	return shared >= 3 && less <= 1 && !disjointNames(a, b)
}

// otherSort reports whether both say which of several things they mean, and not the same one.
func otherSort(a, b Subject) bool {
	return len(a.Quals) > 0 && len(b.Quals) > 0 && len(common(a.Quals, b.Quals)) == 0
}

// disjointNames reports whether both name somebody or something, and not the same.
func disjointNames(a, b Subject) bool {
	return len(a.Names) > 0 && len(b.Names) > 0 && len(common(a.Names, b.Names)) == 0
}

// whole reports whether a claim's sentence has a verb: "not the bot, not at 4 am" says nothing by itself.
func whole(c Claim) bool {
	a := analyse(c.Sentence)
	return c.Attr != "" || a.manner().states() || a.manner().directs() != "" || a.has("wish") || a.has("deny") || lacks(a) || a.isPhraseAt("imperative", 0) || len(a.langs) > 0 && a.langs[0] != words().languages["en"]
}

// sameAct reports whether two claims speak of the same doing or being.
func sameAct(x, y Claim) bool {
	a, b := x.Subject, y.Subject
	if otherSort(a, b) {
		return false
	}
	shared := len(common(a.Strong, b.Strong))
	if x.Attr != "" && shared == 1 { // "http3 is off" names nothing else
		return len(a.Strong) == 1 && len(b.Strong) == 1
	}
	names := len(common(common(a.Strong, b.Strong), slices.Concat(a.Names, b.Names)))
	return shared >= 2 && (names == 0 || shared >= 3) && min(len(a.Strong), len(b.Strong))-shared <= 0
}

// subjectName is what two claims are about, for people.
func subjectName(x, y Claim) string {
	shared := slices.Concat(common(x.Subject.Strong, y.Subject.Strong), common(x.Subject.Weak, y.Subject.Weak))
	if len(shared) == 0 {
		return x.Subject.String()
	}
	return strings.Join(shared, " ")
}

func brief(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

// Terms are the words of a text in the form in which subjects have them, small words left out: a cheap way to find
// texts that may be about the same, before they are read.
func Terms(text string) []string { return compact(terms(text)) }

// terms are the words of a text as Terms has them, in its order.
func terms(text string) (out []string) {
	for w := range wordsIn(text) {
		if w.term {
			out = append(out, w.stem)
		}
	}
	return out
}

// Words are the words that statements about the same thing share, for callers that look for pairs among many. Two
// statements that have none in common neither contradict nor supersede each other.
func Words(s Statement) []string {
	out := slices.Concat(s.Subject.Strong, s.Dropped)
	for _, c := range s.Claims {
		out = append(out, c.Subject.Strong...)
		if len(c.Subject.Strong) == 0 {
			for _, w := range c.Subject.Weak {
				out = append(out, "~"+w)
			}
		}
	}
	if len(s.Subject.Strong) < 3 {
		for _, w := range s.Subject.Weak {
			out = append(out, "~"+w)
		}
	}
	return compact(out)
}

// Shared are the words that two statements are both about.
func Shared(a, b Statement) []string { return common(a.Subject.Strong, b.Subject.Strong) }

// Revised says why a statement no longer holds after somebody changed a line by hand, "" if it may: it says what the line
// used to say of the same, or cannot be true beside what the line says now.
func Revised(was, now, s Statement) string {
	if no, why := Contradict(now, s); no {
		return why
	}
	if gone := reworded(was, now, s); gone != "" {
		return fmt.Sprintf("%q was changed by hand", gone)
	}
	for _, o := range was.Claims {
		i := slices.IndexFunc(now.Claims, func(n Claim) bool { return comparable(n, o) })
		if i < 0 || o.Kind == State || agree(now.Claims[i], o) || slices.ContainsFunc(now.Claims, func(n Claim) bool { return comparable(n, o) && agree(n, o) }) {
			continue
		}
		for _, y := range s.Claims {
			if !comparable(o, y) || !agree(o, y) || y.Past || y.Plan || agree(now.Claims[i], y) || otherCode(was.Subject.Strong, s.Subject.Strong) {
				continue
			}
			shared := common(was.Subject.Strong, y.Subject.Strong)
			if o.Kind != Count && o.Kind != Number { // a value that says more by itself
				shared = common(was.Subject.Strong, s.Subject.Strong)
			}
			if len(shared) >= 2 || len(shared) == 1 && o.Kind != Count && o.Kind != Number {
				return fmt.Sprintf("%s of %s: %s was changed by hand to %s", o.Kind, strings.Join(shared, " "), o.Value(), now.Claims[i].Value())
			}
		}
	}
	return ""
}

// reworded finds a word that somebody took out of a line by hand and that another statement about the same still has, while it has none
// of the words that came in its place.
func reworded(was, now, s Statement) string {
	before, after, said := Terms(was.Text), Terms(now.Text), Terms(s.Text)
	kept := common(before, after)
	fresh := slices.ContainsFunc(after, func(w string) bool { return !slices.Contains(before, w) && slices.Contains(said, w) })
	if len(kept) < 2 || fresh || len(common(kept, said)) < 2 || 2*len(common(kept, said)) < len(kept) {
		return ""
	}
	for _, w := range was.Subject.Names {
		if !slices.Contains(after, w) && slices.Contains(said, w) {
			return w
		}
	}
	return ""
}
