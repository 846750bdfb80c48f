package claim

// Repeats reports whether a statement says what another one says: the same in other words, or it reminds of a rule ("as agreed",
// "the rule stays") and shares its subject.
func Repeats(newer, older Statement) bool {
	if Same(newer, older) {
		return true
	}
	if !analyse(newer.Text).has("reminder") || newer.Changed || len(conflicts(newer, older, false)) > 0 {
		return false
	}
	form := WorthOf(older.Text, 0).Form
	shared := len(common(newer.topic.Strong, older.topic.Strong))
	return formScore(form) >= 2 && shared >= 2 && 2*shared >= min(len(newer.topic.Strong), len(older.topic.Strong))
}
