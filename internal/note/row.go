package note

import (
	"slices"
	"strings"
)

// TaggedRows gives the rows of tables that carry a tag, and those of tables that set the old beside the new. They are no
// [Doc.Entries], for a table is not taken apart.
func (d *Doc) TaggedRows(day Day) []Entry {
	return slices.DeleteFunc(d.Rows(day), func(e Entry) bool {
		return len(e.Tags) == 0 && e.said == ""
	})
}

// Rows gives the rows of tables below their heads. A row with a tag says its cells, one of a table that sets the old beside the
// new says what changed, and the others say what stands in them.
func (d *Doc) Rows(day Day) []Entry {
	var out []Entry
	section := -1
	for _, b := range d.Blocks {
		switch b.Kind {
		case Heading:
			section++
		case Table:
			var head []string
			line := b.Line
			for at := b.Start; at < b.End; line++ {
				end := lineEnd(d.Text, at)
				e := d.entry(Block{Kind: Paragraph, Line: line, Start: at, End: end}, section, day)
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

// change is what a row says that has the old value in one column and the new one in another: "port: 8080 (was 80)".
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

// oldHeads and newHeads begin the heads of columns that have the old and the new value.
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

// cells are the cells of a row.
func cells(row string) []string {
	var out []string
	for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(row), "|"), "|") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}
