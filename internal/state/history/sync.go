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

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// Worktree is the current content of a workspace.
type Worktree struct {
	Files  map[vault.Path]vault.Doc
	Unread map[vault.Path]string // files and folders that could not be read
}

// Sync brings the repository up to date: a commit for every action it does not have
// yet, each preceded by what the agent had written before it, and last the current
// files. The caller holds the history's lock; the agent and Tend may write to the
// workspace meanwhile.
func (r Repo) Sync(ctx context.Context, l *ledger.Ledger, read func() (Worktree, error),
	clock time.Time) (commits int, found []finding.Finding, err error) {
	aside, err := r.Git.open(ctx)
	if err != nil {
		return 0, nil, err
	}
	commits, err = r.sync(ctx, l, read, clock)
	var failed *gitError
	if errors.As(err, &failed) && ctx.Err() == nil && aside == "" {
		// A power cut may have damaged it without leaving a marker.
		if _, herr := r.Git.removeStaleLocks(ctx); herr == nil {
			commits, err = r.sync(ctx, l, read, clock)
		}
	}
	if err == nil && commits > 0 {
		r.Git.repack(ctx)
	}
	return commits, r.Findings(), err
}

// sync commits what the repository does not have. An empty one is built from everything that is known.
func (r Repo) sync(ctx context.Context, l *ledger.Ledger, read func() (Worktree, error), clock time.Time) (commits int, err error) {
	at, err := r.Git.tipContent(ctx)
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
	acts, now, err := readMoment(l, s.last, read)
	if err != nil {
		return 0, err
	}
	s.now = now
	s.commitObserved(&seen, "")
	for _, a := range acts {
		s.commitAction(l, a)
		s.commitObserved(&seen, a.ID)
		s.last = a.ID
		if s.out.Len() > 32<<20 {
			if err := r.commit(ctx, s, &commits); err != nil {
				return commits, err
			}
		}
	}
	s.commitObserved(&seen, "~") // seen after actions that are not in the ledger
	if now != nil {
		s.observe(s.changedTexts(s.worktreeTexts(*now)), clock)
		s.commitWorktree(*now, clock)
	}
	return commits, r.commit(ctx, s, &commits)
}

// allSeen returns what the agent was seen to write, ordered by the last action before.
func (r Repo) allSeen() ([]pack.Entry, error) {
	var seen []pack.Entry
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

// observation is what the agent wrote between two actions.
type observation struct {
	texts  map[string][]byte
	action string // the last one before
	at     time.Time
}

// recordSeen saves what the agent wrote to the pack before git gets it: git is derived from the pack.
func (r Repo) recordSeen(list []observation) error {
	if len(list) == 0 {
		return nil
	}
	var last time.Time
	taken := map[int64]bool{} // the second names a text: no two may have the same
	err := r.Seen.Recent(1, func(e pack.Entry, _ func() ([]byte, error)) { last, taken[e.At.Unix()] = e.At, true })
	if err != nil {
		return err
	}
	var entries []pack.Entry
	for _, o := range list {
		at := o.at.Truncate(time.Second)
		if after := last.Sub(at); after >= 0 && after < time.Minute {
			at = last.Add(time.Second)
		}
		for taken[at.Unix()] {
			at = at.Add(time.Second)
		}
		last, taken[at.Unix()] = at, true
		for _, name := range slices.Sorted(maps.Keys(o.texts)) {
			entries = append(entries, pack.Entry{Name: name, At: at, Action: o.action, Gone: o.texts[name] == nil, Text: o.texts[name]})
		}
	}
	before, err := r.Seen.Size()
	if err != nil {
		return err
	}
	err = r.Seen.Add(entries)
	if after, e := r.Seen.Size(); e == nil && r.Grown != nil {
		r.Grown.Add(after - before)
	}
	return err
}

// commit hands a stream to git and counts its commits.
func (r Repo) commit(ctx context.Context, s *stream, commits *int) error {
	if err := r.recordSeen(s.observed); err != nil {
		return err
	}
	s.observed = nil
	if s.commits == 0 {
		return r.saveTip(s)
	}
	s.out.WriteString("done\n")
	err := r.Git.runBeside(func(t fsys.FS, name string) error { // may be lost in a power cut: Sync finds the damage then
		return vault.WriteOver(t, vault.NoSync{}, path.Join(name, marker), nil, 0o600)
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
	if err := r.saveTip(s); err != nil {
		return err
	}
	return r.Git.remove(marker)
}

// saveTip saves what the repository contains now, if that has changed.
func (r Repo) saveTip(s *stream) error {
	tip, err := r.Git.tipOf(mainBranch)
	if err != nil || tip == "" {
		return err
	}
	s.tip = tip
	if noted, ok := r.Git.savedContent(); ok && noted.tip == tip {
		return nil
	}
	return r.Git.saveContent(s.content)
}

// readMoment returns actions and files that belong together, without a lock: no action began
// or ended while the files were read. If there is no such moment, or a crash has left an
// action open, now is nil, and the next sync commits the files.
func readMoment(l *ledger.Ledger, last string, read func() (Worktree, error)) (acts []ledger.Action, now *Worktree, err error) {
	for range 5 {
		before, err := l.Last()
		if err != nil {
			return nil, nil, err
		}
		if acts, err = actionsSince(l, last); err != nil {
			return nil, nil, err
		}
		files, err := read()
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

// actionsSince lists the finished actions after an id, oldest first.
func actionsSince(l *ledger.Ledger, last string) ([]ledger.Action, error) {
	var acts []ledger.Action
	for a, err := range l.Since(last) {
		if err != nil {
			return nil, err
		}
		if a.Outcome == ledger.Done || a.Outcome == ledger.Finished {
			acts = append(acts, a)
		}
	}
	slices.Reverse(acts)
	return acts, nil
}

// stream builds the input of git fast-import.
type stream struct {
	agent   string
	out     bytes.Buffer
	content                   // as of the last commit; tip as of the last run of git
	now     *Worktree         // the current files, if known
	texts   map[string][]byte // texts of this stream
	started bool
	commits int
	// observed is what no action wrote, and the pack does not have yet
	observed []observation
	load     func(id string) ([]byte, error) // a text by its blob id
}

// text returns a file as of the last commit, if available. If the file has only grown since, its first size bytes are
// that text, and git is not needed.
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

// commitAction writes the commits for one action.
func (s *stream) commitAction(l *ledger.Ledger, a ledger.Action) {
	before, after := map[string][]byte{}, map[string][]byte{}
	for i, f := range a.Files {
		if f.Skipped {
			continue
		}
		name := string(f.Path)
		if f.Op == plan.Append {
			// The text before an append is not kept; use the repository's if it has it.
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
	if a.Job != "sync" { // what that replaces, the shared store has
		edited := s.changedTexts(before) // nobody looked before this action replaced it
		maps.DeleteFunc(edited, func(name string, _ []byte) bool { return s.files[name] == "" })
		s.observe(edited, a.At)
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
	s.commitForced("tend", a.Who, a.At, body+"Tend-Action: "+a.ID, after)
}

// observe notes what the agent wrote since the last action, to be recorded before it is committed.
func (s *stream) observe(texts map[string][]byte, at time.Time) {
	if len(texts) > 0 {
		s.observed = append(s.observed, observation{texts, s.last, at})
	}
}

// commitWorktree commits the current files, if they differ from the last commit.
func (s *stream) commitWorktree(now Worktree, at time.Time) {
	s.commit("agent", s.agent, at, "what "+s.agent+" wrote", s.worktreeTexts(now))
}

// worktreeTexts returns the texts of the current files; nil for those that are gone.
func (s *stream) worktreeTexts(now Worktree) map[string][]byte {
	texts := make(map[string][]byte, len(now.Files))
	for p, d := range now.Files {
		texts[string(p)] = append([]byte{}, d.Data...) // nil would mean that it is gone
	}
	for name := range s.files {
		if _, there := texts[name]; !there && !now.unread(vault.Path(name)) {
			texts[name] = nil // the agent removed it
		}
	}
	return texts
}

// unread reports whether a file may exist although it was not read.
func (n Worktree) unread(p vault.Path) bool {
	for ; p != ""; p = p.Dir() {
		if _, ok := n.Unread[p]; ok {
			return true
		}
	}
	return false
}

// changedTexts returns the texts that differ from the last commit.
func (s *stream) changedTexts(texts map[string][]byte) map[string][]byte {
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
	if changed := s.changedTexts(texts); len(changed) > 0 {
		s.commitForced(kind, who, at, message, changed)
	}
}

func (s *stream) commitForced(kind, who string, at time.Time, message string, texts map[string][]byte) {
	s.commits++
	// git has no times before 1970
	fmt.Fprintf(&s.out, "commit %s\ncommitter %s <%s@tend> %d +0000\n", mainBranch, cleanName(who), kind, max(0, at.Unix()))
	fmt.Fprintf(&s.out, "data %d\n%s\n", len(message), message)
	if !s.started {
		s.started = true
	} else if s.commits == 1 {
		fmt.Fprintf(&s.out, "from %s^0\n", mainBranch)
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if text == nil {
			fmt.Fprintf(&s.out, "D %s\n", quotePath(name))
			delete(s.files, name)
			delete(s.texts, name)
			continue
		}
		fmt.Fprintf(&s.out, "M 100644 inline %s\ndata %d\n", quotePath(name), len(text))
		s.out.Write(text)
		s.out.WriteByte('\n')
		s.files[name], s.texts[name] = blobID(text), text
	}
	s.out.WriteByte('\n')
}

// quotePath quotes a path for git, with octal escapes.
func quotePath(name string) string {
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

// cleanName turns a string into a name that git accepts.
func cleanName(s string) string {
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

// blobID is git's id of a text.
func blobID(text []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}
