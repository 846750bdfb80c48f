package note

import (
	"strings"
	"testing"
)

func TestPutBack(t *testing.T) {
	const was = "# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n\n## Hosts\n\n- stage-2\n"
	for _, tt := range []struct{ name, now, passage, want string }{
		{"a bullet in its list", "# Memory\n\n- one\n\nA paragraph\nof two lines.\n", "- two\n",
			"# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n"},
		{"a paragraph between others", "# Memory\n\n- one\n- two\n\n## Hosts\n\n- stage-2\n", "A paragraph\nof two lines.\n", was},
		{"a section at the end", "# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n", "## Hosts\n\n- stage-2\n", was},
		{"the line above is gone too", "# Memory\n\n- three\n", "- two\n", "# Memory\n\n- two\n\n- three\n"},
		{"only what is below is left", "## Hosts\n\n- stage-2\n", "# Memory\n", "# Memory\n\n## Hosts\n\n- stage-2\n"},
		{"nothing of it is left", "# New\n", "- two\n", "# New\n\n- two\n"},
		{"no final newline", "# Memory\n\n- one", "- two\n", "# Memory\n\n- one\n- two\n"},
		{"an empty file", "", "- two\n", "# Memory\n\n- two\n"},
		{"what is below is gone, up to a blank line", "# Memory\n\n## Hosts\n\n- stage-2\n", "- one\n",
			"# Memory\n\n- one\n\n## Hosts\n\n- stage-2\n"},
	} {
		from := strings.Index(was, tt.passage)
		got := string(PutBack(Parse([]byte(tt.now)), Parse([]byte(was)), []Span{{from, from + len(tt.passage)}}))
		if got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestPassagesComeBackUnderTheirHeadings(t *testing.T) {
	const was = "# Memory\n\n## People\n\n- Kim\n\n## Hosts\n\n- stage-2\n- port 8443\n\n### Old\n\nA paragraph.\n\n## Rules\n\n- never\n"
	const gone = "# Memory\n\n## People\n\n- Kim\n- Lee\n\n## Rules\n\n- never\n"
	const hosts = "## Hosts\n\n- stage-2\n- port 8443\n\n### Old\n\nA paragraph.\n\n"
	const bullet = "# Memory\n\n## People\n\n- Kim\n- Lee\n\n## Hosts\n\n- port 8443\n\n## Rules\n\n- never\n"
	all := strings.Replace(was, "- Kim\n", "- Kim\n- Lee\n", 1)
	for _, tt := range []struct{ name, now, passage, want string }{
		{"a bullet with its heading", gone, "- port 8443\n", bullet},
		{"a paragraph with two headings", gone, "A paragraph.\n",
			"# Memory\n\n## People\n\n- Kim\n- Lee\n\n## Hosts\n\n### Old\n\nA paragraph.\n\n## Rules\n\n- never\n"},
		{"then only what is missing of the section", bullet, hosts, all},
		{"nothing is missing", was, hosts, was},
		{"the heading stands", strings.Replace(was, "- stage-2\n", "", 1), "- stage-2\n", was},
		{"a heading of the same words elsewhere", "# Memory\n\n## Rules\n\n### Hosts\n\n- x\n", "- port 8443\n",
			"# Memory\n\n## Hosts\n\n- port 8443\n\n## Rules\n\n### Hosts\n\n- x\n"},
		{"a line that stands elsewhere", "# Memory\n\n## People\n\n- stage-2\n\n## Hosts\n\n- port 8443\n", hosts,
			"# Memory\n\n## People\n\n- stage-2\n\n## Hosts\n\n- stage-2\n- port 8443\n\n### Old\n\nA paragraph.\n"},
		{"only the heading and a line are gone", strings.Replace(was, "## Hosts\n\n- stage-2\n", "", 1), hosts, was},
		{"only the head of a section is gone", strings.Replace(was, "## Hosts\n\n- stage-2\n- port 8443\n\n", "", 1), hosts, was},
		{"with the start of the next section, which came below it",
			"# Memory\n\n- port 8443\n\n### Old\n\nA paragraph.\n\n- never\n", "## People\n\n- Kim\n",
			"# Memory\n\n## People\n\n- Kim\n\n## Hosts\n\n- port 8443\n\n### Old\n\nA paragraph.\n\n- never\n"},
		{"what was moved away is not what stayed", "# Memory\n\n## People\n\n- Kim\n\n## Rules\n\n- never\n- port 8443\n", hosts,
			"# Memory\n\n## People\n\n- Kim\n\n" + hosts + "## Rules\n\n- never\n- port 8443\n"},
	} {
		from := strings.Index(was, tt.passage)
		now, was := Parse([]byte(tt.now)), Parse([]byte(was))
		got := string(PutBack(now, was, Missing(now, was, Span{from, from + len(tt.passage)})))
		if got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestWhatWasDeletedAtOnceComesBackAsItWas: any run of lines that was cut out, with the blank lines around it or without.
func TestWhatWasDeletedAtOnceComesBackAsItWas(t *testing.T) {
	for _, text := range []string{
		"# Memory\n\n- one\n- two\n\nA paragraph\nof two lines.\n\n\n## Hosts\n\n- stage-2\n- stage-3\n\n" +
			"### Old\nText.\n\n## Rules\n\n- never\n\nThe end.\n",
		"Words first.\n\n## People\n- Kim\n- Lee\n\n## Hosts\n- stage-2\n\nA paragraph.\n",
		"# Memory\r\n\r\n- one\r\n\r\nA paragraph\r\nof two lines.\r\n\r\n## Hosts\r\n- stage-2",
	} {
		lines, was := strings.SplitAfter(text, "\n"), Parse([]byte(text))
		for i := range lines {
			for j := i + 1; j <= len(lines); j++ {
				cut := strings.Join(lines[i:j], "")
				now := strings.Join(lines[:i], "") + strings.Join(lines[j:], "")
				bare := true // only headings and blank lines, which nobody restores
				for _, l := range lines[i:j] {
					bare = bare && (strings.TrimSpace(l) == "" || l[0] == '#')
				}
				if bare {
					continue
				}
				if got := string(PutBack(Parse([]byte(now)), was, []Span{{0, len(text)}})); got != text {
					t.Errorf("without %q:\ngot  %q\nwant %q", cut, got, text)
				}
			}
		}
	}
}
