package scope

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

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

// lookUp finds a name in a folder and returns its actual spelling, and whether it is neither a file nor a folder, such as
// a dead link. A missing folder has no names.
func (f *Files) lookUp(ctx context.Context, dir vault.Path, name string) (there string, odd bool, err error) {
	infos, err := f.agent.Vault.List(ctx, dir)
	if err != nil && !errors.Is(err, vault.ErrAbsent) {
		return "", false, err
	}
	want := Fold(name)
	for _, i := range infos {
		base := i.Path.Base()
		if base == name {
			return base, i.Special, nil
		}
		if Fold(base) == want {
			there, odd = base, i.Special
		}
	}
	return there, odd, nil
}

// findTwin finds an existing name on the path p that would be confused with it. odd reports that p itself exists and is
// not a file.
func (f *Files) findTwin(ctx context.Context, p vault.Path) (twin vault.Path, odd bool, err error) {
	dir := vault.Path("")
	for part := range strings.SplitSeq(string(p), "/") {
		there, odd, err := f.lookUp(ctx, dir, part)
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
	if err := checkNewName(p); err != nil {
		return err
	}
	there, odd, err := f.findTwin(ctx, p)
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

// count returns how many files there are.
func (f *Files) count(ctx context.Context) (n int, err error) {
	err = f.Walk(ctx, "", "", func(vault.Info) bool {
		n++
		return true
	})
	return n, err
}
