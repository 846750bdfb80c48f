package transcripts

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/text/transcript"
)

// source is a session and the file that has it.
type source struct {
	transcript.Head
	file string
	size int64 // bytes to read, roughly
	hear func(ctx context.Context, s *source, h *hearing) error
}

// key names the session in receipts.
func (s *source) key() string { return string(s.Format) + "/" + transcript.Key(s.ID) }

const (
	headLines = 24       // that are read of a file to recognise it
	maxRecord = 8 << 20  // bytes; longer ones are a tool's output or a picture
	maxWhole  = 32 << 20 // bytes of a file that is one JSON value
	maxDepth  = 6        // levels below a folder that are searched
)

// lookup finds sessions.
type lookup struct {
	ctx     context.Context
	mine    func(transcript.Head, string) bool
	sources []*source
	seen    map[string]bool // real paths
	skipped []Skipped
}

// searchFolder takes a file or a folder. Links in folders are not followed, and what is no regular file is not opened: a session's
// folder is written by programs that an agent controls.
func (l *lookup) searchFolder(name string, depth int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	list, err := fsys.ReadFolder(name)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := filepath.Join(name, e.Name())
		switch {
		case e.IsDir() && depth < maxDepth && e.Name() != "node_modules" && e.Name() != "subagents":
			if err := l.searchFolder(path, depth+1); l.ctx.Err() != nil {
				return err
			} else if err != nil {
				l.skipFile(path, err.Error())
			}
		case e.Type().IsRegular() && hasSessionName(e.Name()):
			l.findInFile(path)
		case hasSessionName(e.Name()) && !e.IsDir():
			l.skipFile(path, "it is no regular file")
		}
	}
	return nil
}

// hasSessionName reports a name that a harness gives to a file with sessions.
func hasSessionName(name string) bool {
	switch {
	case name == "openclaw-agent.sqlite", name == "state.db":
		return true
	case strings.HasSuffix(name, ".json"):
		return strings.HasPrefix(name, "session-")
	}
	return strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, ".trajectory.jsonl")
}

func (l *lookup) skipFile(file, why string) { l.skipped = append(l.skipped, Skipped{file, why}) }

// findInFile adds the sessions of a file, if it has the form of one of the harnesses.
func (l *lookup) findInFile(name string) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		if l.seen[real] {
			return
		}
		l.seen[real] = true
	}
	f, err := fsys.OpenFile(name)
	if err != nil {
		l.skipFile(name, causeOf(err))
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		l.skipFile(name, causeOf(err))
		return
	}
	r := bufio.NewReaderSize(f, 1<<16)
	switch start, _ := r.Peek(16); {
	case string(start) == "SQLite format 3\x00":
		l.findInDatabase(name, info.Size())
		return
	case strings.HasSuffix(name, ".json"):
		l.whole(name, info.Size())
		return
	}
	var lines [][]byte
	var buf []byte
	for range headLines {
		line, _, _, err := readLine(r, &buf)
		if len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
		if err != nil {
			break
		}
	}
	if head, ok := transcript.HeadOf(name, lines); ok {
		l.add(&source{Head: head, file: name, size: info.Size(), hear: hearLines})
	}
}

func causeOf(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

func (l *lookup) add(s *source) {
	if !s.Others && l.mine(s.Head, s.file) {
		l.sources = append(l.sources, s)
	}
}

// sortSources returns the sources by the sessions' beginnings, so that every run adds them in the same order.
func (l *lookup) sortSources() []*source {
	slices.SortStableFunc(l.sources, func(a, b *source) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID), cmp.Compare(a.file, b.file))
	})
	return l.sources
}

// isInside reports whether a folder is another one or in it.
func isInside(dir, folder string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(folder, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(os.PathSeparator))
}

// hearLines reads a file with a record on each line, from where the last run stopped if that is still there.
func hearLines(ctx context.Context, s *source, h *hearing) error {
	f, err := fsys.OpenFile(s.file)
	if err != nil {
		return err
	}
	defer f.Close()
	from := h.resumeAt(func(at int64) string { return digestBefore(f, at) })
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, 1<<18)
	var buf []byte
	for at := from; ; {
		line, n, ended, err := readLine(r, &buf)
		h.progress(int64(n))
		if n > 0 && !ended && !transcript.Whole(line) {
			break // it is still being written
		}
		if n > 0 {
			at += int64(n)
			h.readRecord(line)
			h.at = at
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	h.tail = digestBefore(f, h.at)
	return nil
}

// readLine reads a line into a buffer that is used again: n is its length, ended whether it ends with a newline. The text of a
// line that is too long is not returned.
func readLine(r *bufio.Reader, buf *[]byte) (line []byte, n int, ended bool, err error) {
	*buf = (*buf)[:0]
	for {
		part, err := r.ReadSlice('\n')
		n += len(part)
		if n <= maxRecord {
			*buf = append(*buf, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if n > maxRecord {
			return nil, n, err == nil, err
		}
		return *buf, n, err == nil, err
	}
}

// digestBefore returns a digest of the text before an offset: if it is the same, the file was only appended to.
func digestBefore(f io.ReaderAt, at int64) string {
	buf := make([]byte, min(at, 1024))
	if _, err := f.ReadAt(buf, at-int64(len(buf))); err != nil && err != io.EOF {
		return ""
	}
	sum := sha256.Sum256(bytes.TrimSpace(buf))
	return hex.EncodeToString(sum[:])
}
