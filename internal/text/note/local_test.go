package note

import (
	"testing"
)

func TestLocalSections(t *testing.T) {
	titles := []string{"This machine"}
	for _, c := range []struct{ name, old, shared, text, want string }{
		{"in the middle", "# M\n- a\n## This machine\n- gpu\n### More\n- x\n## Rest\n- b\n", "# M\n- a\n## Rest\n- b\n",
			"# M\n- a\n- a2\n## Rest\n- b2\n", "# M\n- a\n- a2\n## This machine\n- gpu\n### More\n- x\n## Rest\n- b2\n"},
		{"at the end", "# M\n- a\n\n## this machine \n- gpu", "# M\n- a\n\n", "# M\n- c\n\n", "# M\n- c\n\n## this machine \n- gpu"},
		{"what followed is gone", "# M\n## This machine\n- gpu\n## Rest\n- b\n", "# M\n## Rest\n- b\n", "# M\n- plain\n",
			"# M\n- plain\n## This machine\n- gpu\n"},
		{"no last newline", "# M\n- a\n## This machine\n- gpu\n", "# M\n- a\n", "# M\n- a\n# End", "# M\n- a\n## This machine\n- gpu\n# End"},
		{"two of them", "## This machine\n- 1\n# M\n## This machine\n- 2\n# Z\n", "# M\n# Z\n", "# M\n- n\n# Z\n",
			"## This machine\n- 1\n# M\n- n\n## This machine\n- 2\n# Z\n"},
		{"in a fence it is text", "```\n## This machine\n```\n- a\n", "```\n## This machine\n```\n- a\n", "b\n", "b\n"},
		{"nothing else is left", "## This machine\n- gpu\n", "", "", "## This machine\n- gpu\n"},
	} {
		if got := string(Without([]byte(c.old), titles)); got != c.shared {
			t.Errorf("%s: without it is %q, want %q", c.name, got, c.shared)
		}
		got, ok := With([]byte(c.text), []byte(c.old), titles)
		if !ok || string(got) != c.want {
			t.Errorf("%s: with it is %q, %v, want %q", c.name, got, ok, c.want)
		}
		if again := string(Without(got, titles)); again != c.text {
			t.Errorf("%s: taken out again it is %q, want %q", c.name, again, c.text)
		}
	}
	if _, ok := With([]byte("```\nopen fence"), []byte("## This machine\n- gpu\n# x\n"), titles); ok {
		t.Error("a section was put where it includes the text after it")
	}
}

// FuzzLocalSections: Without removes exactly what With inserted.
func FuzzLocalSections(f *testing.F) {
	f.Add("# M\n## L\n- a\n## R\n", "# M\n- b\n")
	f.Add("## L", "x")
	f.Fuzz(func(t *testing.T, old, text string) {
		titles := []string{"L"}
		text = string(Without([]byte(text), titles))
		if out, ok := With([]byte(text), []byte(old), titles); ok && string(Without(out, titles)) != text {
			t.Errorf("%q with the sections of %q is %q", text, old, out)
		}
	})
}
