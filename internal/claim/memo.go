package claim

import "sync"

// memo caches the results of a pure function for the texts it saw last: curation, worth and placing read the same sentence several
// times a night, and the loaded file says the same every night. Callers must not modify a result.
type memo[K memoKey, V any] struct {
	mu         sync.Mutex
	young, old map[K]V // when the young ones are many, the old ones go
}

// memoKey is what results are kept by: the text, with its heading or its day where they matter.
type memoKey interface{ string | [2]string | worthKey }

// memoMost is how many results each half of a memo keeps, and memoLongest how long a text may be to be kept.
const memoMost, memoLongest = 128, 1 << 10

func (m *memo[K, V]) get(k K, size int, do func() V) V {
	if size > memoLongest {
		return do()
	}
	m.mu.Lock()
	v, ok := m.young[k]
	if !ok {
		v, ok = m.old[k]
	}
	m.mu.Unlock()
	if !ok {
		v = do()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.young) >= memoMost {
		m.young, m.old = nil, m.young
	}
	if m.young == nil {
		m.young = make(map[K]V, memoMost)
	}
	m.young[k] = v
	return v
}
