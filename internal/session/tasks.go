package session

import (
	"path"
	"strings"

	"tend/internal/tasks"
)

// openWork is a file of tasks as a model should see it. Where a harness keeps them as
// JSON, that is one line for each that is open. A list that cannot be read is reported: taken
// for an empty one, it would soon be written over.
func openWork(f File) File {
	if path.Ext(f.Path) != ".json" || f.Broken != "" {
		return f
	}
	list, err := tasks.Parse(f.Text)
	if err != nil {
		f.Text, f.Broken = nil, "it is not a list of tasks"
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
