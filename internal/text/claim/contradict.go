package claim

// Contradict reports whether two statements that both claim to hold now cannot both be true, and why.
func Contradict(a, b Statement) (bool, string) {
	if cs := conflicts(a, b, a.Changed || b.Changed); len(cs) > 0 {
		return true, cs[0].Reason
	}
	if cs := conflicts(b, a, a.Changed || b.Changed); len(cs) > 0 { // which is newer decides how much they must share
		return true, cs[0].Reason
	}
	if differ := twins(a, b); differ != "" {
		return true, differ
	}
	if differ := swapped(a, b); differ != "" {
		return true, differ
	}
	for _, pair := range [][2]Statement{{a, b}, {b, a}} {
		if over, why := Ends(pair[0], pair[1]); over {
			return true, why
		}
		if gone := dropsValue(pair[0], pair[1]); gone != "" && !analyse(pair[0].Text).has("back") {
			return true, "one says that " + gone + " does not hold"
		}
	}
	return false, ""
}
