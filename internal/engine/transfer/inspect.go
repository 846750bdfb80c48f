package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/pack"
)

// records are the files of an agent's records that a package may contain. Caches are left out: they are recreated.
var records = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^agents/(ledger/\d{4}-\d\d\.jsonl|pack/(trash|seen|branch)-\d{6}\.jsonl|approved\.json|origin/(origin\.json|[0-9a-f]{64}\.md)|purges\.jsonl|proposals[^/]*(/[^/]+)?)$`)
})

// checkPath refuses files that an export would not have packed there: a package can come from anyone.
func checkPath(name string) error {
	base, dir := path.Base(name), path.Dir(name)
	switch {
	case strings.HasPrefix(name, partTrash), strings.HasPrefix(name, partApproved), strings.HasPrefix(name, partBaselines):
		if dir != strings.SplitN(name, "/", 2)[0] {
			return damagedError("%q is not a valid name in a package", name)
		}
		id, _, ok := strings.Cut(base, ".")
		if strings.HasPrefix(name, partTrash) && (!ok || !actid.Valid(id)) {
			return damagedError("%q is not a valid name in the trash", name)
		}
	case strings.HasPrefix(name, partWorkspace):
		if why := NotCarried(vault.Path(strings.TrimPrefix(name, partWorkspace))); why != "" {
			return damagedError("%q %s", name, why)
		}
	}
	return nil
}

// NotCarried returns why a file of a workspace cannot be in a package, "" if it can.
func NotCarried(p vault.Path) string {
	if _, err := vault.ParsePath(string(p)); err != nil {
		return "has a name that other machines may not be able to use"
	}
	if !p.Markdown() || p.Hidden() {
		return "is not a memory file"
	}
	return ""
}

// Inspect checks what Unpack left in a tree beyond the checksums: the ledger's records, the packs, the approvals.
// Files that are not part of an agent's records are removed. It trusts nothing in the package.
func Inspect(t fsys.FS, now time.Time) error {
	months := map[string][]byte{}
	err := fsys.Walk(t, folderOf(partRecords), func(name string, i fsys.Info) error {
		if i.IsDir() {
			return nil
		}
		if !records().MatchString(name) {
			return t.Remove(name)
		}
		if !strings.HasPrefix(name, "agents/ledger/") {
			return nil
		}
		data, err := vault.ReadFile(t, name)
		if err != nil {
			return err
		}
		if err := ledger.CheckFile(data, now); err != nil {
			return damagedError("%s: %v", name, err)
		}
		months[path.Base(name)] = data
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, left := ledger.Foreign(months, nil, now); left > 0 {
		return damagedError("%d actions of the ledger did not end: they would be carried out here", left)
	}
	return errors.Join(inspectPacks(t), inspectApprovals(t))
}

func inspectPacks(t fsys.FS) error {
	for _, kind := range []string{"trash", "seen"} {
		bad, err := pack.New(t, vault.NoSync{}, "agents/pack", kind).Verify()
		if err != nil {
			return err
		}
		if len(bad) > 0 {
			return damagedError("%s", bad[0])
		}
	}
	return nil
}

// inspectApprovals checks that every approval names a file of the workspace and a text in the package.
func inspectApprovals(t fsys.FS) error {
	data, err := vault.ReadFile(t, partApproved+"approvals.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []struct {
		File    string        `json:"file"`
		Version vault.Version `json:"sha256"`
		Count   int           `json:"count"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return damagedError("the approvals cannot be read: %v", err)
	}
	seen := map[string]bool{}
	for _, a := range list {
		if _, err := vault.ParsePath(a.File); err != nil || a.Count < 0 || a.Count > 1<<30 || seen[a.File] {
			return damagedError("an approval names %q", a.File)
		}
		seen[a.File] = true
		if !isDigest(a.Version) {
			return damagedError("an approval names the version %q", a.Version)
		}
		text, err := vault.ReadFile(t, partApproved+string(a.Version)+".md")
		if err != nil || vault.VersionOf(text) != a.Version {
			return damagedError("the approved text of %s is missing", a.File)
		}
	}
	return nil
}

// isDigest reports whether a version is a SHA-256 digest, and so a safe name of a file.
func isDigest(v vault.Version) bool {
	return len(v) == 64 && strings.Trim(string(v), "0123456789abcdef") == ""
}

// unpackLimit refuses a package that unpacks to far more than text ever does.
type unpackLimit struct {
	packed   *counter
	unpacked int64
}

// Text packs to a tenth; a package of a million equal bytes packs to a thousandth. The first freeBytes may pack to anything.
const (
	maxRatio  = 250
	freeBytes = 16 << 20
)

func (b *unpackLimit) add(n int64) error {
	b.unpacked += n
	if b.unpacked > freeBytes && b.unpacked > maxRatio*max(b.packed.n, 1) {
		return damagedError("it unpacks to more than %d times its size", maxRatio)
	}
	return nil
}

// counter counts what was read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// checkCase refuses names of Tend that differ only in case: on some disks they are one file.
func checkCase(seen map[string]string, name string) error {
	if strings.HasPrefix(name, partWorkspace) {
		return nil // the disk decides
	}
	low := strings.ToLower(name)
	if other, ok := seen[low]; ok && other != name {
		return fmt.Errorf("%w: %q and %q", ErrDamaged, other, name)
	}
	seen[low] = name
	return nil
}
