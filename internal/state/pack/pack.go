// Package pack keeps texts permanently in plain files of an agent's state: what left the trash, and observed edits.
// Git history is derived from it.
//
// A pack is a sequence of segments, files of JSON lines. Only the last segment ever changes, and it is replaced as a
// whole, so that a crash leaves the old or the new one. A line has a text or the edit that makes it from an earlier
// line of the same segment, the text's SHA-256, and the digest of the line before.
package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/text/note"
)

// ErrDamaged: a line does not contain the text it claims to.
var ErrDamaged = errors.New("the pack is damaged")

// Entry is one text.
type Entry struct {
	Name string    // the name in the trash, or the file in the workspace
	At   time.Time // when it came here
	// Action is the newest action when the text was observed, so that texts and actions can be ordered.
	Action string
	Gone   bool // the file was removed
	Purged bool // tend purge removed the text; only its digest is left
	Text   []byte
	SHA256 string // of the text; set by the pack
}

// Pack is a sequence of segments. One process at a time may add to it; anyone may read.
type Pack struct {
	tree fsys.FS
	dur  vault.Durability
	dir  string
	kind string // names begin with it

	mu    sync.Mutex
	stamp string          // what the index was made from
	where map[string]spot // newest entry of a name
	last  string          // the segment whose lines are in memory
	lines *segment
}

type spot struct {
	segment string
	line    int
}

// New returns the pack of this kind in a folder. Nothing is read or created before it is used.
func New(tree fsys.FS, dur vault.Durability, dir, kind string) *Pack {
	return &Pack{tree: tree, dur: dur, dir: dir, kind: kind}
}

// full is the size at which a segment is closed, unless one text in it takes most of it.
const full = 512 << 10

// deepest is the maximum number of edits between a text and a line that has it in full.
const deepest = 128

// line is an entry as it is written.
type line struct {
	V      int       `json:"v"`
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
	Action string    `json:"action,omitempty"`
	Gone   bool      `json:"gone,omitempty"`
	Purged bool      `json:"purged,omitempty"`
	Size   int       `json:"size"`
	SHA256 string    `json:"sha256,omitempty"`
	Base   int       `json:"base,omitempty"` // number of the line that the edits apply to, from 1
	edit             // without a base: the whole text
	Edits  []edit    `json:"edits,omitempty"` // instead of the edit, if there are several
	Prev   string    `json:"prev"`
}

// edit is a change of the base: Cut bytes at From become the text.
type edit struct {
	From int    `json:"from,omitempty"`
	Cut  int    `json:"cut,omitempty"`
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"base64,omitempty"` // instead of Text when it is not UTF-8
}

func newEdit(from, cut int, text []byte) edit {
	if utf8.Valid(text) {
		return edit{From: from, Cut: cut, Text: string(text)}
	}
	return edit{From: from, Cut: cut, Raw: text}
}

func (e edit) textOf() []byte {
	if e.Raw != nil {
		return e.Raw
	}
	return []byte(e.Text)
}

// allEdits returns what turns the base into the text.
func (l line) allEdits() []edit {
	if len(l.Edits) > 0 {
		return l.Edits
	}
	return []edit{l.edit}
}

func digestOf(text []byte) string { return string(vault.VersionOf(text)) }

func (p *Pack) segmentName(n int) string { return fmt.Sprintf("%s-%06d.jsonl", p.kind, n) }

func (p *Pack) number(segment string) (n int, err error) {
	_, err = fmt.Sscanf(segment, p.kind+"-%d.jsonl", &n)
	return n, err
}

// listSegments lists the files of the pack, oldest first, with what identifies a changed one.
func (p *Pack) listSegments() (names []string, stamp string, err error) {
	return p.stamps(func(string) bool { return true })
}

// stamps does so for some of them.
func (p *Pack) stamps(wanted func(name string) bool) (names []string, stamp string, err error) {
	infos, err := p.tree.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("read pack: %w", err)
	}
	var b strings.Builder
	for _, i := range infos {
		if kind, ok := Segment(i.Name); !ok || kind != p.kind || !i.Mode.IsRegular() || !wanted(i.Name) {
			continue
		}
		names = append(names, i.Name)
		fmt.Fprintf(&b, "%s %d %d %d\n", i.Name, i.Size, i.Ino, i.ModTime.UnixNano())
	}
	return names, b.String(), nil
}

// Size returns how many bytes the pack has on the disk.
func (p *Pack) Size() (n int64, err error) {
	infos, err := p.tree.ReadDir(p.dir)
	for _, i := range infos {
		if kind, ok := Segment(i.Name); ok && kind == p.kind {
			n += i.Size
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return n, err
}

// load reads the lines of a segment.
func (p *Pack) load(name string) (*segment, error) {
	if p.last == name {
		return p.lines, nil
	}
	data, err := p.read(name)
	if err != nil {
		return nil, err
	}
	p.last, p.lines = name, parse(data)
	return p.lines, nil
}

func (p *Pack) read(segment string) ([]byte, error) {
	data, err := vault.ReadFile(p.tree, path.Join(p.dir, segment))
	if err != nil {
		return nil, fmt.Errorf("read pack: %w", err)
	}
	return data, nil
}

// eachSegment yields the newest segments, the oldest of them first.
func (p *Pack) eachSegment(newest int, do func(segment string, data []byte) error) error {
	names, _, err := p.listSegments()
	for _, segment := range names[max(0, len(names)-newest):] {
		var data []byte
		if data, err = p.read(segment); err == nil {
			err = do(segment, data)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// editCost is about what an edit takes in a line beside its text.
const editCost = 40

// editsBetween returns the edits that turn one text into another, and about how much room they take: the smallest single one,
// or those of the lines that changed if they are smaller together.
func editsBetween(old, text []byte) (edits []edit, size int) {
	d := note.Trim(old, text)
	if len(d.Text) <= editCost {
		return []edit{newEdit(d.At, d.Cut, []byte(d.Text))}, len(d.Text)
	}
	for _, e := range udiff.Lines(string(old[d.At:d.At+d.Cut]), d.Text) {
		edits = append(edits, newEdit(d.At+e.Start, e.End-e.Start, []byte(e.New)))
		size += len(e.New) + editCost
	}
	if size >= len(d.Text) {
		return []edit{newEdit(d.At, d.Cut, []byte(d.Text))}, len(d.Text)
	}
	return edits, size
}

// entry is the entry of a line without its text.
func (l line) entry() Entry {
	return Entry{Name: l.Name, At: l.At, Action: l.Action, Gone: l.Gone, Purged: l.Purged, SHA256: l.SHA256}
}

// refreshIndex rebuilds the index if the files have changed. The caller holds mu.
func (p *Pack) refreshIndex() ([]string, error) {
	names, stamp, err := p.listSegments()
	if err != nil || stamp == p.stamp && p.where != nil {
		return names, err
	}
	p.last, p.lines = "", nil
	where := map[string]spot{}
	for _, segment := range names {
		list, err := p.load(segment)
		if err != nil {
			return nil, err
		}
		for i := range list.len() {
			if l := list.head(i); l.Name != "" {
				where[l.Name] = spot{segment, i}
			}
		}
	}
	p.where, p.stamp = where, stamp
	return names, nil
}

// Get returns the newest entry of a name. fs.ErrNotExist if there is none.
func (p *Pack) Get(name string) (Entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.refreshIndex(); err != nil {
		return Entry{}, err
	}
	at, ok := p.where[name]
	if !ok {
		return Entry{}, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	list, err := p.load(at.segment)
	if err != nil {
		return Entry{}, err
	}
	if at.line >= list.len() { // it was just replaced
		return Entry{}, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return list.entry(at.line)
}

// Each yields every entry, oldest first. An entry that is damaged comes with ErrDamaged.
func (p *Pack) Each(yield func(Entry, error) error) error { return p.Newest(math.MaxInt, yield) }

// Newest yields the entries of the newest segments, at most so many: what was written lately, without reading years.
func (p *Pack) Newest(segments int, yield func(Entry, error) error) error {
	return p.eachSegment(segments, func(segment string, data []byte) error {
		list := parse(data)
		for i := range list.len() {
			e, err := list.entry(i)
			if err != nil {
				err = fmt.Errorf("%s line %d: %w", path.Join(p.dir, segment), i+1, err)
			}
			if err := yield(e, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// Verify returns the lines that are damaged, or that do not chain to the line before them.
func (p *Pack) Verify() (damaged []string, err error) {
	err = p.eachSegment(math.MaxInt, func(segment string, data []byte) error {
		list := parse(data)
		for i := range list.len() {
			if _, err := list.text(i); err != nil || !list.chained(i) {
				damaged = append(damaged, fmt.Sprintf("%s line %d", path.Join(p.dir, segment), i+1))
			}
		}
		return nil
	})
	return damaged, err
}

// Add writes entries and returns when they are durable and were read back. Entries that the last segment already has
// are not written again: they are from an earlier attempt.
func (p *Pack) Add(entries []Entry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	names, _, err := p.listSegments()
	if err != nil {
		return err
	}
	if err := vault.MkdirAll(p.tree, p.dur, p.dir, 0o700); err != nil {
		return fmt.Errorf("make pack: %w", err)
	}
	w := newWriter(1)
	if len(names) > 0 {
		// The last segment is rewritten in any case: its writer may have been killed before it was durable.
		if w, err = p.resumeSegment(names[len(names)-1]); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if w.hasEntry(e) {
			continue
		}
		if w.out.Len() >= max(full, 2*w.largest) {
			if err := p.write(w); err != nil {
				return err
			}
			w = newWriter(w.number + 1)
		}
		if err := w.add(e); err != nil {
			return err
		}
	}
	if w.out.Len() == 0 {
		return nil
	}
	return p.write(w)
}

// write puts a segment in place and checks that it can be read.
func (p *Pack) write(w *writer) error {
	name := path.Join(p.dir, p.segmentName(w.number))
	if err := vault.WriteOver(p.tree, p.dur, name, w.out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write pack: %w", err)
	}
	p.last, p.lines, p.stamp = "", nil, ""
	if err := p.dur.Barrier(); err != nil {
		return err
	}
	data, err := vault.ReadFile(p.tree, name)
	if err != nil {
		return fmt.Errorf("read pack: %w", err)
	}
	if !bytes.Equal(data, w.out.Bytes()) {
		return fmt.Errorf("%s is not what was written: %w", name, ErrDamaged)
	}
	list := parse(data)
	for i := w.old; i < list.len(); i++ {
		if w.list.line(i).Name == "" {
			continue // damaged before
		}
		if _, err := list.text(i); err != nil {
			return fmt.Errorf("%s line %d: %w", name, i+1, err)
		}
	}
	return nil
}
