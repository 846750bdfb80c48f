package ledger

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"tend/internal/disk/vault"
)

// Merge joins two copies of one agent's ledger that were continued separately, given
// as month files by name. The result has every action once, sorted by id and so by
// time, with a new chain of digests. If only one copy has the end of an action, that
// end counts; if one copy rolled it back and the other finished it, the latter counts,
// because its text is in the journal.
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
	return chainMonths(b), nil
}

// chainMonths returns month files with these actions, sorted by id.
func chainMonths(all map[string][]line) map[string][]byte {
	out := map[string][]byte{}
	prev, name := "", ""
	for _, id := range slices.Sorted(maps.Keys(all)) {
		for _, l := range all[id] {
			line := append(bytes.Clone(l.text), prevMark+prev+`"}`...)
			name = max(name, l.month) // never an older file than that of the line before
			out[name] = append(append(out[name], line...), '\n')
			prev = digest(line)
		}
	}
	return out
}

// line is a record as in a month's file, without the digest of the one before.
type line struct {
	month string
	text  []byte
	state State
	at    time.Time
	// purged: a text was removed from it
	purged bool
}

const prevMark = `"prev":"`

// actionLines returns the lines of each action, in order.
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
			all[r.ID] = append(all[r.ID], line{name, raw[:i], r.State, r.At, r.Purged != ""})
		}
	}
	return all, nil
}

// joinRuns joins the lines that two ledgers have under one id, normally of the same action.
// By chance two actions can have one id; then both stay, in an order that does not depend
// on the side.
func joinRuns(mine, other []line) (out []line) {
	best := map[string][]line{}
	for _, lines := range [][]line{other, mine} {
		for len(lines) > 0 {
			n := 1
			for n < len(lines) && lines[n].state != Intent {
				n++
			}
			first := string(lines[0].text)
			if had, ok := best[first]; !ok || rankOutcome(lines[:n]) > rankOutcome(had) {
				best[first] = lines[:n]
			}
			lines = lines[n:]
		}
	}
	dropPurged(best)
	for _, first := range slices.Sorted(maps.Keys(best)) {
		out = append(out, best[first]...)
	}
	return out
}

// dropPurged removes the form of an action that still has a text which one side has purged: it must not come back.
func dropPurged(best map[string][]line) {
	gone := map[time.Time]bool{}
	for _, run := range best {
		if run[0].purged {
			gone[run[0].at] = true
		}
	}
	maps.DeleteFunc(best, func(_ string, run []line) bool { return !run[0].purged && gone[run[0].at] })
}

// rankOutcome ranks the outcome of an action.
func rankOutcome(lines []line) int {
	best := 0
	for _, l := range lines {
		switch l.state {
		case Done, Finished:
			best = max(best, 2)
		case RolledBack:
			best = cmp.Or(best, 1)
		}
	}
	return best
}

// Added returns the records of now, by month, that was does not have: only whole actions
// that are new or changed. Merge accepts the result like a whole ledger.
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

// Without returns month files without the dropped actions, with a new chain. ok is false if none
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
	return chainMonths(all), true, nil
}

// TrashFiles maps names in the trash to their files, from the records of a month.
func TrashFiles(month []byte) map[string]vault.Path {
	out := map[string]vault.Path{}
	for raw := range bytes.Lines(month) {
		if r, err := decode(raw); err == nil {
			for _, f := range r.Files {
				if f.Trash != "" {
					out[f.Trash] = f.Path
				}
			}
		}
	}
	return out
}
