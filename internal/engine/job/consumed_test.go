package job

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

func receiptFor(text string, from, to int) plan.Receipt {
	return plan.Receipt{Job: "curate", Path: "a.md", From: from, To: to, Hash: vault.VersionOf([]byte(text[from:to]))}
}

// TestMovedTextIsStillConsumed: what a job has read is not read again below a new header, nor what follows it.
func TestMovedTextIsStillConsumed(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Log\n")
	var receipts []plan.Receipt
	for i := range 200 {
		from := text.Len()
		fmt.Fprintf(&text, "- line %d\n", i)
		if i%2 == 0 {
			receipts = append(receipts, receiptFor(text.String(), from, text.Len()))
		}
	}
	now := "# Log\n\nof today\n" + strings.TrimPrefix(text.String(), "# Log\n")
	got := consumed(vault.Doc{Path: "a.md", Data: []byte(now)}, receipts)
	if len(got) != 100 {
		t.Fatalf("%d extents, want 100", len(got))
	}
	for i, x := range got {
		if want := fmt.Sprintf("- line %d\n", 2*i); now[x.from:x.to] != want {
			t.Errorf("%q, want %q", now[x.from:x.to], want)
		}
	}
}

// TestSearchOfMovedTextIsBounded: a receipt for half of a file of short lines, of which a byte was changed, and one that cannot
// be true.
func TestSearchOfMovedTextIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Log\n")
	for i := range 1 << 18 {
		fmt.Fprintf(&b, "%x\n", i)
	}
	text := b.String()
	r := receiptFor(text, 6, len(text)/2)
	now := []byte(text)
	now[len(now)/4] = '+'
	f := finder{text: now}
	if _, ok := f.locate(r); ok {
		t.Error("found what was changed")
	}
	if f.hashed > mostHashed+len(text) {
		t.Errorf("%d bytes were hashed", f.hashed)
	}
	for _, odd := range [][2]int{{-1, 5}, {5, math.MaxInt}, {math.MinInt, math.MaxInt}, {-5, -1}, {1 << 30, 1<<30 + 5}} {
		r := plan.Receipt{Path: "a.md", From: odd[0], To: odd[1], Hash: vault.VersionOf(bytes.Repeat([]byte("x"), 5))}
		if got := consumed(vault.Doc{Path: "a.md", Data: now}, []plan.Receipt{r}); len(got) > 0 {
			t.Errorf("%v covers %v", odd, got)
		}
	}
}
