package mcp

import (
	"regexp"
	"strings"
	"testing"
)

// TestAgentCuratesItself: the agent reads what is unread, answers, and is told what became of each operation.
func TestAgentCuratesItself(t *testing.T) {
	c := call(t, served(t, "    layout: openclaw@2026.8\n", Options{},
		"MEMORY.md", "# Memory\n\n## Hosts\n- web: 10.0.0.2\n", "memory/2026-01-05.md", "- the mirror at 10.0.0.5 lags by a day\n- lunch\n"))
	out, failed := c.tool("memory_review", `{}`)
	key := regexp.MustCompile(`e1-e2-[a-z2-7]{6}`).FindString(strings.Join(out, "\n"))
	if failed || key == "" || !strings.Contains(out[0], "e1 the mirror") {
		t.Fatalf("%v %s", failed, out)
	}
	c.wants("memory_decide", `{"request":"e1-e2-aaaaaa","operations":[]}`, true, "changed since")
	c.wants("memory_decide", `{"request":"`+key+`","operations":"no idea"}`, true, "no operations")
	c.wants("memory_decide", `{"request":"`+key+
		`","operations":[{"op":"keep","from":"e1","quote":"the mirror at 10.0.0.5 lags","under":"Hosts"},`+
		`{"op":"retire","line":4,"why":"superseded","by":"e1"},{"op":"keep","from":"e2","quote":"lunch with Eve"}]}`, false,
		"operation 3 (keep) was rejected")
	c.wants("memory_read", `{"filename":"MEMORY.md"}`, false, "- web: 10.0.0.2\n- the mirror at 10.0.0.5 lags by a day\n")
	c.wants("memory_review", `{}`, false, "Nothing is unread")
}
