package pack

import (
	"bytes"
	"math"
	"slices"
)

// Rewrite passes every entry through change and rewrites the segments with changed ones: the only way to remove
// something from a pack, for tend purge. A damaged line that contains one of the words is emptied.
func (p *Pack) Rewrite(change func(Entry) (Entry, bool), words ...[]byte) (changed int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err = p.eachSegment(math.MaxInt, func(segment string, data []byte) error {
		n, err := p.rewrite(segment, data, change, words)
		changed += n
		return err
	})
	return changed, err
}

func (p *Pack) rewrite(segment string, data []byte, change func(Entry) (Entry, bool), words [][]byte) (changed int, err error) {
	number, err := p.number(segment)
	if err != nil {
		return 0, err
	}
	w, list, i := newWriter(number), parse(data), -1
	for raw := range bytes.Lines(data) {
		i++
		e, err := list.entry(i)
		if err != nil {
			if containsAny(raw, words) {
				raw, changed = []byte("{}\n"), changed+1
			}
			w.copyDamaged(raw)
			continue
		}
		if other, yes := change(e); yes {
			e, changed = other, changed+1
		}
		if err := w.add(e); err != nil {
			return changed, err
		}
	}
	if changed == 0 {
		return 0, nil
	}
	return changed, p.write(w)
}

func containsAny(raw []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.Contains(raw, word) })
}

// copyDamaged copies a line that cannot be read.
func (w *writer) copyDamaged(raw []byte) {
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	w.out.Write(append(raw[:len(raw):len(raw)], '\n'))
	w.list.append(raw)
	w.prev = digestOf(raw)[:16]
}
