package scope

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// nameCache remembers for a moment which names a folder has: a new name is compared with all of them in a form in
// which twins are equal, and listing ten thousand files for every new file would dwarf the write. Outdated data can
// only miss a twin that someone else has just created.
type nameCache struct {
	mu      sync.Mutex
	folders map[vault.Path]folder
	until   time.Time // files is good enough
	files   int
}

type folder struct {
	until time.Time
	names map[string]string // folded name: actual name
	odd   map[string]bool   // names that are neither files nor folders, such as dead links
}

const (
	many     = 1000        // with fewer names they are listed every time
	believed = time.Second // larger listings are remembered this long
)

// until returns how long a fresh listing may be used.
func until(names int) time.Time {
	if names < many {
		return time.Time{}
	}
	return time.Now().Add(believed)
}

// Fold returns the form in which names that some system or reader would confuse are equal.
func Fold(name string) string {
	ascii := true
	for i := range len(name) {
		ascii = ascii && name[i] < 0x80
	}
	if ascii {
		return strings.ToLower(name)
	}
	// Decomposed, each letter folds by itself; only the sharp s becomes two. (golang.org/x/text/cases does all this,
	// but has language tables that every command would initialize at start.)
	apart := strings.Map(func(r rune) rune {
		if r == 'ı' { // not the lower case of I
			return r
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, norm.NFKD.String(name))
	return norm.NFKD.String(strings.ReplaceAll(apart, "ß", "ss"))
}

// look finds a name in a folder and returns its actual spelling. A missing folder has no names.
func (f *Files) look(ctx context.Context, dir vault.Path, name string) (there string, odd bool, err error) {
	c := &f.names
	c.mu.Lock()
	defer c.mu.Unlock()
	dirNames, ok := c.folders[dir]
	if !ok || time.Now().After(dirNames.until) {
		infos, err := f.agent.Vault.List(ctx, dir)
		if err != nil && !errors.Is(err, vault.ErrAbsent) {
			return "", false, err
		}
		dirNames = folder{names: make(map[string]string, len(infos)), odd: map[string]bool{}}
		for _, i := range infos {
			dirNames.names[Fold(i.Path.Base())] = i.Path.Base()
			if i.Special {
				dirNames.odd[i.Path.Base()] = true
			}
		}
		dirNames.until = until(len(infos))
		if c.folders == nil || len(c.folders) > 64 {
			c.folders = map[vault.Path]folder{}
		}
		c.folders[dir] = dirNames
	}
	there = dirNames.names[Fold(name)]
	return there, dirNames.odd[there], nil
}

// twin finds an existing name on the path p that would be confused with it. odd reports that p itself exists and is
// not a file.
func (f *Files) twin(ctx context.Context, p vault.Path) (twin vault.Path, odd bool, err error) {
	dir := vault.Path("")
	for part := range strings.SplitSeq(string(p), "/") {
		there, odd, err := f.look(ctx, dir, part)
		switch {
		case err != nil:
			return "", false, err
		case there == "":
			return "", false, nil // nothing exists there or below
		case there != part:
			return dir.Join(there), odd, nil
		case odd:
			return "", true, nil
		}
		dir = dir.Join(part)
	}
	return "", false, nil
}

// MayCreate decides whether a file may be created under this name.
func (f *Files) MayCreate(ctx context.Context, p vault.Path) error {
	if err := newName(p); err != nil {
		return err
	}
	there, odd, err := f.twin(ctx, p)
	switch {
	case err != nil:
		return err
	case there != "":
		return toolerr.New(toolerr.BadPath, "%s cannot be created: %s exists, and the two names would be confused.", p, there).
			Try("Use that one, or another name.")
	case odd:
		return toolerr.New(toolerr.Unsafe, "%s is a link or device, not a memory file.", p)
	}
	n, err := f.count(ctx)
	if err != nil {
		return err
	}
	if most := policy.FilesMaxCount.Of(f.agent.Policy); n >= most {
		return toolerr.New(toolerr.TooLarge, "%s cannot be created: there are %d files, and files.max_count is %d.", p, n, most).
			Try("Add to an existing file, or delete some.")
	}
	return nil
}

// Made adds a new file to the remembered names.
func (f *Files) Made(p vault.Path) {
	c := &f.names
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	dir := vault.Path("")
	for part := range strings.SplitSeq(string(p), "/") {
		if known, ok := c.folders[dir]; ok {
			known.names[Fold(part)] = part
		}
		dir = dir.Join(part)
	}
}

// Forget drops the remembered names along p.
func (f *Files) Forget(p vault.Path) {
	c := &f.names
	c.mu.Lock()
	defer c.mu.Unlock()
	for d := p.Dir(); ; d = d.Dir() {
		delete(c.folders, d)
		if d == "" {
			return
		}
	}
}

// count returns roughly how many files there are. The limit guards against a runaway loop, so a moment's delay does
// no harm.
func (f *Files) count(ctx context.Context) (int, error) {
	f.names.mu.Lock()
	fresh, n := time.Now().Before(f.names.until), f.names.files
	f.names.mu.Unlock()
	if fresh {
		return n, nil
	}
	n = 0
	err := f.Walk(ctx, "", "", func(vault.Info) bool {
		n++
		return true
	})
	if err != nil {
		return 0, err
	}
	f.names.mu.Lock()
	f.names.until, f.names.files = until(n), n
	f.names.mu.Unlock()
	return n, nil
}
