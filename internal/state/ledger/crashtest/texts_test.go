package crashtest

// files are those with a baseline.
var files = []string{"MEMORY.md", "AGENTS.md", "TOOLS.md"}

var baselines = map[string]string{
	"MEMORY.md": "# Who I am\n\nI am Ada. I keep the harbour's books.\n\n## Rules\n\n- never guess a figure\n\n---\n## Scratch\n",
	"AGENTS.md": "# Agents\n\nAda works with Bo.\n\n---\n",
	"TOOLS.md":  "# Tools\n\nOnly the ledger.\n", // without the line, all of it is the operator's
}

// absent is the text of a missing file.
const absent = "\x00absent"

// texts are files' texts by name.
type texts map[string]string
