package note

import (
	"slices"
	"strings"
)

// TaggedRows returns the rows of tables with a tag, and those of tables with old and new values. They are not in
// [Doc.Entries], because a table is not split.
func (d *Doc) TaggedRows(day Day) []Entry {
	return slices.DeleteFunc(d.Rows(day), func(e Entry) bool {
		return len(e.Tags) == 0 && e.said == ""
	})
}

// Rows returns the rows of tables below their heads. The text of a row with a tag is its cells, that of a row with old and
// new values is the change, and others are unchanged.
func (d *Doc) Rows(day Day) []Entry {
	var out []Entry
	section := -1
	for _, b := range d.Parts {
		switch b.Kind {
		case Heading:
			section++
		case Table:
			var head []string
			line := b.Line
			for at := b.Start; at < b.End; line++ {
				end := lineEnd(d.Text, at)
				e := d.entry(Part{Kind: Paragraph, Line: line, Start: at, End: end}, section, day)
				at = end
				list := cells(string(e.Raw))
				switch {
				case len(list) == 0 || strings.Trim(strings.Join(list, ""), "-: ") == "":
					continue
				case len(e.Tags) > 0:
					e.said = strings.Join(slices.DeleteFunc(cells(e.marks.words(e.Raw)), func(c string) bool { return c == "" }), ", ")
				case head == nil:
					head = list
					continue
				default:
					e.said = change(head, list)
				}
				if head == nil {
					head = list
				}
				out = append(out, e)
			}
		}
	}
	return out
}

// change describes a row with an old and a new value: "port: 8080 (was 80)".
func change(head, row []string) string {
	old, now := 1+column(head[1:], oldHeads), 1+column(head[1:], newHeads) // "was" heads the first one in German
	if old <= 0 || now <= 0 || old >= len(row) || now >= len(row) || row[0] == "" || row[now] == "" {
		return ""
	}
	if row[old] == "" {
		return row[0] + ": " + row[now]
	}
	return row[0] + ": " + row[now] + " (was " + row[old] + ")"
}

// oldHeads and newHeads begin the heads of columns with old and new values.
var (
	oldHeads = []string{"old", "was", "before", "previous", "from", "alt", "bisher", "vorher", "ancien", "avant", "antes", "anterior", "旧", "変更前"}
	newHeads = []string{"new", "now", "after", "current", "to", "neu", "jetzt", "nachher", "nouveau", "maintenant", "après", "ahora", "nuevo", "después", "新", "変更後"}
)

func column(head, names []string) int {
	return slices.IndexFunc(head, func(c string) bool {
		first, _, _ := strings.Cut(strings.ToLower(strings.Trim(c, "*_` ")), " ")
		return slices.Contains(names, first)
	})
}

// cells splits a row.
func cells(row string) []string {
	var out []string
	for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(row), "|"), "|") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}
