package claim

import (
	"strings"
	"sync"

	"tend/internal/text/note"
)

// memo caches the results of a pure function for the texts it saw last: curation, worth and placing read the same sentence several
// times a night, and the loaded file says the same every night. Callers must not modify a result.
type memo[K memoKey[K], V any] struct {
	most    int // how many results each half keeps
	longest int // the longest text whose result is kept

	mu         sync.Mutex
	young, old map[K]V // when the young ones are many, the old ones go
}

// memoKey is what results are kept by.
type memoKey[K any] interface {
	textKey | wordKey
	size() int
	clone() K // with strings of its own, so that a result keeps no whole file in memory
}

// get returns the result for a key, from the key that the function is given.
func (m *memo[K, V]) get(k K, do func(K) V) V {
	if k.size() > m.longest {
		return do(k)
	}
	m.mu.Lock()
	v, ok := m.young[k]
	if ok {
		m.mu.Unlock()
		return v
	}
	v, ok = m.old[k]
	m.mu.Unlock()
	k = k.clone()
	if !ok {
		v = do(k)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.young) >= m.most {
		m.young, m.old = nil, m.young
	}
	if m.young == nil {
		m.young = make(map[K]V, m.most)
	}
	m.young[k] = v
	return v
}

// textKey is a text, with its heading or its day where they matter.
type textKey struct {
	text, heading string
	day           note.Day
}

func (k textKey) size() int { return len(k.text) + len(k.heading) }

func (k textKey) clone() textKey {
	return textKey{strings.Clone(k.text), strings.Clone(k.heading), k.day}
}

// wordKey is a word.
type wordKey string

func (k wordKey) size() int { return len(k) }

func (k wordKey) clone() wordKey { return wordKey(strings.Clone(string(k))) }

// What was read last. Few words make up most of any text, so more of them are kept.
var (
	statements = memo[textKey, Statement]{most: 512, longest: 1 << 10}
	analyses   = memo[textKey, analysis]{most: 128, longest: 1 << 10}
	worths     = memo[textKey, Worth]{most: 512, longest: 1 << 10}
	splits     = memo[textKey, []word]{most: 128, longest: 1 << 10}
	vocabulary = memo[wordKey, *form]{most: 2048, longest: 48}
)
