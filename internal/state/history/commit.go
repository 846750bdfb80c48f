package history

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Commit is a commit of a workspace's own repository.
type Commit struct{ ID, Author, Subject string }

// mostCommits are looked at, newest first; mostObject is the largest object that is read.
const mostCommits, mostObject = 50, 1 << 20

// CommitOf finds the recent commit of a workspace's own repository that gave a file this text. It reads git's files and runs
// nothing, as the repository's settings are the agent's. What git has packed already is not found.
func CommitOf(workspace fsys.FS, file string, text []byte) (Commit, bool) {
	log, err := vault.ReadWithin(workspace, ".git/logs/HEAD", mostObject)
	if err != nil {
		return Commit{}, false
	}
	r := loose{workspace}
	want := fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...)))
	lines := strings.Split(strings.TrimRight(string(log), "\n"), "\n")
	for n, line := range slices.Backward(lines) {
		if len(lines)-n > mostCommits {
			break
		}
		ids := strings.SplitN(line, " ", 3)
		if len(ids) < 3 || r.blobOf(ids[1], file) != want || r.blobOf(ids[0], file) == want {
			continue
		}
		if c, ok := r.commit(ids[1]); ok {
			return c, true
		}
	}
	return Commit{}, false
}

// loose reads the objects that git has not packed.
type loose struct{ tree fsys.FS }

func (r loose) readObject(id, kind string) ([]byte, bool) {
	if len(id) != 2*sha1.Size {
		return nil, false
	}
	packed, err := vault.ReadWithin(r.tree, ".git/objects/"+id[:2]+"/"+id[2:], mostObject)
	if err != nil {
		return nil, false
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(z, mostObject))
	head, body, ok := bytes.Cut(data, []byte{0})
	return body, err == nil && ok && bytes.HasPrefix(head, []byte(kind+" "))
}

// commit returns a commit's author and subject.
func (r loose) commit(id string) (Commit, bool) {
	body, ok := r.readObject(id, "commit")
	head, message, _ := strings.Cut(string(body), "\n\n")
	_, author, _ := strings.Cut(head, "\nauthor ")
	author, _, _ = strings.Cut(author, " <")
	subject, _, _ := strings.Cut(message, "\n")
	return Commit{ID: id, Author: author, Subject: subject}, ok
}

// blobOf returns the id of a file's text in a commit, "" if it has none.
func (r loose) blobOf(commit, file string) string {
	body, ok := r.readObject(commit, "commit")
	tree, _, found := bytes.Cut(bytes.TrimPrefix(body, []byte("tree ")), []byte("\n"))
	if !ok || !found {
		return ""
	}
	id := string(tree)
	for part := range strings.SplitSeq(file, "/") {
		if id, ok = r.entryOf(id, part); !ok {
			return ""
		}
	}
	return id
}

// entryOf returns the id of a name in a tree.
func (r loose) entryOf(tree, name string) (string, bool) {
	body, ok := r.readObject(tree, "tree")
	for ok && len(body) > 0 {
		var head []byte
		head, body, ok = bytes.Cut(body, []byte{0})
		if !ok || len(body) < sha1.Size {
			return "", false
		}
		if _, found, _ := strings.Cut(string(head), " "); found == name {
			return hex.EncodeToString(body[:sha1.Size]), true
		}
		body = body[sha1.Size:]
	}
	return "", false
}
