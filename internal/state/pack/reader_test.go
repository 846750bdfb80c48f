package pack

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestSinceYieldsWhatIsNew: a reader goes on where another one stopped, through the end of a segment, and notices that the pack
// was written anew.
func TestSinceYieldsWhatIsNew(t *testing.T) {
	p, _ := onDisk(t)
	var mark Mark
	for i := range 12 {
		text := strings.Repeat(fmt.Sprintf("text %d is unlike the others %d\n", i, i*i), full/64)
		add(t, p, Entry{Name: "MEMORY.md", At: time.Unix(int64(i), 0), Text: []byte(text)})
		r, got := p.Reader(), []Position{}
		next, ok, err := r.Since(mark, func(e Position) { got = append(got, e) })
		must(t, err)
		if !ok || len(got) != 1 {
			t.Fatalf("text %d: ok %v, %d entries", i, ok, len(got))
		}
		if read, err := r.Text(got[0]); err != nil || string(read) != text {
			t.Errorf("text %d is another one: %v", i, err)
		}
		mark = next
	}
	names, _, err := p.listSegments()
	must(t, err)
	if len(names) < 3 {
		t.Fatalf("%d segments", len(names))
	}
	for name, segment := range map[string]string{"the first": names[0], "the last": names[len(names)-1]} {
		changed := false
		_, err := p.Rewrite(func(e Entry) (Entry, bool) {
			in := strings.HasPrefix(string(e.Text), "text 0 ") == (segment == names[0])
			if changed || !in {
				return e, false
			}
			changed = true
			return Entry{Name: e.Name, At: e.At, Purged: true, SHA256: e.SHA256}, true
		})
		must(t, err)
		yielded := func(Position) { t.Errorf("%s segment was written anew, and something was yielded", name) }
		if _, ok, err := p.Reader().Since(mark, yielded); err != nil || ok {
			t.Errorf("%s segment was written anew: ok %v %v", name, ok, err)
		}
		next, ok, err := p.Reader().Since(Mark{}, func(Position) {})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		mark = next
	}
}
