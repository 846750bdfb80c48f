package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"tend/internal/text/referee"
)

// repository reads a git directory.
type repository struct {
	dir   string
	cat   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	cache map[string][]byte // contents by id
}

// rewrite is one commit that changed the memory file.
type rewrite struct {
	commit        string
	before, after []byte
	sources       referee.Sources
}

func open(dir string) (*repository, error) {
	r := &repository{dir: dir, cache: map[string][]byte{}}
	r.cat = exec.Command("git", "--git-dir", dir, "cat-file", "--batch")
	in, err := r.cat.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := r.cat.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.in, r.out = in, bufio.NewReader(out)
	return r, r.cat.Start()
}

func (r *repository) close() {
	r.in.Close()
	r.cat.Wait()
}

func (r *repository) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...).Output()
	return string(out), err
}

// read returns an object's content, nil if there is none.
func (r *repository) read(name string) ([]byte, error) {
	fmt.Fprintln(r.in, name)
	head, err := r.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var id, kind string
	var size int
	if _, err := fmt.Sscan(head, &id, &kind, &size); err != nil {
		return nil, nil // missing
	}
	b := make([]byte, size+1)
	_, err = io.ReadFull(r.out, b)
	return b[:size], err
}

func (r *repository) blob(id string) ([]byte, error) {
	if b, ok := r.cache[id]; ok {
		return b, nil
	}
	b, err := r.read(id)
	r.cache[id] = b
	return b, err
}

// rewrites calls f for each commit that changed or removed a file, the oldest first.
func (r *repository) rewrites(name string, f func(rewrite) error) error {
	log, err := r.git("log", "--first-parent", "--reverse", "--format=%H", "--", name)
	if err != nil {
		return err
	}
	for commit := range strings.FieldsSeq(log) {
		before, err := r.read(commit + "^:" + name)
		if err != nil {
			return err
		}
		after, err := r.read(commit + ":" + name)
		if err != nil {
			return err
		}
		if len(before) == 0 {
			continue
		}
		sources, err := r.others(commit, name)
		if err != nil {
			return err
		}
		if err := f(rewrite{commit, before, after, sources}); err != nil {
			return err
		}
	}
	return nil
}

// others returns the other markdown files of the workspace in a commit, read when they are asked for.
func (r *repository) others(commit, name string) (iter.Seq[referee.Source], error) {
	tree, err := r.git("-c", "core.quotePath=off", "ls-tree", "-r", commit, "--", path.Dir(name)+"/")
	if err != nil {
		return nil, err
	}
	return func(yield func(referee.Source) bool) {
		for l := range strings.Lines(tree) {
			head, file, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
			if file == name || !strings.HasSuffix(file, ".md") || strings.Contains(file, "node_modules/") {
				continue
			}
			b, err := r.blob(strings.Fields(head)[2])
			if err != nil || !yield(referee.Source{Name: file, Text: b}) {
				return
			}
		}
	}, nil
}

// write lists what a rewrite lost, for a reader.
func write(folder, dir string, w rewrite, v referee.Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nburst %v: %s; before %+v after %+v, moved %d\n", dir, w.commit, v.Burst, v, v.Before, v.After, len(v.Moved))
	for _, s := range v.Lost {
		fmt.Fprintf(&b, "\n## %s (gone %v)\n", strings.Join(s.Path, " > "), s.Gone)
		for _, l := range s.Lost {
			fmt.Fprintf(&b, "- %s\n", l.Text)
			if s := l.Similar; s != nil {
				fmt.Fprintf(&b, "? %s:%d\n", s.Source, s.Line)
			}
		}
		for _, l := range s.Now {
			fmt.Fprintf(&b, "+ %s\n", l.Text)
		}
	}
	for _, c := range v.Changed {
		fmt.Fprintf(&b, "\n~ %s\n> %s\n", c.Before.Text, c.After.Text)
	}
	for _, m := range v.Moved {
		fmt.Fprintf(&b, "\n= %s\n@ %s:%d\n", m.Before.Text, m.Source, m.Line)
	}
	fmt.Fprintf(&b, "\nunsourced %v\nmissing %v\nlet in %v\n", v.Unsourced, v.Missing, v.LetIn)
	return os.WriteFile(filepath.Join(folder, dir+"-"+w.commit[:8]+".txt"), []byte(b.String()), 0o600)
}
