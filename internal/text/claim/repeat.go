package claim

import "slices"

// Adds reports whether a statement has a value or names a thing that another one lacks. Who says it does not count.
func Adds(a, b Statement) bool {
	known := slices.Concat(Terms(b.Text), b.Subject.Strong, a.voice.Strong, a.agents)
	return slices.ContainsFunc(a.Subject.Names, func(w string) bool { return !slices.Contains(known, w) }) || slices.ContainsFunc(a.Claims, func(c Claim) bool {
		return c.Kind != State && live(c) && !slices.ContainsFunc(b.Claims, func(o Claim) bool { return comparable(c, o) && agree(c, o) })
	})
}

// Repeats reports whether a statement says what another one says: the same in other words, or it reminds of a rule ("as agreed",
// "the rule stays") and shares its subject.
func Repeats(newer, older Statement) bool {
	if Same(newer, older) {
		return true
	}
	if !Reminds(newer) || newer.Changed || len(conflicts(newer, older, false)) > 0 {
		return false
	}
	form := WorthOf(older.Text, 0).Form
	shared := len(common(newer.topic.Strong, older.topic.Strong))
	return formScore(form) >= 2 && shared >= 2 && 2*shared >= min(len(newer.topic.Strong), len(older.topic.Strong))
}

// Reminds reports whether a statement says that something known still holds: "as agreed", "the rule stays".
func Reminds(s Statement) bool { return analyse(s.Text).has("reminder") }
