package crashtest

// files are those that have a baseline.
var files = []string{"MEMORY.md", "AGENTS.md", "TOOLS.md"}

var baselines = map[string]string{
	"MEMORY.md": "# Who I am\n\nI am Ada. I keep the harbour's books.\n\n## Rules\n\n- never guess a figure\n\n---\n## Scratch\n",
	"AGENTS.md": "# Agents\n\nAda works with Bo.\n\n---\n",
	"TOOLS.md":  "# Tools\n\nOnly the ledger.\n", // no line: all of it is the operator's
}

// absent stands for a file that is not there.
const absent = "\x00absent"

// texts are what files hold, by name.
type texts map[string]string
