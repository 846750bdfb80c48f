package history

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
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

// Sync brings the repository up to date: a commit for every action it does not
// have yet, each preceded by what the agent had written since, and last the
// files as they stand now. The caller holds the agent's lock.
func (r Repo) Sync(ctx context.Context, l *ledger.Ledger, now map[vault.Path]vault.Doc, clock time.Time) (commits int, found []finding.Finding, err error) {
	aside, err := r.open(ctx)
	if err != nil {
		return 0, nil, err
	}
	if aside != "" {
		found = append(found, finding.HistoryBroken.In("", "the git history was damaged; it is set aside as %s and begun anew", aside))
	}
	last, err := r.Last(ctx)
	if err != nil {
		return 0, found, err
	}
	files, err := r.tree(ctx)
	if err != nil {
		return 0, found, err
	}
	s := &stream{agent: l.Agent, files: files, texts: map[string][]byte{}, started: len(files) > 0 || last != ""}
	acts, err := since(l, last)
	if err != nil {
		return 0, found, err
	}
	for _, a := range acts {
		s.action(l, a)
	}
	s.stand(now, clock)
	if s.commits == 0 {
		return 0, found, nil
	}
	if err := os.WriteFile(r.marker(), nil, 0o600); err != nil {
		return 0, found, err
	}
	if _, err := r.git(ctx, s.out.Bytes(), "fast-import", "--quiet", "--done", "--date-format=raw"); err != nil {
		return 0, found, err
	}
	return s.commits, found, os.Remove(r.marker())
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
	files   map[string]string // path -> blob id, as of the last commit
	texts   map[string][]byte // texts this stream has put in
	started bool
	commits int
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
			if old, ok := s.texts[name]; ok && vault.VersionOf(old) == f.Before {
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
func (s *stream) stand(now map[vault.Path]vault.Doc, at time.Time) {
	texts := make(map[string][]byte, len(now))
	for p, d := range now {
		texts[string(p)] = d.Data
	}
	s.commit("agent", s.agent, at, "what "+s.agent+" wrote", texts)
	s.out.WriteString("done\n")
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
	fmt.Fprintf(&s.out, "commit refs/heads/main\ncommitter %s <%s@tend> %d +0000\n", clean(who), kind, at.Unix())
	fmt.Fprintf(&s.out, "data %d\n%s\n", len(message), message)
	if !s.started {
		s.started = true
	} else if s.commits == 1 {
		s.out.WriteString("from refs/heads/main^0\n")
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
