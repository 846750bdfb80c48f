package keeper

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeeperReportsLostText: a cut of the memory file is one finding, which ends when the text is back.
func TestKeeperReportsLostText(t *testing.T) {
	t.Parallel()
	h := newHome(t, `history.quiet: 1s, watch.quiet: 50ms`, "", "a").start()
	var notes strings.Builder
	for i, word := range strings.Fields("ember tarn skerry linden harrow fjell brae moss tern vole asp elder ridge sorrel kestrel plover") {
		fmt.Fprintf(&notes, "- the %s catalogue is served from host %s on port 80%02d with a backup of its own\n", word, word, i)
	}
	commit := func() string { return h.read("state/history/a.git/refs/heads/main") }
	h.write("ws/a/MEMORY.md", baseline("a")+notes.String())
	h.until("commit", func() bool { return commit() != "" })
	h.write("ws/a/MEMORY.md", baseline("a")+"- all is well\n")
	h.until("the loss is reported", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), "rewrite-lost") })
	h.write("ws/a/MEMORY.md", baseline("a")+"- all is well\n"+notes.String())
	h.until("the finding is over", func() bool { return !strings.Contains(h.read("state/agents/a/findings.json"), "rewrite-lost") })
}
