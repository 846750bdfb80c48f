package memfs

// record is the history of a disk since Record: its state then, and every change in
// order. The numbers of inodes in it are never reused.
type record struct {
	base []*image // by number
	log  []event
	next int
}

// event is one operation in the record.
type event struct {
	kind  eventKind
	node  int       // data, attrs, sync: of this inode; syncDir: of this folder
	edits [2]change // names
	n     int       // how many edits
	made  *image    // names: the new inode that gets its first name here
	data  dataOp
	attrs attrs
}

type eventKind uint8

const (
	evNames eventKind = iota
	evData
	evAttrs
	evSync
	evSyncDir
	evSyncAll
	evSyncFailed
	evSyncAllFailed
)

// change is an edit by numbers; none is no inode.
type change struct {
	dir  int
	name string
	old  int // inode before
	node int // inode after
}

const none = -1

// Record starts a record. Everything on the disk so far counts as durable.
func (d *Disk) Record() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.record()
}

func (d *Disk) record() *record {
	d.rec = &record{}
	d.rec.snapshot(d.root)
	return d.rec
}

// history returns the record up to now; without one it starts one.
func (d *Disk) history() *record {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.rec
	if r == nil {
		r = d.record()
	}
	return &record{base: r.base, log: r.log[:len(r.log):len(r.log)], next: r.next}
}

func (d *Disk) historyTo(n int) *record {
	r := d.history()
	r.log = r.log[:n:n]
	return r
}

// Len is the number of operations in the record.
func (d *Disk) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec == nil {
		return 0
	}
	return len(d.rec.log)
}

// snapshot numbers everything below n and saves its state.
func (r *record) snapshot(n *inode) int {
	if n.rec == r {
		return n.id
	}
	img := r.number(n)
	r.base = append(r.base, img)
	if len(n.names) > 0 {
		img.names = make([]name, len(n.names))
		for i, e := range n.names {
			img.names[i] = name{e.name, r.snapshot(e.node)}
		}
	}
	return n.id
}

func (r *record) number(n *inode) *image {
	n.rec, n.id = r, r.next
	r.next++
	return imageOf(n)
}

func (r *record) add(n *inode) {
	if r != nil {
		n.rec = r // names assigns the number and logs the creation
		n.id = none
	}
}

func (r *record) names(edits []edit, old [2]*inode) {
	if r == nil {
		return
	}
	ev := event{kind: evNames, n: len(edits)}
	for i, e := range edits {
		c := change{dir: e.dir.id, name: e.name, old: none, node: none}
		if old[i] != nil {
			c.old = old[i].id
		}
		if e.node != nil {
			if e.node.id == none {
				ev.made = r.number(e.node)
			}
			c.node = e.node.id
		}
		ev.edits[i] = c
	}
	r.log = append(r.log, ev)
}

// knows reports whether changes of n are recorded. A file that had lost its last
// name when the record began is not.
func (r *record) knows(n *inode) bool { return r != nil && n.rec == r }

func (r *record) data(n *inode, op dataOp) {
	if r.knows(n) {
		r.log = append(r.log, event{kind: evData, node: n.id, data: op})
	}
}

func (r *record) attrs(n *inode, a attrs) {
	if r.knows(n) {
		r.log = append(r.log, event{kind: evAttrs, node: n.id, attrs: a})
	}
}

func (r *record) sync(kind eventKind, n *inode) {
	if r.knows(n) {
		r.log = append(r.log, event{kind: kind, node: n.id})
	}
}
