package workcopy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/journal"
	"tend/internal/sync/syncfolder"
)

// ErrOtherStore: the copy belongs to a different store.
var ErrOtherStore = errors.New("this copy belongs to another store")

// Saved is what a copy knows of the journal: its last position, and the tree there.
type Saved struct {
	Store    string                `json:"store"` // id of the store
	Position journal.Position      `json:"position"`
	Files    map[string]syncedFile `json:"files"`
	// Pushing are the nonces of entries that may be on their way to the store.
	Pushing []string `json:"pushing,omitempty"`
	// Merging says what the merge up to an entry was going to write, until it is known to be done: a merge must not
	// be made twice.
	Merging *merging `json:"merging,omitempty"`
	// Only in a store whose machines have their own journals: this one's name, the entries that Files has, the folder's
	// listing at that time, and the conflicts already reported.
	Machine           string          `json:"machine,omitempty"`
	Seen              syncfolder.Seen `json:"seen,omitempty"`
	Listing           string          `json:"listing,omitempty"`
	ReportedConflicts []string        `json:"reported_conflicts,omitempty"`
	Foreign           []string        `json:"foreign,omitempty"` // names in the folder that Tend did not write
	// LeftOut are memory files that could not be read and so are in no entry, with the reason.
	LeftOut map[vault.Path]string `json:"left_out,omitempty"`
	// Skipped are files of the tree that could not be written here, with the reason. They are tried again, and their
	// absence is not a removal.
	Skipped map[string]string `json:"skipped,omitempty"`
	// Writers are the machines whose entries were seen. nil before the first sync.
	Writers []string `json:"writers"`
}

type merging struct {
	To    journal.Position         `json:"to"`
	Seen  syncfolder.Seen          `json:"seen,omitempty"`
	Files map[string]vault.Version `json:"files"`
}

// syncedFile is a file of the tree, with its size and time here.
type syncedFile struct {
	Version vault.Version `json:"v"`
	Size    int64         `json:"size,omitempty"`
	Mod     int64         `json:"mod,omitempty"`
}

func (s Saved) treeOf() journal.Tree {
	t := make(journal.Tree, len(s.Files))
	for name, k := range s.Files {
		t[name] = k.Version
	}
	return t
}

// Findings returns what the last sync left to report.
func (s Saved) Findings(agent string) (out []finding.Finding) {
	for _, f := range slices.Sorted(maps.Keys(s.LeftOut)) {
		out = append(out, finding.StoreLeftOut.In(string(f), "it %s, so it is not in the store", s.LeftOut[f]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Skipped)) {
		out = append(out,
			finding.StoreLeftOut.In(describePath(name), "another machine has it, but it cannot be written here: %s", s.Skipped[name]))
	}
	if len(s.Foreign) > 0 {
		out = append(out, Foreign(s.Foreign))
	}
	for i := range out {
		out[i].Agent = agent
	}
	return out
}

func (p Paths) savedFile() string { return path.Join(p.storeFolder(), "position.json") }

// Load reads what the copy knows. ok is false for an agent that was never in a store.
func (p Paths) Load() (s Saved, ok bool, err error) {
	data, err := vault.ReadFile(p.State, p.savedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return Saved{Files: map[string]syncedFile{}}, false, nil
	}
	if err != nil {
		return s, false, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, false, fmt.Errorf("read %s: %w", p.savedFile(), err)
	}
	if s.Files == nil {
		s.Files = map[string]syncedFile{}
	}
	return s, true, nil
}

func (p Paths) save(s Saved) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := vault.MkdirAll(p.State, p.Durable, p.storeFolder(), 0o700); err != nil {
		return err
	}
	if err := vault.WriteOver(p.State, p.Durable, p.savedFile(), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", p.savedFile(), err)
	}
	return p.Durable.Barrier()
}

// saveTree records the tree of the last sync, and keeps the texts of its workspace, so that the next change can be
// detected and merged.
func (p Paths) saveTree(s *Saved, at journal.Position, tree journal.Tree, now map[string]localFile,
	text func(name string) ([]byte, error)) error {
	files := make(map[string]syncedFile, len(tree))
	for name, v := range tree {
		k := syncedFile{Version: v}
		if h, ok := now[name]; ok && h.version == v && !h.mod.IsZero() {
			k.Size, k.Mod = h.size, h.mod.UnixNano()
		}
		files[name] = k
		if p.keepsBase(name) && s.Files[name].Version != v {
			t, err := text(name)
			if err != nil {
				return err
			}
			if err := p.keepBase(v, t); err != nil {
				return err
			}
		}
	}
	was := s.Files
	s.Position, s.Files, s.Pushing, s.Merging = at, files, nil, nil
	if err := p.save(*s); err != nil {
		return err
	}
	still := map[vault.Version]bool{}
	for name, k := range files {
		if p.keepsBase(name) {
			still[k.Version] = true
		}
	}
	for name, k := range was {
		if p.keepsBase(name) && !still[k.Version] {
			_ = p.State.Remove(p.baseFile(k.Version)) // only to save space
		}
	}
	return nil
}

// keepsBase selects the files that people and agents change in place, and those with local sections.
func (p Paths) keepsBase(name string) bool {
	switch area, _, _ := strings.Cut(name, "/"); area {
	case journal.Workspace, journal.Operator, journal.Records:
		return true
	case journal.Ledger, journal.Packs:
		return p.HasLocal
	}
	return false
}

func (p Paths) baseFile(v vault.Version) string { return path.Join(p.storeFolder(), "base", string(v)) }

// keepBase stores a text. If it is lost in a crash it is read from the journal.
func (p Paths) keepBase(v vault.Version, text []byte) error {
	name := p.baseFile(v)
	if i, err := p.State.Lstat(name); err == nil && i.Size == int64(len(text)) {
		return nil
	}
	if err := vault.MkdirAll(p.State, vault.NoSync{}, path.Dir(name), 0o700); err != nil {
		return err
	}
	return vault.WriteOver(p.State, vault.NoSync{}, name, text, 0o600)
}

// baseText returns a text that saveTree kept.
func (p Paths) baseText(v vault.Version) ([]byte, bool) {
	text, err := vault.ReadFile(p.State, p.baseFile(v))
	return notNil(text), err == nil && vault.VersionOf(text) == v
}
