package claim

import (
	"slices"
	"strings"
)

// Ends reports whether the newer statement says that what the older one describes is over.
func Ends(newer, older Statement) (bool, string) {
	if !newer.Ended || older.Ended {
		return false, ""
	}
	if len(newer.Ends.Strong) > 0 && slices.ContainsFunc(older.Claims, func(c Claim) bool { // who held a role has left
		return c.Kind == Name && c.Attr != "place" && len(common(newer.Ends.Strong, c.Values)) == len(newer.Ends.Strong)
	}) {
		return true, "the newer statement says that it is over: " + strings.Join(newer.Ends.Strong, " ")
	}
	if first := firstWord(newer.Text); older.denied && slices.Contains([]string{"nothing", "no", "nobody", "none", "nichts", "kein", "keine", "niemand"}, strings.ToLower(first)) {
		return false, "" // "nothing is released after noon any more" forbids more, and what was forbidden still is
	}
	shared := slices.DeleteFunc(common(newer.Ends.Strong, older.topic.Strong), func(w string) bool {
		return len(newer.Ends.Strong) > 1 && slices.Contains(newer.agents, w) // "Ann has given up the stall" ends no other thing of Ann's
	})
	if len(shared) == 0 || disjointNames(newer.Ends, older.topic) && len(shared) < 2 {
		return false, ""
	}
	over := "the newer statement says that it is over: " + strings.Join(shared, " ")
	switch {
	case len(shared) >= 2 && 2*len(shared) >= min(len(older.topic.Strong), len(newer.Ends.Strong)), 2*len(shared) >= max(len(older.topic.Strong), len(newer.Ends.Strong)), shared[0] == older.head && len(newer.Ends.Strong) == 1:
		return true, over
	case slices.ContainsFunc(shared, coded): // ci-2 is one thing only
		return true, over
	case len(newer.Ends.Strong) <= 2 && len(common(newer.Subject.Strong, older.topic.Strong)) >= 3: // what is over is part of what both speak of
		return true, over
	}
	return false, ""
}

// EndsTheme reports whether what a newer statement says is over is what an older one begins with.
func EndsTheme(newer, older Statement) bool {
	return slices.Contains(newer.Ends.Strong, older.head) || slices.ContainsFunc(older.Claims, func(c Claim) bool { return len(common(newer.Ends.Strong, c.Theme)) > 0 })
}

// endsHere reports whether a clause says that something is over. "Nothing was cancelled" denies it.
func (a analysis) endsHere() bool {
	denied := func(w word) bool {
		return slices.Contains(noWords, w.low) || slices.Contains([]string{"nothing", "nobody", "none", "not", "never", "nichts", "niemand", "nicht", "nie"}, w.low)
	}
	found := a.find("ended")
	if len(found) == 0 {
		return a.hasHere("ended")
	}
	return slices.ContainsFunc(found, func(m [2]int) bool { return !slices.ContainsFunc(a.words[:m[0]], denied) })
}
