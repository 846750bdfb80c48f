package ledger

import (
	"errors"
	"io/fs"
	"path"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger/archive"
)

// VerifyArchives compares the archive folder with the ledger. Each archive that was written and not retired must exist
// unchanged. Archives of earlier versions have no digest in the ledger: those are checked with the one in their own
// heading.
func (l *Ledger) VerifyArchives() (missing, changed []string, err error) {
	known := map[string]bool{} // whether an archive should be in the folder, by the newest action that names it
	note := func(names []string, there bool) {
		for _, name := range names {
			if _, ok := known[name]; !ok {
				known[name] = there
			}
		}
	}
	for a, err := range l.Actions() {
		if err != nil {
			return missing, changed, err
		}
		if a.Outcome == Intent || a.Outcome == RolledBack {
			continue
		}
		note(a.Retired, false)
		note(a.Returned, true)
		for n, name := range a.Archives {
			if there, ok := known[name]; ok && !there {
				continue
			}
			known[name] = true
			want := vault.Version("")
			if n < len(a.Sums) && a.Purged == "" {
				want = a.Sums[n]
			}
			switch data, err := vault.ReadFile(l.Archive.Tree, path.Join(l.Archive.Dir, name)); {
			case errors.Is(err, fs.ErrNotExist):
				missing = append(missing, name)
			case err != nil || !asWritten(data, want):
				changed = append(changed, name)
			}
		}
	}
	return missing, changed, nil
}

func asWritten(data []byte, want vault.Version) bool {
	if want != "" {
		return vault.VersionOf(data) == want
	}
	a, err := archive.Parse(data)
	return err == nil && a.Whole
}
