package history

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
	"tend/internal/ledger"
	"tend/internal/pack"
	"tend/internal/plan"
	"tend/internal/vault"
)

// Standing is what a workspace holds.
type Standing struct {
	Files  map[vault.Path]vault.Doc
	Unread map[vault.Path]string // files and folders that could not be looked at
}

// Sync brings the repository up to date: a commit for every action it does not
// have yet, each preceded by what the agent had written since, and last the
// files as they stand now. Nobody else may sync it at the same time; that the
// agent or Tend writes meanwhile does no harm.
func (r Repo) Sync(ctx context.Context, l *ledger.Ledger, look func() (Standing, error), clock time.Time) (commits int, found []finding.Finding, err error) {
	aside, err := r.Git.open(ctx)
	if err != nil {
		return 0, nil, err
	}
	if err := r.harvest(ctx); gave(err) {
		return 0, nil, err
	}
	commits, err = r.sync(ctx, l, look, clock)
	var failed *gitError
	if errors.As(err, &failed) && ctx.Err() == nil && aside == "" {
		// A power cut may have damaged it without a trace of a sync.
		if _, herr := r.Git.heal(ctx); herr == nil {
			if err := r.harvest(ctx); gave(err) {
				return 0, nil, err
			}
			commits, err = r.sync(ctx, l, look, clock)
		}
	}
	return commits, r.Findings(), err
}

// sync commits what the repository does not have. One that has nothing yet is built from all that is known.
func (r Repo) sync(ctx context.Context, l *ledger.Ledger, look func() (Standing, error), clock time.Time) (commits int, err error) {
	at, err := r.Git.content(ctx)
	if err != nil {
		return 0, err
	}
	s := &stream{agent: l.Agent, content: at, texts: map[string][]byte{}, started: at.tip != ""}
	s.load = func(id string) ([]byte, error) { return r.Git.text(ctx, id) }
	var seen []pack.Entry
	if !s.started {
		if seen, err = r.allSeen(); err != nil {
			return 0, err
		}
	}
	acts, now, err := moment(l, s.last, look)
	if err != nil {
		return 0, err
	}
	s.now = now
	s.seen(&seen, "")
	for _, a := range acts {
		s.action(l, a)
		s.seen(&seen, a.ID)
		s.last = a.ID
		if s.out.Len() > 32<<20 {
			if err := r.commit(ctx, s, &commits); err != nil {
				return commits, err
			}
		}
	}
	s.seen(&seen, "~") // seen after actions that the ledger does not have
	if now != nil {
		if err := r.see(s.changed(s.standing(*now)), s.last, clock); err != nil {
			return commits, err
		}
		s.stand(*now, clock)
	}
	return commits, r.commit(ctx, s, &commits)
}

// allSeen is what the agent was seen to write, in the order of the actions it was seen after.
func (r Repo) allSeen() ([]pack.Entry, error) {
	var seen []pack.Entry
	if r.Seen == nil {
		return nil, nil
	}
	err := r.Seen.Each(func(e pack.Entry, err error) error {
		if err == nil && !e.Purged {
			seen = append(seen, e)
		}
		return nil
	})
	slices.SortStableFunc(seen, func(a, b pack.Entry) int {
		return cmp.Or(strings.Compare(a.Action, b.Action), a.At.Compare(b.At))
	})
	return seen, err
}

// see writes down what the agent wrote before git gets it: git is derived from it.
func (r Repo) see(texts map[string][]byte, action string, at time.Time) error {
	if r.Seen == nil || len(texts) == 0 {
		return nil
	}
	entries := make([]pack.Entry, 0, len(texts))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		entries = append(entries, pack.Entry{Name: name, At: at.Truncate(time.Second), Action: action, Gone: texts[name] == nil, Text: texts[name]})
	}
	return r.Seen.Add(entries)
}

// commit hands a stream to git and counts its commits.
func (r Repo) commit(ctx context.Context, s *stream, commits *int) error {
	if s.commits == 0 {
		return r.keep(s)
	}
	s.out.WriteString("done\n")
	err := r.Git.beside(func(t fsys.FS, name string) error { // a power cut may take it: Sync finds the damage then
		return vault.WriteOver(t, vault.Unsynced{}, path.Join(name, marker), nil, 0o600)
	})
	if err != nil {
		return err
	}
	if err := r.Git.run(ctx, &s.out, io.Discard, "fast-import", "--quiet", "--done", "--date-format=raw"); err != nil {
		return err
	}
	*commits += s.commits
	s.out.Reset()
	s.commits = 0
	if err := r.keep(s); err != nil {
		return err
	}
	return r.Git.remove(marker)
}

// keep notes what the repository holds now, unless that is noted already.
func (r Repo) keep(s *stream) error {
	tip, err := r.Git.tip(mainBranch)
	if err != nil || tip == "" {
		return err
	}
	s.tip, s.unseen = tip, false
	if r.Seen != nil && r.Branch != nil {
		if s.unseen, err = r.Seen.Empty(); err != nil {
			return err
		}
	}
	if noted, ok := r.Git.noted(); ok && noted.tip == s.tip && noted.unseen == s.unseen {
		return nil
	}
	return r.Git.note(s.content)
}

// moment finds actions and files that belong together, without a lock: no action
// began or ended while the files were read. If there is no such moment, or a
// crash has left an action open, now is nil: the next sync sees the files.
func moment(l *ledger.Ledger, last string, look func() (Standing, error)) (acts []ledger.Action, now *Standing, err error) {
	for range 5 {
		before, err := l.Last()
		if err != nil {
			return nil, nil, err
		}
		if acts, err = since(l, last); err != nil {
			return nil, nil, err
		}
		files, err := look()
		if err != nil {
			return nil, nil, err
		}
		after, err := l.Last()
		if err != nil {
			return nil, nil, err
		}
		if after == nil || before != nil && after.ID == before.ID && after.State == before.State && after.State != ledger.Intent {
			return acts, &files, nil
		}
	}
	return acts, nil, nil
}

// since lists the finished actions after an id, oldest first.
func since(l *ledger.Ledger, last string) ([]ledger.Action, error) {
	var acts []ledger.Action
	for a, err := range l.Actions() {
		if err != nil {
			return nil, err
		}
		if a.ID <= last {
			break
		}
		if a.Outcome == ledger.Done || a.Outcome == ledger.Finished {
			acts = append(acts, a)
		}
	}
	slices.Reverse(acts)
	return acts, nil
}

// stream is what git fast-import reads.
type stream struct {
	agent   string
	out     bytes.Buffer
	content                   // as of the last commit; tip as of the last run of git
	now     *Standing         // the files as they stand, if known
	texts   map[string][]byte // texts this stream has put in
	started bool
	commits int
	load    func(id string) ([]byte, error) // a text by its blob id
}

// text is a file as of the last commit, if it can be had. As long as the file has only grown since, its first size bytes
// are that text, and git need not be asked.
func (s *stream) text(name string, size int) ([]byte, bool) {
	if text, ok := s.texts[name]; ok {
		return text, true
	}
	id, ok := s.files[name]
	if !ok {
		return nil, false
	}
	if s.now != nil {
		if now := s.now.Files[vault.Path(name)].Data; size <= len(now) && blobID(now[:size]) == id {
			return now[:size:size], true
		}
	}
	text, err := s.load(id)
	if err != nil {
		return nil, false
	}
	s.texts[name] = text
	return text, true
}

// action writes the commits for one action.
func (s *stream) action(l *ledger.Ledger, a ledger.Action) {
	before, after := map[string][]byte{}, map[string][]byte{}
	for i, f := range a.Files {
		if f.Skipped {
			continue
		}
		name := string(f.Path)
		if f.Op == plan.Append {
			// The text before an append is not kept; if history has it, so much the better.
			if old, ok := s.text(name, f.Edit.At); ok && vault.VersionOf(old) == f.Before {
				after[name] = append(bytes.Clone(old), f.Edit.Text...)
			} else if f.Before == vault.Absent {
				after[name] = f.Edit.Text
			}
			continue
		}
		if text, err := l.Before(a, i); err == nil && (f.Before != vault.Absent || f.Was != "") {
			before[name] = text
		}
		if f.After == vault.Absent {
			after[name] = nil
		} else if text, err := l.After(a, i); err == nil {
			after[name] = text
		}
	}
	s.commit("agent", s.agent, a.At, "what "+s.agent+" wrote", before)
	subject := a.Job
	if a.Summary != "" {
		subject += ": " + a.Summary
	}
	body := subject + "\n\n"
	if a.Reason != "" {
		body += a.Reason + "\n\n"
	}
	s.force("tend", a.Who, a.At, body+"Tend-Action: "+a.ID, after)
}

// stand commits the files as they are, if they differ from the last commit.
func (s *stream) stand(now Standing, at time.Time) {
	s.commit("agent", s.agent, at, "what "+s.agent+" wrote", s.standing(now))
}

// standing are the texts of the files as they are; nil for those that are gone.
func (s *stream) standing(now Standing) map[string][]byte {
	texts := make(map[string][]byte, len(now.Files))
	for p, d := range now.Files {
		texts[string(p)] = append([]byte{}, d.Data...) // nil would mean that it is gone
	}
	for name := range s.files {
		if _, there := texts[name]; !there && !now.unread(vault.Path(name)) {
			texts[name] = nil // the agent has taken it away
		}
	}
	return texts
}

// unread reports whether a file may be there though it was not read.
func (n Standing) unread(p vault.Path) bool {
	for ; p != ""; p = p.Dir() {
		if _, ok := n.Unread[p]; ok {
			return true
		}
	}
	return false
}

// changed are the texts that differ from the last commit.
func (s *stream) changed(texts map[string][]byte) map[string][]byte {
	changed := map[string][]byte{}
	for name, text := range texts {
		if id, ok := s.files[name]; text == nil && ok || text != nil && id != blobID(text) {
			changed[name] = text
		}
	}
	return changed
}

// commit writes a commit if any file differs; a nil text removes the file.
func (s *stream) commit(kind, who string, at time.Time, message string, texts map[string][]byte) {
	if changed := s.changed(texts); len(changed) > 0 {
		s.force(kind, who, at, message, changed)
	}
}

func (s *stream) force(kind, who string, at time.Time, message string, texts map[string][]byte) {
	s.commits++
	fmt.Fprintf(&s.out, "commit %s\ncommitter %s <%s@tend> %d +0000\n", mainBranch, clean(who), kind, max(0, at.Unix())) // git knows no time before 1970
	fmt.Fprintf(&s.out, "data %d\n%s\n", len(message), message)
	if !s.started {
		s.started = true
	} else if s.commits == 1 {
		fmt.Fprintf(&s.out, "from %s^0\n", mainBranch)
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if text == nil {
			fmt.Fprintf(&s.out, "D %s\n", quote(name))
			delete(s.files, name)
			delete(s.texts, name)
			continue
		}
		fmt.Fprintf(&s.out, "M 100644 inline %s\ndata %d\n", quote(name), len(text))
		s.out.Write(text)
		s.out.WriteByte('\n')
		s.files[name], s.texts[name] = blobID(text), text
	}
	s.out.WriteByte('\n')
}

// quote writes a path as git reads it: bytes it might misread as octal.
func quote(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		if c := name[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// clean makes a name git accepts.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' {
			return -1
		}
		return r
	}, s)
	if strings.TrimSpace(s) == "" {
		return "tend"
	}
	return s
}

// blobID is git's name for a text.
func blobID(text []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}
