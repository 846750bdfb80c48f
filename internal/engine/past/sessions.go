package past

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/harness"
	"tend/internal/engine/job"
	"tend/internal/state/ledger"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/session"
	"tend/internal/text/session/seen"
)

// Sessions lists the sessions of which something is known, oldest first: those that began with Tend's hook, and those of
// which the harness has a record. For the latter the files are as Tend knows them at that time.
func (p Reader) Sessions(ctx context.Context) ([]seen.Session, error) {
	list, err := p.a.Cache.Sessions()
	if err != nil || p.a.Workspace.Kind != config.Local {
		return list, err
	}
	others, err := harness.Sessions(p.a.Workspace.Path, p.a.Layout)
	if err != nil {
		return list, err
	}
	known := map[string]bool{}
	for _, s := range list {
		known[s.ID] = true
	}
	others = slices.DeleteFunc(others, func(s harness.Record) bool { return known[s.ID] })
	if len(others) == 0 {
		return list, nil
	}
	r, err := p.newRebuilder(ctx)
	if err != nil {
		return list, err
	}
	for _, s := range others {
		one, err := r.rebuildSession(ctx, s)
		if err != nil {
			return list, err
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b seen.Session) int { return a.At.Compare(b.At) })
	return list, nil
}

// rebuilder reconstructs sessions from what is known of the files.
type rebuilder struct {
	past     Reader
	present  []loadview.File
	changed  map[string]time.Time // when the present files that Tend can read were last written
	versions map[string][]Version // of each file, oldest first
	texts    map[string]Text      // that were read, by file and reference
}

func (p Reader) newRebuilder(ctx context.Context) (*rebuilder, error) {
	files, _, err := p.a.Files.Shown(ctx, p.a.Layout)
	r := &rebuilder{past: p, present: files, changed: map[string]time.Time{}, versions: map[string][]Version{}, texts: map[string]Text{}}
	for _, f := range files {
		if doc, err := p.a.Vault.Read(ctx, vault.Path(f.Name)); err == nil {
			r.changed[f.Name] = doc.ModTime
		}
	}
	return r, err
}

// rebuildSession reconstructs one session.
func (r *rebuilder) rebuildSession(ctx context.Context, s harness.Record) (seen.Session, error) {
	a := r.past.a
	start := seen.Start{Layout: a.Layout, Options: loadview.Options{
		Root: a.Workspace.Path, FileLimit: s.Limit, TotalLimit: s.Total, Session: session.Event{Key: s.Key}.Kind(),
	}}
	if s.Files != nil {
		start.Loaded = map[string]vault.Version{}
	}
	var unknown []seen.File
	for _, f := range r.present {
		size, loaded := s.Files[f.Name]
		if loaded {
			start.Loaded[f.Name] = ""
		}
		t, sure, err := r.textAt(ctx, f, s.At, func(text []byte) bool { return loaded && harnessLength(text) == size })
		switch {
		case err != nil:
			return seen.Session{}, err
		case !sure && s.Files != nil && !loaded:
			unknown = append(unknown, seen.File{Path: f.Name, Why: seen.NotLoaded}) // whatever its text was
			f.Missing = true
		case !sure:
			unknown = append(unknown, seen.File{Path: f.Name, Why: seen.Unknown})
			f.Missing = true
		default:
			f.Data, f.Missing, f.Broken = t.Data, t.Gone, ""
		}
		if f.Excluded.After(s.At) {
			f.Excluded = time.Time{} // the harness did not trust it only later
		}
		start.Files = append(start.Files, f)
	}
	return seen.Session{ID: s.ID, At: s.At, Layout: a.Layout.Ref(), Source: seen.Transcript, Files: append(seen.Look(start), unknown...)}, nil
}

// textAt returns a file's text at a time, if it is certain: it has not been written since, the texts known before and after are
// the same, or the harness's own count singles one out.
func (r *rebuilder) textAt(ctx context.Context, f loadview.File, when time.Time, counted func([]byte) bool) (Text, bool, error) {
	now := Text{Data: f.Data, Gone: f.Missing}
	changed, known := r.changed[f.Name]
	if known && !f.Missing && f.Broken == "" && !changed.After(when) {
		return now, true, nil
	}
	list, err := r.versionsOf(ctx, f.Name)
	if err != nil {
		return Text{}, false, err
	}
	i, after := slices.IndexFunc(list, func(m Version) bool { return m.At.After(when) }), now
	if i < 0 {
		i = len(list)
	} else if after, err = r.text(f.Name, list[i]); err != nil {
		return Text{}, false, err
	}
	if i == 0 {
		return after, counted(after.Data), nil
	}
	before, err := r.text(f.Name, list[i-1])
	switch {
	case err != nil:
		return Text{}, false, err
	case before.Gone == after.Gone && bytes.Equal(before.Data, after.Data), counted(before.Data):
		return before, true, nil
	}
	return after, counted(after.Data), nil
}

// versionsOf lists when a file's text is known. What an action found was there just before it.
func (r *rebuilder) versionsOf(ctx context.Context, file string) ([]Version, error) {
	if list, ok := r.versions[file]; ok {
		return list, nil
	}
	all, err := r.past.versionsByFile(vault.Path(file))
	if err != nil {
		return nil, err
	}
	var list []Version
	for _, v := range all[vault.Path(file)] {
		if was, ok := v.before(); ok {
			was.At = v.At.Add(-time.Nanosecond)
			list = append(list, was)
		}
		list = append(list, v)
	}
	r.versions[file] = list
	return list, nil
}

// text reads a file's text at a moment. One that is no longer kept equals no other.
func (r *rebuilder) text(file string, v Version) (Text, error) {
	key := file + "@" + v.Ref
	if t, ok := r.texts[key]; ok {
		return t, nil
	}
	t, err := r.past.textOf(v)
	if errors.Is(err, ledger.ErrNoText) {
		t, err = Text{Data: []byte(key)}, nil
	}
	if err == nil {
		r.texts[key] = t
	}
	return t, err
}

// harnessLength counts a text as OpenClaw does: UTF-16 units without white space at the end.
func harnessLength(text []byte) int {
	return len(utf16.Encode([]rune(strings.TrimRight(string(text), " \t\r\n"))))
}

// withSessions adds when the model saw the entry.
func (p Reader) withSessions(ctx context.Context, in job.Input, w Provenance, same func(string) bool) Provenance {
	sessions, err := p.Sessions(ctx)
	if err != nil {
		w.Unread = err.Error()
	}
	if len(sessions) == 0 {
		return w
	}
	line := w.Entry
	if len(w.Stands) > 0 {
		line = textLine(in.File(w.Stands[0].Path).Data, w.Stands[0].Line)
	} else if log, n, ok := newestLog(in, same); ok {
		line = textLine(log.Data, n)
	} else if gone, err := p.Passage(ctx, Wanted{Words: w.Entry}); err == nil {
		line = textLine(gone.Text(), 1)
	}
	if l := seen.Follow(line, sessions); l.Sessions > 0 {
		w.Seen = &l
	}
	return w
}

// newestLog finds an entry in the newest log that has it.
func newestLog(in job.Input, same func(string) bool) (job.Log, int, bool) {
	logs := in.Logs()
	for _, log := range slices.Backward(logs) {
		if n, ok := entryLine(in, log.Path, log.Data, same); ok {
			return log, n, true
		}
	}
	return job.Log{}, 0, false
}

// textLine returns a line of a text, counted from 1.
func textLine(text []byte, n int) string {
	for line := range bytes.Lines(text) {
		n--
		if n == 0 {
			return string(line)
		}
	}
	return ""
}
