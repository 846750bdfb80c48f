package note

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	const base = "# Head\n\n- one\n- two\n- three\n"
	for name, c := range map[string]struct {
		base, ours, theirs string
		both               bool
		want               string
		conflicts          int
	}{
		"nothing":     {base, base, base, false, base, 0},
		"only ours":   {base, base + "- mine\n", base, false, base + "- mine\n", 0},
		"only theirs": {base, base, base + "- other\n", false, base + "- other\n", 0},
		"the same":    {base, base + "- x\n", base + "- x\n", false, base + "- x\n", 0},
		"both add":    {base, base + "- mine\n", base + "- other\n", false, base + "- other\n- mine\n", 0},
		"apart":       {base, "# Head\n\n- 1\n- two\n- three\n", "# Head\n\n- one\n- two\n- 3\n", false, "# Head\n\n- 1\n- two\n- 3\n", 0},
		"neighbours": {base, "# Head\n\n- 1\n- two\n- three\n", "# Head\n\n- one\n- 2\n- three\n", false,
			"# Head\n\n- 1\n- 2\n- three\n", 0},
		"one line": {base, "# Head\n\n- one\n- mine\n- three\n", "# Head\n\n- one\n- other\n- three\n", false,
			"# Head\n\n- one\n- mine\n- three\n", 1},
		"one line, a log": {base, "# Head\n\n- one\n- mine\n- three\n", "# Head\n\n- one\n- other\n- three\n", true,
			"# Head\n\n- one\n- other\n- mine\n- three\n", 0},
		"cut and change":    {base, "# Head\n\n- one\n- three\n", "# Head\n\n- one\n- 2\n- three\n", false, "# Head\n\n- one\n- 2\n- three\n", 0},
		"cut and add":       {base, "# Head\n\n- one\n- three\n", base + "- four\n", false, "# Head\n\n- one\n- three\n- four\n", 0},
		"deleted around":    {base, "# Head\n", "# Head\n\n- one\n- 2\n- three\n", false, "# Head\n- 2\n", 0},
		"deleted by others": {base, "# Head\n\n- one\n- 2\n- three\n", "# Head\n", true, "# Head\n- 2\n", 0},
		"no base":           {"", "mine\n", "other\n", false, "other\nmine\n", 0},
		"no newline at end": {"a", "a\nmine", "a\nother", true, "a\nother\nmine", 0},
		"both cut":          {base, "# Head\n", "# Head\n", false, "# Head\n", 0},
	} {
		got, n := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs), c.both)
		if string(got) != c.want || n != c.conflicts {
			t.Errorf("%s: %q with %d conflicts, want %q with %d", name, got, n, c.want, c.conflicts)
		}
	}
}

// TestMergeProperties uses lines that are all different: changes of one side are taken,
// every added line stays, and nothing is duplicated.
func TestMergeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var base, ours, theirs strings.Builder
		var added []string
		for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
			line := fmt.Sprintf("line %d\n", i)
			base.WriteString(line)
			for who, b := range map[string]*strings.Builder{"ours": &ours, "theirs": &theirs} {
				switch n := rapid.IntRange(0, 5).Draw(t, who); n {
				case 0:
				case 1, 2:
					add := fmt.Sprintf("%s %d\n", who, i)
					added = append(added, add)
					if n == 1 {
						b.WriteString(line)
					}
					b.WriteString(add)
				default:
					b.WriteString(line)
				}
			}
		}
		both := rapid.Bool().Draw(t, "both")
		merged, n := Merge([]byte(base.String()), []byte(ours.String()), []byte(theirs.String()), both)
		got := string(merged)
		if both && n != 0 {
			t.Fatalf("%d conflicts in a log", n)
		}
		if base.String() == ours.String() && got != theirs.String() || base.String() == theirs.String() && got != ours.String() {
			t.Fatalf("%q is not what one side alone changed", got)
		}
		for _, line := range added {
			if c := strings.Count(got, line); c != 1 && (n == 0 || strings.HasPrefix(line, "ours")) {
				t.Fatalf("%q is there %d times in %q", line, c, got)
			}
		}
	})
}
