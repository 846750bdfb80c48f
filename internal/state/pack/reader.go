package pack

import (
	"fmt"
	"slices"
)

// Position is where an entry stands, without its text. The entry's text is empty.
type Position struct {
	Entry
	Segment string
	Line    int // counted from 0
}

// Mark says how far a pack was read. The zero value is its beginning.
type Mark struct {
	Segment string
	Lines   int    // of the segment
	Digest  string // of the last of them
	Before  string // what the segments before were
}

// Reader reads one pack for a while: each segment at most once, as it was then.
type Reader struct {
	pack     *Pack
	segments map[string]*segment
}

// Reader returns a reader of the pack.
func (p *Pack) Reader() *Reader { return &Reader{p, map[string]*segment{}} }

func (r *Reader) segment(name string) (*segment, error) {
	if s, ok := r.segments[name]; ok {
		return s, nil
	}
	data, err := r.pack.read(name)
	if err != nil {
		return nil, err
	}
	s := parse(data)
	r.segments[name] = s
	return s, nil
}

// Since yields the entries behind a mark, the oldest first, and returns the mark behind them. ok is false if the pack was written
// anew since: places before the mark hold no longer, and nothing is yielded.
func (r *Reader) Since(m Mark, yield func(Position)) (next Mark, ok bool, err error) {
	names, _, err := r.pack.listSegments()
	if err != nil {
		return m, false, err
	}
	if m.Segment != "" {
		i := slices.Index(names, m.Segment)
		if i < 0 {
			return m, false, nil
		}
		names = names[i:]
		before, err := r.pack.stampBefore(m.Segment)
		if err != nil || before != m.Before {
			return m, false, err
		}
	}
	for i, name := range names {
		s, err := r.segment(name)
		if err != nil {
			return m, false, err
		}
		first := 0
		if i == 0 {
			first = m.Lines
		}
		if first > s.len() || first > 0 && s.digest(first-1) != m.Digest {
			return m, false, nil
		}
		for n := first; n < s.len(); n++ {
			yield(Position{s.head(n).entry(), name, n})
		}
		next = Mark{Segment: name, Lines: s.len()}
		if next.Lines > 0 {
			next.Digest = s.digest(next.Lines - 1)
		}
	}
	if next.Segment != "" {
		next.Before, err = r.pack.stampBefore(next.Segment)
	}
	return next, err == nil, err
}

// Text returns the text of an entry. ErrDamaged if another one stands there.
func (r *Reader) Text(at Position) ([]byte, error) {
	s, err := r.segment(at.Segment)
	if err != nil {
		return nil, err
	}
	if at.Line >= s.len() || s.head(at.Line).SHA256 != at.SHA256 || s.head(at.Line).Name != at.Name {
		return nil, fmt.Errorf("%s: %w", at.Name, ErrDamaged)
	}
	return s.text(at.Line)
}

// stampBefore is what the segments before one are known by.
func (p *Pack) stampBefore(segment string) (string, error) {
	_, stamp, err := p.stamps(func(name string) bool { return name < segment })
	return digestOf([]byte(stamp)), err
}

// Recent yields the entries of the newest segments like Newest, without their texts: text puts one together when it is asked for.
func (p *Pack) Recent(segments int, yield func(e Entry, text func() ([]byte, error))) error {
	return p.eachSegment(segments, func(_ string, data []byte) error {
		list := parse(data)
		for i := range list.len() {
			yield(list.head(i).entry(), func() ([]byte, error) { return list.text(i) })
		}
		return nil
	})
}
