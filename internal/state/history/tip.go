package history

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

const mainBranch = "refs/heads/main"

// A sync needs a lot about the tip of main, mostly to find that nothing has changed. The functions here read it from
// files: starting git takes longer than the rest of a sync.

// tipOf returns the commit of a branch, "" if the branch does not exist.
func (g Git) tipOf(branch string) (string, error) {
	if _, err := os.Stat(filepath.Join(g.Dir, "HEAD")); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return "", err
	}
	if err := g.checkTrusted(); err != nil {
		return "", err
	}
	text, err := fsys.ReadFile(filepath.Join(g.Dir, filepath.FromSlash(branch)))
	id := strings.TrimSpace(string(text))
	if errors.Is(err, fs.ErrNotExist) {
		if id, err = g.packedTip(branch); id == "" && err == nil {
			return "", nil
		}
	}
	if err == nil && !isID(id) {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", &gitError{branch, "the branch cannot be read", err}
	}
	return id, nil
}

// packedTip returns the commit of a branch from packed-refs.
func (g Git) packedTip(branch string) (string, error) {
	text, err := fsys.ReadFile(filepath.Join(g.Dir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for line := range strings.Lines(string(text)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == branch {
			return id, nil
		}
	}
	return "", err
}

func isID(s string) bool { return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == "" }

// hasBranch reports whether the repository has a branch that can be read.
func (g Git) hasBranch(branch string) (bool, error) {
	id, err := g.tipOf(branch)
	if errors.As(err, new(*gitError)) {
		return false, nil
	}
	return id != "", err
}

// content describes the tip of main.
type content struct {
	tip   string            // the commit, "" if there is none yet
	last  string            // the newest action
	files map[string]string // path -> blob id
}

// contentFile saves a content between syncs. It is valid only while main is at the commit it names.
const contentFile = "tend-tip"

// tipContent reads the tip's content: from the file of the last sync, else from git.
func (g Git) tipContent(ctx context.Context) (c content, err error) {
	if c.tip, err = g.tipOf(mainBranch); err != nil || c.tip == "" {
		return content{files: map[string]string{}}, err
	}
	if noted, ok := g.savedContent(); ok && noted.tip == c.tip && g.whole(c.tip) {
		return noted, nil
	}
	out, err := g.runGit(ctx, nil, "log", "-1", "--format=%(trailers:key=Tend-Action,valueonly)", "--grep=^Tend-Action: ", c.tip)
	if err != nil {
		return c, err
	}
	c.last = strings.TrimSpace(string(out))
	c.files, err = g.listFiles(ctx, c.tip)
	return c, err
}

// listFiles lists the files of a commit with their blob ids.
func (g Git) listFiles(ctx context.Context, commit string) (map[string]string, error) {
	out, err := g.runGit(ctx, nil, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if meta, name, ok := strings.Cut(rec, "\t"); ok {
			files[name] = meta[strings.LastIndexByte(meta, ' ')+1:]
		}
	}
	return files, nil
}

// whole reports whether a commit and its tree can be read. A power cut leaves such objects empty; then git must check.
// Objects in packs are older, and are read when the next commit is written.
func (g Git) whole(commit string) bool {
	text, packed, ok := g.readLoose(commit)
	if _, tree, found := strings.Cut(text, "\x00tree "); ok && found && len(tree) >= 40 {
		_, packed, ok = g.readLoose(tree[:40])
	}
	return ok || packed
}

// readLoose reads a loose object. packed: it may be in a pack.
func (g Git) readLoose(id string) (text string, packed, ok bool) {
	data, err := fsys.ReadFile(filepath.Join(g.Dir, "objects", id[:2], id[2:]))
	if errors.Is(err, fs.ErrNotExist) {
		packs, err := fsys.ReadFolder(filepath.Join(g.Dir, "objects", "pack"))
		return "", err == nil && len(packs) > 0, false
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", false, false
	}
	data, err = io.ReadAll(z)
	sum := sha1.Sum(data)
	return string(data), false, err == nil && hex.EncodeToString(sum[:]) == id
}

// savedContent reads the file of the last sync. A truncated or damaged one counts as missing.
func (g Git) savedContent() (c content, ok bool) {
	data, err := fsys.ReadFile(filepath.Join(g.Dir, contentFile))
	text, sum, ok := cutLast(string(data), "\n")
	if err != nil || !ok || sum != checksum(text) {
		return c, false
	}
	fields := strings.Split(text, "\x00")
	if len(fields) < 2 {
		return c, false
	}
	c = content{tip: fields[0], last: fields[1], files: map[string]string{}}
	for _, f := range fields[2:] {
		id, name, _ := strings.Cut(f, " ")
		c.files[name] = id
	}
	return c, true
}

// saveContent writes the file for the next sync. It may be lost in a power cut.
func (g Git) saveContent(c content) error {
	fields := []string{c.tip, c.last}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		fields = append(fields, c.files[name]+" "+name)
	}
	text := strings.Join(fields, "\x00")
	return g.runBeside(func(t fsys.FS, name string) error {
		return vault.WriteOver(t, vault.NoSync{}, path.Join(name, contentFile), []byte(text+"\n"+checksum(text)), 0o600)
	})
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
