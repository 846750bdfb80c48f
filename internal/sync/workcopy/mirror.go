package workcopy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
)

// Mirror is a copy that shows only what the journal has: an action is committed before any file changes, so readers
// here see what every other mirror will show. It lives as long as its process; the next one rebuilds it.
//
// CatchUp, Commit and CommitRest are called with the agent's lock held.
type Mirror struct {
	journal *journal.Journal
	store   string // its id

	mu    sync.Mutex
	made  bool // the files are here
	dirty bool // something here is not in the journal yet
	saved Saved
	// checked is when the journal was last known to have nothing newer.
	checked time.Time
}

// NewMirror returns an empty mirror.
func NewMirror(s store.Store, id, agent string) *Mirror {
	return &Mirror{journal: journal.New(s, agent), store: id}
}

// Behind asks the journal whether it has an entry that the mirror does not show.
func (m *Mirror) Behind(ctx context.Context) (bool, error) {
	m.mu.Lock()
	at, ready := m.saved.Position, m.made && !m.dirty
	m.mu.Unlock()
	if !ready {
		return true, nil
	}
	began := time.Now()
	_, _, err := m.journal.Next(ctx, at)
	if !errors.Is(err, journal.ErrEnd) {
		return true, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if began.After(m.checked) {
		m.checked = began
	}
	return false, nil
}

// Age returns how long ago the mirror was known to show everything.
func (m *Mirror) Age() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.made || m.dirty {
		return time.Duration(1<<63 - 1)
	}
	return time.Since(m.checked)
}

// CatchUp applies what others committed. It returns the number of entries.
func (m *Mirror) CatchUp(ctx context.Context, p Paths, s *ledger.Session) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.copyOf(p)
	if !m.made {
		return 0, m.rebuildFiles(ctx, c)
	}
	n, clean, err := m.applyForeign(ctx, c)
	if err != nil || (clean && !m.dirty) {
		return n, err
	}
	return n, m.commitRest(ctx, c, s)
}

// CommitRest commits changes that were made other than by an action.
func (m *Mirror) CommitRest(ctx context.Context, p Paths, s *ledger.Session) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.made {
		return m.rebuildFiles(ctx, m.copyOf(p))
	}
	return m.commitRest(ctx, m.copyOf(p), s)
}

// Size returns the bytes of the files here.
func (m *Mirror) Size() (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made {
		for _, k := range m.saved.Files {
			n += k.Size
		}
	}
	return n
}

// Evict removes the files, after checking that the journal has all of them.
func (m *Mirror) Evict(ctx context.Context, p Paths, s *ledger.Session) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.made {
		return nil
	}
	c := m.copyOf(p)
	if err := m.commitRest(ctx, c, s); err != nil {
		return err
	}
	m.made = false
	for name := range m.saved.Files {
		if c.keepsPath(name) {
			if err := c.write(name, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Mirror) copyOf(p Paths) *Copy {
	p.Local, p.Sections, p.HasLocal, p.leftOut = nil, nil, false, nil // a replica has no local files
	return &Copy{Paths: p, journal: m.journal, store: m.store}
}

// rebuildFiles makes the files here those of the journal. A text of the workspace that neither the journal nor the mirror
// ever had goes to the trash.
func (m *Mirror) rebuildFiles(ctx context.Context, c *Copy) error {
	began := time.Now()
	x, at, err := m.journal.Rebuild(ctx, 0)
	if errors.Is(err, journal.ErrNoAgent) {
		x, err = journal.Texts{}, nil
	}
	if err != nil {
		return err
	}
	tree := x.Tree()
	had, err := c.scanFiles(ctx, nil, c.Clock())
	if err != nil {
		return err
	}
	known := map[vault.Version]bool{}
	for _, v := range tree {
		known[v] = true
	}
	for _, k := range m.saved.Files {
		known[k.Version] = true
	}
	id, n := actid.New(c.Clock()), 0
	for name, h := range had {
		if ws, ok := workspacePath(name); ok && !known[h.version] && h.text != nil {
			if err := c.putFile(journal.Trash+"/"+vault.TrashName(id, n, ws), h.text); err != nil {
				return err
			}
			n++
		}
		if _, ok := x[name]; !ok {
			if err := c.write(name, nil); err != nil {
				return err
			}
		}
	}
	saved := Saved{Store: m.store, Position: at, Files: filesOf(tree, x)}
	for name, text := range x {
		if had[name].version != tree[name] {
			if err := c.writeOrSkip(&saved, name, text); err != nil {
				return err
			}
		}
	}
	m.saved = saved
	m.made, m.dirty, m.checked = true, false, began
	return nil
}

func filesOf(tree journal.Tree, x journal.Texts) map[string]syncedFile {
	files := make(map[string]syncedFile, len(tree))
	for name, v := range tree {
		files[name] = syncedFile{Version: v, Size: int64(len(x[name]))}
	}
	return files
}

// write writes or removes a file. Nobody else writes to a mirror's workspace, so the old text is not kept: the
// journal has it.
func (c *Copy) write(name string, text []byte) error {
	ws, ok := workspacePath(name)
	if !ok {
		return c.putFile(name, text)
	}
	if text == nil {
		err := c.Tree.Remove(string(ws))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for dir := path.Dir(string(ws)); err == nil && dir != "."; dir = path.Dir(dir) {
			if c.Tree.Remove(dir) != nil {
				break // not empty
			}
		}
		return err
	}
	if err := vault.MkdirAll(c.Tree, c.Durable, path.Dir(string(ws)), 0o755); err != nil {
		return err
	}
	return vault.WriteOver(c.Tree, c.Durable, string(ws), text, 0o644)
}

// writeOrSkip writes a file that the copy keeps, or skips it if its name cannot be used here.
func (c *Copy) writeOrSkip(s *Saved, name string, text []byte) error {
	if !c.keepsPath(name) {
		return nil
	}
	err := c.write(name, text)
	delete(s.Skipped, name)
	if concernsOnePath(err) {
		if s.Skipped == nil {
			s.Skipped = map[string]string{}
		}
		s.Skipped[name] = err.Error()
		return nil
	}
	return err
}

// applyForeign applies what others committed. clean is false if a file here differs from what the mirror showed: then
// nothing was changed, and the two must be merged.
func (m *Mirror) applyForeign(ctx context.Context, c *Copy) (n int, clean bool, err error) {
	began := time.Now()
	in, err := c.fetch(ctx, &m.saved)
	if err != nil {
		return 0, false, err
	}
	if in.at == m.saved.Position {
		m.checked = began
		return 0, true, nil
	}
	names := slices.Sorted(maps.Keys(in.texts))
	for _, name := range names {
		if !c.keepsPath(name) || isAbsenceLocal(name) {
			continue
		}
		text, err := c.read(ctx, name)
		if err != nil {
			return 0, false, err
		}
		version := vault.Absent
		if text != nil {
			version = vault.VersionOf(text)
		}
		if _, skipped := m.saved.Skipped[name]; version != m.saved.Files[name].Version && !skipped {
			m.dirty = true
			return 0, false, nil
		}
	}
	m.made = false // until everything is in place
	for _, name := range names {
		if err := c.writeOrSkip(&m.saved, name, in.texts[name]); err != nil {
			return 0, false, err
		}
	}
	files := maps.Clone(m.saved.Files)
	for _, name := range names {
		if in.texts[name] == nil {
			delete(files, name)
		} else {
			files[name] = syncedFile{Version: in.tree[name], Size: int64(len(in.texts[name]))}
		}
	}
	m.saved.Position, m.saved.Files = in.at, files
	m.made, m.checked = true, began
	return in.entries, true, nil
}

// committingRest marks a context in which actions are recorded here and committed with the rest.
type committingRest struct{}

// commitRest commits everything that is different here, merged with what others committed.
func (m *Mirror) commitRest(ctx context.Context, c *Copy, s *ledger.Session) error {
	ctx = context.WithValue(ctx, committingRest{}, true)
	m.dirty = true // until it succeeds: if the store fails now, the next look retries
	for try := 1; ; try++ {
		began := time.Now()
		in, err := c.fetch(ctx, &m.saved)
		if err != nil {
			return err
		}
		p := &pull{Copy: c, saved: &m.saved, in: in}
		pl, err := p.read(ctx)
		if err == nil {
			_, err = p.commit(ctx, s, pl)
		}
		if err != nil {
			return err
		}
		e := p.entry
		if len(e.Changes) == 0 {
			m.dirty, m.checked = false, began
			return nil
		}
		tree, err := m.saved.treeOf().Apply(e)
		if err != nil {
			return err
		}
		err = m.send(ctx, e, tree)
		if err == nil {
			m.dirty = false
			return nil
		}
		if !errors.Is(err, journal.ErrConflict) || try == syncTries {
			return err
		}
		if err := store.Pause(ctx, min(try, 4)); err != nil {
			return err
		}
	}
}

// send commits an entry and adopts the tree after it.
func (m *Mirror) send(ctx context.Context, e journal.Entry, tree journal.Tree) error {
	began := time.Now()
	at, err := m.journal.Commit(ctx, m.saved.Position, e)
	if err != nil {
		return err
	}
	copied := map[string]int64{} // the sizes of the files that are copied, before the entry
	for _, ch := range e.Changes {
		copied[ch.Copy] = m.saved.Files[ch.Copy].Size
	}
	files := m.saved.Files
	if files == nil {
		files = map[string]syncedFile{}
	}
	for _, ch := range e.Changes {
		if ch.After == "" {
			delete(files, ch.Path)
			continue
		}
		size := files[ch.Path].Size
		switch {
		case ch.Copy != "":
			size = copied[ch.Copy]
		case ch.Before == "":
			size = int64(len(ch.Edit.Text))
		default:
			size += int64(len(ch.Edit.Text) - ch.Edit.Cut)
		}
		files[ch.Path] = syncedFile{Version: tree[ch.Path], Size: size}
	}
	m.saved.Position, m.saved.Files, m.checked = at, files, began
	return nil
}

// Extra is what an entry has besides its action.
type Extra struct {
	Slot    string            // the job's slot that it serves
	Records map[string][]byte // files beside the ledger that change with it
}

// Commit makes an action the journal's next entry. If another writer was faster, their changes are applied here and
// the error wraps vault.ErrChanged: plan again.
func (m *Mirror) Commit(ctx context.Context, p Paths, com ledger.Commitment, x Extra) (done func(error), err error) {
	if ctx.Value(committingRest{}) != nil {
		return func(error) {}, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.made {
		return nil, fmt.Errorf("%s: the copy must be built again: %w", p.Agent, store.ErrUnreachable)
	}
	if com.Lines == nil {
		m.dirty = true // its effect is read afterwards
		return func(error) {}, nil
	}
	c := m.copyOf(p)
	if err := m.commit(ctx, c, com, journal.Acted, x); err != nil {
		return nil, err
	}
	at, tree := m.saved.Position, journal.Tree(nil)
	if at.N%journal.Every == 0 {
		tree = m.saved.treeOf()
	}
	return func(err error) { m.carriedOut(ctx, c, at, tree, err) }, nil
}

// Record commits a change of only files beside the ledger.
func (m *Mirror) Record(ctx context.Context, p Paths, at time.Time, x Extra) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.commit(ctx, m.copyOf(p), ledger.Commitment{Record: ledger.Record{At: at}}, journal.Served, x)
}

func (m *Mirror) commit(ctx context.Context, c *Copy, com ledger.Commitment, kind journal.Kind, x Extra) error {
	e, tree, err := m.entryOf(ctx, c, com, x)
	if err != nil {
		return err
	}
	e.Kind = kind
	switch err := m.send(ctx, e, tree); {
	case errors.Is(err, journal.ErrConflict):
		if _, _, err := m.applyForeign(ctx, c); err != nil {
			return err
		}
		return fmt.Errorf("%w: %w", vault.ErrChanged, err)
	case err != nil:
		return err
	}
	for name, text := range x.Records {
		if err := c.putFile(journal.Records+"/"+name, text); err != nil {
			m.made = false // it is committed; the files here are rebuilt
		}
	}
	return nil
}

// carriedOut is called when a committed action was carried out here.
func (m *Mirror) carriedOut(ctx context.Context, c *Copy, at journal.Position, tree journal.Tree, err error) {
	if err == nil && tree != nil {
		_ = c.storeSnapshot(ctx, at, tree) // without it clones read more entries
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case errors.Is(err, ledger.ErrPromise):
		m.dirty = true
	case err != nil:
		m.made = false
	}
}

// entryOf describes an action and other changes beside the ledger, and returns the tree after it.
func (m *Mirror) entryOf(ctx context.Context, c *Copy, com ledger.Commitment, x Extra) (journal.Entry, journal.Tree, error) {
	tree, base := m.saved.treeOf(), c.baseTexts(ctx, m.saved)
	b := builder{tree: tree, after: maps.Clone(tree), base: base}
	b.Entry = journal.Entry{Writer: c.Who, At: com.Record.At.UTC(), Slot: x.Slot}
	if com.Record.ID != "" {
		b.Actions = []string{com.Record.ID}
	}
	if m.saved.Position.N == 0 && c.Config != nil {
		text, err := c.Config()
		if err == nil {
			err = c.putFile(configPath, text)
		}
		if err != nil {
			return b.Entry, nil, err
		}
		b.putText(configPath, text)
	}
	before := map[vault.Path][]byte{}
	for _, f := range com.Files {
		before[f.Path] = f.Before
		b.supplyBefore(journal.Workspace+"/"+string(f.Path), f.Before)
		b.putText(journal.Workspace+"/"+string(f.Path), f.After)
	}
	for name, text := range com.Archives {
		b.putText(journal.Archive+"/"+name, text)
	}
	for name, file := range com.Trash {
		b.copyText(journal.Trash+"/"+name, journal.Workspace+"/"+string(file), before[file])
	}
	if com.Lines != nil {
		name := journal.Ledger + "/" + com.Month
		text, err := c.read(ctx, name)
		if err != nil {
			return b.Entry, nil, err
		}
		b.supplyBefore(name, text)
		b.putText(name, append(slices.Clip(text), com.Lines...))
	}
	for _, r := range records {
		name := journal.Records + "/" + r
		text, given := x.Records[r]
		if !given {
			var err error
			if text, err = c.read(ctx, name); err != nil {
				return b.Entry, nil, err
			}
		}
		b.putText(name, text)
	}
	e, err := b.finish()
	return e, b.after, err
}

// builder collects the changes of an entry.
type builder struct {
	journal.Entry
	tree, after journal.Tree
	base        func(string) ([]byte, error)
	texts       map[string][]byte
	err         error
}

// supplyBefore gives a text that a file may have had before the entry, to save reading it.
func (b *builder) supplyBefore(name string, text []byte) {
	if text != nil && vault.VersionOf(text) == b.tree[name] {
		if b.texts == nil {
			b.texts = map[string][]byte{}
		}
		b.texts[name] = text
	}
}

func (b *builder) putText(name string, text []byte) {
	switch {
	case b.err != nil, text == nil && b.tree[name] == "":
		return
	case text == nil:
		b.Changes = append(b.Changes, journal.Change{Path: name, Before: b.tree[name]})
		delete(b.after, name)
		return
	}
	if v := vault.VersionOf(text); v != b.tree[name] {
		was, ok := b.texts[name]
		if !ok && b.tree[name] != "" {
			was, b.err = b.base(name)
		}
		b.Changes = append(b.Changes, journal.Edited(name, b.tree[name], was, v, text))
		b.after[name] = v
	}
}

// copyText records a file with the text that another one had before the entry.
func (b *builder) copyText(name, from string, text []byte) {
	v := vault.VersionOf(text)
	if b.tree[from] != v || len(text) < minCopied {
		b.putText(name, text)
		return
	}
	b.Changes = append(b.Changes, journal.Change{Path: name, Before: b.tree[name], After: v, Copy: from})
	b.after[name] = v
}

func (b *builder) finish() (journal.Entry, error) {
	slices.SortFunc(b.Changes, func(x, y journal.Change) int { return strings.Compare(x.Path, y.Path) })
	b.Tree = b.after.Digest()
	return b.Entry, b.err
}
