package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opening are the calls that open a path, and may hang in a FIFO or follow a link that an attacker put there. fsys.Dir,
// OpenFile, ReadFile and ReadFolder open only what was asked for.
var opening = []string{"Open", "OpenFile", "ReadFile", "ReadDir", "Create", "OpenRoot", "DirFS"}

// changing are the calls that change a disk. Tend's state is written through fsys and vault, where writes are durable and
// tests can interrupt them after any call.
var changing = []string{
	"WriteFile", "Mkdir", "MkdirAll", "MkdirTemp", "CreateTemp", "Rename", "Remove", "RemoveAll",
	"Symlink", "Link", "Chmod", "Chown", "Lchown", "Chtimes", "Truncate", "CopyFS",
}

// exempt lists the files that may call the system directly, and why. A folder includes all its files. None of them writes
// state: that always goes through fsys, unless git writes it.
var exempt = map[string]string{
	"internal/disk/fsys": "it is the seam to the disk",

	// Read only.
	"internal/model/metric/process.go":        "the kernel's own files about this process",
	"internal/engine/curator/dial/command.go": "an empty folder for a curator's program to run in",
	"internal/engine/curator/dial/dial.go":    "the operator's key file, which may be a pipe",
	"internal/front/keeper/alert_channels.go": "the operator's secret file, which may be a pipe",
	"internal/front/cli/cmd_purge.go":         "the text to purge, which may be a pipe",
	"internal/disk/remote/keys.go":            "the operator's SSH keys",
	"internal/sync/store/dial/connect.go":     "the operator's key file, which may be a pipe",
	"internal/sync/store/s3/secrets.go":       "the operator's credentials, which may be a pipe",

	// Written for others, and never read again as state.
	"internal/front/cli/cmd_man.go": "manual pages, which a package build collects",
	"internal/app/demo":             "plays the agent and the operator on sample files in a temporary folder",
	"internal/app/baseline/edit.go": "the editor's copy in a temporary folder; the result is saved through vault",
	"internal/app/doctor/hooks.go":  "a transcript in a temporary folder on which a hook is tried",
}

// TestFilesAreOpenedInOnePlace: an agent can put a FIFO, a device or a link at any name it can reach, so that a plain
// open hangs or reads elsewhere. Every open goes through fsys, and what changes a disk does so through fsys and vault.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	used := map[string]bool{}
	calls, changes := 0, 0
	for _, p := range all(t) {
		if layer(p.path) >= layer("bench") || strings.HasSuffix(p.name, "test") {
			continue
		}
		for _, f := range p.files {
			if f.test() || !importsOS(f) {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				from, ok := sel.X.(*ast.Ident)
				if !ok || from.Name != "os" || !slices.Contains(opening, sel.Sel.Name) && !slices.Contains(changing, sel.Sel.Name) {
					return true
				}
				calls++
				if !slices.Contains(opening, sel.Sel.Name) {
					changes++
				}
				if at := exemption(f.path); at != "" {
					used[at] = true
					return true
				}
				t.Errorf("%s:%d calls os.%s: use fsys (or say in internal/archtest/files_test.go why not)", f.path, f.line(n.Pos()), sel.Sel.Name)
				return true
			})
		}
	}
	t.Logf("%d calls that open or change files outside fsys (%d change them), all in %d places with a reason", calls, changes, len(used))
	for at := range exempt {
		if !used[at] {
			t.Errorf("%s needs no exemption any more: take it out of internal/archtest/files_test.go", at)
		}
	}
}

func importsOS(f file) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(i *ast.ImportSpec) bool {
		p, err := strconv.Unquote(i.Path.Value)
		return err == nil && p == "os"
	})
}

// exemption returns the entry of exempt that covers a file.
func exemption(name string) string {
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		if _, ok := exempt[at]; ok {
			return at
		}
	}
	return ""
}
