package loadview

import "strings"

// uncounted drops front matter and comments on lines of their own, outside code fences: some harnesses
// neither count nor show them.
func (s source) uncounted() source {
	var kept []source
	keep := func(from, to int) {
		if from < to {
			kept = append(kept, s.slice(from, to))
		}
	}
	at := frontMatter(s.text)
	from, fence, comment := at, "", false
	for at < len(s.text) {
		end := at + lineLen(s.text[at:])
		line := strings.TrimSpace(s.text[at:end])
		switch {
		case comment:
			if strings.HasSuffix(line, "-->") {
				comment = false
				from = end
			}
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
		case strings.HasPrefix(line, "<!--") && closes(s.text[at:]):
			keep(from, at)
			comment = !strings.HasSuffix(line, "-->")
			from = end
		}
		at = end
	}
	if !comment {
		keep(from, len(s.text))
	}
	out := join("", kept...)
	out.raw = s.raw
	return out
}

// closes reports whether the comment that opens here ends at the end of a line.
func closes(s string) bool {
	_, after, ok := strings.Cut(s, "-->")
	if !ok {
		return false
	}
	rest := after
	return strings.TrimSpace(rest[:lineLen(rest)]) == ""
}

// frontMatter is the length of a front matter block at the start, 0 if there is none.
func frontMatter(s string) int {
	at := lineLen(s)
	if strings.TrimRight(s[:at], " \t\r\n") != "---" {
		return 0
	}
	for at < len(s) {
		end := at + lineLen(s[at:])
		if strings.TrimRight(s[at:end], " \t\r\n") == "---" {
			return end
		}
		at = end
	}
	return 0
}

// lineLen is the length of the first line with its line break.
func lineLen(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}
