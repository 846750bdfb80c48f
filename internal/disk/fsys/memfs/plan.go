package memfs

import "slices"

// plan is what is surely on the disk after a number of operations, and what may be
// lost. In this model everything may be lost that is not said to be durable:
//
//   - Sync makes a file's data, mode and owner durable, but not its name. SyncDir
//     makes the names in a folder durable, but not the folder's own name and not
//     the data of the files. SyncAll makes everything durable.
//   - Unsynced data is lost file by file, in the ways of contents.
//   - Unsynced changes of names are lost one by one, in any combination, except
//     that a change needs those it depends on: see deps.
//   - A change of two names (rename, exchange, move) is atomic, and durable once
//     either folder is synced.
//   - A file that no durable name leads to is gone.
type plan struct {
	nodes []*image // by number; nil: not created yet
	owned []bool   // nodes[i] is the plan's own, not the record's
	up    []int    // of folders: where they are while the machine runs
	names []nameOp // not durable yet, in order
	seq   int
}

// nameOp is a change of names that may be lost.
type nameOp struct {
	seq   int
	edits []change
	made  bool  // the node is new
	deps  []int // the changes that this one depends on, by seq
	path  []int // of those, the ones that created the folder it moves into
}

func newPlan(base []*image) *plan {
	p := &plan{}
	for i, img := range base {
		p.set(i, img)
	}
	for i, img := range base {
		for _, e := range img.names {
			p.up[e.node] = i
		}
	}
	return p
}

func (p *plan) set(i int, img *image) {
	for len(p.nodes) <= i {
		p.nodes, p.owned, p.up = append(p.nodes, nil), append(p.owned, false), append(p.up, none)
	}
	p.nodes[i] = img
}

// own returns node i for changing: a copy, unless it is the plan's own already.
func (p *plan) own(i int) *image {
	if !p.owned[i] {
		img := *p.nodes[i]
		p.nodes[i], p.owned[i] = &img, true
	}
	p.nodes[i].cached = nil
	return p.nodes[i]
}

// replay advances the plan by one operation.
func (p *plan) replay(ev *event) {
	switch ev.kind {
	case evNames:
		p.rename(ev)
	case evData:
		img := p.own(ev.node)
		img.ops = append(img.ops, ev.data)
	case evAttrs:
		img := p.own(ev.node)
		img.owners = append(img.owners, ev.attrs)
	case evSync:
		p.syncFile(ev.node)
	case evSyncFailed:
		p.loseFile(ev.node)
	case evSyncDir:
		p.syncDir(ev.node)
	case evSyncAll:
		p.each(p.syncFile)
		p.force(func(*nameOp) bool { return true })
	case evSyncAllFailed:
		p.each(p.loseFile)
	}
}

func (p *plan) each(do func(i int)) {
	for i, img := range p.nodes {
		if img != nil {
			do(i)
		}
	}
}

func (p *plan) syncFile(i int) {
	if len(p.nodes[i].ops) == 0 && len(p.nodes[i].owners) == 0 {
		return
	}
	img := p.own(i)
	if n := len(img.owners); n > 0 {
		img.attrs, img.owners = img.owners[n-1], nil
	}
	for j := range img.ops {
		if img.ops[j].fate == pending {
			img.ops[j].fate = synced
		}
	}
	for len(img.ops) > 0 && img.ops[0].fate == synced {
		img.data, img.mtime = img.ops[0].apply(img.data), img.ops[0].mtime
		img.ops = img.ops[1:]
	}
}

func (p *plan) loseFile(i int) {
	if len(p.nodes[i].ops) == 0 {
		return
	}
	img := p.own(i)
	for j := range img.ops {
		if img.ops[j].fate == pending {
			img.ops[j].fate = limbo
		}
	}
}

func (p *plan) rename(ev *event) {
	op := nameOp{seq: p.seq, edits: ev.edits[:ev.n], made: ev.made != nil}
	p.seq++
	if ev.made != nil {
		p.set(ev.edits[0].node, ev.made)
	}
	p.deps(&op)
	for _, e := range op.edits {
		if e.node != none && p.folder(e.node) {
			p.up[e.node] = e.dir
		}
	}
	p.names = append(p.names, op)
}

func (p *plan) folder(i int) bool { return i != none && p.nodes[i].kind.IsDir() }

// deps finds what a change depends on. All three file systems keep their metadata in
// one journal, so a change cannot survive without those it depends on:
//
//   - the earlier change of the same name;
//   - for the removal of a folder, the changes that emptied it;
//   - for a move between folders, the creation of the target folder, or a file
//     could vanish from both;
//   - for the move of a folder, other moves of folders, or the tree could end up
//     as a cycle.
func (p *plan) deps(op *nameOp) {
	moved := len(op.edits) == 2 && op.edits[0].dir != op.edits[1].dir
	for _, e := range op.edits {
		p.dep(op, func(q *nameOp) bool { return q.touches(e.dir, e.name) })
		if p.folder(e.old) && !op.binds(e.old) {
			p.depAll(op, func(q *nameOp) bool { return q.in(e.old) })
		}
		if !moved || e.node == none {
			continue
		}
		for dir := e.dir; dir != none; dir = p.up[dir] {
			if seq, ok := p.dep(op, func(q *nameOp) bool { return q.made && q.binds(dir) }); ok {
				op.path = append(op.path, seq)
			}
		}
		if p.folder(e.node) {
			p.depAll(op, func(q *nameOp) bool {
				return len(q.edits) == 2 && (p.folder(q.edits[0].node) || p.folder(q.edits[1].node))
			})
		}
	}
}

// dep makes op depend on the last earlier change that matches.
func (p *plan) dep(op *nameOp, match func(*nameOp) bool) (int, bool) {
	for i := len(p.names) - 1; i >= 0; i-- {
		if q := &p.names[i]; match(q) {
			op.deps = append(op.deps, q.seq)
			return q.seq, true
		}
	}
	return 0, false
}

func (p *plan) depAll(op *nameOp, match func(*nameOp) bool) {
	for i := range p.names {
		if q := &p.names[i]; match(q) {
			op.deps = append(op.deps, q.seq)
		}
	}
}

// syncDir makes the changes in a folder durable, with those they depend on. Only a
// move into a folder that may itself be lost stays undecided: if it were durable,
// the file would be lost with the folder.
func (p *plan) syncDir(dir int) {
	p.force(func(op *nameOp) bool {
		if !op.in(dir) {
			return false
		}
		for _, e := range op.edits {
			if e.dir == dir && e.node != none && p.anyPending(op.path) {
				return false
			}
		}
		return true
	})
}

func (p *plan) anyPending(seqs []int) bool {
	return slices.ContainsFunc(seqs, func(s int) bool { return p.find(s) >= 0 })
}

// find returns the index of a change among those not durable, or -1.
func (p *plan) find(seq int) int {
	return slices.IndexFunc(p.names, func(op nameOp) bool { return op.seq == seq })
}

// force makes the changes that match durable, with all they depend on.
func (p *plan) force(match func(*nameOp) bool) {
	sure := make([]bool, len(p.names))
	for i := len(p.names) - 1; i >= 0; i-- {
		op := &p.names[i]
		if sure[i] = sure[i] || match(op); sure[i] {
			for _, s := range op.deps {
				if j := p.find(s); j >= 0 {
					sure[j] = true
				}
			}
		}
	}
	var left []nameOp
	for i, op := range p.names {
		if !sure[i] {
			left = append(left, op)
			continue
		}
		for _, e := range op.edits {
			dir := p.own(e.dir)
			dir.names = bound(dir.names, e.name, e.node)
		}
	}
	p.names = left
}

func (op *nameOp) touches(dir int, name string) bool {
	return slices.ContainsFunc(op.edits, func(e change) bool { return e.dir == dir && e.name == name })
}

func (op *nameOp) in(dir int) bool {
	return slices.ContainsFunc(op.edits, func(e change) bool { return e.dir == dir })
}

func (op *nameOp) binds(node int) bool {
	return slices.ContainsFunc(op.edits, func(e change) bool { return e.node == node })
}
