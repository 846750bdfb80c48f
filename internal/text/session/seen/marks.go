package seen

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
)

// Marks identify the lines of a text without having their words: a hash for each line, 0 for a blank one.
type Marks []uint64

// MarkOf returns the mark of a line, whatever white space is around it.
func MarkOf(line string) uint64 {
	line = strings.TrimSpace(line)
	if line == "" {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(line)) // never fails
	return max(1, h.Sum64())
}

// MarksOf returns the marks of a text.
func MarksOf(text []byte) Marks {
	out := make(Marks, 0, bytes.Count(text, []byte{'\n'})+1)
	for line := range bytes.Lines(text) {
		out = append(out, MarkOf(string(line)))
	}
	return out
}

// MarshalText packs marks.
func (m Marks) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 8*len(m))
	for _, x := range m {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText unpacks marks.
func (m *Marks) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil || len(b)%8 != 0 {
		return fmt.Errorf("marks of lines: %d bytes, %v", len(b), err)
	}
	*m = make(Marks, 0, len(b)/8)
	for ; len(b) > 0; b = b[8:] {
		*m = append(*m, binary.LittleEndian.Uint64(b))
	}
	return nil
}
