package history

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/ledger"
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
	aside, err := r.open(ctx)
	if err != nil {
		return 0, nil, err
	}
	commits, err = r.sync(ctx, l, look, clock)
	var failed *gitError
	if errors.As(err, &failed) && ctx.Err() == nil && aside == "" {
		// A power cut may have damaged it without a trace of a sync.
		if again, herr := r.heal(ctx); herr == nil {
			aside = again
			commits, err = r.sync(ctx, l, look, clock)
		}
	}
	if aside != "" {
		found = append(found, finding.HistoryBroken.In("", "the git history was damaged; it is set aside as %s and begun anew", aside))
	}
	return commits, found, err
}

func (r Repo) sync(ctx context.Context, l *ledger.Ledger, look func() (Standing, error), clock time.Time) (int, error) {
	last, err := r.Last(ctx)
	if err != nil {
		return 0, err
	}
	files, err := r.tree(ctx)
	if err != nil {
		return 0, err
	}
	s := &stream{agent: l.Agent, files: files, texts: map[string][]byte{}, started: len(files) > 0 || last != ""}
	s.load = func(id string) ([]byte, error) { return r.text(ctx, id) }
	acts, now, err := moment(l, last, look)
	if err != nil {
		return 0, err
	}
	for _, a := range acts {
		s.action(l, a)
	}
	if now != nil {
		s.stand(*now, clock)
	}
	if s.commits == 0 {
		return 0, nil
	}
	s.out.WriteString("done\n")
	if err := os.WriteFile(r.marker(), nil, 0o600); err != nil {
		return 0, err
	}
	if _, err := r.git(ctx, s.out.Bytes(), "fast-import", "--quiet", "--done", "--date-format=raw"); err != nil {
		return 0, err
	}
	return s.commits, os.Remove(r.marker())
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
	branch  string // refs/heads/main if empty
	out     bytes.Buffer
	files   map[string]string // path -> blob id, as of the last commit
	texts   map[string][]byte // texts this stream has put in
	started bool
	commits int
	load    func(id string) ([]byte, error) // a text by its blob id
}

// text is a file as of the last commit, if it can be had.
func (s *stream) text(name string) ([]byte, bool) {
	if text, ok := s.texts[name]; ok {
		return text, true
	}
	id, ok := s.files[name]
	if !ok {
		return nil, false
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
			if old, ok := s.text(name); ok && vault.VersionOf(old) == f.Before {
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
	texts := make(map[string][]byte, len(now.Files))
	for p, d := range now.Files {
		texts[string(p)] = append([]byte{}, d.Data...) // nil would mean that it is gone
	}
	for name := range s.files {
		if _, there := texts[name]; !there && !now.unread(vault.Path(name)) {
			texts[name] = nil // the agent has taken it away
		}
	}
	s.commit("agent", s.agent, at, "what "+s.agent+" wrote", texts)
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

// commit writes a commit if any file differs; a nil text removes the file.
func (s *stream) commit(kind, who string, at time.Time, message string, texts map[string][]byte) {
	changed := map[string][]byte{}
	for name, text := range texts {
		if id, ok := s.files[name]; text == nil && ok || text != nil && id != blobID(text) {
			changed[name] = text
		}
	}
	if len(changed) > 0 {
		s.force(kind, who, at, message, changed)
	}
}

func (s *stream) force(kind, who string, at time.Time, message string, texts map[string][]byte) {
	s.commits++
	branch := cmp.Or(s.branch, "refs/heads/main")
	fmt.Fprintf(&s.out, "commit %s\ncommitter %s <%s@tend> %d +0000\n", branch, clean(who), kind, max(0, at.Unix())) // git knows no time before 1970
	fmt.Fprintf(&s.out, "data %d\n%s\n", len(message), message)
	if !s.started {
		s.started = true
	} else if s.commits == 1 {
		fmt.Fprintf(&s.out, "from %s^0\n", branch)
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
