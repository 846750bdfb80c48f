package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// trashBranch has what left the trash.
const trashBranch = "refs/heads/trash"

// Keep commits texts to the branch "trash", so that what leaves the trash is
// still to be had: git show trash:NAME. It returns when git has them.
func (r Repo) Keep(ctx context.Context, agent string, texts map[string][]byte, at time.Time) error {
	if _, err := r.open(ctx); err != nil {
		return err
	}
	s := &stream{agent: agent, branch: trashBranch, files: map[string]string{}, texts: map[string][]byte{}}
	if _, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", s.branch); err == nil {
		s.started = true
	}
	s.force("tend", "tend", at, "what leaves the trash", texts)
	s.out.WriteString("done\n")
	if _, err := r.git(ctx, s.out.Bytes(), "fast-import", "--quiet", "--done", "--date-format=raw"); err != nil {
		return err
	}
	for name, text := range texts {
		got, err := r.git(ctx, nil, "cat-file", "blob", s.branch+":"+name)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, text) {
			return fmt.Errorf("git did not keep %s", name)
		}
	}
	return nil
}

// Kept gives back a text that Keep took.
func (r Repo) Kept(ctx context.Context, name string) ([]byte, error) {
	if there, err := r.keeps(ctx); err != nil || !there {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	return r.git(ctx, nil, "cat-file", "blob", trashBranch+":"+name)
}

// EachKept yields what Keep took, newest first.
func (r Repo) EachKept(ctx context.Context, yield func(name string, text []byte) error) error {
	if there, err := r.keeps(ctx); err != nil || !there {
		return err
	}
	out, err := r.git(ctx, nil, "ls-tree", "-z", trashBranch)
	if err != nil {
		return err
	}
	entries := strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 })
	slices.Reverse(entries)
	for batch := range slices.Chunk(entries, 256) {
		var ask bytes.Buffer
		names := make([]string, len(batch))
		for i, e := range batch {
			meta, name, _ := strings.Cut(e, "\t")
			fmt.Fprintln(&ask, meta[strings.LastIndexByte(meta, ' ')+1:])
			names[i] = name
		}
		texts, err := r.git(ctx, ask.Bytes(), "cat-file", "--batch")
		if err != nil {
			return err
		}
		for _, name := range names {
			head, rest, _ := bytes.Cut(texts, []byte("\n"))
			size, err := strconv.Atoi(string(head[bytes.LastIndexByte(head, ' ')+1:]))
			if err != nil || size > len(rest) {
				return fmt.Errorf("git cat-file: %s is missing: %q", name, head)
			}
			if err := yield(name, rest[:size]); err != nil {
				return err
			}
			texts = bytes.TrimPrefix(rest[size:], []byte("\n"))
		}
	}
	return nil
}

// keeps tells whether anything has been taken.
func (r Repo) keeps(ctx context.Context) (bool, error) {
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	_, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", trashBranch)
	var none *gitError
	if errors.As(err, &none) {
		return false, nil
	}
	return err == nil, err
}
