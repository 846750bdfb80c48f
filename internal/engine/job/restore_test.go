package job

import (
	"strings"
	"testing"

	"tend/internal/disk/vault"
)

func TestRestoreZone(t *testing.T) {
	const base = "# Me\nRule one.\n---\n## Notes\n"
	for _, c := range []struct {
		name, baseline, text, want string
		archived                   bool
	}{
		{"as it was", base, base, "", false},
		{"notes only", base, base + "- mine\n", "", false},
		{"notes with separators", base, base + "- mine\n---\n- more\n", "", false},
		{"a rule changed", base, "# Me\nRule none.\n---\n## Notes\n- mine\n", base + "- mine\n", true},
		{"a rule added", base, "# Me\nRule one.\nRule two.\n---\n- mine\n", "# Me\nRule one.\n---\n- mine\n", true},
		{"all gone but the notes", base, "---\n- mine\n", "# Me\nRule one.\n---\n- mine\n", true},
		{"the line gone", base, "- mine alone\n", "# Me\nRule one.\n---\n\n- mine alone\n", true},
		{"emptied", base, "", base, true},
		{"blank", base, "\n \n", base, true},
		{"all is the operator's", "# Me\nRule one.\n", "# Me\nRule two.\n", "# Me\nRule one.\n", true},
		{"CRLF in the notes", base, "# You\nRule one.\n---\r\n- mine\r\n", "# Me\nRule one.\n---\n- mine\r\n", true},
	} {
		doc := vault.Doc{Path: "MEMORY.md", Data: []byte(c.text), Version: vault.VersionOf([]byte(c.text))}
		pl, err := RestoreZone(Input{Guarded: []Guarded{{Doc: doc, Baseline: []byte(c.baseline)}}})
		must(t, err)
		var got strings.Builder
		for _, ch := range pl.Changes {
			got.WriteString(string(ch.New))
		}
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.String(), c.want)
		}
		if archived := len(pl.Archives) == 1 && string(pl.Archives[0].Text) == c.text; archived != c.archived {
			t.Errorf("%s: archived %v, want %v", c.name, archived, c.archived)
		}
		if c.archived && (len(pl.Findings) != 1 || !strings.Contains(pl.Findings[0].Text, "was restored")) {
			t.Errorf("%s: findings %v", c.name, pl.Findings)
		}
		// What was brought back stays: a second look finds nothing to do.
		if c.want == "" {
			continue
		}
		doc.Data, doc.Version = []byte(got.String()), vault.VersionOf([]byte(got.String()))
		if again, err := RestoreZone(Input{Guarded: []Guarded{{Doc: doc, Baseline: []byte(c.baseline)}}}); err != nil || !again.Empty() {
			t.Errorf("%s: a second look changes it again: %s", c.name, again.Diff())
		}
	}
}
