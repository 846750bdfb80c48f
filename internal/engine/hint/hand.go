package hint

import (
	"bytes"
	"fmt"
	"slices"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
)

const handFile = "hand"

// Hand returns the entries of long-term memory that were written by hand, as last recorded, nil if unknown. Each is
// stored as a line with its length and file, followed by its text.
func (s Store) Hand() ([]job.Hand, error) {
	data, err := s.Read(handFile)
	if err != nil {
		return nil, err
	}
	var out []job.Hand
	for {
		head, rest, ok := bytes.Cut(data, []byte{'\n'})
		var n int
		if _, err := fmt.Sscanf(string(head), "%d ", &n); !ok || err != nil || n > len(rest) || n < 0 {
			return out, nil
		}
		_, path, _ := bytes.Cut(head, []byte{' '})
		out = append(out, job.Hand{Path: vault.Path(path), Raw: string(rest[:n])})
		data = rest[n:]
	}
}

// RecordHand saves which entries of long-term memory are written by hand now.
func (s Store) RecordHand(in job.Input) error {
	now := job.HandWritten(in)
	if slices.Equal(now, in.Facts.Past.Hand) {
		return nil
	}
	var b bytes.Buffer
	for _, h := range now {
		fmt.Fprintf(&b, "%d %s\n%s", len(h.Raw), h.Path, h.Raw)
	}
	return s.Write(handFile, b.Bytes())
}
