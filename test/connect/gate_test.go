//go:build harness

package connect

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHarnessGateTry(t *testing.T) {
	w, m := newHarnessWorld(t), newModel(t)
	openclaw := filepath.Join(w.packages, "openclaw", "openclaw.mjs")
	port := freePort(t)
	w.settle(filepath.Join(w.home, ".openclaw", "openclaw.json"), `{
  gateway: { mode: "local", bind: "loopback", port: `+port+`, auth: { mode: "token", token: "none" } },
  models: { providers: { local: { baseUrl: "`+m.url+`/v1", apiKey: "none", api: "openai-completions", models: [{ id: "m", name: "m", contextWindow: 100000, maxTokens: 1000 }] } } },
  agents: { defaults: { workspace: "`+w.workspace+`", model: { primary: "local/m" } } },
  tools: { toolSearch: false },
}
`)
	w.connect("openclaw")
	w.start("[gateway] ready", w.node, openclaw, "gateway", "run")
	n := 0
	ask := func(q string) {
		n++
		m.forget()
		w.must(w.node, openclaw, "agent", "--agent", "main", "--session-id", "s"+string(rune('0'+n)), "-m", q)
		os.WriteFile("/tmp/oc/req-"+string(rune('0'+n))+".txt", []byte(m.asked[0]), 0o644)
		last := m.asked[len(m.asked)-1]
		os.WriteFile("/tmp/oc/req-"+string(rune('0'+n))+"-last.txt", []byte(last), 0o644)
	}
	mem := filepath.Join(w.workspace, "MEMORY.md")
	m.use("write", object{"path": mem, "content": "# Memory\n\n- first fact alpha\n"})
	ask("one")
	must(t, os.WriteFile(mem, []byte("# Memory\n\n- first fact alpha\n- tend adds beta\n"), 0o644))
	m.use("edit", object{"path": mem, "edits": []object{{"oldText": "- first fact alpha", "newText": "- first fact alpha changed"}}})
	ask("two")
	ask("three")
	m.use("apply_patch", object{"input": "*** Begin Patch\n*** Delete File: MEMORY.md\n*** End Patch"})
	ask("four")
	must(t, os.WriteFile(mem, []byte("# Memory\n\n- restored gamma\n"), 0o644))
	ask("five")
	w.must("cp", "-r", filepath.Join(w.home, ".openclaw", "state"), "/tmp/oc/state")
}
