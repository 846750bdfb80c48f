package memory

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAMovedFolderNamesEveryCut: of several files, each one that the harness will cut is named, and none is the receipt's own.
func TestAMovedFolderNamesEveryCut(t *testing.T) {
	s, ws := serve(t, "layouts:\n  shelf:\n    extends: base\n    roles: {semantic: \"**/*.md\"}\n    show:\n      file: {max: 40}\n"+
		"      cut: {kind: head, marker: \"\"}\n      files: [\"shown/*.md\"]\n", "shelf")
	for _, name := range []string{"a.md", "b.md"} {
		put(t, filepath.Join(ws, "drafts", name), strings.Repeat("a line of a draft\n", 5))
	}
	put(t, filepath.Join(ws, "drafts/c.md"), "short\n")
	r, err := s.Writer.Move(t.Context(), MoveRequest{From: "drafts", To: "shown"})
	must(t, err)
	named := func(file string) bool {
		return slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "shown/"+file+": shelf will cut 50 of its 90") })
	}
	if r.Cut != nil || len(r.Warnings) != 2 || !named("a.md") || !named("b.md") {
		t.Errorf("%+v, %+v", r, r.Cut)
	}
	r, err = s.Writer.Move(t.Context(), MoveRequest{From: "shown/a.md", To: "shown/d.md"})
	if err != nil || r.Cut == nil || r.Cut.Lost != 50 || len(r.Warnings) != 0 {
		t.Errorf("one file: %+v, %v", r, err)
	}
}
