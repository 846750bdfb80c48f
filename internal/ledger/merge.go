package ledger

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"tend/internal/vault"
)

// Merge joins two copies of one agent's ledger that went on separately, given as
// month files by name. Every action of either is in the result once, in the order
// of their ids, which is that of time, and the chain of digests is whole again. Of
// an action that only one copy has seen end, that end counts; of one that one copy
// took back and the other finished, the latter: its text is in the journal.
func Merge(ours, theirs map[string][]byte) (map[string][]byte, error) {
	a, err := actionLines(ours)
	if err != nil {
		return nil, err
	}
	b, err := actionLines(theirs)
	if err != nil {
		return nil, err
	}
	for id, mine := range a {
		b[id] = joinRuns(mine, b[id])
	}
	return chained(b), nil
}

// chained are month files of actions, in the order of their ids.
func chained(all map[string][]line) map[string][]byte {
	out := map[string][]byte{}
	prev, name := "", ""
	for _, id := range slices.Sorted(maps.Keys(all)) {
		for _, l := range all[id] {
			line := append(bytes.Clone(l.text), prevMark+prev+`"}`...)
			name = max(name, l.month) // never into an older file than the line before
			out[name] = append(append(out[name], line...), '\n')
			prev = digest(line)
		}
	}
	return out
}

// line is a record as it is in a month's file, up to the digest of the one before.
type line struct {
	month string
	text  []byte
	state State
}

const prevMark = `"prev":"`

// actionLines are the lines of each action, in order.
func actionLines(months map[string][]byte) (map[string][]line, error) {
	all := map[string][]line{}
	for _, name := range slices.Sorted(maps.Keys(months)) {
		for raw := range bytes.Lines(months[name]) {
			if !whole(raw) {
				continue
			}
			r, err := decode(raw)
			if err != nil {
				return nil, err
			}
			i := bytes.LastIndex(raw, []byte(prevMark))
			if i < 0 {
				return nil, &damage{r.ID, "it does not name the record before it"}
			}
			all[r.ID] = append(all[r.ID], line{name, raw[:i], r.State})
		}
	}
	return all, nil
}

// joinRuns joins what two ledgers have under one id: as a rule the same action. Chance can
// give one id to two; then both stay, in an order that does not depend on the side.
func joinRuns(mine, other []line) (out []line) {
	best := map[string][]line{}
	for _, lines := range [][]line{other, mine} {
		for len(lines) > 0 {
			n := 1
			for n < len(lines) && lines[n].state != Intent {
				n++
			}
			first := string(lines[0].text)
			if had, ok := best[first]; !ok || ended(lines[:n]) > ended(had) {
				best[first] = lines[:n]
			}
			lines = lines[n:]
		}
	}
	for _, first := range slices.Sorted(maps.Keys(best)) {
		out = append(out, best[first]...)
	}
	return out
}

// ended ranks how an action came out.
func ended(lines []line) int {
	best := 0
	for _, l := range lines {
		switch l.state {
		case Done, Finished:
			best = max(best, 2)
		case TakenBack:
			best = cmp.Or(best, 1)
		}
	}
	return best
}

// Added are the records of now, by month, that was has not: whole actions, without those
// that have not changed. Merge takes them as it takes a whole ledger.
func Added(was, now map[string][]byte) (map[string][]byte, error) {
	a, err := actionLines(was)
	if err != nil {
		return nil, err
	}
	b, err := actionLines(now)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, id := range slices.Sorted(maps.Keys(b)) {
		if slices.EqualFunc(a[id], b[id], func(x, y line) bool { return bytes.Equal(x.text, y.text) }) {
			continue
		}
		for _, l := range b[id] {
			out[l.month] = append(append(append(out[l.month], l.text...), prevMark+`"}`...), '\n')
		}
	}
	return out, nil
}

// Without are month files without some actions, with a chain of their own. ok is false if none
// is dropped.
func Without(months map[string][]byte, drop func(intent Record) bool) (rest map[string][]byte, ok bool, err error) {
	all, err := actionLines(months)
	if err != nil {
		return nil, false, err
	}
	gone := map[string]bool{}
	for _, text := range months {
		for raw := range bytes.Lines(text) {
			if r, err := decode(raw); err == nil && r.State == Intent && drop(r) {
				gone[r.ID] = true
			}
		}
	}
	if len(gone) == 0 {
		return months, false, nil
	}
	maps.DeleteFunc(all, func(id string, _ []line) bool { return gone[id] })
	return chained(all), true, nil
}

// KeptFiles says which file each name in the trash is of, by the records of a month.
func KeptFiles(month []byte) map[string]vault.Path {
	out := map[string]vault.Path{}
	for raw := range bytes.Lines(month) {
		if r, err := decode(raw); err == nil {
			for _, f := range r.Files {
				if f.Kept != "" {
					out[f.Kept] = f.Path
				}
			}
		}
	}
	return out
}
