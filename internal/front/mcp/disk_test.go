package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/disk/vault/vaulttest"
)

// other changes files as another program would: the agent's editor, an attacker.
func (w *wire) other(line string) string {
	args := strings.SplitN(line, " ", 3)
	for len(args) < 3 {
		args = append(args, "")
	}
	at := filepath.Join(w.disk, args[1])
	text := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\xff`, "\xff").Replace(args[2])
	if inside, ok := strings.CutPrefix(text, "WS/"); ok {
		text = filepath.Join(w.disk, inside)
	}
	var err error
	switch args[0] {
	case "put":
		put(w.t, at, []byte(text))
	case "append":
		var f *os.File
		if f, err = os.OpenFile(at, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644); err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
	case "mkdir":
		err = os.MkdirAll(at, 0o755)
	case "symlink":
		err = os.Symlink(text, at)
	case "link":
		err = os.Link(filepath.Join(w.disk, text), at)
	case "fifo":
		err = vaulttest.Mkfifo(at)
	case "rm":
		err = os.RemoveAll(at)
	case "cat":
		data, err := os.ReadFile(at)
		if errors.Is(err, fs.ErrNotExist) {
			return "= (no such file)\n"
		}
		must(w.t, err)
		return prefixed("=", strings.ReplaceAll(string(data), "\r", `\r`))
	case "ls":
		return w.list(at)
	default:
		err = fmt.Errorf("unknown command %q", args[0])
	}
	if err != nil {
		w.t.Fatalf("$ %s: %v", line, err)
	}
	return ""
}

// list returns every name below a folder, including what Tend left behind.
func (w *wire) list(dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			b.WriteString("= " + filepath.ToSlash(rel) + "\n")
		}
		return err
	})
	must(w.t, err)
	if b.Len() == 0 {
		return "= (nothing)\n"
	}
	return b.String()
}
