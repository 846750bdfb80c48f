package ledger

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/ledger/archive"
	"tend/internal/text/splice"
)

// Purge removes a text from everything the ledger keeps: archives, trash and records. It is the one exception to
// "nothing is lost", and only the operator can ask for it. It is idempotent, so an interrupted one is simply run again.
type Purge struct {
	Text    []byte
	Mark    string          // the replacement
	Receipt string          // its id, recorded in every action it touched
	DryRun  bool            // only count
	Touched map[string]bool // actions whose texts were changed; Purge adds to it
	// Receipts are the ids of completed purges. An action with another id was touched by an interrupted purge; this one
	// finishes it.
	Receipts map[string]bool
}

// Count is the number of files and records that contained the text.
type Count struct {
	Records  int `json:"records"`
	Archives int `json:"archives"`
	Trash    int `json:"trash"`
}

// Clean returns data without the text.
func (p Purge) Clean(data []byte) ([]byte, bool) {
	if !bytes.Contains(data, p.Text) {
		return data, false
	}
	return bytes.ReplaceAll(data, p.Text, []byte(p.Mark)), true
}

// Marked reports whether an earlier purge, possibly an interrupted one, removed the text from data.
func (p Purge) Marked(data []byte) bool { return bytes.Contains(data, []byte(p.Mark)) }

// Holds reports whether data contains the text, ignoring case.
func (p Purge) Holds(data []byte) bool {
	return bytes.Contains(data, p.Text) || bytes.Contains(bytes.ToLower(data), bytes.ToLower(p.Text))
}

// Purge rewrites archives, trash and records while the session holds the lock.
func (s *Session) Purge(p Purge) (n Count, err error) {
	l := s.l
	if n.Archives, err = l.purgeFolder(p, l.Archive.Tree, l.Archive.Dir, true); err != nil {
		return n, err
	}
	if n.Trash, err = l.purgeFolder(p, l.state, TrashPath(l.Agent), false); err != nil {
		return n, err
	}
	n.Records, err = s.purgeRecords(p)
	return n, err
}

func (l *Ledger) purgeFolder(p Purge, tree fsys.FS, dir string, archives bool) (n int, err error) {
	infos, err := tree.ReadDir(dir)
	if absent(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, i := range infos {
		if !i.Mode.IsRegular() || archives && l.Archive.Shared && !l.Archive.Wrote(i.Name) {
			continue
		}
		name := path.Join(dir, i.Name)
		data, err := vault.ReadFile(tree, name)
		if err != nil {
			return n, err
		}
		out, holds := p.Clean(data)
		if !holds && !p.Marked(data) {
			continue
		}
		if id, _, ok := strings.Cut(i.Name, "."); ok && actid.Valid(id) {
			p.Touched[id] = true
		} else if id, ok := archive.ActionOf(i.Name); ok {
			p.Touched[id] = true
		}
		if !holds {
			continue
		}
		if n++; p.DryRun {
			continue
		}
		if err := vault.WriteOver(tree, l.dur, name, archive.Reseal(out), i.Mode.Perm()); err != nil {
			return n, fmt.Errorf("purge %s: %w", name, err)
		}
	}
	if n > 0 && !p.DryRun {
		return n, l.dur.Barrier()
	}
	return n, nil
}

// purgeRecords rewrites the months that contain the text or a touched action, and chains the records again.
func (s *Session) purgeRecords(p Purge) (n int, err error) {
	l := s.l
	names, err := l.months()
	if err != nil {
		return 0, err
	}
	prev := ""
	for _, name := range names {
		file := path.Join(l.records(), name)
		data, err := vault.ReadFile(l.state, file)
		if err != nil {
			return n, err
		}
		var out bytes.Buffer
		for line := range bytes.Lines(data) {
			if !whole(line) {
				continue // a partial write from a crash
			}
			r, err := decode(line)
			if err != nil {
				return n, fmt.Errorf("read ledger %s: %w", name, err)
			}
			if r.clean(p) {
				n++
				p.Touched[r.ID] = true
			}
			cutOff := r.Purged != "" && !p.Receipts[r.Purged]
			if (p.Touched[r.ID] || cutOff) && r.State == Intent {
				r.Purged = p.Receipt
			}
			r.Prev = prev
			enc, err := splice.Encode(r)
			if err != nil {
				return n, err
			}
			prev = digest(enc)
			out.Write(append(enc, '\n'))
		}
		if p.DryRun || bytes.Equal(out.Bytes(), data) {
			continue
		}
		if err := vault.WriteOver(l.state, l.dur, file, out.Bytes(), 0o600); err != nil {
			return n, fmt.Errorf("write ledger: %w", err)
		}
	}
	if p.DryRun {
		return n, nil
	}
	if err := l.dur.Barrier(); err != nil {
		return n, err
	}
	s.tail, err = l.readTail()
	return n, err
}

// clean removes the text from a record.
func (r *Record) clean(p Purge) (holds bool) {
	for _, at := range []*string{&r.Who, &r.Job, &r.Reason, &r.Summary} {
		if out, yes := p.Clean([]byte(*at)); yes {
			*at, holds = string(out), true
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		if out, yes := p.Clean([]byte(f.Why)); yes {
			f.Why, holds = string(out), true
		}
		if f.Edit == nil {
			continue
		}
		if out, yes := p.Clean(f.Edit.Text); yes {
			f.Edit.Text, holds = out, true
		}
	}
	for i := range r.Sources {
		for _, at := range []*string{&r.Sources[i].Entry, &r.Sources[i].Was} {
			if p.Holds([]byte(*at)) { // it is normalised to lower case
				*at, holds = p.Mark, true
			}
		}
	}
	return holds
}

// purged returns an error if an action cannot be undone because of a purge.
func purged(a Action) error {
	if a.Purged == "" {
		return nil
	}
	return fmt.Errorf("action %s cannot be undone: it %w (receipt %s, see `tend purge --receipts`)", a.ID, ErrPurged, a.Purged)
}
