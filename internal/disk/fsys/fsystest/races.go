package fsystest

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const turns = 300

func testAppenders(t *testing.T, h Host) {
	line := func(who, i int) string { return fmt.Sprintf("writer %d, line %d\n", who, i) }
	var wg sync.WaitGroup
	for who := range 2 {
		f, _, err := h.FS.Append("log", 0o600)
		must(t, err)
		wg.Go(func() {
			defer f.Close()
			for i := range turns {
				if _, err := io.WriteString(f, line(who, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	next := [2]int{}
	for got := range strings.Lines(get(t, h.FS, "log")) {
		switch got {
		case line(0, next[0]):
			next[0]++
		case line(1, next[1]):
			next[1]++
		default:
			t.Fatalf("line %q is torn or out of order", got)
		}
	}
	if next != [2]int{turns, turns} {
		t.Errorf("%v lines, want %d of each", next, turns)
	}
}

// watched runs change while others read the file, which must exist and be whole at
// every moment.
func watched(t *testing.T, h Host, name string, texts []string, change func(i int) error) {
	t.Helper()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				f, err := h.FS.Open(name)
				if err != nil {
					t.Errorf("the name is gone for a moment: %v", err)
					return
				}
				text, err := io.ReadAll(f)
				f.Close()
				if err != nil || string(text) != texts[0] && string(text) != texts[1] {
					t.Errorf("read %q, %v", text, err)
					return
				}
			}
		})
	}
	for i := range turns {
		if err := change(i); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	wg.Wait()
}

func testExchangeAtomic(t *testing.T, h Host) {
	texts := []string{strings.Repeat("a", 9000), strings.Repeat("b", 5000)}
	put(t, h.FS, "a", texts[0])
	put(t, h.FS, "b", texts[1])
	watched(t, h, "a", texts, func(int) error { return h.FS.Exchange("a", "b") })
}

func testRenameAtomic(t *testing.T, h Host) {
	texts := []string{strings.Repeat("a", 9000), strings.Repeat("b", 5000)}
	put(t, h.FS, "a", texts[0])
	watched(t, h, "a", texts, func(i int) error {
		put(t, h.FS, "tmp", texts[i%2])
		return h.FS.Rename("tmp", "a")
	})
}

// Someone keeps replacing a folder by a symlink to the outside and back.
func testSymlinkSwap(t *testing.T, h Host) {
	must(t, h.FS.Mkdir("d", 0o700))
	put(t, h.FS, "d/secret", "inside")
	put(t, h.FS, "a", "A")
	must(t, h.Symlink(h.Outside, "evil"))
	secrets := h.Secrets()

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			for _, swap := range [][2]string{{"d", "aside"}, {"evil", "d"}, {"d", "evil"}, {"aside", "d"}} {
				if err := h.Rename(swap[0], swap[1]); err != nil {
					t.Error(err)
					return
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for i := range turns {
		if f, err := h.FS.Open("d/secret"); err == nil {
			text, err := io.ReadAll(f)
			if err != nil || string(text) != "inside" && string(text) != "A" {
				t.Errorf("read %q, %v", text, err)
			}
			f.Close()
		}
		name := fmt.Sprintf("d/new%d", i)
		if f, err := h.FS.Create(name, 0o600); err == nil {
			f.Close()
		}
		_ = h.FS.Mkdir(name+"d", 0o700)
		_ = h.FS.Rename(name, "d/secret2")
		_ = h.FS.Link("a", name)
		_ = h.FS.Exchange("a", "d/secret")
		_ = h.FS.Exchange("a", "d/secret")
		_ = h.FS.Remove("d/secret2")
	}
	close(stop)
	wg.Wait()
	if got := h.Secrets(); !cmp.Equal(got, secrets) {
		t.Errorf("outside is not what it was: %s", cmp.Diff(secrets, got))
	}
}
