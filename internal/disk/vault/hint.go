package vault

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
)

// Refresh writes a hint over the one that is there, in place, and reports whether it did: it does not if there is none, or if the
// tree cannot do that. A file that is created and renamed over the old one takes ten times as long on some file systems. A line
// with a checksum and the length goes before the text, so that [ReadHint] never takes a partial write for a hint.
func Refresh(t fsys.FS, name string, data []byte) (bool, error) {
	w, ok := t.(interface {
		Overwrite(name string) (fsys.File, error)
	})
	if !ok {
		return false, nil
	}
	f, err := w.Overwrite(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotRegular) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := fsys.Opened(f)
	if err != nil || info.Links > 1 { // another name would change too
		return false, errors.Join(err, f.Close())
	}
	text := append(hintHead(data), data...)
	if rest := int(info.Size) - len(text); rest > 0 { // nothing is left of the old one
		text = append(text, bytes.Repeat([]byte("\n"), rest)...)
	}
	_, err = f.Write(text)
	return true, errors.Join(err, f.Close())
}

// ReadHint reads a hint, nil if there is none or if it is damaged.
func ReadHint(t fsys.FS, name string) ([]byte, error) {
	for range hintTries {
		data, err := ReadFile(t, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(data, []byte(hintMark)) {
			return data, nil // written as a new file
		}
		head, text, _ := bytes.Cut(data, []byte("\n"))
		sum, length, _ := strings.Cut(string(head[len(hintMark):]), " ")
		want, err := strconv.ParseUint(sum, 16, 32)
		size, bad := strconv.Atoi(length)
		if err == nil && bad == nil && size >= 0 && size <= len(text) && crc32.ChecksumIEEE(text[:size]) == uint32(want) {
			return text[:size], nil
		}
	}
	return nil, nil
}

const (
	hintMark   = "#hint "
	hintFormat = hintMark + "%08x %d"
	hintTries  = 3 // somebody may be writing it
)

func hintHead(data []byte) []byte {
	return fmt.Appendf(make([]byte, 0, len(data)+64), hintFormat+"\n", crc32.ChecksumIEEE(data), len(data))
}
