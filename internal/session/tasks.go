package session

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// openWork is a file of tasks as a model should see it. Where a harness keeps them as
// JSON, that is one line for each that is open. A list that cannot be read says so: taken
// for an empty one, it would soon be written over.
func openWork(f File) File {
	if path.Ext(f.Path) != ".json" || f.Broken != "" {
		return f
	}
	var list struct {
		Tasks *[]struct {
			ID     int    `json:"id"`
			Text   string `json:"text"`
			Status string `json:"status"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(f.Text, &list); err != nil || list.Tasks == nil {
		f.Text, f.Broken = nil, "it is not a list of tasks"
		return f
	}
	var b strings.Builder
	for _, t := range *list.Tasks {
		if t.Status == "open" {
			fmt.Fprintf(&b, "- [ ] #%d %s\n", t.ID, strings.Join(strings.Fields(t.Text), " "))
		}
	}
	f.Text = []byte(b.String())
	return f
}
