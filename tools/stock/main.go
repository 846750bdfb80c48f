// Command stock writes the digests of harness templates' lines, by which layout.Stock knows them.
//
//	go run ./tools/stock [-add] [-least N] DIR…
//
// Each DIR is a folder with template files, or a git directory of which all versions of such files are read. With -least N
// a line counts only if files of the same name have it in at least N of the DIRs: nobody writes a template's words by chance.
// Only digests are written, no text.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/text/layout"
)

const target = "internal/text/layout/stock.txt"

func main() {
	add := flag.Bool("add", false, "keep the digests that are there")
	least := flag.Int("least", 1, "count a line only if so many DIRs have it")
	flag.Parse()
	if err := run(flag.Args(), *add, *least); err != nil {
		fmt.Fprintln(os.Stderr, "stock:", err)
		os.Exit(1)
	}
}

func run(dirs []string, add bool, least int) error {
	if len(dirs) == 0 {
		return errors.New("want a folder or a git directory")
	}
	digests := map[string]bool{}
	if add {
		old, err := os.ReadFile(target)
		if err != nil {
			return err
		}
		for d := range strings.FieldsSeq(string(old)) {
			digests[d] = true
		}
	}
	seen := map[string]int{} // by file name and digest: how many DIRs have it
	for _, dir := range dirs {
		mine := map[string]bool{}
		take := func(name string, text []byte) { lines(mine, name, text, least > 1) }
		read := folder
		if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
			read = history
		}
		if err := read(dir, take); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		for key := range mine {
			seen[key]++
		}
	}
	for key, n := range seen {
		if n >= least {
			_, digest, _ := strings.Cut(key, " ")
			digests[digest] = true
		}
	}
	var out bytes.Buffer
	list := make([]string, 0, len(digests))
	for d := range digests {
		list = append(list, d)
	}
	slices.Sort(list)
	for _, d := range list {
		out.WriteString(d + "\n")
	}
	fmt.Println(len(list), "digests")
	return os.WriteFile(target, out.Bytes(), 0o644)
}

// lines adds the digests of a text's lines. Headings and values that several people may well share are no evidence for a
// template when it is inferred from workspaces.
func lines(into map[string]bool, name string, text []byte, inferred bool) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if inferred && (strings.HasPrefix(line, "#") || len(strings.Fields(line)) < 5) {
			continue
		}
		if d := layout.StockDigest(line); d != "" {
			into[strings.ToLower(name)+" "+d] = true
		}
	}
}

// templates are the files that harnesses create.
var templates = []string{
	"agents.md", "soul.md", "identity.md", "user.md", "tools.md", "heartbeat.md", "bootstrap.md", "boot.md", "memory.md", "claude.md",
	"session-state.md", "working-buffer.md",
}

func folder(dir string, take func(string, []byte)) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".md") {
			return err
		}
		text, err := os.ReadFile(p)
		if err == nil {
			take(d.Name(), text)
		}
		return err
	})
}

// history reads every version of the template files of a git directory.
func history(dir string, take func(string, []byte)) error {
	raw, err := exec.Command("git", "--git-dir", dir, "log", "--all", "--format=", "--raw", "--no-abbrev", "--no-renames", "-z").Output()
	if err != nil {
		return err
	}
	names := map[string]string{} // by blob
	fields := strings.Split(string(raw), "\x00")
	for i := 0; i+1 < len(fields); i++ {
		change := strings.Fields(strings.TrimLeft(fields[i], "\n"))
		if len(change) != 5 || !strings.HasPrefix(change[0], ":") {
			continue
		}
		name := path.Base(fields[i+1])
		if slices.Contains(templates, strings.ToLower(name)) && strings.Trim(change[3], "0") != "" {
			names[change[3]] = name
		}
	}
	return blobs(dir, names, take)
}

func blobs(dir string, names map[string]string, take func(string, []byte)) error {
	var ask bytes.Buffer
	for id := range names {
		ask.WriteString(id + "\n")
	}
	cmd := exec.Command("git", "--git-dir", dir, "cat-file", "--batch")
	cmd.Stdin = &ask
	answer, err := cmd.Output()
	if err != nil {
		return err
	}
	in := bufio.NewReader(bytes.NewReader(answer))
	for {
		var id, kind string
		var size int
		head, err := in.ReadString('\n')
		if err != nil {
			return nil
		}
		if n, _ := fmt.Sscan(head, &id, &kind, &size); n < 3 {
			continue // missing
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(in, text); err != nil {
			return err
		}
		take(names[id], text[:size])
	}
}
