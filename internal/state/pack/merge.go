package pack

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Merge merges the segments of one kind of pack that two machines continued separately, by name. If one has
// everything the other has, it stays as it is. Otherwise every entry of either is in the result once, ordered by
// time, whichever side is given first. A text that one side purged stays purged. ErrDamaged if a line of either
// cannot be read.
func Merge(kind string, ours, theirs map[string][]byte) (map[string][]byte, error) {
	a, err := read(ours)
	if err != nil {
		return nil, err
	}
	b, err := read(theirs)
	if err != nil {
		return nil, err
	}
	switch all := mergeEntries(a, b); {
	case holdsAll(b, all):
		return theirs, nil
	case holdsAll(a, all):
		return ours, nil
	default:
		return render(kind, all)
	}
}

// Added returns the entries of now that was does not have, as a separate segment; nil for none.
func Added(was, now map[string][]byte) ([]byte, error) {
	a, err := read(was)
	if err != nil {
		return nil, err
	}
	b, err := read(now)
	if err != nil {
		return nil, err
	}
	have, w := entrySet(a), newWriter(1)
	for _, e := range b {
		if !have(e) {
			if err := w.add(e); err != nil {
				return nil, err
			}
		}
	}
	return w.out.Bytes(), nil
}

// Without returns segments without some of their entries. If none is dropped they stay as they are.
func Without(kind string, segments map[string][]byte, drop func(Entry) bool) (map[string][]byte, error) {
	all, err := read(segments)
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(all), drop)
	switch len(rest) {
	case len(all):
		return segments, nil
	case 0:
		return nil, nil
	}
	return render(kind, rest)
}

// Damaged reports whether a segment has a line that cannot be read.
func Damaged(segment []byte) bool {
	_, err := read(map[string][]byte{"segment": segment})
	return err != nil
}

// Names returns the names of all entries in a segment.
func Names(segment []byte) (names []string) {
	list := parse(segment)
	for i := range list.len() {
		if l := list.line(i); l.Name != "" {
			names = append(names, l.Name)
		}
	}
	return names
}

// Segment reports whether a file is one of a pack, and of which kind.
func Segment(file string) (kind string, ok bool) {
	name, jsonl := strings.CutSuffix(file, ".jsonl")
	kind, number, cut := strings.Cut(name, "-")
	return kind, jsonl && cut && kind != "" && len(number) >= 6 && strings.Trim(number, "0123456789") == ""
}

func read(segments map[string][]byte) (all []Entry, err error) {
	for _, name := range slices.Sorted(maps.Keys(segments)) {
		list := parse(segments[name])
		for i := range list.len() {
			e, err := list.entry(i)
			if err != nil {
				return nil, fmt.Errorf("%s line %d: %w", name, i+1, err)
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// identityOf identifies an entry. A name in the trash belongs to one text, whichever machine packed it and when; a file
// of the workspace can have the same text twice.
func identityOf(e Entry) string {
	at := ""
	if familyOf(e.Name) == e.Name {
		at = e.At.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%s\x00%s\x00%s\x00%t\x00%s", e.Name, e.SHA256, e.Action, e.Gone, at)
}

// mergeEntries returns every entry of either once, ordered by time.
func mergeEntries(a, b []Entry) []Entry {
	best := map[string]Entry{}
	for _, e := range slices.Concat(a, b) {
		id := identityOf(e)
		if had, ok := best[id]; !ok || e.Purged && !had.Purged || e.Purged == had.Purged && e.At.Before(had.At) {
			best[id] = e
		}
	}
	return slices.SortedFunc(maps.Values(best), func(x, y Entry) int {
		return cmp.Or(x.At.Compare(y.At), strings.Compare(x.Action, y.Action), strings.Compare(identityOf(x), identityOf(y)))
	})
}

// holdsAll reports whether a list has every entry of all, purged where it is purged there.
func holdsAll(list, all []Entry) bool {
	have := entrySet(list)
	return !slices.ContainsFunc(all, func(e Entry) bool { return !have(e) })
}

// entrySet returns the entries of a list, with whether each is purged.
func entrySet(list []Entry) func(Entry) bool {
	have := map[string]bool{}
	for _, e := range list {
		have[fmt.Sprint(identityOf(e), e.Purged)] = true
	}
	return func(e Entry) bool { return have[fmt.Sprint(identityOf(e), e.Purged)] }
}

// render formats entries as Add does.
func render(kind string, all []Entry) (map[string][]byte, error) {
	p, w, out := &Pack{kind: kind}, newWriter(1), map[string][]byte{}
	for _, e := range all {
		if w.out.Len() >= max(full, 2*w.largest) {
			out[p.segmentName(w.number)] = bytes.Clone(w.out.Bytes())
			w = newWriter(w.number + 1)
		}
		if err := w.add(e); err != nil {
			return nil, err
		}
	}
	out[p.segmentName(w.number)] = bytes.Clone(w.out.Bytes())
	return out, nil
}
