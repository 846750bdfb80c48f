package recall

import "slices"

// top keeps the best items offered, in a heap with the worst on top once it is full.
type top[T any] struct {
	limit   int
	compare func(a, b T) int // negative if a is better
	items   []T
}

func (t *top[T]) offer(x T) {
	if len(t.items) < t.limit {
		if t.items = append(t.items, x); len(t.items) == t.limit {
			for i := t.limit/2 - 1; i >= 0; i-- {
				t.sift(i)
			}
		}
		return
	}
	if t.limit > 0 && t.compare(x, t.items[0]) < 0 {
		t.items[0] = x
		t.sift(0)
	}
}

// sift moves the item at i down to its place.
func (t *top[T]) sift(i int) {
	for {
		c := 2*i + 1
		if c >= len(t.items) {
			return
		}
		if c+1 < len(t.items) && t.compare(t.items[c+1], t.items[c]) > 0 {
			c++
		}
		if t.compare(t.items[c], t.items[i]) <= 0 {
			return
		}
		t.items[i], t.items[c] = t.items[c], t.items[i]
		i = c
	}
}

// sorted returns the kept items, best first.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items
}
