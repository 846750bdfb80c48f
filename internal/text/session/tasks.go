package session

import (
	"path"
	"strings"

	"tend/internal/text/tasks"
)

// openWork returns a file of tasks as a model should see it: for a harness's JSON list, one
// line per open task. An unreadable list is reported, because a model that takes it for
// empty would soon overwrite it.
func openWork(f File) File {
	if path.Ext(f.Path) != ".json" || f.Broken != "" {
		return f
	}
	list, err := tasks.Parse(f.Text)
	if err != nil {
		f.Text, f.Broken = nil, "not a list of tasks"
		return f
	}
	var b strings.Builder
	for _, t := range list.Tasks {
		if t.Status == tasks.Open {
			b.WriteString("- " + t.String() + "\n")
		}
	}
	f.Text = []byte(b.String())
	return f
}
