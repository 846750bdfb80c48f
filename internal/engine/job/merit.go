package job

import (
	"slices"
	"strings"

	"tend/internal/text/claim"
	"tend/internal/text/note"
)

// What an entry without a tag must merit to be promoted: less while the file has room, and least if it says how things are.
const leastFact, leastMerit, fullMerit = 5, 12, 18

// merit is how likely it is that a reader will need an entry later: the sum of what its words and form show. The numbers were fitted to lives
// whose truth is known and then rounded (docs/decisions/merit.md); ten more make it 2.7 times as likely.
func (c candidate) merit() int {
	n := 2 * max(-3, min(6, c.worth.Score))
	switch c.worth.Form {
	case "trait":
		n += 24
	case "rule":
		n += 8
	case "agreement":
		n += 3
	case "place":
		n++
	default:
		if len(c.tags) > 0 && c.rulesLater() {
			n += 8
		}
	}
	switch {
	case c.has("identity"):
		n += 20
	case c.has("human") && c.worth.Score >= 0: // "lunch with Ann, 12:30" is small talk whatever its tag
		n += 20
	case c.has("decision") && c.worth.Score >= 0:
		n += 13
	case len(c.tags) > 0 || c.marked():
		n += 8
	}
	if c.st.Agreed {
		n += 5
	}
	if c.worth.Fact {
		n += 5
	}
	switch {
	case c.givesAny(claim.Phone, claim.Address, claim.Clock, claim.Date):
		n += 7
	case c.givesAny(claim.Port, claim.Money, claim.Number, claim.Path, claim.Weekday):
		n += 5
	}
	if c.givesAny(claim.Count) {
		n -= 4
	}
	if c.worth.Report {
		n -= 3
	}
	if c.worth.Brief() {
		n -= 5
	}
	if c.st.Ended {
		n -= 4
	}
	if c.task != note.NoTask {
		n -= 12
	}
	switch long := len([]rune(c.text)); {
	case long < 40:
		n -= 16
	case long < 80:
		n -= 9
	}
	return n
}

// marked reports whether an entry begins with a sign for something to remember, with a bold label, or with a tag that the policy does not
// list: "[rule, from Ann] …", "… (rule)".
func (c candidate) marked() bool {
	return ownLabel().MatchString(c.text) || slices.ContainsFunc([]string{"📌", "❗", "‼", "⭐", "★"}, func(sign string) bool { return strings.HasPrefix(c.text, sign) })
}

var ownLabel = expr(`^(?:\*\*\p{L}[^*\n]{1,40}(?::\*\*|\*\*:) |\[\p{L}[^\]\n]{2,30}\] )|\((?i:rule|standing|standing rule|standing order|policy|regel|règle|regla)\)$`)

// givesAny reports whether a candidate names a value of one of these kinds that holds now.
func (c candidate) givesAny(kinds ...claim.Kind) bool {
	return slices.ContainsFunc(c.st.Claims, func(x claim.Claim) bool {
		return slices.Contains(kinds, x.Kind) && !x.Past && !x.Passing && !x.Plan
	})
}

// handwritten are the hand-written entries of long-term memory by their words: what changes or decides something about the same as one of
// them matters to the owner.
type handwritten map[string][]*held

func handwrittenOf(list []*held) handwritten {
	o := handwritten{}
	for _, h := range list {
		if h.hand {
			for _, w := range h.terms() {
				o[w] = append(o[w], h)
			}
		}
	}
	return o
}

// bonus is what a candidate merits for the words it shares with one of those entries. What neither changes anything nor has a tag only
// follows them: "asked for the list, said no, as the rule says".
func (o handwritten) bonus(c candidate) int {
	if !c.st.Changed && len(c.tags) == 0 {
		return 0
	}
	shared, most := map[*held]int{}, 0
	for _, w := range claim.Terms(c.text) {
		for _, h := range o[w] {
			shared[h]++
			most = max(most, shared[h])
		}
	}
	return 4 * min(most, 4)
}
