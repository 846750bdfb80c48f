package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tend/internal/text/note"
)

// MergeFile merges two texts of one file of a tree. conflict: both changed the same lines, and the result has ours;
// the caller keeps theirs.
func MergeFile(name string, base, ours, theirs []byte, log bool) (merged []byte, conflict bool) {
	area, rest, _ := strings.Cut(name, "/")
	switch {
	case area == Workspace:
		text, n := note.Merge(base, ours, theirs, log)
		return text, n > 0
	case area == Trash && bytes.HasPrefix(ours, theirs):
		return ours, false
	case area == Trash && bytes.HasPrefix(theirs, ours):
		return theirs, false
	case area == Config:
		return theirs, false
	case area == Approved && rest == "approvals.json":
		if m, ok := mergeList(base, ours, theirs, "file", newerApproval); ok {
			return m, false
		}
	case area == Records && rest == "proposals.json":
		if m, ok := mergeList(base, ours, theirs, "id", decidedProposal); ok {
			return m, false
		}
	case area == Records && rest == "approved.json":
		if m, ok := mergeCounts(ours, theirs); ok {
			return m, false
		}
	case area == Records && rest == PurgesFile:
		return mergeLines(ours, theirs), false
	case area == Records && (rest == SlotsFile || rest == "acks.json"):
		if m, ok := mergeNewest(ours, theirs); ok {
			return m, false
		}
	}
	return ours, true
}

// mergeLines returns every line of either once, sorted.
func mergeLines(ours, theirs []byte) []byte {
	lines := bytes.SplitAfter(bytes.Join([][]byte{ours, theirs}, []byte("\n")), []byte("\n"))
	lines = slices.DeleteFunc(lines, func(l []byte) bool { return len(bytes.TrimSpace(l)) == 0 })
	for i, l := range lines {
		lines[i] = append(bytes.TrimSpace(l), '\n')
	}
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(slices.CompactFunc(lines, bytes.Equal), nil)
}

// mergeNewest merges two maps; of two values for one key the one that sorts last wins, which for times is the later.
func mergeNewest(ours, theirs []byte) ([]byte, bool) {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(ours, &a) != nil || json.Unmarshal(theirs, &b) != nil || a == nil {
		return nil, false
	}
	for k, v := range b {
		if string(v) > string(a[k]) {
			a[k] = v
		}
	}
	text, err := json.Marshal(a)
	return append(slices.Clip(text), '\n'), err == nil
}

type item = map[string]json.RawMessage

// mergeList merges two lists of objects that are identified by a field. If both have different forms of one, better
// decides; what one side removed is removed.
func mergeList(base, ours, theirs []byte, key string, better func(a, b item) item) ([]byte, bool) {
	var lists [3][]item
	for i, text := range [][]byte{base, ours, theirs} {
		if len(text) > 0 && json.Unmarshal(text, &lists[i]) != nil {
			return nil, false
		}
	}
	find := func(list []item, id string) item {
		for _, it := range list {
			if string(it[key]) == id {
				return it
			}
		}
		return nil
	}
	var out []item
	for _, t := range lists[2] {
		id := string(t[key])
		switch o := find(lists[1], id); {
		case o != nil:
			out = append(out, better(o, t))
		case find(lists[0], id) == nil:
			out = append(out, t)
		}
	}
	for _, o := range lists[1] {
		id := string(o[key])
		if find(lists[2], id) == nil && find(lists[0], id) == nil {
			out = append(out, o)
		}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err == nil
}

// newerApproval returns the one that was made later.
func newerApproval(a, b item) item {
	number := func(it item) (n int) { _ = json.Unmarshal(it["count"], &n); return n }
	at := func(it item) (s string) { _ = json.Unmarshal(it["at"], &s); return s }
	if cmp.Or(cmp.Compare(number(a), number(b)), strings.Compare(at(a), at(b))) < 0 {
		return b
	}
	return a
}

// decidedProposal returns the one that was decided.
func decidedProposal(a, b item) item {
	if string(a["state"]) == `"waiting"` {
		return b
	}
	return a
}

// approvalCounts are how often each baseline was approved, as the guard writes them.
type approvalCounts struct {
	Counts    map[string]int `json:"counts"`
	Signature string         `json:"signature,omitempty"`
}

// mergeCounts takes the larger of each count. Signed counts cannot be merged: then ours stay, unless theirs are newer.
func mergeCounts(ours, theirs []byte) ([]byte, bool) {
	var a, b approvalCounts
	if json.Unmarshal(ours, &a) != nil || json.Unmarshal(theirs, &b) != nil {
		return nil, false
	}
	all := map[string]int{}
	maps.Copy(all, b.Counts)
	for k, n := range a.Counts {
		all[k] = max(all[k], n)
	}
	switch {
	case maps.Equal(all, b.Counts):
		return theirs, true
	case maps.Equal(all, a.Counts), a.Signature != "", b.Signature != "":
		return ours, true
	}
	text, err := json.MarshalIndent(approvalCounts{Counts: all}, "", "  ")
	return append(text, '\n'), err == nil
}
