package note

import (
	"strings"
	"testing"
)

const base = "# Me\nRules.\n---\n"

func TestSplit(t *testing.T) {
	const (
		equal     = "equal"
		intact    = "intact"
		drift     = "drift"
		unmarked  = "unmarked"
		overwrite = "overwrite"
	)
	scratch := base + "## Scratch Notes (me)\n"
	tests := []struct {
		name           string
		baseline, file string
		sep            string
		state          string
		notes, added   string
		line           int
	}{
		{name: "equal", baseline: base, file: base, state: equal},
		{name: "both empty", state: equal},
		{name: "one note", baseline: base, file: base + "- a\n", state: intact, notes: "- a\n", added: "- a\n", line: 3},
		{name: "note without final newline", baseline: base, file: base + "a", state: intact, notes: "a", added: "a", line: 3},
		{name: "rules in notes", baseline: base, file: base + "a\n---\nb\n---\n", state: intact,
			notes: "a\n---\nb\n---\n", added: "a\n---\nb\n---\n", line: 3},
		{name: "yaml in notes", baseline: base, file: base + "---\nk: v\n---\nb", state: intact,
			notes: "---\nk: v\n---\nb", added: "---\nk: v\n---\nb", line: 3},
		{name: "fence in notes", baseline: base, file: base + "```yaml\n---\n```\n", state: intact,
			notes: "```yaml\n---\n```\n", added: "```yaml\n---\n```\n", line: 3},
		{name: "separator with blanks", baseline: base, file: "# Me\nRules.\n--- \t\na\n", state: intact, notes: "a\n", added: "a\n", line: 3},
		{name: "separator with CRLF", baseline: base, file: "# Me\nRules.\n---\r\na\r\n", state: intact, notes: "a\r\n", added: "a\r\n", line: 3},
		{name: "BOM in file", baseline: base, file: utf8BOM + base + "a\n", state: intact, notes: "a\n", added: "a\n", line: 3},
		{name: "BOM in baseline", baseline: utf8BOM + base, file: base + "a\n", state: intact, notes: "a\n", added: "a\n", line: 3},
		{name: "BOM only difference", baseline: base, file: utf8BOM + base, state: intact, line: 3},
		{name: "all CRLF moves nothing but is drift", baseline: base, file: "# Me\r\nRules.\r\n---\r\na\r\n---\r\nb", state: drift,
			notes: "a\r\n---\r\nb", added: "a\r\n---\r\nb", line: 3},
		{name: "CRLF baseline, LF file", baseline: "# Me\r\nRules.\r\n---\r\n## S\r\n", file: "# Me\nRules.\n---\n## S\na", state: drift,
			notes: "## S\na", added: "a", line: 3},
		{name: "final newline gone", baseline: base, file: strings.TrimSuffix(base, "\n"), state: intact, line: 3},
		{name: "baseline without final newline", baseline: "x\n---", file: "x\n---\na", state: intact, notes: "a", added: "a", line: 2},
		{name: "appended to the separator itself", baseline: "x\n---", file: "x\n---note\nmore", state: intact,
			notes: "note\nmore", added: "note\nmore", line: 2},
		{name: "scratch heading, fresh", baseline: scratch, file: scratch, state: equal},
		{name: "scratch heading, note", baseline: scratch, file: scratch + "- a\n", state: intact,
			notes: "## Scratch Notes (me)\n- a\n", added: "- a\n", line: 3},
		{name: "scratch heading without its newline", baseline: scratch, file: strings.TrimSuffix(scratch, "\n"), state: intact,
			notes: "## Scratch Notes (me)", line: 3},
		{name: "scratch heading removed", baseline: scratch, file: base + "- a\n", state: intact, notes: "- a\n", added: "- a\n", line: 3},
		{name: "scratch heading changed", baseline: scratch, file: base + "## Mine\n", state: intact, notes: "## Mine\n",
			added: "## Mine\n", line: 3},
		{name: "changed rule", baseline: base, file: "# Me\nNo rules.\n---\na\n", state: drift, notes: "a\n", added: "a\n", line: 3},
		{name: "changed rule keeps the scratch heading apart", baseline: scratch, file: "# Me\n---\n## Scratch Notes (me)\na\n", state: drift,
			notes: "## Scratch Notes (me)\na\n", added: "a\n", line: 2},
		{name: "changed rule and rules in notes", baseline: base, file: "# You\n---\na\n---\nb\n", state: drift, notes: "b\n", added: "b\n",
			line: 4},
		{name: "changed rule, separator in fence below", baseline: base, file: "# You\n---\n```\n---\n```\nb\n", state: drift,
			notes: "```\n---\n```\nb\n", added: "```\n---\n```\nb\n", line: 2},
		{name: "changed rule, separator in tildes", baseline: base, file: "# You\n---\n~~~~ x\n~~~\n---\n~~~~\n", state: drift,
			notes: "~~~~ x\n~~~\n---\n~~~~\n", added: "~~~~ x\n~~~\n---\n~~~~\n", line: 2},
		{name: "changed rule, longer fence holds shorter", baseline: base, file: "# You\n---\n````\n```\n---\n````\n", state: drift,
			notes: "````\n```\n---\n````\n", added: "````\n```\n---\n````\n", line: 2},
		{name: "a fence that never closes hides nothing", baseline: base, file: "```\n# You\n---\nb\n", state: drift,
			notes: "b\n", added: "b\n", line: 3},
		{name: "line too short for a separator", baseline: base, file: "# You\n--\n", state: unmarked},
		{name: "indented separator is none", baseline: base, file: "# You\n ---\n", state: unmarked},
		{name: "separator within a line is none", baseline: base, file: "# You\na --- b\n", state: unmarked},
		{name: "separator only in fence", baseline: base, file: "# You\n```\n---\n```\n", state: unmarked},
		{name: "empty file", baseline: base, file: "", state: unmarked},
		{name: "only the separator", baseline: base, file: "---", state: drift, line: 1},
		{name: "empty baseline", baseline: "", file: "a\n---\nb", state: overwrite},
		{name: "baseline without a line", baseline: "# Tools\n", file: "# Tools!\n---\nx\n", state: overwrite},
		{name: "baseline with front matter only", baseline: "---\nname: x\n---\n# T\n", file: "---\nname: y\n---\n# T\n", state: overwrite},
		{name: "baseline with front matter and line", baseline: "---\nname: x\n---\n# T\n---\n", file: "---\nname: x\n---\n# T\n---\na",
			state: intact,
			notes: "a", added: "a", line: 5},
		{name: "file with front matter of its own", baseline: base, file: "---\nname: x\n---\n# You\n", state: unmarked},
		{name: "front matter cannot be faked by prose", baseline: base, file: "---\nsome words\n---\nb", state: drift,
			notes: "b", added: "b", line: 3},
		{name: "baseline is only the separator", baseline: "---\n", file: "---\nk: v\n---\nb", state: intact,
			notes: "k: v\n---\nb", added: "k: v\n---\nb", line: 1},
		{name: "baseline with its separator in a fence too", baseline: "x\n---\n```\n---\n```\n", file: "x\n---\n```\n---\n```\na", state: intact,
			notes: "```\n---\n```\na", added: "a", line: 2},
		{name: "several separators in the baseline", baseline: "a\n---\nb\n---\n", file: "a\n---\nb\n---\nn\n---\n", state: intact,
			notes: "n\n---\n", added: "n\n---\n", line: 4},
		{name: "dots are literal", baseline: "x\n...\n", file: "y\nabc\n...\nnote", sep: "...", state: drift, notes: "note", added: "note",
			line: 3},
		{name: "dots match no other line", baseline: "x\n...\n", file: "y\nabc\n", sep: "...", state: unmarked},
		{name: "equals signs", baseline: "x\n=====\n", file: "x\n=====\n---\na", sep: "=====", state: intact, notes: "---\na", added: "---\na",
			line: 2},
		{name: "comment", baseline: "x\n<!-- notes below -->\n", file: "x\n<!-- notes below -->  \r\na", sep: "<!-- notes below -->",
			state: intact,
			notes: "a", added: "a", line: 2},
		{name: "a separator that looks like a fence", baseline: "x\n~~~\n", file: "y\n~~~\na\n~~~\nb", sep: "~~~", state: drift,
			notes: "b", added: "b", line: 4},
		{name: "CJK and emoji", baseline: "# 我\n---\n", file: "# 我\n---\n- 記憶 🧠", state: intact, notes: "- 記憶 🧠", added: "- 記憶 🧠", line: 2},
		{name: "CR alone is no line break", baseline: base, file: "# You\r---\rb", state: unmarked},
		{name: "text put on top", baseline: base, file: "hi\n" + base + "a", state: drift, notes: "a", added: "a", line: 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			z := Split([]byte(tt.file), []byte(tt.baseline), tt.sep)
			state := unmarked
			switch {
			case z.Equal:
				state = equal
			case z.Overwrite:
				state = overwrite
			case z.Drift:
				state = drift
			case z.Marked:
				state = intact
			}
			if state != tt.state {
				t.Errorf("state: got %s, want %s (%+v)", state, tt.state, z)
			}
			if got := string(z.Notes()); got != tt.notes {
				t.Errorf("notes: got %q, want %q", got, tt.notes)
			}
			if got := string(z.Added()); got != tt.added {
				t.Errorf("added: got %q, want %q", got, tt.added)
			}
			if got := string(z.Above()) + string(z.Notes()); got != tt.file {
				t.Errorf("above and notes: got %q, want %q", got, tt.file)
			}
			if got := z.Line(); got != tt.line {
				t.Errorf("line: got %d, want %d", got, tt.line)
			}
		})
	}
}

func TestFresh(t *testing.T) {
	scratch := base + "## Scratch Notes\n"
	tests := []struct {
		name, baseline, file string
		want                 bool
	}{
		{"equal", scratch, scratch, true},
		{"blank lines added", scratch, scratch + "\n \t\r\n", true},
		{"scratch heading gone", scratch, base, true},
		{"CRLF throughout", scratch, strings.ReplaceAll(scratch, "\n", "\r\n"), true},
		{"a note", scratch, scratch + "x", false},
		{"no line", scratch, "x", false},
		{"no line, empty", scratch, "", false},
		{"the operator's file changed", "a\n", "b\n", false},
		{"drift without notes", base, "# You\n---\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Split([]byte(tt.file), []byte(tt.baseline), "").Fresh(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSplitCopiesNothing(t *testing.T) {
	file, baseline := []byte(base+"- note\n"), []byte(base)
	if got := testing.AllocsPerRun(10, func() { Split(file, baseline, "") }); got > 0 {
		t.Errorf("allocations: got %v, want 0", got)
	}
}
