package ledger

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
	"tend/internal/text/confedit"
)

// State is how far an action got.
type State string

// The states of a record.
const (
	Intent     State = "intent"      // about to happen
	Done       State = "done"        // it happened
	Finished   State = "finished"    // interrupted, and finished by the next session
	RolledBack State = "rolled-back" // interrupted or failed before anything changed, and rolled back
)

// Pull is the job of an action that wrote what other machines changed.
const Pull = "sync"

// Pulled reports whether the action wrote what other machines changed: nothing in it was decided here.
func (r Record) Pulled() bool { return r.Job == Pull && len(r.Archives) == 0 }

// Record is one line of a ledger.
type Record struct {
	V       int       `json:"v"`
	ID      string    `json:"id"`
	State   State     `json:"state"`
	At      time.Time `json:"at"`
	Who     string    `json:"who,omitempty"`
	Job     string    `json:"job,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Summary string    `json:"summary,omitempty"`
	Undoes  string    `json:"undoes,omitempty"`

	Files    []File   `json:"files,omitempty"`
	Archives []string `json:"archives,omitempty"` // names in the archive folder
	// Sums are the digests of the archives' files, in their order.
	Sums     []vault.Version `json:"sums,omitempty"`
	Retired  []string        `json:"retired,omitempty"`  // archives moved to the trash
	Returned []string        `json:"returned,omitempty"` // archives moved back from it, in the order in which Undoes retired them
	// Discarded are files that left the trash after the pack had stored them.
	Discarded []string       `json:"discarded,omitempty"`
	Receipts  []plan.Receipt `json:"receipts,omitempty"`
	Sources   []plan.Source  `json:"sources,omitempty"`
	Judges    []plan.Judge   `json:"judges,omitempty"`

	// Purged is the receipt of the purge that removed text from this action.
	Purged string `json:"purged,omitempty"`

	// Prev is the digest of the previous line, so that a changed or removed line is
	// detected.
	Prev string `json:"prev"`
}

// File is one file's part of an action.
type File struct {
	Path   vault.Path    `json:"path"`
	At     vault.Path    `json:"at,omitempty"` // the file, if Path was a link to it
	Op     plan.Op       `json:"op,omitempty"`
	Before vault.Version `json:"before,omitempty"`
	After  vault.Version `json:"after,omitempty"`
	Size   int           `json:"size"` // after
	Edit   *Edit         `json:"edit,omitempty"`
	From   string        `json:"from,omitempty"`
	Force  bool          `json:"force,omitempty"`
	Why    string        `json:"why,omitempty"`
	Like   *vault.Attr   `json:"like,omitempty"` // attributes for a new file

	// Set by the end record.
	Trash     string        `json:"trash,omitempty"`      // name of the displaced file in the trash
	TrashSize int           `json:"trash_size,omitempty"` // its size then: a writer may append to it afterwards
	Was       vault.Version `json:"was,omitempty"`        // the displaced version, if that was not Before
	Attr      *vault.Attr   `json:"attr,omitempty"`       // attributes of a removed file
	Aside     vault.Path    `json:"aside,omitempty"`      // where something that was not a file was set aside
	Skipped   bool          `json:"skipped,omitempty"`    // had changed meanwhile, not touched
}

// target is the file's place in the workspace.
func (f File) target() vault.Target { return vault.Target{Path: f.Path, At: f.At} }

// copyEnd copies the fields that are set by the end record.
func (f *File) copyEnd(e File) {
	f.Trash, f.TrashSize, f.Was, f.Skipped, f.Attr, f.Aside = e.Trash, e.TrashSize, e.Was, e.Skipped, e.Attr, e.Aside
}

// Action is an intent with its outcome.
type Action struct {
	Record
	Outcome State // Intent while it is unfinished
	Ended   time.Time
}

func monthFile(t time.Time) string { return t.UTC().Format("2006-01") + ".jsonl" }

// tail is the end of a ledger: its last complete record.
type tail struct {
	last   *Record
	digest string // of its line
	file   string // month file the last record is in
	// ragged: the file ends in the middle of a line that a crash interrupted.
	ragged map[string]bool
	// zipped: the last record is in a month that Zip has gzipped, because the months after it are gone.
	zipped bool
}

func digest(line []byte) string {
	return string(vault.VersionOf(line)[:16])
}

// listMonths lists the ledger's files, oldest first.
func (l *Ledger) listMonths() ([]string, error) {
	infos, err := l.state.ReadDir(l.recordsFolder())
	if isAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	var names []string
	for _, i := range infos {
		if strings.HasSuffix(i.Name, ".jsonl") && !strings.HasPrefix(i.Name, vault.TempPrefix) && i.Mode.IsRegular() {
			names = append(names, i.Name)
		}
	}
	return names, nil
}

// readTail finds the last complete record, reading as little as possible.
func (l *Ledger) readTail() (tail, error) {
	t := tail{ragged: map[string]bool{}}
	names, err := l.listMonths()
	if err != nil {
		return t, err
	}
	for _, name := range slices.Backward(names) {
		e, err := l.lastRecord(name)
		if err != nil {
			return t, fmt.Errorf("read ledger %s: %w", name, err)
		}
		t.ragged[name] = e.ragged
		if e.record != nil {
			t.last, t.digest, t.file, t.zipped = e.record, digest(e.line), name, e.zipped
			return t, nil
		}
	}
	return t, nil
}

// ending is the end of a month's file.
type ending struct {
	record *Record // the last complete one, nil if there is none
	line   []byte  // of it
	ragged bool    // as in tail
	zipped bool    // the file is gzipped
}

// lastRecord reads the end of a file. Incomplete lines are partial writes of a crash that never counted.
func (l *Ledger) lastRecord(name string) (e ending, err error) {
	f, err := l.state.Open(l.recordsFolder() + "/" + name)
	if err != nil {
		return e, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return e, err
	}
	for n := int64(1 << 10); ; n *= 8 { // most often the last line is short: the end of an action
		from := max(0, info.Size-n)
		buf := make([]byte, info.Size-from)
		if _, err := f.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return e, err
		}
		if from == 0 {
			e.zipped = isGzipped(buf)
			if buf, err = Unzipped(buf); err != nil {
				return e, err
			}
		}
		e.ragged = len(buf) > 0 && buf[len(buf)-1] != '\n'
		if from > 0 { // the first line may be cut
			_, buf, _ = bytes.Cut(buf, []byte("\n"))
		}
		if e.record, e.line, err = lastComplete(buf); err != nil || e.record != nil || from == 0 {
			return e, err
		}
	}
}

// lastComplete returns the last complete record of some lines, nil if there is none.
func lastComplete(lines []byte) (*Record, []byte, error) {
	for end := len(lines); end > 0; {
		start := bytes.LastIndexByte(lines[:end-1], '\n') + 1
		line := bytes.TrimSuffix(lines[start:end], []byte("\n"))
		if bytes.HasPrefix(line, []byte("{")) {
			r, err := decode(line)
			if err == nil {
				return &r, line, nil
			}
			if whole(line) {
				return nil, nil, err
			}
		}
		end = start
	}
	return nil, nil, nil
}

// whole reports whether a line is a complete record. A missing newline at the end
// does not matter: the next record begins on a line of its own.
func whole(line []byte) bool {
	return bytes.HasPrefix(line, []byte("{")) && json.Valid(line)
}

// append adds a record. With wait it is durable after the next barrier.
func (s *Session) append(r Record, wait bool) error {
	l := s.l
	r.V, r.Prev = 1, s.tail.digest
	line, err := confedit.Encode(r)
	if err != nil {
		return err
	}
	if s.tail.zipped {
		if err := s.rewriteNewest(); err != nil {
			return err
		}
	}
	// Never into an older file than the last record's, even if the clock went back.
	name := max(monthFile(r.At), s.tail.file)
	first := s.tail.file != name
	if first {
		if err := l.makeFolders(true); err != nil {
			return err
		}
	}
	f, _, err := l.state.Append(path.Join(l.recordsFolder(), name), 0o600)
	if err != nil {
		return fmt.Errorf("open ledger: %w", err)
	}
	out := append(line, '\n')
	if s.tail.ragged[name] {
		out = append([]byte("\n"), out...)
	}
	s.tail.ragged[name] = true // until the whole line is written
	n, err := f.Write(out)
	if err == nil && n != len(out) {
		err = io.ErrShortWrite
	}
	if err == nil && wait {
		err = l.dur.File(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	if first {
		if err := l.dur.Dir(l.state, l.recordsFolder()); err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
	}
	s.tail.ragged[name] = false
	s.tail.last, s.tail.digest, s.tail.file = &r, digest(line), name
	return nil
}

// rewriteNewest rewrites the ledger's newest file. The process that wrote its last record may
// have been killed before the sync, or the sync failed; after a failed sync no later
// sync of the same file can be trusted.
func (s *Session) rewriteNewest() error {
	l, name := s.l, s.tail.file
	if err := l.makeFolders(true); err != nil {
		return err
	}
	name = path.Join(l.recordsFolder(), name)
	data, err := ReadMonth(l.state, name)
	if err != nil {
		return fmt.Errorf("read ledger: %w", err)
	}
	if s.tail.ragged[s.tail.file] {
		data = append(data, '\n')
	}
	if err := vault.WriteOver(l.state, l.dur, name, data, 0o600); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	s.tail.ragged[s.tail.file], s.tail.zipped = false, false
	return nil
}

// Actions yields the agent's actions, newest first.
func (l *Ledger) Actions() iter.Seq2[Action, error] { return l.Since("") }

// Since yields the actions after one with this id, newest first.
func (l *Ledger) Since(id string) iter.Seq2[Action, error] { return l.actionsAfter(id, nil) }

// actionsAfter yields the actions after one with this id, newest first, without those that skip names. What is left out is not decoded,
// which is the main cost of reading a ledger.
func (l *Ledger) actionsAfter(id string, skip func(id string) bool) iter.Seq2[Action, error] {
	return func(yield func(Action, error) bool) {
		names, err := l.listMonths()
		if err != nil {
			yield(Action{}, err)
			return
		}
		ends := map[string]Record{}
		for _, name := range slices.Backward(names) {
			for r, err := range l.recordsBackward(name, id, skip) {
				if err != nil {
					yield(Action{}, err)
					return
				}
				if r.ID <= id {
					return
				}
				if r.State != Intent {
					ends[r.ID] = r
					continue
				}
				a := Action{Record: r, Outcome: Intent}
				if end, ok := ends[r.ID]; ok {
					if len(end.Files) > len(a.Files) {
						yield(Action{}, fmt.Errorf("read ledger %s: %w", name, &damage{r.ID, "it ended with more files than it began with"}))
						return
					}
					a.Outcome, a.Ended = end.State, end.At
					a.Archives = append(slices.Clip(a.Archives), end.Archives...)
					for i := range end.Files {
						a.Files[i].copyEnd(end.Files[i])
					}
					delete(ends, r.ID)
				}
				if !yield(a, nil) {
					return
				}
			}
		}
	}
}

// SourcesSince reports whether a record since this action, or in the same month, may name sources. It searches the text
// of the records: most name none, and decoding is the main cost of reading a ledger.
func (l *Ledger) SourcesSince(id string) (bool, error) {
	names, err := l.listMonths()
	if err != nil {
		return false, err
	}
	for _, name := range slices.Backward(names) {
		data, err := ReadMonth(l.state, path.Join(l.recordsFolder(), name))
		if err != nil && !isAbsent(err) {
			return false, fmt.Errorf("read ledger: %w", err)
		}
		if bytes.Contains(data, []byte(`"sources"`)) {
			return true, nil
		}
		if id != "" && bytes.Contains(data, []byte(`"id":"`+id+`"`)) {
			return false, nil
		}
	}
	return false, nil
}

// recordsBackward yields the records of a file, the last one first. Most callers need only the
// newest few, so each record is decoded on demand, and of the first one that is not after
// an id only its own id.
func (l *Ledger) recordsBackward(name, after string, skip func(id string) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		data, err := ReadMonth(l.state, path.Join(l.recordsFolder(), name))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Record{}, fmt.Errorf("read ledger: %w", err))
			return
		}
		for end := len(data); end > 0; {
			start := bytes.LastIndexByte(data[:end-1], '\n') + 1
			line := data[start:end]
			end = start
			if !bytes.HasPrefix(line, []byte("{")) {
				continue
			}
			if id := idOf(line); id != "" && id <= after {
				yield(Record{ID: id}, nil)
				return
			} else if id != "" && skip != nil && skip(id) {
				continue
			}
			r, err := decode(line)
			if err != nil {
				if !whole(line) {
					continue
				}
				yield(Record{}, fmt.Errorf("read ledger %s: %w", name, err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// idOf returns the id of a record without decoding it, "" if it does not begin as Tend writes records.
func idOf(line []byte) string {
	rest, ok := bytes.CutPrefix(line, []byte(`{"v":1,"id":"`))
	id, _, whole := bytes.Cut(rest, []byte{'"'})
	if !ok || !whole || !actid.Valid(string(id)) {
		return ""
	}
	return string(id)
}

// Verify follows the chain of digests through the whole ledger and returns the ids of
// records that do not match the line before them.
func (l *Ledger) Verify() (broken []string, err error) {
	names, err := l.listMonths()
	if err != nil {
		return nil, err
	}
	prev := ""
	for _, name := range names {
		data, err := ReadMonth(l.state, path.Join(l.recordsFolder(), name))
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			if !whole(line) {
				continue
			}
			r, err := decode(line)
			if err != nil || r.Prev != prev {
				broken = append(broken, cmp.Or(r.ID, "(no id)"))
			}
			prev = digest(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	return broken, nil
}

// Last returns the newest record without reading the whole ledger, or nil.
func (l *Ledger) Last() (*Record, error) {
	// Nearly always it is in this month's file, and the folder need not be listed. This
	// misses a record from a clock that was ahead; writers read the whole tail.
	e, err := l.lastRecord(monthFile(l.clock()))
	if err != nil && !isAbsent(err) {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	if e.record != nil {
		return e.record, nil
	}
	t, err := l.readTail()
	return t.last, err
}
