package claim

// Contradict reports whether two statements that both claim to hold now cannot both be true, and why.
func Contradict(a, b Statement) (bool, string) {
	if cs := conflicts(a, b, a.Changed || b.Changed); len(cs) > 0 {
		return true, cs[0].Reason
	}
	if differ := twins(a, b); differ != "" {
		return true, differ
	}
	if differ := swapped(a, b); differ != "" {
		return true, differ
	}
	if over, why := Ends(a, b); over {
		return true, why
	}
	return Ends(b, a)
}
