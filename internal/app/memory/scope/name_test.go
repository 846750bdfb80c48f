package scope

import (
	"errors"
	"strings"
	"testing"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

func refused(err error) bool {
	var e *toolerr.Error
	return errors.As(err, &e) && e.Code == toolerr.BadPath
}

func TestParseName(t *testing.T) {
	l, err := layout.Preset("openclaw-v4@1.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []string{"MEMORY.md", "memory/2026-11-15.md", "a b.md", "日記.md", ".learnings/ERRORS.md", "%2e%2e/x", "x..md", "~"} {
		if p, err := parseName(good, l, policy.Policy{}); err != nil || string(p) != good {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", " ", ".", "..", "/", "/x", "//x", "x/", "x//y", "./x", "x/.", "../x", "a/../b", `a\b`, "a\x00b", "a\nb", "\x1b[0m",
		".git", ".git/config", "a/.git/x", ".hidden", "a/.b/c.md", "-x", "a/-x", "x.", "x. ", " x", "x/ y", "con", "CON.md", "aux", "nul.txt",
		"com1", "LPT9.md", "tend.yaml", "memory/TEND.yml", "a\u202eb", "a\u200bb", "a\ufeffb", "a\u2028b", "\xff", ".tend-x",
		strings.Repeat("a", 300), strings.Repeat("a/", 9) + "x",
		strings.Repeat("abcdefgh/", 8) + strings.Repeat("x", 600),
	} {
		if p, err := parseName(bad, l, policy.Policy{}); !refused(err) {
			t.Errorf("%q: %q, %v", bad, p, err)
		}
	}
}

// TestNewNames: new files may have names in any alphabet, unless they look like existing names.
func TestNewNames(t *testing.T) {
	for _, good := range []string{"notes/a b.md", "日記.md", "café.md", "Straße.md", "заметки/план.md", "سجل.md", "메모.md", "日記-2026.md",
		"naïve_x.md", "план.md", "😀.md", "встреча-API.md", "API/план 2026.md", "notes_π.md"} {
		if err := checkNewName(vault.Path(good)); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"cafe\u0301.md", "МEMORY.md", "αlpha.md", "old-МEMORY.md", "план2a.md", "x.mд", "a\u00a0b.md", "a\u3000b.md",
		"\u3164.md", "x\ufe0f.md",
		"\ue000.md", "a<b.md", "c:x.md", "what?.md"} {
		if err := checkNewName(vault.Path(bad)); !refused(err) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestFold(t *testing.T) {
	for _, tt := range [][]string{{"MEMORY.md", "memory.MD"}, {"café", "cafe\u0301"}, {"STRASSE", "straße"}, {"ﬁle", "file"}, {"Ａ", "a"}} {
		for _, s := range tt[1:] {
			if Fold(s) != Fold(tt[0]) {
				t.Errorf("%q and %q are twins: %q, %q", s, tt[0], Fold(s), Fold(tt[0]))
			}
		}
	}
	if Fold("a.md") == Fold("b.md") || Fold("café") == Fold("cafe") {
		t.Error("names that are not alike are twins")
	}
}

// TestOrderOfAWalk: names are ordered as a walk visits them.
func TestOrderOfAWalk(t *testing.T) {
	want := []string{"A.md", "a/b/c.md", "a/b-.md", "a/b.md", "a-b.md", "a.md", "b/x.md", "b.md"}
	for i := range want {
		for j := range want {
			if got := inOrder(want[i], want[j]); got != (i < j) {
				t.Errorf("%s before %s: %v", want[i], want[j], got)
			}
		}
	}
}
