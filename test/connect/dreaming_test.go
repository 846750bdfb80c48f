//go:build harness

package connect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	keeps  = "- Invoices go out on the first of each month"
	dreamt = "The relay listens on port 2626 since the move to Oslo"
	known  = "- Decisions: " + dreamt // as a dream names it
	mark   = "<!-- openclaw-memory-promotion:"
)

// consolidate answers OpenClaw's question what to do with the candidates of a dream: the one about the relay takes the place of
// the line that says the same, the others are added.
func consolidate(request string) string {
	if !strings.Contains(request, "Choose how to incorporate each supplied candidate") {
		return ""
	}
	var in struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if json.Unmarshal([]byte(request), &in) != nil {
		return ""
	}
	for _, m := range in.Messages {
		text, _ := m.Content.(string)
		if parts, ok := m.Content.([]any); ok && len(parts) > 0 {
			text, _ = parts[0].(object)["text"].(string)
		}
		var asked struct {
			Candidates []struct{ Key, Text string }
		}
		at := strings.Index(text, `{"currentMemory"`)
		if m.Role != "user" || at < 0 || json.NewDecoder(strings.NewReader(text[at:])).Decode(&asked) != nil {
			continue
		}
		operations := []any{}
		for _, c := range asked.Candidates {
			action, prior := "added", []string{}
			if strings.Contains(c.Text, dreamt) {
				action, prior = "merged", []string{known}
			}
			operations = append(operations, object{"candidateKey": c.Key, "action": action, "priorEntries": prior})
		}
		data, _ := json.Marshal(object{"operations": operations})
		return string(data)
	}
	return ""
}

// TestHarnessDreaming: OpenClaw dreams and rewrites the memory. Tend knows whose doing that was, counts it, and changes nothing.
func TestHarnessDreaming(t *testing.T) {
	g := newGatewayWith(t, false, "", `  plugins: { entries: { "memory-core": { config: { dreaming: { enabled: true,
    phases: { deep: { minScore: 0, minRecallCount: 0, minUniqueQueries: 0 } } } } } } },
`)
	g.m.answers = consolidate
	memory := "# Memory\n\n" + known + "\n" + keeps + "\n- Ines reviews refunds\n- Backups run at night\n- Marek owns the vault\n"
	g.write("MEMORY.md", memory)
	for back := 1; back <= 3; back++ {
		day := time.Now().UTC().AddDate(0, 0, -back).Format(time.DateOnly)
		g.write("memory/"+day+".md", "# "+day+"\n\n## Decisions\n\n- "+dreamt+"\n")
	}
	if out, code := g.run("history", "sync", "claw"); code != 0 {
		t.Fatalf("history sync: %s", out)
	}
	g.dream()

	after, err := os.ReadFile(filepath.Join(g.workspace, "MEMORY.md"))
	must(t, err)
	t.Logf("after the dream:\n%s", after)
	if !strings.Contains(string(after), "## Consolidated Memory") || !strings.Contains(string(after), keeps) {
		t.Fatal("the dream did not do what the model said")
	}
	if out, code := g.run("history", "sync", "claw"); code != 0 {
		t.Fatalf("history sync: %s", out)
	}
	out, _ := g.run("status", "claw")
	g.says(out, "in the last week OpenClaw's dreaming added", "replaced 1, lost 0 that stand nowhere else")
	out, _ = g.run("check", "claw", "--only", "shown")
	if strings.Contains(out, "rewrite-lost") {
		t.Errorf("a small consolidation is reported: %s", out)
	}
	g.file("MEMORY.md", string(after))
}

// dream runs the job that OpenClaw keeps for its dreams, and waits until it has marked the memory.
func (g *gateway) dream() {
	g.t.Helper()
	var jobs struct{ Jobs []struct{ ID, Name string } }
	out := g.must(g.node, g.openclaw, "cron", "list", "--json")
	must(g.t, json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &jobs))
	for _, j := range jobs.Jobs {
		g.t.Logf("job %s %s", j.ID, j.Name)
		if strings.Contains(strings.ToLower(j.Name), "dream") {
			g.must(g.node, g.openclaw, "cron", "run", j.ID)
		}
	}
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		text, err := os.ReadFile(filepath.Join(g.workspace, "MEMORY.md"))
		must(g.t, err)
		if strings.Contains(string(text), mark) {
			return
		}
	}
	g.t.Fatal("nothing was dreamt")
}
