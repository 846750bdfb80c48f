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

// index has the files of a snapshot by role, so that queries need not go through all of them.
type index struct {
	all   []vault.Doc // nil if it has to be listed again
	roles map[layout.Role][]vault.Doc
	logs  []Log
}

// Indexed returns the input with an index of its files. It must be called again when the files
// change.
func (in Input) Indexed() Input {
	in.index = nil
	x := &index{all: in.All(), roles: map[layout.Role][]vault.Doc{}}
	x.roles[layout.Daily], x.logs = make([]vault.Doc, 0, len(x.all)), make([]Log, 0, len(x.all)) // most files are logs
	for _, d := range x.all {
		r, day, ok := in.Layout.Lookup(string(d.Path))
		if !ok {
			continue
		}
		x.roles[r] = append(x.roles[r], d)
		if r == layout.Daily {
			x.logs = appendLog(x.logs, d, day)
		}
	}
	sortLogs(x.logs)
	in.index = x
	if in.texts == nil {
		in.texts = &texts{docs: map[textKey]*note.Doc{}}
	}
	return in
}

// With returns the input with some of its files replaced; a version of Absent removes one.
func (in Input) With(docs ...vault.Doc) Input {
	if in.Files = maps.Clone(in.Files); in.Files == nil {
		in.Files = map[vault.Path]vault.Doc{}
	}
	if in.index != nil {
		in.index = in.index.clone()
	}
	for _, d := range docs {
		in.put(d)
	}
	return in
}

// put changes a file of an input that owns its list of files.
func (in Input) put(d vault.Doc) {
	if d.Version == vault.Absent {
		delete(in.Files, d.Path)
	} else {
		in.Files[d.Path] = d
	}
	if in.index == nil {
		return
	}
	in.index.all = nil
	r, ok := in.Layout.RoleOf(string(d.Path))
	if !ok {
		return
	}
	list := slices.Clone(in.index.roles[r]) // others may be reading the old one
	i, found := slices.BinarySearchFunc(list, d, byPath)
	switch {
	case found && d.Version == vault.Absent:
		list = slices.Delete(list, i, i+1)
	case found:
		list[i] = d
	case d.Version != vault.Absent:
		list = slices.Insert(list, i, d)
	}
	in.index.roles[r] = list
	if r == layout.Daily {
		in.index.logs = in.logsOf(list)
	}
}

func (x *index) clone() *index {
	return &index{all: x.all, roles: maps.Clone(x.roles), logs: x.logs}
}

// of lists the files that have one of the roles, by name.
func (x *index) of(roles []layout.Role) []vault.Doc {
	var out []vault.Doc
	for i, r := range roles {
		if !slices.Contains(roles[:i], r) {
			out = append(out, x.roles[r]...)
		}
	}
	if len(roles) > 1 {
		slices.SortFunc(out, byPath)
	}
	return out
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

// logsOf returns the files that are named for a day, oldest first.
func (in Input) logsOf(docs []vault.Doc) []Log {
	out := make([]Log, 0, len(docs))
	for _, d := range docs {
		if day, ok := in.Layout.DayOf(string(d.Path)); ok {
			out = appendLog(out, d, day)
		}
	}
	sortLogs(out)
	return out
}

func appendLog(list []Log, d vault.Doc, day string) []Log {
	if day, err := note.ParseDay(day); err == nil {
		return append(list, Log{d, day})
	}
	return list
}

func sortLogs(list []Log) {
	slices.SortStableFunc(list, func(a, b Log) int { return a.Day.Sub(b.Day) })
}
