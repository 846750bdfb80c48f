package memfs

// builder builds a disk from a plan and a chooser.
type builder struct {
	plan   *plan
	choose Chooser
	names  [][]name // by folder, where kept changes make a difference
	live   []*inode // by number, once reached
	room   []inode  // allocated at once, which is cheaper
	dirs   []entry
	disk   *Disk
	hash   uint64 // of the shape of the tree and the answers
}

// state resolves the plan. Equal hashes of states of one plan mean equal states.
func (p *plan) state(like *Disk, choose Chooser) (*Disk, uint64) {
	b := p.build(like, choose)
	return b.disk, b.hash
}

func (p *plan) build(like *Disk, choose Chooser) *builder {
	b := &builder{
		plan: p, choose: choose, hash: 14695981039346656037,
		names: make([][]name, len(p.nodes)),
		live:  make([]*inode, len(p.nodes)),
		room:  make([]inode, 0, len(p.nodes)),
	}
	like.mu.Lock()
	b.disk = &Disk{
		dev: like.dev, now: like.now, noExchange: like.noExchange,
		maxBytes: like.maxBytes, maxInodes: like.maxInodes,
	}
	like.mu.Unlock()
	b.keep()
	n := 0
	for i, img := range p.nodes {
		if img != nil {
			n += len(b.namesOf(i))
		}
	}
	b.dirs = make([]entry, n)
	b.disk.numbers.taken = make([]bool, 0, len(p.nodes)+1)
	b.disk.root = b.reach(0, nil)
	return b
}

// keep decides which changes of names are kept, and applies those.
func (b *builder) keep() {
	p := b.plan
	lost := make([]bool, len(p.names))
	for i := range p.names {
		if lost[i] = !p.depsDurable(i, lost) || b.choose(2) == 0; lost[i] {
			continue
		}
		for _, e := range p.names[i].edits {
			b.names[e.dir] = bound(b.namesOf(e.dir), e.name, e.node)
		}
	}
}

func (b *builder) namesOf(dir int) []name {
	if names := b.names[dir]; names != nil {
		return names
	}
	return b.plan.nodes[dir].names
}

// reach creates node i, which has a name in the folder up, and everything below it.
func (b *builder) reach(i int, up *inode) *inode {
	b.mix(uint64(i))
	if n := b.live[i]; n != nil {
		n.links++
		return n
	}
	img := b.plan.nodes[i]
	b.room = append(b.room, inode{
		ino: b.disk.numbers.claim(img.ino), mode: img.attrs.mode, uid: img.attrs.uid, gid: img.attrs.gid,
		mtime: img.mtime, data: img.data[:len(img.data):len(img.data)], target: img.target, links: 1,
	})
	n := &b.room[len(b.room)-1]
	b.live[i] = n
	b.disk.made++
	if img.kind.IsDir() {
		n.up = up
		names := b.namesOf(i)
		n.names, b.dirs = b.dirs[:len(names):len(names)], b.dirs[len(names):]
		for j, e := range names {
			b.mixString(e.name)
			n.names[j] = entry{e.name, b.reach(e.node, n)}
		}
		b.mix(1 << 32)
	}
	b.fill(n, img)
	return n
}

// fill decides what of a file's unsynced data, mode and owner is kept.
func (b *builder) fill(n *inode, img *image) {
	if all := img.contents(); len(all) > 0 {
		c := 0
		if len(all) > 1 {
			c = b.answer(len(all))
		}
		n.data, n.mtime = all[c].data, all[c].mtime
	}
	if len(img.owners) > 0 {
		if c := b.answer(1 + len(img.owners)); c > 0 {
			a := img.owners[c-1]
			n.mode, n.uid, n.gid = a.mode, a.uid, a.gid
		}
	}
	b.disk.used += int64(len(n.data))
}

func (b *builder) answer(n int) int {
	c := b.choose(n)
	b.mix(uint64(c) << 33)
	return c
}

func (b *builder) mix(x uint64) {
	b.hash = (b.hash ^ x) * 1099511628211
	b.hash ^= b.hash >> 29
}

func (b *builder) mixString(s string) {
	for i := range len(s) {
		b.mix(uint64(s[i]))
	}
	b.mix(1 << 34)
}
