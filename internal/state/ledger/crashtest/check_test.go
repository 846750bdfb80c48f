package crashtest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// kept joins all text in the places where text may be after a job: workspace, archive,
// trash, and the baselines with what they displaced. Temporary files do not count,
// except beside files whose trash is on another file system, and the ledger does not
// count either.
func (w *world) kept() string {
	var b strings.Builder
	add := func(files map[string]string) {
		for name, text := range files {
			if !strings.Contains(name, vault.TempPrefix) || w.rig.far && strings.HasPrefix(name, "ws/") {
				b.WriteString(text)
				b.WriteByte('\n')
			}
		}
	}
	add(w.disk.Files("ws"))
	add(w.disk.Files("op"))
	for _, dir := range []string{"archive", "trash", "baselines"} {
		add(w.state.Files("state/" + dir))
	}
	return b.String()
}

// memoryFiles returns the workspace's files by name.
func (w *world) memoryFiles() texts {
	t := texts{}
	for name, text := range w.disk.Files("ws") {
		if !strings.Contains(name, vault.TempPrefix) {
			t[strings.TrimPrefix(name, "ws/")] = text
		}
	}
	return t
}

// everything returns the files of both disks without the lock file, whose text is for people.
func (w *world) everything() texts {
	t := texts{}
	maps.Copy(t, w.disk.Files("."))
	maps.Copy(t, w.state.Files("."))
	delete(t, "state/"+ledger.LockPath(agent))
	return t
}

// temps lists Tend's temporary files.
func (w *world) temps() []string {
	var names []string
	for name := range w.everything() {
		if strings.Contains(name, vault.TempPrefix) {
			names = append(names, name)
		}
	}
	return names
}

// span has the files' texts before and after an operation, and what an agent added to
// the memory file meanwhile.
type span struct {
	before, after, also texts
	adds                string
	private             []string // files whose owner and mode must stay
}

// early reports whether a file is unchanged except for the agent's additions.
func (s span) early(name, got string) bool {
	was := s.at(s.before, name)
	if got == was || s.adds == "" || len(got) < len(was) || len(got) > len(was)+len(s.adds) {
		return got == was
	}
	for i := range len(got) - len(was) {
		if b := got[len(was)+i]; b != s.adds[i] && b != 0 {
			return false
		}
	}
	return strings.HasPrefix(got, was)
}

func (s span) at(t texts, name string) string {
	if text, ok := t[name]; ok {
		return text
	}
	return absent
}

// names lists all files that exist before or after.
func (s span) names() []string {
	var names []string
	for name := range s.before {
		names = append(names, name)
	}
	for name := range s.after {
		if _, ok := s.before[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// whole checks that every file is as before or as after, and that all of them are on
// the same side.
func (w *world) whole(s span, acked bool) error {
	now := w.memoryFiles()
	old, new := 0, 0
	for _, name := range s.names() {
		was, is, got := s.at(s.before, name), s.at(s.after, name), s.at(now, name)
		switch {
		case got == is && got == was:
		case got == is:
			new++
		case s.early(name, got):
			old++
		case !acked && got == s.also[name]:
		default:
			return fmt.Errorf("%s holds %q, want %q or %q", name, got, was, is)
		}
	}
	switch {
	case acked && old > 0:
		return fmt.Errorf("an acknowledged change is missing in %d file(s)", old)
	case old > 0 && new > 0:
		return fmt.Errorf("%d file(s) are as before and %d as after: %v", old, new, now)
	}
	for _, name := range s.private {
		if info, err := w.disk.Stat("ws/" + name); err == nil && (info.Mode.Perm() != 0o600 || info.UID != 1000) {
			return fmt.Errorf("%s has mode %v and owner %d", name, info.Mode, info.UID)
		}
	}
	return nil
}

// found checks that every line of the files, and these notes, are still somewhere.
func (w *world) found(s span, notes []string) error {
	kept := w.kept()
	for name, text := range s.before {
		for line := range strings.Lines(text) {
			if !strings.Contains(kept, strings.TrimRight(line, "\r\n")) {
				return fmt.Errorf("%q of %s is lost", line, name)
			}
		}
	}
	for _, n := range notes {
		if !strings.Contains(kept, n) {
			return fmt.Errorf("%q is lost", n)
		}
	}
	return nil
}

// sound checks that the ledger's chain is intact and has no open end, and that its
// archives and displaced texts exist.
func (w *world) sound() error {
	broken, err := w.ledger.Verify()
	if err != nil {
		return err
	}
	if len(broken) > 0 {
		return fmt.Errorf("the ledger's chain is broken at %v", broken)
	}
	known, discarded := map[string]bool{}, map[string]bool{}
	for a, err := range w.ledger.Actions() {
		if err != nil {
			return err
		}
		if a.Outcome == ledger.Intent {
			return fmt.Errorf("action %s has no end", a.ID)
		}
		for _, name := range a.Discarded {
			discarded[name] = true
		}
		for _, name := range a.Archives {
			known[name] = true
			if a.Outcome == ledger.RolledBack || len(a.Retired) > 0 {
				continue
			}
			if err := w.archived(a.ID, name); err != nil {
				return err
			}
		}
		if a.Outcome == ledger.RolledBack {
			continue
		}
		for i, f := range a.Files {
			if f.Skipped || f.Op == plan.Append || discarded[f.Trash] {
				continue
			}
			if err := w.displaced(a, i); err != nil {
				return fmt.Errorf("%s of %s %s: %w", f.Path, a.Job, a.ID, err)
			}
		}
	}
	list, err := w.ledger.Archive.List()
	if err != nil {
		return err
	}
	for _, a := range list {
		// An archive may remain of an action that was lost before its first sync; its
		// text is still in the file.
		if !known[a.Name] && !w.rig.group {
			return fmt.Errorf("archive %s belongs to no action", a.Name)
		}
	}
	return nil
}

// archived checks that an action's archive is complete, or is in the trash.
func (w *world) archived(id, name string) error {
	a, err := w.ledger.Archive.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		for kept := range w.state.Files("state/trash") {
			if strings.HasSuffix(kept, "-"+name) {
				return nil
			}
		}
	}
	switch {
	case err != nil:
		return err
	case !a.Whole:
		return fmt.Errorf("archive %s is not whole", name)
	case a.Action != id:
		return fmt.Errorf("archive %s of action %s has the text of action %s", name, id, a.Action)
	}
	return nil
}

// displaced checks that the text an action displaced is kept unchanged.
func (w *world) displaced(a ledger.Action, slot int) error {
	f := a.Files[slot]
	want := f.Before
	if f.Was != "" {
		want = f.Was
	}
	text, err := w.ledger.Before(a, slot)
	if err != nil {
		return err
	}
	switch got := vault.VersionOf(text); {
	case want == vault.Absent && len(text) == 0, got == want:
		return nil
	case strings.HasPrefix(path.Base(f.Trash), a.ID) && strings.Contains(string(text), "very late"):
		return nil // the one operation with a late writer
	}
	return fmt.Errorf("the displaced text is %q", text)
}
