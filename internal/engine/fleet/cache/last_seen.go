package cache

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/text/note"
)

const (
	lastSeenFile = "last-seen"
	deletedFile  = "deleted"
)

// LastSeen returns the entries of long-term memory when Tend last looked: a line each, its file and its words. The first
// line is the key of the files they were read from.
func (s Store) LastSeen() (list []job.LastSeen, key string, err error) {
	data, err := s.Read(lastSeenFile)
	head, rest, _ := bytes.Cut(data, []byte{'\n'})
	for f := range splitTable(rest, 2) {
		list = append(list, job.LastSeen{Path: vault.Path(f[0]), Normal: f[1]})
	}
	return list, string(head), err
}

// Deleted returns the entries that their owner removed from long-term memory: a line each, the day, the file and the
// words.
func (s Store) Deleted() ([]job.Deleted, error) {
	data, err := s.Read(deletedFile)
	var out []job.Deleted
	for f := range splitTable(data, 3) {
		if day, err := note.ParseDay(f[0]); err == nil {
			out = append(out, job.Deleted{Day: day, Path: vault.Path(f[1]), Normal: f[2]})
		}
	}
	return out, err
}

// mostDeleted is how many deletions are remembered, the newest ones.
const mostDeleted = 2000

// RecordMemory saves which entries long-term memory has now, and those that their owner has removed.
func (s Store) RecordMemory(in job.Input) error {
	if key := job.MemoryKey(in); key != in.Facts.Remembered.LastKey {
		var b bytes.Buffer
		b.WriteString(key + "\n")
		for _, r := range job.SeenNow(in) {
			fmt.Fprintf(&b, "%s\t%s\n", r.Path, oneLine(r.Normal))
		}
		if err := s.Write(lastSeenFile, b.Bytes()); err != nil {
			return err
		}
	}
	was, err := s.Deleted()
	// rejected proposals have their own list
	now := slices.DeleteFunc(slices.Clone(in.Facts.Remembered.Deleted), func(d job.Deleted) bool { return d.Path == "" })
	now = now[max(0, len(now)-mostDeleted):]
	if err != nil || slices.Equal(was, now) {
		return err
	}
	var b bytes.Buffer
	for _, d := range now {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", d.Day, d.Path, oneLine(d.Normal))
	}
	return s.Write(deletedFile, b.Bytes())
}

// oneLine keeps a text from breaking the format. Normalized texts have no line breaks; names may.
func oneLine(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(s) }

// splitTable yields the lines of a table with so many columns.
func splitTable(data []byte, columns int) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if f := strings.SplitN(lines.Text(), "\t", columns); len(f) == columns && !yield(f) {
				return
			}
		}
	}
}
