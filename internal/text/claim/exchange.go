package claim

import "slices"

// Certain reports whether a newer statement gives a new value for the very thing that an older one is about, so that a hand-written
// line may be changed. They share more than a name, and either it names the value it replaces, or it reports a change and at least one of
// the two mentions nothing that the other leaves out: the price of a drain is not that of the courtyard around it.
func (c Conflict) Certain(newer, older Statement) bool {
	port := c.New.Kind == Port || c.Old.Kind == Port // a door's code may look like one
	if c.New.Bound != c.Old.Bound || !port && (c.New.Kind != c.Old.Kind || c.New.Kind == Number && c.New.Attr != c.Old.Attr && !c.numbersSame()) {
		return false
	}
	reached := c.Old.Kind == Phone || c.Old.Kind == Address || c.Old.Kind == Number && c.Old.Attr != "" && c.Old.Attr == c.New.Attr // a person has one of these
	if c.ByName() && !reached && len(Shared(newer, older)) < 2 {
		return false
	}
	if c.NamesOld() {
		return true
	}
	if c.Old.Kind == Count && len(c.New.Subject.Strong) == 0 && len(c.Old.Subject.Strong) > 0 && c.Old.Attr != older.head {
		return false // "four people left" is not about the two people of a rule
	}
	may := func(x Claim) bool { return slices.Contains(x.Subject.Strong, spending) }
	if may(c.Old) && !may(c.New) {
		return false // what was paid for a chair is not what may be paid
	}
	said := c.New.Changed || newer.Agreed || may(c.New) || slices.ContainsFunc(newer.Dropped, func(w string) bool { return slices.Contains(c.Old.Values, w) })
	if !said && !slices.Equal(c.New.Subject.Strong, c.Old.Subject.Strong) {
		return false
	}
	return len(missing(c.New.Subject, older)) == 0 || len(missing(c.place(older), newer)) == 0
}

// NamesOld reports whether the newer statement names the value that it replaces.
func (c Conflict) NamesOld() bool {
	return slices.ContainsFunc(c.New.Was, func(w Claim) bool { return w.Kind == c.Old.Kind && slices.Equal(w.Values, c.Old.Values) })
}

// place is the subject of the older value, together with the place it mentions: "Ann is in class until 14:50" is not about everything that
// Ann does.
func (c Conflict) place(older Statement) Subject {
	s := c.Old.Subject
	for _, o := range older.Claims {
		if o.Kind == Name && o.Attr == "place" && c.Old.Kind == Clock && o.Sentence == c.Old.Sentence {
			s = s.with(Subject{Strong: o.Values})
		}
	}
	return s
}

// OfPart reports whether the newer statement is about something that the older one only mentions: the loft, and not the dogs in the loft.
func (c Conflict) OfPart(newer, older Statement) bool {
	if slices.ContainsFunc(older.Claims, func(o Claim) bool { return o.Kind == Name && slices.Contains(o.Values, newer.head) }) {
		return false // "Cleaner: Dot, 14 EUR an hour" is about Dot
	}
	return len(common(c.New.Subject.Strong, c.Old.Subject.Strong)) < 2 && newer.head != "" && older.head != "" && newer.head != older.head &&
		slices.Contains(older.topic.Strong, newer.head) && !slices.Contains(slices.Concat(Terms(newer.Text), newer.Subject.Weak), older.head)
}

// numbersSame reports whether one number is of what the other one's subject names: "members 447", "members: 438".
func (c Conflict) numbersSame() bool {
	of := func(x, y Claim) bool {
		return x.Attr != "" && y.Attr == "" && slices.Contains(y.Subject.Strong, x.Attr)
	}
	return of(c.New, c.Old) || of(c.Old, c.New)
}

// missing are the words of a subject that a statement does not have.
func missing(of Subject, in Statement) []string {
	known := slices.Concat(in.Subject.Strong, in.Subject.Weak, Terms(in.Text))
	for _, c := range in.Claims {
		known = slices.Concat(known, c.Subject.Strong, c.Values)
	}
	return slices.DeleteFunc(slices.Clone(of.Strong), func(w string) bool { return slices.Contains(known, w) })
}
