package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var blockSamples = []string{
	"version: 1\nagents:\n  a:\n    workspace: ./w # folder\n",
	"a: 1\nb:\nc: 'x y'\nd: \"q\" # why\n",
	"# head\n\na:\n   b:\n      c: d\n   e: f\n",
	"a: it's\nb: x#y\nc: x:y\nd: ssh://u@h:22/p\ne: 3h\nf: off\ng: ~\nh: null\ni: 'null'\n",
	"a: {b: c}\n",
	"a: b\n  c\n",
	"a: b: c\n",
	"a:\n  b: 1\n c: 2\n",
	"a: Zürich – ok\n",
	"a: x, y\nb: x{y\nc: x]y\nd: 'it''s'\n",
	"a: |\n  text\n",
	"a: 0x1F\nb: 1_000\nc: .5\nd: 1e3\ne: 2024-01-01\n",
	"a: b\na: c\n",
	"a.b: c\na/b-c: d",
	"a:   \n  b:    c   \n",
}

func TestBlockAgreesWithYAML(t *testing.T) {
	for _, text := range blockSamples {
		agree(t, text)
	}
}

func TestBlockReadsWhatPeopleWrite(t *testing.T) {
	for _, text := range blockSamples[:4] {
		if _, ok := parseBlock(text); !ok {
			t.Errorf("parseBlock gave up on %q", text)
		}
	}
}

func FuzzBlock(f *testing.F) {
	for _, text := range blockSamples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}

// agree checks that a text that parseBlock accepts gives the same tree in the library.
func agree(t *testing.T, text string) {
	t.Helper()
	got, ok := parseBlock(text)
	if !ok {
		return
	}
	want, err := parseYAML([]byte(text))
	if err != nil {
		t.Fatalf("parseBlock took what is not YAML: %v\n%s", err, text)
	}
	if diff := cmp.Diff(dump(&want), dump(&got)); diff != "" {
		t.Fatalf("trees differ (-library +block):\n%s\n%s", diff, text)
	}
}

func dump(n *node) string {
	var b strings.Builder
	n.dump(&b, "")
	return b.String()
}

func (n *node) dump(b *strings.Builder, indent string) {
	line := func(parts ...any) { writeLine(b, indent, parts...) }
	switch n.kind {
	case nullNode:
		line("null", n.pos)
	case scalarNode:
		line("scalar", n.line, n.quoted, n.text) // the library's column is wrong if spaces follow
	case mappingNode:
		line("mapping", n.pos)
		for i := range n.entries {
			line("key", n.entries[i].pos, n.entries[i].key)
			n.entries[i].value.dump(b, indent+"  ")
		}
	case sequenceNode:
		line("list", n.pos)
		for i := range n.items {
			n.items[i].dump(b, indent+"  ")
		}
	}
}

func writeLine(b *strings.Builder, indent string, parts ...any) {
	b.WriteString(indent)
	for _, p := range parts {
		fmt.Fprintf(b, "%q ", fmt.Sprint(p))
	}
	b.WriteString("\n")
}
