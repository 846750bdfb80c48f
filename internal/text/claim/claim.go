// Package claim reads what a sentence says about what: subject, kind of value, value, and since when. Curation, pruning,
// comparison, search and `why` all read entries through it, so that they agree on which statement is the current one.
//
// It is rules and word lists, no model: the same text always reads the same, every verdict comes with the words it rests
// on, and where the rules are unsure they say nothing. The word lists are in lang/, a file for each language.
//
// A sentence is read in stages, each a type or a function on the one before: analysis (its words, and the phrases of the word
// lists among them), tense (when it holds), manner (how it speaks), valuesOf and naming (its values), subjectOf (what a value is
// about). A Statement collects what came out; Supersedes, Ends, Same and Contradict relate two of them.
package claim

import (
	"slices"
	"strings"

	"tend/internal/text/note"
)

// Kind is the sort of value a claim gives its subject.
type Kind string

// The kinds of values.
const (
	Address  Kind = "address"   // a URL, host, IP or mail address
	Path     Kind = "path"      // a file or folder
	Port     Kind = "port"      // a network port
	Number   Kind = "number"    // a version, level or room: "Debian 12", "v2.4.0", "level 3"
	Count    Kind = "count"     // so many of something; Attr is what is counted
	Money    Kind = "price"     // an amount; Attr is the currency and what it is for
	Percent  Kind = "percent"   // a share
	Duration Kind = "duration"  // a span of time, in seconds
	Clock    Kind = "time"      // times of day, in minutes
	Weekday  Kind = "weekday"   // days of the week
	Date     Kind = "date"      // a day of a year
	Every    Kind = "how often" // an interval: "every second month"
	Phone    Kind = "phone"     // digits only
	Name     Kind = "name"      // who or where: a person, a place, a product
	State    Kind = "yes/no"    // nothing but whether it is so
)

// Claim is one value that a text gives to a subject.
type Claim struct {
	Kind     Kind
	Attr     string   // what narrows the kind: the thing counted, the currency
	Values   []string // in one canonical form; several where the text lists them
	Subject  Subject
	Not      bool    // the text denies it
	Past     bool    // the text says that it was so, not that it is
	Passing  bool    // the text says that it holds for a few days only
	Plan     bool    // the text says that it may become so
	Changed  bool    // the text says that this is different from before
	Bound    bool    // the value is a limit: "before 9:00", "above 500 EUR"
	Was      []Claim // what the sentence says it took the place of
	At, End  int     // where the value is in the text, if it is one piece
	Sentence string
	Theme    []string // the words with which the sentence begins, which name what it is about
}

// Value is the claim's value as one string.
func (c Claim) Value() string { return strings.Join(c.Values, ", ") }

// Span reports whether the value is a span of times: "9:00-17:30".
func (c Claim) Span() bool { return c.Kind == Clock && isSpan(c.Value()) }

// String is the claim for people: subject, kind and value.
func (c Claim) String() string {
	verb := " = "
	if c.Not {
		verb = " ≠ "
	}
	what := string(c.Kind)
	if c.Attr != "" {
		what += " (" + c.Attr + ")"
	}
	if c.Kind == State {
		return c.Subject.String() + verb + "yes"
	}
	return c.Subject.String() + ": " + what + verb + c.Value()
}

// Subject is what a claim is about, as words in one form and in order of the alphabet.
type Subject struct {
	Strong []string // words that tell this subject from others
	Weak   []string // words that many subjects share: verbs, the name of the attribute
	Names  []string // those of the strong ones that are written as names
	Quals  []string // months, places of use, sorts: where both sides have them, they must agree
}

func (s Subject) String() string { return strings.Join(slices.Concat(s.Strong, s.Weak), " ") }

// Statement is a text with what was read from it.
type Statement struct {
	Text    string
	Day     note.Day // when it was said; zero if unknown
	Claims  []Claim
	Subject Subject // of the whole text
	Dropped []string
	Changed bool // something is said to be different from before
	Agreed  bool // something is said to be settled
	Ended   bool // something is said to be over
	Ends    Subject
	topic   Subject   // of the first sentence
	parts   []Subject // of each sentence
	was     []Claim   // values that the text says hold no longer
	head    string    // the first word of the topic
	named   bool      // that word begins the text with a capital, and a verb follows
	back    bool      // the first sentence says that something is as it was before
	denied  bool      // the first sentence says that something is not so, or need not be
	agents  []string  // who does, has or wants something
	label   Subject   // what the first sentence names before a colon
	voice   Subject   // who says it, if the text begins with that
}

// Of lists the claims of a text.
func Of(text string, day note.Day) []Claim { return Read(text, day).Claims }

// Read reads a text. The day is when it was said.
func Read(text string, day note.Day) Statement { return ReadUnder(text, "", day) }

// ReadUnder reads a text under a heading, which supplies the subject where a sentence names none.
func ReadUnder(text, heading string, day note.Day) Statement {
	s := statements.get(textKey{text: text, heading: heading}, func(k textKey) Statement { return readUnder(k.text, k.heading) })
	s.Day = day // which changes nothing of what the text says
	return s
}

func readUnder(text, heading string) Statement {
	s := Statement{Text: text}
	var context Subject
	if heading != "" {
		context = subjectOf(analyse(heading), nil, "")
	}
	text = source().ReplaceAllStringFunc(text, func(m string) string { return strings.Repeat(" ", len(m)) })
	text = row(text)
	for i, span := range sentences(text) {
		s.sentence(text[span[0]:span[1]], span[0], context, i == 0)
	}
	s.Dropped = compact(s.Dropped)
	return s
}

// noWords deny the noun that follows.
var noWords = []string{"no", "kein", "keine", "keinen", "keinem", "keiner", "aucun", "aucune", "ningún", "ninguna"}

// source finds who said something and when, "(Ann, 11am)", which is not what is said.
var source = expr(`\(\p{Lu}\p{L}+, (?:at )?\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|h|Uhr)?\)`)

// sentence reads one sentence, which begins at an offset of the text.
func (s *Statement) sentence(text string, at int, context Subject, first bool) {
	a := analyse(text)
	if len(a.words) == 0 {
		return
	}
	whole := subjectOf(a, nil, "")
	s.Subject, s.parts = s.Subject.with(whole), append(s.parts, whole)
	for i, w := range a.words[:len(a.words)-1] {
		if next := a.words[i+1]; capital(w.text) && !a.filler(w.low) && (slices.Contains([]string{"has", "hat", "does"}, next.low) ||
			slices.ContainsFunc([]string{"wish", "speech", "actor"}, func(section string) bool { return a.isPhraseAt(section, i+1) })) {
			s.agents = append(s.agents, w.stem)
		}
	}
	if first {
		s.back = a.has("back")
		s.denied = a.has("negate") || slices.ContainsFunc(a.words, func(w word) bool { return slices.Contains(noWords, w.low) })
	}
	changed := a.when().changes() || a.arrow() || a.when().begins()
	s.Agreed = s.Agreed || a.has("agree")
	s.Changed = s.Changed || changed
	past := a.when().past()
	passing := a.when().passing() && !a.when().holds(s.Day)
	plan := a.when().planned() || strings.HasSuffix(text, "?")
	all, moments := takeMoments(a, valuesOf(a))
	values, former, dropped := dropped(a, all, changed)
	if past && a.lead().when().past() { // else only the clause that says so, which dropped has seen to
		for _, v := range values {
			dropped = append(dropped, v.text...)
		}
	}
	changed = changed || len(dropped) > 0 && len(values) > 0 && !a.lead().when().past() // "24 hours (was 48)"
	s.Changed = s.Changed || changed
	s.Dropped, s.was = append(s.Dropped, dropped...), append(s.was, former...)
	if a.has("ended") {
		for _, c := range a.clauses(all) { // "two boats sold" is an event, not the end of boats
			counts := slices.ContainsFunc(within(all, c), func(v value) bool {
				return v.kind == Count && !strings.HasPrefix(v.attr, inUnit) && !strings.HasPrefix(v.attr, "per ") && v.text[0] != "1"
			})
			if part := a.cut(c); part.endsHere() && (!passing || part.has("since")) && !counts && !conditional(part) {
				s.Ended = true
				s.Ends = s.Ends.with(subjectOf(aroundEnd(part), within(all, c), ""))
			}
		}
		if s.Ended && !first && len(s.Ends.Strong) == 0 {
			s.Ends = s.Ends.with(s.topic)
		}
	}
	label := labelOf(a)
	if first && !label.speaks {
		s.label = label.subject
	}
	if label.speaks && first { // "Ann: call me. My number is …"
		s.voice = label.subject
		s.voice.Names = s.voice.Strong
	}
	theme := themeOf(a, values)
	var before Subject // of the clauses before, for one that names no subject
	var named Subject  // what the label is the label of, for those that follow
	found := false
	about := a
	if at := labelEnd(a.text); at > 0 && occasion(a, at) {
		about = a.cut([2]int{at, len(a.text)})
	}
	for _, c := range a.clauses(values) {
		in := within(values, c)
		part := about.cut(c)
		sub := subjectOf(beforeRemark(part, in), things(in), "")
		here := passing && (part.when().passing() || !changed)
		was := past && (part.when().past() || a.lead().when().past())
		for _, v := range in {
			about := sub
			if lead := part.upTo(v.at); v.kind == Path && len(lead.words) > 0 { // what follows does not matter: "… with the order number"
				about = subjectOf(lead, in, "")
			}
			if v.subject != nil {
				about = *v.subject
			}
			if v.subject == nil && (!about.without(v.kind, v.attr).tells() || possessive(part) || beginsWith(part, v) || elliptic(part)) { // "Jonas: swimming is on Thursdays, 15:15"
				about = about.with(before)
				if !first && !before.tells() { // "Guest passes: too many strangers. $25 a day from now on"
					about = about.with(s.label)
				}
			}
			if v.at > label.end && (!label.speaks || v.kind == Phone || v.kind == Address) {
				about = about.with(label.subject)
				if v.kind != Name {
					about = about.with(named)
				}
			}
			if v.kind == Phone {
				about = about.with(s.voice)
				if !first && (changed || label.end > 0) { // "Ann's phone is lost. New number: …"
					about = about.with(s.topic)
				}
			}
			about = about.without(v.kind, v.attr)
			sort := v.kind == Number && v.attr != "" && slices.ContainsFunc(a.words, func(w word) bool { return w.stem == v.attr && !w.name && !w.first })
			if v.kind == Number && v.attr != "" && !sort {
				about = about.with(Subject{Strong: []string{v.attr}})
			}
			if sort { // "room 12" tells nothing of whose
				about.Strong = slices.DeleteFunc(slices.Clone(about.Strong), func(w string) bool { return w == v.attr })
			}
			if v.kind == Money && a.manner().authority() {
				about = subjectOf(part.less("authority"), in, "").without(v.kind, v.attr).with(Subject{Strong: []string{spending}})
			}
			if v.kind == Count && part.hasHere("total") { // "four hens left" counts all there are
				about = Subject{Weak: []string{v.attr}}
			}
			for _, other := range []Subject{before, s.topic, context} { // a clause may leave its subject to those before it
				if !about.tells() && !(v.kind == Count && part.hasHere("total")) {
					about = about.with(other.without(v.kind, v.attr))
				}
			}
			if sort {
				about = about.with(Subject{Strong: []string{v.attr}})
			}
			if len(about.Strong) == 0 && len(about.Weak) == 0 {
				continue
			}
			if len(about.Quals) == 0 {
				about.Quals = moments
			}
			found = true
			s.Claims = append(s.Claims, Claim{
				Kind: v.kind, Attr: v.attr, Values: v.text, Subject: about, Not: denies(part, v), Past: was, Passing: here, Plan: plan,
				Changed: changed, Was: former, Bound: v.bound, At: at + v.at, End: at + v.end, Sentence: text, Theme: theme,
			})
		}
		if !before.tells() {
			before = sub
		}
		for _, v := range in { // "Wholesaler: Ecocycle, order before 18:00" goes on about Ecocycle
			if v.kind == Name && label.end > 0 && !label.speaks && v.at <= label.end+3 {
				named = named.with(Subject{Strong: v.text, Names: v.text})
			}
		}
	}
	if len(s.topic.Strong) == 0 {
		s.topic = subjectOf(a, nil, "")
		for _, w := range a.words {
			if slices.Contains(s.topic.Strong, w.stem) {
				s.head = w.stem
				s.named = w.first && capital(w.text) && len(a.words) > 1 && (a.isPhraseAt("present", 1) || a.isPhraseAt("role", 1) || strings.HasSuffix(a.words[1].low, "s") && !a.words[1].name)
				break
			}
		}
	}
	if !found && len(a.words) >= 3 {
		what, state, not := subjectOf(a, nil, ""), "", (a.has("negate") || a.has("deny") || lacks(a)) && !deniesInLabel(a)
		if i, o := stateOf(a); i >= 0 {
			lead := a.lead()
			what, state, not = subjectOf(lead.dropWord(i), nil, ""), o.state, o.not != lead.hasHere("negate")
		}
		s.Claims = append(s.Claims, Claim{
			Kind: State, Attr: state, Values: []string{"yes"}, Subject: what, Not: not, Past: past && a.lead().when().past(), Passing: passing,
			Plan: plan, Changed: changed, Sentence: text,
		})
	}
}
