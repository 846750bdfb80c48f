package config

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var newcomer = AgentDraft{
	Name: "newcomer", Workspace: "./newcomer", Layout: "shepherd",
	Baselines: []BaselineDraft{{"MEMORY.md", "./baselines/newcomer.md"}},
	Policy:    []Setting{{Key: "hot.max_lines", Value: "60"}},
}

// TestAppend checks where an agent is added: testdata/append/NAME.yaml gives NAME.want.
func TestAppend(t *testing.T) {
	eachFile(t, "append/*.yaml", func(t *testing.T, path string, text []byte) {
		got, err := Append("/srv/tend.yaml", text, newcomer, testEnv())
		if err != nil {
			got = []byte("error: " + err.Error() + "\n")
		}
		golden(t, path, ".want", got)
	})
}

func TestAppendTwice(t *testing.T) {
	once, err := Append("/srv/tend.yaml", fleet(2), newcomer, testEnv())
	must(t, err)
	if _, err := Append("/srv/tend.yaml", once, newcomer, testEnv()); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("the same agent again gave %v", err)
	}
}

func TestAppendRefusesWhatDoesNotFit(t *testing.T) {
	clash := newcomer
	clash.Workspace = "./workspaces/agent-00000"
	clash.Baselines = nil
	_, err := Append("/srv/tend.yaml", fleet(2), clash, testEnv())
	var problems *Error
	if !errors.As(err, &problems) {
		t.Errorf("a workspace that is taken gave %v", err)
	}
}

// TestAppendKeepsTheText adds an agent to files with random comments, blank lines and indentation: the old text is still
// there to the byte, in one or two pieces around the new lines.
func TestAppendKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		noise := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
				newline, "# note" + newline, "   # deeper" + newline, "      # agents:" + newline,
			}), 0, 3).Draw(t, label), "")
		}
		indent := strings.Repeat(" ", rapid.IntRange(1, 6).Draw(t, "indent"))
		step := strings.Repeat(" ", rapid.IntRange(1, 4).Draw(t, "step"))
		var b strings.Builder
		b.WriteString(noise("head") + "version: 1" + newline + noise("a"))
		agents := func() {
			b.WriteString("agents:" + newline)
			for _, name := range []string{"one", "two"}[:rapid.IntRange(0, 2).Draw(t, "agents")] {
				b.WriteString(noise(name) + indent + name + ":" + newline + noise(name+" in"))
				b.WriteString(indent + step + "workspace: ./" + name + newline)
			}
			b.WriteString(noise("after"))
		}
		rest := func() { b.WriteString("defaults:" + newline + "  layout: shepherd" + newline + noise("end")) }
		if rapid.Bool().Draw(t, "agents first") {
			agents()
			rest()
		} else {
			rest()
			agents()
		}
		text := b.String()
		if rapid.Bool().Draw(t, "unfinished") {
			text = strings.TrimRight(text, "\r\n")
		}
		got, err := Append("/srv/tend.yaml", []byte(text), newcomer, testEnv())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !isSplice(text, string(got)) {
			t.Fatalf("the text changed:\n%q\n%q", text, got)
		}
		if newline == "\r\n" && bytes.Count(got, []byte("\n")) != bytes.Count(got, []byte("\r\n")) {
			t.Fatalf("line ends are mixed:\n%q", got)
		}
	})
}

// isSplice reports whether after is before with one insertion.
func isSplice(before, after string) bool {
	for i := range len(before) + 1 {
		if strings.HasPrefix(after, before[:i]) && strings.HasSuffix(after, before[i:]) {
			return true
		}
	}
	return false
}

func TestRenderIsRead(t *testing.T) {
	d := Draft{
		StateDir: "./state", Layout: "openclaw@2026.8", Timezone: "Europe/Berlin", Separator: "***",
		Policy: []Setting{{"archive.retention", "60d", "as agreed"}},
		Agents: []AgentDraft{newcomer, {Name: "odd", Description: `says "yes": #1`, Disabled: true, Workspace: "./odd folder/ünï # x"}},
	}
	cfg, err := Parse("/srv/tend.yaml", Render(d), testEnv())
	must(t, err)
	odd := cfg.Agents[1]
	if got, want := odd.Workspace.Path, "/srv/odd folder/ünï # x"; got != want {
		t.Errorf("workspace %q, want %q", got, want)
	}
	if got, want := odd.Description, `says "yes": #1`; got != want {
		t.Errorf("description %q, want %q", got, want)
	}
	if odd.Enabled || odd.Separator() != "***" {
		t.Errorf("got enabled %t, separator %q", odd.Enabled, odd.Separator())
	}
}

// TestYAMLTextIsRead writes any text as a value and as a key and reads it back.
func TestYAMLTextIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab1.~-:#'\"\\{}[],&*!|>%@` \tü–\n\u0085\u2028"))).Draw(t, "text")
		text := "k: " + yamlText(s) + "\n" + yamlText("k"+s) + ": v\n"
		root, err := parseYAML([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := root.entries[0].value.value(); got != s {
			t.Fatalf("%q was read as %q", s, got)
		}
		if got := root.entries[1].key; got != "k"+s {
			t.Fatalf("key %q was read as %q", "k"+s, got)
		}
	})
}
