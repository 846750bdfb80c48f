package job

import (
	"slices"

	"tend/internal/text/claim"
)

// mayRetire reports whether a newer statement is certain enough to replace an older one. In a table row only a value may be
// exchanged, and a hand-written line needs more certainty than a promoted one.
func mayRetire(h *held, c candidate) bool {
	if h.row {
		return replaced(h, c.st) != ""
	}
	older := h.said()
	cs := claim.Conflicts(c.st, older)
	ended, _ := claim.Ends(c.st, older)
	form := claim.WorthOf(older.Text, h.day).Form
	if inPassing(c, cs, ended, form) {
		return false
	}
	if h.byHand() {
		return mayRetireHand(h, c, cs, ended, form)
	}
	if ended && len(h.Tags) > 0 && ruling(form) && len(claim.Shared(c.st, older)) < 2 {
		return false // how to act may outlive the thing it mentions
	}
	if len(h.Tags) > 0 && len(c.tags) == 0 && !c.st.Changed && c.terse() {
		return false // "briefing out 7:02" is what happened, not when it is due
	}
	if len(h.Tags) > 0 && len(c.tags) == 0 && incidental(c, cs, ended, older) {
		return false // what happened one day is no reason to give up what was decided
	}
	if len(cs) > 0 && cs[0].Old.Kind == claim.Count && cs[0].Unrelated() && len(c.tags) == 0 {
		return false // "12 people asked" counts others than "nine people stood at the door"
	}
	if no, _ := claim.Contradict(c.st, older); no || len(cs) == 0 {
		return true
	}
	if cs[0].Old.Kind == claim.Money && len(c.tags) == 0 && !cs[0].Certain(c.st, older) {
		return false // one thing has many prices
	}
	return slices.Contains(single, cs[0].Old.Kind) || cs[0].Old.Kind == claim.Money || !ruling(form) || ruling(c.worth.Form) || len(c.tags) > 0 || cs[0].New.Changed && cs[0].Firm()
}

// single are the kinds of values of which a thing has one.
var single = []claim.Kind{claim.Phone, claim.Address, claim.Path, claim.Port}

// ruling reports the forms of statements that say how to act.
func ruling(form string) bool { return form == "rule" || form == "agreement" }

// inPassing reports whether an untagged statement only seems to deny a rule: it reports an event, or says the same rule in other words.
func inPassing(c candidate, cs []claim.Conflict, ended bool, form string) bool {
	if len(c.tags) > 0 {
		return false
	}
	if len(cs) == 0 {
		return !ended && c.worth.Form != "correction" && (ruling(form) || form == "wish" || c.worth.Report)
	}
	return plainState(cs[0]) && ruling(form) && !c.st.Changed
}

// incidental reports whether an untagged statement may be about something else than the older one.
func incidental(c candidate, cs []claim.Conflict, ended bool, older claim.Statement) bool {
	if len(cs) > 0 {
		rules := ruling(c.worth.Form) && !c.worth.Report && len(claim.Shared(c.st, older)) > 1
		return (!cs[0].New.Changed || c.worth.Report) && !rules && !cs[0].Certain(c.st, older)
	}
	return !ended && c.worth.Form != "correction" && !slices.ContainsFunc(older.Claims, func(o claim.Claim) bool { // "02:45 instead of 01:30"
		return slices.ContainsFunc(c.st.Dropped, func(w string) bool { return slices.Contains(o.Values, w) })
	})
}

// plainState reports a conflict about whether something is so, without a value.
func plainState(c claim.Conflict) bool { return c.Old.Kind == claim.State && c.Old.Attr == "" }

// aside reports whether what a statement changes is not what an entry is about: the price of a thing that it mentions, or, without a tag, a
// value behind its first sentence. "Copy first. I lost twenty minutes once" is not about the minutes.
func aside(h *held, c candidate) bool {
	older := h.said()
	list, cs := claim.Sentences(older.Text), claim.Conflicts(c.st, older)
	if len(cs) > 0 && cs[0].Old.Kind == claim.Money && cs[0].OfPart(c.st, older) {
		return true // "dogs in the loft: 8 EUR a night" is not the price of the loft
	}
	if h.byHand() || len(c.tags) > 0 || len(list) < 2 || len(cs) == 0 || cs[0].Old.Sentence == list[0] || cs[0].NamesOld() {
		return false
	}
	return len(h.Tags) > 0 || !cs[0].Certain(c.st, older)
}

// mayRetireHand is mayRetire for hand-written lines: one value may be exchanged. The whole line goes only for a clear contradiction or
// an end, a rule for neither.
func mayRetireHand(h *held, c candidate, cs []claim.Conflict, ended bool, form string) bool {
	if c.worth.Report && len(c.tags) == 0 && !slices.ContainsFunc(cs, claim.Conflict.NamesOld) {
		return false // what was done one day changes no rule of a person
	}
	if len(cs) > 0 {
		meant := len(c.tags) > 0 || c.st.Changed || c.restates(h) || cs[0].Firm()
		if !meant || !cs[0].Certain(c.st, h.said()) || plainState(cs[0]) && ruling(form) {
			return false
		}
	}
	if ended && claim.EndsTheme(c.st, h.said()) && len(claim.Shared(c.st, h.said())) >= 2 && (c.lasting() || c.factual()) && !ruling(form) && len(h.said().Claims) == 1 {
		return true // the newer statement takes its place
	}
	if replaced(h, c.st) != "" {
		return true
	}
	no, _ := claim.Contradict(c.st, h.said())
	if len(cs) == 0 {
		return !no && c.worth.Form == "correction" // a value is taken back
	}
	return no && cs[0].Close() && (cs[0].Firm() || slices.Equal(cs[0].New.Theme, cs[0].Old.Theme))
}
