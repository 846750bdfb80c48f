package workcopy

import (
	"errors"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/sync/store/storetest/memstore"
)

// TestSpare: a file that must not be changed from outside stops the sync before anything is written; later it goes on.
func TestSpare(t *testing.T) {
	s := memstore.New()
	a := pushed(t, s)
	b := clone(t, "desktop", s)
	a.write("MEMORY.md", "# Memory\n\n- one\n- from the laptop\n")
	a.write("SOUL.md", "also new\n")
	a.sync()
	before := b.get("MEMORY.md")
	refusal := errors.New("only its agent may write it")
	b.Spare = func(p vault.Path, _ []byte) error {
		if p == "MEMORY.md" {
			return refusal
		}
		return nil
	}
	if _, err := b.Sync(t.Context()); !errors.Is(err, refusal) {
		t.Errorf("the sync: %v", err)
	}
	if b.get("MEMORY.md") != before || b.get("SOUL.md") == "also new\n" {
		t.Error("something was written")
	}
	b.Spare = nil
	b.sync()
	same(t, a, b)
}
