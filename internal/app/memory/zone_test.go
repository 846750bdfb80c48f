package memory

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
)

const rules = "# Rules\n\nNever deploy on Friday.\n\n```\n---\n```\n\n---\n## Notes\n"

func guard(baseline string) *zone {
	return &zone{file: "MEMORY.md", baseline: []byte(baseline), sep: "---", instead: "elsewhere.md"}
}

// TestZoneHoldsAgainstAnyEdits makes random edits, as the tools would: those that are allowed leave the operator's part
// unchanged, to the byte.
func TestZoneHoldsAgainstAnyEdits(t *testing.T) {
	head := strings.TrimSuffix(rules, "## Notes\n")
	piece := rapid.SampledFrom([]string{
		"---\n", "---", "\n---\n", "--- \n", "----\n", "```\n", "~~~\n", "\n", "- a note\n", "# Rules\n", "Never", "## Notes\n", "<!--\n",
		"-->\n", "\ufeff", "\r\n", "x",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rules + rapid.StringMatching(`(- [a-z]{1,8}\n){0,3}`).Draw(t, "notes")
		z := guard(rules)
		allowed := 0
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			if rapid.Bool().Draw(t, "below") {
				at = min(len(text), max(at, len(head)))
			}
			end := min(len(text), at+rapid.IntRange(0, 12).Draw(t, "cut"))
			after := text[:at] + strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "text"), "") + text[end:]
			if z.allows(doc(text), []byte(after)) == nil {
				text = after
				allowed++
			}
			if !strings.HasPrefix(text, strings.TrimRight(head, "\n")) {
				t.Fatalf("the operator's part is now %q", text)
			}
		}
	})
}

func TestZone(t *testing.T) {
	for _, tt := range []struct {
		name, baseline, before, after string
		want                          toolerr.Code
	}{
		{"the same", rules, rules, rules, ""},
		{"a note", rules, rules, rules + "- x\n", ""},
		{"the heading below", rules, rules, strings.Replace(rules, "## Notes", "## Mine", 1), ""},
		{"all notes", rules, rules + "- x\n", strings.TrimSuffix(rules, "## Notes\n"), ""},
		{"a rule", rules, rules, strings.Replace(rules, "Never", "Always", 1), toolerr.Operators},
		{"line ends", rules, rules, strings.ReplaceAll(rules, "\n", "\r\n"), toolerr.Operators},
		{"a BOM", rules, rules, "\ufeff" + rules, toolerr.Operators},
		{"a blank at the end of a rule", rules, rules, strings.Replace(rules, "Friday.", "Friday. ", 1), toolerr.Operators},
		{"an open fence before the line", rules, rules, strings.Replace(rules, "\n---\n## Notes", "\n```\n---\n## Notes", 1), toolerr.Operators},
		{"another line below", rules, rules, rules + "---\n- x\n", ""},
		{"no line", rules, rules, strings.TrimSuffix(rules, "---\n## Notes\n"), toolerr.Operators},
		{"nothing", rules, rules, "", toolerr.Operators},
		{"a baseline without a line", "all mine\n", "all mine\n", "all mine\nx\n", toolerr.Operators},
		{"a baseline that ends at the line", "a\n---", "a\n---", "a\n---\n- x\n", ""},
		{"a baseline that ends at the line, glued", "a\n---", "a\n---", "a\n---x\n", toolerr.Operators},
		{"drifted, below", rules, "# Changed\n\n---\n- x\n", "# Changed\n\n---\n- y\n", ""},
		{"drifted, above", rules, "# Changed\n\n---\n- x\n", "# Again\n\n---\n- x\n", toolerr.Operators},
		{"drifted, a second line", rules, "# Changed\n\n---\n- x\n", "# Changed\n\n---\n- x\n---\n", toolerr.Operators},
		{"lost its line", rules, "no line\n", "no line\nx\n", toolerr.Operators},
	} {
		err := guard(tt.baseline).allows(doc(tt.before), []byte(tt.after))
		if codeOf(err) != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	for after, want := range map[string]toolerr.Code{rules: "", rules + "- x\n": "", "mine": toolerr.Operators, "": toolerr.Operators} {
		if err := guard(rules).allows(vault.Doc{Path: "MEMORY.md"}, []byte(after)); codeOf(err) != want {
			t.Errorf("a missing file made as %q: %v, want %q", after, err, want)
		}
	}
}
