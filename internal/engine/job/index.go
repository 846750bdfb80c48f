package job

import (
	"maps"
	"slices"
	"sync"
	"unsafe"

	"tend/internal/disk/vault"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// index has the files of a snapshot in order and by role. It is made when it is first needed, and again after a change.
type index struct {
	once  sync.Once
	all   []vault.Doc
	roles map[layout.Role][]vault.Doc
	logs  []Log
}

// Indexed returns the input with an index of its files and a cache of parsed texts, for those who ask for much of it.
func (in Input) Indexed() Input {
	in.index = new(index)
	if in.texts == nil {
		in.texts = &texts{docs: map[textKey]*note.Doc{}}
	}
	return in
}

// indexed returns the index of the files as they are now.
func (in Input) indexed() *index {
	x := in.index
	if x == nil {
		x = new(index)
	}
	x.once.Do(func() {
		x.all, x.roles = make([]vault.Doc, 0, len(in.Files)), map[layout.Role][]vault.Doc{}
		for _, p := range slices.Sorted(maps.Keys(in.Files)) { // names are quicker to sort than files
			d := in.Files[p]
			x.all = append(x.all, d)
			r, day, ok := in.Layout.Lookup(string(p))
			if !ok {
				continue
			}
			x.roles[r] = append(x.roles[r], d)
			if day, err := note.ParseDay(day); err == nil && r == layout.Daily {
				x.logs = append(x.logs, Log{d, day})
			}
		}
		slices.SortStableFunc(x.logs, func(a, b Log) int { return a.Day.Sub(b.Day) })
	})
	return x
}

// With returns the input with some of its files replaced; a version of Absent removes one.
func (in Input) With(docs ...vault.Doc) Input {
	if in.Files = maps.Clone(in.Files); in.Files == nil {
		in.Files = map[vault.Path]vault.Doc{}
	}
	for _, d := range docs {
		in.put(d)
	}
	return in
}

// put changes a file of an input that owns its list of files.
func (in *Input) put(d vault.Doc) {
	if d.Version == vault.Absent {
		delete(in.Files, d.Path)
	} else {
		in.Files[d.Path] = d
	}
	if in.index != nil {
		in.index = new(index)
	}
}

// texts caches parsed files, so that each is parsed once for all jobs of a night. A text is identified by its address in
// memory: a file that was read again or changed is another one.
type texts struct {
	mu   sync.Mutex
	docs map[textKey]*note.Doc
}

type textKey struct {
	path vault.Path
	text *byte
	size int
}

func (t *texts) parse(d vault.Doc, do func() *note.Doc) *note.Doc {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := textKey{d.Path, unsafe.SliceData(d.Data), len(d.Data)}
	doc, ok := t.docs[k]
	if !ok {
		doc = do()
		t.docs[k] = doc
	}
	return doc
}
