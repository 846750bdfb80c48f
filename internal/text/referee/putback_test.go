package referee

import (
	"strings"
	"testing"
)

func TestLostLinesComeBackWhereTheyWere(t *testing.T) {
	tests := []struct{ name, before, now, want string }{
		{"between its neighbours", "# M\n- a one\n- b two\n- c three\n", "# M\n- a one\n- c three\n", "# M\n- a one\n- b two\n- c three\n"},
		{"below a heading that stands", "# M\n\n## A\n- old one\n", "# M\n\n## A\n- new\n", "# M\n\n## A\n- old one\n- new\n"},
		{"with its heading", "# M\n\n## A\n- a one\n\n## B\n- b two\n- b three\n", "# M\n\n## A\n- a one\n",
			"# M\n\n## A\n- a one\n\n## B\n- b two\n- b three\n"},
		{"nothing stands", "# M\n- b two\n", "other text\n", "other text\n# M\n- b two\n"},
		{"no line feed at the end", "- a one\n- b two", "- a one", "- a one\n- b two\n"},
		{"emptied", "# M\n- b two\n", "", "# M\n- b two\n"},
	}
	for _, tt := range tests {
		v := verify(tt.before, tt.now)
		if got := string(PutBack([]byte(tt.before), []byte(tt.now), v.Parts())); got != tt.want {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
}

// TestWhatCameBackIsNotLostAgain holds for every loss, whole or in part.
func TestWhatCameBackIsNotLostAgain(t *testing.T) {
	before := string(page(80, 1))
	lines := strings.SplitAfter(before, "\n")
	for _, now := range []string{
		"", "# New\n\n- text\n", strings.Join(lines[:20], ""), strings.Join(lines[40:], ""),
		strings.Join(append(lines[60:90:90], lines[:10]...), ""),
	} {
		v := verify(before, now)
		for _, s := range v.Lost {
			back := string(PutBack([]byte(before), []byte(now), s.Parts()))
			for _, l := range s.Lost {
				if !strings.Contains(back, l.Text) {
					t.Fatalf("%q did not come back", l.Text)
				}
			}
			if again := verify(now, back); again.LostSize.Lines > 0 {
				t.Fatalf("putting back a section lost %s", again)
			}
		}
	}
}

// TestASectionThatIsGoneComesBackWhole: with lines that stand in other words elsewhere, the border of a table, and a line that
// another section has, too.
func TestASectionThatIsGoneComesBackWhole(t *testing.T) {
	plan := "## Plan\n\n| day | what |\n|---|---|\n| Monday | invoices for the shop |\n| Friday | none |\n\n" +
		"- Profile: practical view, not technical\n- none\n\n"
	before := "# Memory\n\n## Open\n\n- none\n\n" + plan + "## People\n\n- Ines reviews invoices\n"
	after := strings.Replace(before, plan, "", 1)
	v := verify(before, after, "# User\n\n- Profile: not technical, wants a practical view with examples\n")
	if got := string(PutBack([]byte(before), []byte(after), v.Parts())); got != before {
		t.Errorf("got\n%s\nwant\n%s", got, before)
	}
}

// TestANewTitleOfTheFileLeavesItsSections: a section below it is not gone, and only its lines come back.
func TestANewTitleOfTheFileLeavesItsSections(t *testing.T) {
	after := strings.Replace(swap(backups+"\n", ""), "# Memory\n", "# Memory (condensed)\n", 1)
	v := verify(memory, after)
	i := len(v.Lost) - 1
	if s := v.Lost[i]; s.Gone || len(s.Lost) != 1 {
		t.Errorf("%v is gone: %v, lost %d lines", s.Path, s.Gone, len(s.Lost))
	}
	want := strings.Replace(memory, "# Memory\n", "# Memory (condensed)\n", 1)
	if got := string(PutBack([]byte(memory), []byte(after), v.Lost[i].Parts())); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
