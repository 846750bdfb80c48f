package pack

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestNewestReadsTheLastSegments: of a long past only the last segments are read, in the order they were written.
func TestNewestReadsTheLastSegments(t *testing.T) {
	p, _ := onDisk(t)
	const texts = 12
	for i := range texts {
		text := strings.Repeat(fmt.Sprintf("text %d is unlike the others %d\n", i, i*i), full/64)
		add(t, p, Entry{Name: fmt.Sprintf("%d.md", i), At: time.Unix(int64(i), 0), Text: []byte(text)})
	}
	names := func(segments int) (out []string) {
		must(t, p.Newest(segments, func(e Entry, err error) error { out = append(out, e.Name); return err }))
		return out
	}
	all, last := names(texts), names(1)
	if len(all) != texts || len(last) == 0 || len(last) == texts || last[len(last)-1] != "11.md" {
		t.Errorf("all: %v, of the last segment: %v", all, last)
	}
}
