package claim

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// automaton tells where a match of a pattern may begin, one table lookup a byte. It is deterministic: a state is the set of
// instructions of the compiled pattern that are reached after some text. States are made when a text first needs them. Where a
// character is not ASCII it does not decide.
type automaton struct {
	prog  *syntax.Prog
	first [utf8.RuneSelf]bool // the characters that a match may begin with

	mu     sync.Mutex
	states []state
	known  map[string]uint16 // number of a state by its instructions and what is before it
	start  [3]uint16         // the first state by what is before it
}

// state is one of an automaton.
type state struct {
	at     []uint32 // the next instructions, before those that match no character
	before context
	next   [utf8.RuneSelf + 1]uint16
}

const (
	unknown, dead, maybe = 0, 1, 2 // numbers of states that are none: not made yet, no match, a match or not known
	theEnd               = utf8.RuneSelf
	mostStates           = 1 << 8 // then they are dropped and made again
)

// next returns the first place from at on where a match may begin, len(text) if there is none. before is where the character before
// at begins; the result's is of the place found.
func (m *automaton) next(text string, before, at int) (int, int) {
	before, at = m.skip(text, before, at)
	if at == len(text) {
		return before, at
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for at < len(text) && !m.begins(text, at) {
		before, at = m.skip(text, at, after(text, at))
	}
	return before, at
}

// skip goes on to the next character that a match may begin with.
func (m *automaton) skip(text string, before, at int) (int, int) {
	for at < len(text) && text[at] < utf8.RuneSelf && !m.first[text[at]] {
		before, at = at, at+1
	}
	return before, at
}

// after is where the character behind the one at a place begins.
func after(text string, at int) int {
	if text[at] < utf8.RuneSelf {
		return at + 1
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	return at + n
}

// compile sets the pattern.
func (m *automaton) compile(parsed *syntax.Regexp) (err error) {
	if m.prog, err = syntax.Compile(parsed); err != nil {
		return err
	}
	list, _ := m.reach([]uint32{uint32(m.prog.Start)}, ^syntax.EmptyOp(0))
	for _, at := range list {
		for c := range m.first {
			m.first[c] = m.first[c] || m.prog.Inst[at].MatchRune(rune(c))
		}
	}
	return nil
}

// begins reports whether a match may begin at a place.
func (m *automaton) begins(text string, at int) bool {
	before := start
	if at > 0 {
		before = like(text[at-1])
	}
	s := m.start[before]
	if s == unknown {
		s = m.number([]uint32{uint32(m.prog.Start)}, before)
		m.start[before] = s
	}
	for ; ; at++ {
		c := byte(theEnd)
		if at < len(text) {
			if c = text[at]; c >= utf8.RuneSelf {
				return true
			}
		}
		next := m.states[s].next[c]
		if next == unknown {
			next = m.step(s, c)
		}
		if next == dead || next == maybe {
			return next == maybe
		}
		s = next
	}
}

// context is what is before a place, as far as ^ and \b look at it.
type context int

const (
	start  context = iota // the beginning of the text
	inWord                // a character of words
	other
)

// like is what a character is for the place behind it.
func like(c byte) context {
	if wordASCII(c) {
		return inWord
	}
	return other
}

// char is such a character, -1 for none.
func (c context) char() rune { return [...]rune{start: -1, inWord: 'a', other: ' '}[c] }

// number returns the number of a state, which it makes if there is none.
func (m *automaton) number(at []uint32, before context) uint16 {
	key := binary.AppendUvarint(make([]byte, 0, 64), uint64(before))
	for _, i := range at {
		key = binary.AppendUvarint(key, uint64(i))
	}
	if n, ok := m.known[string(key)]; ok {
		return n
	}
	if m.states == nil {
		m.states, m.known = make([]state, maybe+1, 16), map[string]uint16{}
	}
	m.states = append(m.states, state{at: at, before: before})
	m.known[string(key)] = uint16(len(m.states) - 1)
	return uint16(len(m.states) - 1)
}

// step finds the state that follows on a character.
func (m *automaton) step(n uint16, c byte) uint16 {
	next, match := m.follow(m.states[n], c)
	to := uint16(dead)
	switch {
	case match:
		to = maybe
	case len(next) > 0 && len(m.states) >= mostStates:
		m.states, m.known, m.start = nil, nil, [3]uint16{}
		return maybe
	case len(next) > 0:
		to = m.number(next, like(c))
	}
	m.states[n].next[c] = to
	return to
}

// follow returns the instructions behind a character, and whether the pattern has matched before it.
func (m *automaton) follow(s state, c byte) (next []uint32, match bool) {
	char := rune(c)
	if c == theEnd {
		char = -1
	}
	list, match := m.reach(s.at, syntax.EmptyOpContext(s.before.char(), char))
	if match {
		return nil, true
	}
	for _, at := range list {
		if i := &m.prog.Inst[at]; char >= 0 && i.MatchRune(char) {
			next = append(next, i.Out)
		}
	}
	slices.Sort(next)
	return slices.Compact(next), false
}

// reach returns the instructions for a character that are reached without one, where the given conditions hold, and whether the
// pattern has matched by then.
func (m *automaton) reach(from []uint32, holds syntax.EmptyOp) (list []uint32, match bool) {
	todo, seen := slices.Clone(from), map[uint32]bool{}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch i := &m.prog.Inst[at]; i.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, i.Out, i.Arg)
		case syntax.InstNop, syntax.InstCapture:
			todo = append(todo, i.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^holds == 0 {
				todo = append(todo, i.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			list = append(list, at)
		}
	}
	return list, false
}
