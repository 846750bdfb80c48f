package archive

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
)

// Every archived text reads back byte for byte, whatever the text around it is.
func TestArchiveReadsBack(t *testing.T) {
	f := Folder{Agent: "ada", Zone: time.UTC}
	at := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	texts := map[string]string{
		"plain":             "- one\n- two\n",
		"empty":             "",
		"no newline at end": "- one",
		"crlf":              "- one\r\n\r\n- two\r\n",
		"blank lines":       "\n\n\n- one\n\n\n",
		"the mark itself":   textMark + "- one\n" + textMark,
		"an archive":        string(f.Render("15fk3g0000", at, plan.Archive{File: "x.md", Kind: "notes", Text: []byte("inner")})),
		"fences":            "```\n---\n```\n````md\n```\n````\n",
		"rules":             "---\n- one\n---\n",
		"not utf-8":         "\xff\xfe\x00",
		"a scratch heading": "## Scratch\n## Scratch\n",
	}
	diffs := map[string]string{
		"none":         "",
		"plain":        "--- baseline\n+++ MEMORY.md\n@@ -1 +1 @@\n-a\n+b\n",
		"with fences":  "@@ -1 +1 @@\n-```\n+`````\n",
		"with a mark":  "@@ -1 +1 @@\n-a\n+" + textMark,
		"no final end": "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file",
	}
	for dn, diff := range diffs {
		for tn, text := range texts {
			in := plan.Archive{File: `mem "ory"/a b.md`, Kind: "drift", Text: []byte(text), Diff: diff, Why: "because\n" + textMark + " of it"}
			got, err := Parse(f.Render("15fk3g0000", at, in))
			if err != nil {
				t.Errorf("%s, diff %s: %v", tn, dn, err)
				continue
			}
			if string(got.Text) != text || !got.Whole || got.File != in.File || got.Kind != in.Kind || got.Action != "15fk3g0000" {
				t.Errorf("%s, diff %s: read back %+v", tn, dn, got)
			}
			if diff != "" && !strings.Contains(got.Diff, strings.TrimSuffix(diff, "\n")) {
				t.Errorf("%s, diff %s: read back the diff %q", tn, dn, got.Diff)
			}
		}
	}
}

func TestDamagedArchive(t *testing.T) {
	f := Folder{Agent: "ada", Zone: time.UTC}
	whole := f.Render("15fk3g0000", time.Now(), plan.Archive{File: "a.md", Kind: "notes", Text: []byte("one\ntwo\n")})
	if a, err := Parse(whole[:len(whole)-4]); err != nil || a.Whole {
		t.Errorf("cut off: %+v, %v", a, err)
	}
	if a, err := Parse(append(whole, "three\n"...)); err != nil || a.Whole {
		t.Errorf("added to: %+v, %v", a, err)
	}
	for _, foreign := range []string{"", "# My notes\n", "<!-- tend:text -->\n", string(whole[:40]), "x\n" + textMark + "y"} {
		if _, err := Parse([]byte(foreign)); !errors.Is(err, ErrForeign) {
			t.Errorf("%.30q: %v, want %v", foreign, err, ErrForeign)
		}
	}
}

func TestArchiveNames(t *testing.T) {
	zone := time.FixedZone("east", 2*3600)
	f := Folder{Agent: "ada", Zone: zone}
	at := time.Date(2026, 7, 31, 23, 30, 5, 0, time.UTC)
	long := vault.Path(strings.Repeat("x", 230) + ".md")
	for n, tt := range []struct {
		file vault.Path
		want string
	}{
		{"MEMORY.md", "2026-08-01_013005-15fk3g0000.md"},
		{"sub/AGENTS.md", "2026-08-01_013005-15fk3g0000-1-agents.md"},
		{long, ""},
	} {
		got := f.Name("15fk3g0000", at, n, plan.Archive{File: tt.file})
		if tt.want != "" && got != tt.want {
			t.Errorf("archive %d of %s is %s, want %s", n, tt.file, got, tt.want)
		}
		if !fileName().MatchString(got) || len(vault.TempPrefix+got) > 255 {
			t.Errorf("%s (%d bytes) is not a name for an archive", got, len(got))
		}
	}
}
