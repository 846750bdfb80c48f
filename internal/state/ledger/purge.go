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
	"tend/internal/state/plan"
	"tend/internal/text/confedit"
)

// Purge removes a text from everything the ledger keeps: archives, trash and records. It is the one exception to
// "nothing is lost", and only the operator can ask for it. It is idempotent, so an interrupted one is simply run again.
type Purge struct {
	Text    []byte
	Mark    string          // the replacement
	Alias   string          // the replacement in file names
	Receipt string          // its id, recorded in every action it touched
	DryRun  bool            // only count
	Touched map[string]bool // actions whose texts were changed; Purge adds to it
	// Receipts are the ids of completed purges. An action with another id was touched by an interrupted purge; this one
	// finishes it.
	Receipts map[string]bool
}

// NewPurge returns the purge of a text.
func NewPurge(text []byte, receipt string, dryRun bool) Purge {
	sum := string(vault.VersionOf(text)[:8])
	return Purge{
		Text: text, Mark: markFor(text, "[purged "+sum+"]"), Alias: markFor(text, "purged-"+sum), Receipt: receipt, DryRun: dryRun,
		Touched: map[string]bool{}, Receipts: map[string]bool{},
	}
}

// markFor returns a replacement that cannot contain the text again, neither by itself nor together with what is
// around it. The preferred one is used if it can be.
func markFor(text []byte, preferred string) string {
	for _, mark := range []string{preferred, "(removed)", "{cut}", "<out>", "*", "_", "#", "~", "x", "0", "\u2588",
		"\u25a0", "\u2022", "\u00b7"} {
		if apart(text, []byte(mark)) {
			return mark
		}
	}
	for r := rune(0xe000); r < 0xf8ff; r++ { // no text has all of the private characters
		if mark := string(r); apart(text, []byte(mark)) {
			return mark
		}
	}
	return ""
}

// apart reports whether no occurrence of a text can overlap a mark, whatever is beside it.
func apart(text, mark []byte) bool {
	t, m := bytes.ToLower(text), bytes.ToLower(mark)
	if bytes.Contains(m, t) || bytes.Contains(t, m) {
		return false
	}
	for k := 1; k < min(len(t), len(m)+1); k++ {
		if bytes.HasSuffix(m, t[:k]) || bytes.HasPrefix(m, t[len(t)-k:]) {
			return false
		}
	}
	return true
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
func (p Purge) Marked(data []byte) bool { return p.Mark != "" && bytes.Contains(data, []byte(p.Mark)) }

// Holds reports whether data contains the text, ignoring case.
func (p Purge) Holds(data []byte) bool {
	return bytes.Contains(data, p.Text) || bytes.Contains(bytes.ToLower(data), bytes.ToLower(p.Text))
}

// shortestName is the length from which a text in a file name is the text and not a coincidence: ".md" and the digits
// of a date are in most names.
const shortestName = 4

// Names reports whether names are cleaned of the text.
func (p Purge) Names() bool { return len(p.Text) >= shortestName }

// CleanName returns a file name without the text. The part that says what Tend keeps it for stays.
func (p Purge) CleanName(name string) (string, bool) {
	if !p.Names() || !strings.Contains(name, string(p.Text)) {
		return name, false
	}
	at := fixedPart(name)
	head, stem, ext := name[:at], strings.TrimSuffix(name[at:], path.Ext(name)), path.Ext(name)
	if !strings.Contains(stem, string(p.Text)) {
		return name, false // only beside the text of the name, or in its fixed part
	}
	if stem = strings.ReplaceAll(stem, string(p.Text), p.Alias); len(head+stem+ext) > 220 {
		stem = p.Alias
	}
	return head + stem + ext, true
}

// fixedPart returns where the file's own name begins in a name of the trash or of an archive.
func fixedPart(name string) int {
	if id, rest, ok := strings.Cut(name, "."); ok && actid.Valid(id) {
		if slot, file, cut := strings.Cut(rest, "-"); cut && strings.Trim(slot, "0123456789") == "" {
			at := len(name) - len(file)
			return at + fixedPart(file)
		}
	}
	if id, ok := archive.ActionOf(name); ok {
		return strings.Index(name, id) + len(id)
	}
	return 0
}

// CleanPath cleans every part of a path.
func (p Purge) CleanPath(f vault.Path) (vault.Path, bool) {
	if !p.Names() || !strings.Contains(string(f), string(p.Text)) {
		return f, false
	}
	parts, any := strings.Split(string(f), "/"), false
	for i := range parts {
		var yes bool
		parts[i], yes = p.CleanName(parts[i])
		any = any || yes
	}
	return vault.Path(strings.Join(parts, "/")), any
}

// Purge rewrites records, archives and trash while the session holds the lock. The records come first: an action whose
// text is about to change already says so, whatever happens next, and they are checked before any file is replaced.
func (s *Session) Purge(p Purge) (n Count, err error) {
	look := p
	look.DryRun = true
	if n.Archives, n.Trash, err = s.l.purgeFolders(look); err != nil {
		return n, err
	}
	if n.Records, err = s.purgeRecords(p); err != nil || p.DryRun {
		return n, err
	}
	_, _, err = s.l.purgeFolders(p)
	return n, err
}

func (l *Ledger) purgeFolders(p Purge) (archives, trash int, err error) {
	if archives, err = l.purgeFolder(p, l.Archive.Tree, l.Archive.Dir, true); err == nil {
		trash, err = l.purgeFolder(p, l.state, TrashPath(l.Agent), false)
	}
	return archives, trash, err
}

func (l *Ledger) purgeFolder(p Purge, tree fsys.FS, dir string, archives bool) (n int, err error) {
	infos, err := tree.ReadDir(dir)
	if isAbsent(err) {
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
		out, holds := p.cleanStored(data)
		to, renamed := p.CleanName(i.Name)
		if !holds && !renamed && !p.Marked(data) {
			continue
		}
		if id, _, ok := strings.Cut(i.Name, "."); ok && actid.Valid(id) {
			p.Touched[id] = true
		} else if id, ok := archive.ActionOf(i.Name); ok {
			p.Touched[id] = true
		}
		if !holds && !renamed {
			continue
		}
		if n++; p.DryRun {
			continue
		}
		if err := vault.WriteOver(tree, l.dur, path.Join(dir, to), out, i.Mode.Perm()); err != nil {
			return n, fmt.Errorf("purge %s: %w", name, err)
		}
		if renamed {
			if err := tree.Remove(name); err != nil {
				return n, fmt.Errorf("purge %s: %w", name, err)
			}
		}
	}
	if n > 0 && !p.DryRun {
		return n, l.dur.Barrier()
	}
	return n, nil
}

// cleanStored cleans a kept file. Of an archive only what it archives and says about it is text; its heading stays
// readable.
func (p Purge) cleanStored(data []byte) ([]byte, bool) {
	out, ours, holds := archive.Clean(data, p.Clean, func(f vault.Path) (vault.Path, bool) { return p.CleanPath(f) })
	if ours {
		return out, holds
	}
	return p.Clean(data)
}

// rewritten is a file of the ledger as it is rewritten.
type rewritten struct {
	file     string
	was, now []byte
}

// purgeRecords rewrites the months that contain the text or a touched action, and chains the records again. Everything
// is checked before the first file is replaced.
func (s *Session) purgeRecords(p Purge) (n int, err error) {
	l := s.l
	names, err := l.listMonths()
	if err != nil {
		return 0, err
	}
	var all []rewritten
	prev, seen := "", replay{l: l, texts: map[vault.Path][]byte{}}
	for _, name := range names {
		m := rewritten{file: path.Join(l.recordsFolder(), name)}
		if m.was, err = ReadMonth(l.state, m.file); err != nil {
			return n, err
		}
		for line := range bytes.Lines(m.was) {
			if !whole(line) {
				continue // a partial write from a crash
			}
			r, err := decode(line)
			if err != nil {
				return n, fmt.Errorf("read ledger %s: %w", name, err)
			}
			before := seen.before(r)
			if r.clean(p, before) {
				n++
				p.Touched[r.ID] = true
			}
			cutOff := r.Purged != "" && !p.Receipts[r.Purged]
			if (p.Touched[r.ID] || cutOff) && r.State == Intent {
				r.Purged = p.Receipt
			}
			r.Prev = prev
			enc, err := confedit.Encode(r)
			if err != nil {
				return n, err
			}
			if _, err := decode(enc); err != nil {
				return n, fmt.Errorf("nothing was changed: a purged record would not be valid: %w", err)
			}
			prev = digest(enc)
			m.now = append(append(m.now, enc...), '\n')
		}
		all = append(all, m)
	}
	if p.DryRun {
		return n, nil
	}
	for _, m := range all {
		if bytes.Equal(m.now, m.was) {
			continue
		}
		if err := vault.WriteOver(l.state, l.dur, m.file, m.now, 0o600); err != nil {
			return n, fmt.Errorf("write ledger: %w", err)
		}
	}
	if err := l.dur.Barrier(); err != nil {
		return n, err
	}
	s.tail, err = l.readTail()
	return n, err
}

// replay follows the texts of files through a ledger, oldest action first, so that a text that only an edit completes
// is found.
type replay struct {
	l     *Ledger
	texts map[vault.Path][]byte
}

// before returns the texts that an action's edits apply to; nil where one is unknown.
func (y *replay) before(r Record) [][]byte {
	if r.State != Intent {
		return nil
	}
	out := make([][]byte, len(r.Files))
	for i, f := range r.Files {
		text, known := y.texts[f.Path]
		if f.Before == vault.Absent {
			text, known = []byte{}, true
		} else if !known || !isVersion(text, f.Before) {
			text, known = y.l.oldText(r.ID, i, f), false
			known = text != nil
		}
		delete(y.texts, f.Path)
		if !known {
			continue
		}
		out[i] = text
		if after, err := y.l.textAfter(f, text); err == nil && f.Op != plan.Remove {
			y.texts[f.Path] = after
		}
	}
	return out
}

func isVersion(text []byte, v vault.Version) bool { return vault.VersionOf(text) == v }

// oldText returns the text that an action found, if it is in the trash or can be read elsewhere.
func (l *Ledger) oldText(id string, slot int, f File) []byte {
	if f.Edit == nil {
		return nil
	}
	text, err := l.readTrashed(vault.TrashName(id, slot, f.Path), restoreMost)
	if err == nil && isVersion(text, f.Before) {
		return text
	}
	if f.Op == plan.Append {
		if text, err := l.textBeforeAppend(f, id); err == nil {
			return text
		}
	}
	return nil
}

// clean removes the text from a record. before has the texts its edits apply to.
func (r *Record) clean(p Purge, before [][]byte) (holds bool) {
	text := func(at *string) {
		if out, yes := p.Clean([]byte(*at)); yes {
			*at, holds = string(out), true
		}
	}
	file := func(at *vault.Path) {
		if out, yes := p.CleanPath(*at); yes {
			*at, holds = out, true
		}
	}
	name := func(at *string) {
		if out, yes := p.CleanName(*at); yes {
			*at, holds = out, true
		}
	}
	for _, at := range []*string{&r.Who, &r.Reason, &r.Summary} {
		text(at)
	}
	for _, names := range [][]string{r.Archives, r.Retired, r.Returned, r.Discarded} {
		for i := range names {
			name(&names[i])
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		text(&f.Why)
		if f.Edit != nil {
			var old []byte
			if i < len(before) {
				old = before[i]
			}
			if f.Edit.clean(p, old) {
				holds = true
				f.Size = max(f.Size, f.Edit.At+len(f.Edit.Text))
			}
		}
		for _, at := range []*vault.Path{&f.Path, &f.At, &f.Aside} {
			file(at)
		}
		name(&f.Trash)
		if kept, ok := strings.CutPrefix(f.From, fromTrash); ok {
			if out, yes := p.CleanName(kept); yes {
				f.From, holds = fromTrash+out, true
			}
		}
	}
	for i := range r.Receipts {
		file(&r.Receipts[i].Path)
	}
	for i := range r.Sources {
		for _, at := range []*string{&r.Sources[i].Entry, &r.Sources[i].Was} {
			if p.Holds([]byte(*at)) { // it is normalised to lower case
				*at, holds = p.Mark, true
			}
		}
		if out, yes := p.Clean([]byte(r.Sources[i].Quote)); yes {
			r.Sources[i].Quote, holds = string(out), true
		}
		file(&r.Sources[i].Target)
		file(&r.Sources[i].Path)
	}
	for i := range r.Judges {
		if out, yes := p.Clean([]byte(r.Judges[i].Answer)); yes {
			r.Judges[i].Answer, holds = string(out), true
		}
	}
	return holds
}

// clean removes the text from an edit: where the edit has it, and where it completes it together with what is around it.
func (e *Edit) clean(p Purge, before []byte) (holds bool) {
	if out, yes := p.Clean(e.Text); yes {
		e.Text, holds = out, true
	}
	if before == nil || e.At < 0 || e.Cut < 0 || e.At > len(before) || e.Cut > len(before)-e.At {
		return holds
	}
	reach := len(p.Text) - 1
	left, right := before[max(0, e.At-reach):e.At], before[e.At+e.Cut:]
	around := bytes.Join([][]byte{left, e.Text, right[:min(reach, len(right))]}, nil)
	if bytes.Contains(around, p.Text) {
		e.Text, holds = []byte(p.Mark), true
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
