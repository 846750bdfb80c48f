package claim

import "slices"

// Odds is how likely it is that a newer statement takes the place of an older one, where the words of the two show no plain conflict or a
// doubtful one: 0 is even, ten more make it 2.7 times as likely. over is what Supersedes says of the two, n and o are their Terms. known
// counts the entries of memory that have a word; a word that few have says more. The numbers were fitted to lives whose truth is known and
// then rounded (docs/decisions/merit.md).
func Odds(newer, older Statement, over bool, n, o []string, known func(word string) int) int {
	shared := common(n, o)
	if len(shared) == 0 || otherCode(newer.Subject.Strong, older.Subject.Strong) || otherLabel(newer, older) {
		return -100 // h7 is not h12
	}
	rare, weight := 0, 0 // weight in hundredths
	for _, w := range shared {
		times := max(1, known(w))
		if times <= 2 {
			rare++
		}
		weight += 100 / times
	}
	names := common(shared, slices.Concat(newer.Subject.Names, older.Subject.Names))
	sum := -48 + 15*len(shared)/len(o) - 10*len(shared)/len(n) +
		15*min(len(common(newer.topic.Strong, older.topic.Strong)), 4)/4 +
		12*min(len(common(newer.Subject.Strong, older.Subject.Strong)), 5)/5 +
		4*min(rare, 3) + 6*min(weight, 200)/200 - 4*min(len(names), 3)/3
	if over {
		sum += 15
	}
	if run := longestRun(newer.Text, older.Text); run >= 3 {
		sum += 6 * min(run-1, 4)
	}
	if newer.Changed && len(shared) >= 3 {
		sum += 13
	}
	more, kept := compared(newer, older, len(shared) >= 2)
	if kept {
		return min(sum+more, 0)
	}
	return sum + more
}

// longestRun counts the words of the longest run that two texts share, small words left out: "on shoot days all questions go to Ben" and
// "on shoot days questions go to Ann" say the same of different people.
func longestRun(a, b string) (most int) {
	x, y := terms(a), terms(b)
	for i := range x {
		for j := range y {
			n := 0
			for i+n < len(x) && j+n < len(y) && x[i+n] == y[j+n] {
				n++
			}
			most = max(most, n)
		}
	}
	return most
}

// compared is the part of the odds that the values of two statements show: other values of the same sort speak for it, one value that
// both have says that they are about the same thing, and values that a newer one does not give speak against it. kept reports that the
// older one has values and the newer one changes none of them.
func compared(newer, older Statement, related bool) (sum int, kept bool) {
	var differ, shares, akin, changed, planned, same, dropped bool
	values := 0
	for _, y := range older.Claims {
		if !live(y) || y.Kind == State {
			continue
		}
		values++
		dropped = dropped || len(common(newer.Dropped, y.Values)) > 0
		for _, x := range newer.Claims {
			switch {
			case x.Past || x.Kind != y.Kind || !comparable(x, y) || otherHours(x, y):
			case agree(x, y):
				same = true
			case x.Plan || x.Passing:
				planned = true
			default:
				differ = true
				shares = shares || len(common(x.Subject.Strong, y.Subject.Strong)) > 0
				akin = akin || about(x.Subject, y.Subject, true)
				changed = changed || x.Changed
			}
		}
	}
	for _, s := range []struct {
		holds bool
		tenth int
	}{
		{differ, 5}, {shares, 12}, {akin, 8}, {changed, 8}, {differ && related, 8}, {differ && newer.Changed, 2}, {same, 9}, {dropped, 7}, {planned, -5},
	} {
		if s.holds {
			sum += s.tenth
		}
	}
	return sum - 17*min(values, 4)/4, values > 0 && !differ && !dropped
}
