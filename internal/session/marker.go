package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// marker is the name that fences notes as data. It comes from the notes
// themselves, so it is the same as long as they are, and whoever writes a note
// cannot know it before the note is written; should it stand in one of them all
// the same, another is taken.
func marker(files []File) string {
	h := sha256.New()
	for _, f := range files {
		h.Write([]byte(f.Path))
		h.Write([]byte{0})
		h.Write(f.Text)
		h.Write([]byte{0})
	}
	sum := h.Sum(nil)
	for {
		m := "memory-" + hex.EncodeToString(sum[:6])
		taken := false
		for _, f := range files {
			taken = taken || bytes.Contains(f.Text, []byte(m)) || bytes.Contains(f.Baseline, []byte(m))
		}
		if !taken {
			return m
		}
		next := sha256.Sum256(sum)
		sum = next[:]
	}
}
