package pack

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"tend/internal/vault"
)

// Rewrite passes every entry through change and writes the segments anew that hold a changed one: the one way to take
// something out of a pack, for tend purge. A damaged line that holds one of the words is emptied.
func (p *Pack) Rewrite(change func(Entry) (Entry, bool), words ...[]byte) (changed int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	names, _, err := p.segments()
	if err != nil {
		return 0, err
	}
	for _, segment := range names {
		n, err := p.rewrite(segment, change, words)
		changed += n
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

func (p *Pack) rewrite(segment string, change func(Entry) (Entry, bool), words [][]byte) (changed int, err error) {
	data, err := vault.ReadFile(p.tree, path.Join(p.dir, segment))
	if err != nil {
		return 0, fmt.Errorf("read pack: %w", err)
	}
	var number int
	if _, err := fmt.Sscanf(segment, p.kind+"-%d.jsonl", &number); err != nil {
		return 0, err
	}
	w, list, i := newWriter(number), parse(data), -1
	for raw := range bytes.Lines(data) {
		i++
		e, err := entry(list, i)
		if err != nil {
			if holds(raw, words) {
				raw, changed = []byte("{}\n"), changed+1
			}
			w.damaged(raw)
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

func holds(raw []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.Contains(raw, word) })
}

// damaged copies a line that cannot be read.
func (w *writer) damaged(raw []byte) {
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	w.out.Write(append(raw[:len(raw):len(raw)], '\n'))
	w.list = append(w.list, line{})
	w.prev = sum(raw)[:16]
}
