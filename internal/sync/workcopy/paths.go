// Package workcopy syncs an agent on this machine with its journal in a store: it fetches what others committed,
// merges it with local changes, and commits the result.
//
// All of Tend keeps working on the files on this machine. Beside them the journal's tree of the last sync is kept, to
// tell local changes from remote ones. Deleting that is harmless: the next sync compares everything.
package workcopy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/pack"
	"tend/internal/sync/journal"
)

// Paths describes where an agent's files are on this machine.
type Paths struct {
	Agent    string
	Vault    *vault.Vault
	Tree     fsys.FS // the workspace
	Ledger   *ledger.Ledger
	State    fsys.FS
	Archives fsys.FS // the tree archives are in
	Archive  string  // the agent's folder in it
	Durable  vault.Durability
	Clock    func() time.Time
	Who      string // the recorded writer, with the machine's name
	// Run makes the changes that a sync brings. A mirror needs none.
	Run Runner
	// Memory reads the workspace: its files, and why others could not be read.
	Memory func(ctx context.Context) (files map[vault.Path]vault.Doc, unread map[vault.Path]string, err error)
	// Operator returns the operator's working texts, by the file they are for.
	Operator map[vault.Path]Source
	// Log reports files in which both sides of a conflict stay, one after the other.
	Log func(vault.Path) bool
	// Local reports files that stay on this machine.
	Local func(vault.Path) bool
	// HasLocal: Local or Sections name something.
	HasLocal bool
	// Accepts reports files that other machines may write here: memory, not the settings of programs. nil for all.
	Accepts func(vault.Path) bool
	// Sound returns why one of Tend's own files, by its path in the tree, cannot be what it claims to be: such a file of
	// another machine is archived, and this machine's stays. nil for no check.
	Sound func(name string, text []byte) error
	// Sections returns the headings of a file's sections that stay on this machine.
	Sections func(vault.Path) []string
	// HistoryLock is the lock, in the state, of writers to the packs. "" for none.
	HistoryLock string
	// Config is the agent's part of tend.yaml for clones; only Push sends it.
	Config func() ([]byte, error)

	leftOut *map[vault.Path]string // what scan could not read
}

// Source is one of the operator's files.
type Source struct {
	Tree fsys.FS
	Name string
}

// records are the files beside the ledger that belong to the agent, not to the machine.
var records = []string{"proposals.json", "approved.json", "acks.json", journal.SlotsFile, journal.PurgesFile}

// configPath is where a tree keeps the agent's part of tend.yaml.
const configPath = journal.Config + "/agent.json"

// storeFolder is the folder of this machine's knowledge of the store.
func (p Paths) storeFolder() string { return path.Join("agents", p.Agent, "store") }

// fileOf returns where a path of the tree is on this machine. ok is false for what this copy does not keep.
func (p Paths) fileOf(name string) (tree fsys.FS, at string, ok bool) {
	area, rest, _ := strings.Cut(name, "/")
	switch area {
	case journal.Ledger:
		return p.State, path.Join("agents", p.Agent, "ledger", rest), strings.HasSuffix(rest, ".jsonl")
	case journal.Archive:
		return p.Archives, path.Join(p.Archive, rest), true
	case journal.Trash:
		return p.State, path.Join(ledger.TrashPath(p.Agent), rest), true
	case journal.Packs:
		_, ok := pack.Segment(rest)
		return p.State, path.Join(ledger.PackPath(p.Agent), rest), ok
	case journal.Approved:
		return p.State, path.Join("baselines", p.Agent, rest), true
	case journal.Records:
		if slices.Contains(records, rest) {
			return p.State, path.Join("agents", p.Agent, rest), true
		}
	case journal.Config:
		return p.State, path.Join(p.storeFolder(), "agent.json"), name == configPath
	case journal.Operator:
		s, ok := p.Operator[vault.Path(rest)]
		return s.Tree, s.Name, ok && s.Tree != fsys.Missing
	}
	return nil, "", false
}

// keepsPath reports whether this copy has a path at all.
func (p Paths) keepsPath(name string) bool {
	if journal.CheckPath(name) != nil {
		return false
	}
	if ws, ok := workspacePath(name); ok {
		return (p.Local == nil || !p.Local(ws)) && (p.Accepts == nil || p.Accepts(ws))
	}
	_, _, ok := p.fileOf(name)
	return ok
}

func workspacePath(name string) (vault.Path, bool) {
	rest, ok := strings.CutPrefix(name, journal.Workspace+"/")
	return vault.Path(rest), ok
}

// isAbsenceLocal reports whether a file that is missing here still belongs to the journal: leaving the trash without being
// packed, or leaving the operator's folder, concerns only this machine.
func isAbsenceLocal(name string) bool {
	area, _, _ := strings.Cut(name, "/")
	return area == journal.Trash || area == journal.Operator || area == journal.Config
}

// read returns the text of a file here, nil if there is none.
func (p Paths) read(ctx context.Context, name string) ([]byte, error) {
	if journal.CheckPath(name) != nil {
		return nil, nil
	}
	if ws, ok := workspacePath(name); ok {
		doc, err := p.Vault.Read(ctx, ws)
		if errors.Is(err, vault.ErrAbsent) {
			return nil, nil
		}
		return p.withoutLocal(ws, notNil(doc.Data)), err
	}
	tree, at, ok := p.fileOf(name)
	if !ok {
		return nil, nil
	}
	read := vault.ReadFile
	if strings.HasPrefix(name, journal.Ledger+"/") {
		read = ledger.ReadMonth // the journal has the records as they are
	}
	text, err := read(tree, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return notNil(text), err
}

func notNil(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}

// putFile writes a file outside the workspace, or removes it if text is nil.
func (p Paths) putFile(name string, text []byte) error {
	tree, at, ok := p.fileOf(name)
	if !ok {
		return nil
	}
	if text == nil {
		err := tree.Remove(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = p.Durable.Dir(tree, path.Dir(at))
		}
		return err
	}
	perm := fs.FileMode(0o600)
	if strings.HasPrefix(name, journal.Operator+"/") {
		perm = 0o644
	}
	if err := vault.MkdirAll(tree, p.Durable, path.Dir(at), 0o700); err != nil {
		return err
	}
	return vault.WriteOver(tree, p.Durable, at, text, perm)
}

// pick reports which files of a tree belong to a set, and their names in it.
type pick func(name string) (key string, ok bool)

// collectTexts reads the files that belong to a set.
func collectTexts(names iter.Seq[string], in pick, text func(name string) ([]byte, error)) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name := range names {
		if key, ok := in(name); ok {
			t, err := text(name)
			if err != nil {
				return nil, err
			}
			out[key] = t
		}
	}
	return out, nil
}

// readOwn returns this machine's files of a set of Tend's own files.
func (p Paths) readOwn(ctx context.Context, in pick) (map[string][]byte, error) {
	names, err := p.ownFiles()
	if err != nil {
		return nil, err
	}
	return collectTexts(maps.Keys(names), in, func(name string) ([]byte, error) { return p.read(ctx, name) })
}

// readMonths reads the ledger files among the listed names.
func (p Paths) readMonths(listed map[string]fsys.Info) (map[string][]byte, error) {
	return collectTexts(maps.Keys(listed), monthOf, func(name string) ([]byte, error) { return p.read(context.Background(), name) })
}

// addChanges adds to out the changes that replace the files of an area; nil removes one.
func addChanges(area string, from, to, out map[string][]byte) {
	for key := range from {
		if _, ok := to[key]; !ok {
			out[area+"/"+key] = nil
		}
	}
	for key, text := range to {
		if was, ok := from[key]; !ok || !bytes.Equal(was, text) {
			out[area+"/"+key] = text
		}
	}
}

// putAll replaces the files of an area.
func (p Paths) putAll(area string, from, to map[string][]byte) (err error) {
	out := map[string][]byte{}
	addChanges(area, from, to, out)
	for name, text := range out {
		err = errors.Join(err, p.putFile(name, text))
	}
	return err
}

// localFile is a file on this machine.
type localFile struct {
	version vault.Version
	size    int64
	mod     time.Time
	text    []byte // nil unless it had to be read
	// The version and text on disk, if the file has local sections.
	disk  vault.Version
	whole []byte
}

// onDisk returns the version of the file itself.
func (h localFile) onDisk() vault.Version {
	if h.disk != "" {
		return h.disk
	}
	return h.version
}

// scanFiles finds every file of the tree on this machine. Files whose size and time are unchanged are not read again.
func (p Paths) scanFiles(ctx context.Context, known map[string]syncedFile, now time.Time) (map[string]localFile, error) {
	all := map[string]localFile{}
	if err := p.scanWorkspace(ctx, known, all); err != nil {
		return nil, err
	}
	if err := p.scanOwn(ctx, known, now, all); err != nil {
		return nil, err
	}
	return all, nil
}

// scanWorkspace adds the files of the workspace, and records those that are left out.
func (p Paths) scanWorkspace(ctx context.Context, known map[string]syncedFile, all map[string]localFile) error {
	files, unread, err := p.Memory(ctx)
	if err != nil {
		return err
	}
	left := p.leftOutMemory(unread)
	if p.leftOut != nil {
		*p.leftOut = left
	}
	for f, doc := range files {
		if p.Local != nil && p.Local(f) {
			continue
		}
		name := journal.Workspace + "/" + string(f)
		if journal.CheckPath(name) != nil {
			left[f] = "has a name that other machines may not be able to use"
			continue
		}
		h := localFile{version: doc.Version, size: int64(len(doc.Data)), mod: doc.ModTime, text: notNil(doc.Data)}
		if len(p.localSections(f)) > 0 {
			h.disk, h.whole, h.text = doc.Version, notNil(doc.Data), p.withoutLocal(f, notNil(doc.Data))
			h.version = ""
			if h.text != nil {
				h.version = vault.VersionOf(h.text)
			}
		}
		all[name] = h
	}
	// A file that cannot be read now, or exceeds the limits, is not gone.
	for name, k := range known {
		ws, ok := workspacePath(name)
		if _, found := all[name]; !ok || found || !p.keepsPath(name) {
			continue
		}
		if isUnread(ws, unread) {
			all[name] = localFile{version: k.Version}
			continue
		}
		text, err := p.read(ctx, name)
		if err != nil {
			all[name] = localFile{version: k.Version}
		} else if text != nil {
			all[name] = localFile{version: vault.VersionOf(text), size: int64(len(text)), text: text}
		}
	}
	return nil
}

// maxTimeStep is how long a file can change without another time: file systems count in steps of up to two seconds.
const maxTimeStep = 2 * time.Second

// scanOwn adds the files outside the workspace: Tend's own and the operator's.
func (p Paths) scanOwn(ctx context.Context, known map[string]syncedFile, now time.Time, all map[string]localFile) error {
	names, err := p.ownFiles()
	if err != nil {
		return err
	}
	if err := p.dropForeign(names, known); err != nil {
		return err
	}
	if err := p.hideLocalTrash(names, known); err != nil {
		return err
	}
	for name, info := range names {
		k, isKnown := known[name]
		if isKnown && k.Size == info.Size && k.Mod == info.ModTime.UnixNano() && now.Sub(info.ModTime) > maxTimeStep {
			all[name] = localFile{version: k.Version, size: info.Size, mod: info.ModTime}
			continue
		}
		text, err := p.read(ctx, name)
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, journal.Packs+"/") && pack.Damaged(text) {
			if isKnown { // the journal has a better one
				all[name] = localFile{version: k.Version}
			}
			continue
		}
		if text != nil {
			all[name] = localFile{version: vault.VersionOf(text), size: int64(len(text)), mod: info.ModTime, text: text}
		}
	}
	return nil
}

// leftOutMemory returns the memory files that could not be read, with the reason.
func (p Paths) leftOutMemory(unread map[vault.Path]string) map[vault.Path]string {
	out := map[vault.Path]string{}
	for f, why := range unread {
		if strings.EqualFold(path.Ext(string(f)), ".md") && (p.Local == nil || !p.Local(f)) {
			out[f] = why
		}
	}
	return out
}

// isUnread reports whether a file, or a folder it is in, could not be read.
func isUnread(f vault.Path, unread map[vault.Path]string) bool {
	for ; f != ""; f = f.Dir() {
		if _, ok := unread[f]; ok {
			return true
		}
	}
	return false
}

// ownFiles lists the files outside the workspace.
func (p Paths) ownFiles() (map[string]fsys.Info, error) {
	out := map[string]fsys.Info{}
	add := func(area string, tree fsys.FS, dir string, keep func(string) bool) error {
		infos, err := tree.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, i := range infos {
			if i.Mode.IsRegular() && !strings.HasPrefix(i.Name, vault.TempPrefix) && (keep == nil || keep(i.Name)) {
				name := area + "/" + i.Name
				if journal.CheckPath(name) == nil {
					out[name] = i
				}
			}
		}
		return err
	}
	archives, err := p.Ledger.Archive.List()
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, a := range archives {
		ours[a.Name] = true
	}
	for _, err := range []error{
		add(journal.Ledger, p.State, path.Join("agents", p.Agent, "ledger"), func(n string) bool { return strings.HasSuffix(n, ".jsonl") }),
		add(journal.Archive, p.Archives, p.Archive, func(n string) bool { return ours[n] }),
		add(journal.Packs, p.State, ledger.PackPath(p.Agent), func(n string) bool { _, ok := pack.Segment(n); return ok }),
		add(journal.Approved, p.State, path.Join("baselines", p.Agent), nil),
		add(journal.Trash, p.State, ledger.TrashPath(p.Agent), func(n string) bool {
			id, _, ok := strings.Cut(n, ".")
			return ok && actid.Valid(id)
		}),
	} {
		if err != nil {
			return nil, err
		}
	}
	single := []string{configPath}
	for _, r := range records {
		single = append(single, journal.Records+"/"+r)
	}
	for f := range p.Operator {
		single = append(single, journal.Operator+"/"+string(f))
	}
	for _, name := range single {
		if tree, at, ok := p.fileOf(name); ok {
			if i, err := tree.Lstat(at); err == nil && i.Mode.IsRegular() {
				out[name] = i
			}
		}
	}
	return out, nil
}

// dropForeign removes from the list new files in the trash whose id belongs to no action.
func (p Paths) dropForeign(out map[string]fsys.Info, known map[string]syncedFile) error {
	var ids map[string]bool
	for name := range out {
		rest, ok := strings.CutPrefix(name, journal.Trash+"/")
		if _, old := known[name]; !ok || old {
			continue
		}
		if ids == nil {
			ids = map[string]bool{}
			months, err := p.readMonths(out)
			if err != nil {
				return err
			}
			for _, text := range months {
				for _, r := range intentsIn(text) {
					ids[r.ID] = !p.HasLocal || r.Job != ledger.Pull
				}
			}
		}
		if id, _, _ := strings.Cut(rest, "."); !ids[id] {
			delete(out, name)
		}
	}
	return nil
}

// intent is the beginning of an action in a ledger.
type intent struct {
	ID    string       `json:"id"`
	State ledger.State `json:"state"`
	Job   string       `json:"job"`
}

// newActions returns the actions that a ledger begins and an earlier text of it does not.
func newActions(before, after []byte) (ids []string) {
	seen := map[intent]bool{}
	for _, r := range intentsIn(before) {
		seen[r] = true
	}
	for _, r := range intentsIn(after) {
		if !seen[r] {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// intentsIn returns the actions that lines of a ledger begin.
func intentsIn(lines []byte) (list []intent) {
	for line := range bytes.Lines(lines) {
		var r intent
		if json.Unmarshal(line, &r) == nil && r.State == ledger.Intent {
			list = append(list, r)
		}
	}
	return list
}

// describePath names a file for people.
func describePath(name string) string {
	if ws, ok := workspacePath(name); ok {
		return string(ws)
	}
	return fmt.Sprintf("%s (Tend's own)", name)
}
