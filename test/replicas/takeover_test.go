package replicas

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tend/internal/app/replica"
	"tend/internal/sync/journal"
)

// TestTakeover: when the replica that runs an agent's jobs is killed, another runs them. TestSilence of internal/app/replica
// checks how long that takes, without depending on the machine's load. An agent created meanwhile is served by all.
func TestTakeover(t *testing.T) {
	w := newWorld(t, 1, fmt.Sprintf(fleetFile, "0s"))
	one, two := w.start("one", beat), w.start("two", beat)
	writers := func() map[string]string { // the last replica that served a slot, by agent
		last := map[string]string{}
		for _, agent := range []string{"ada", "bob"} {
			j, at := journal.New(w.store, agent), journal.Position{}
			for {
				e, next, err := j.Next(t.Context(), at)
				if err == journal.ErrEnd {
					break
				}
				must(t, err)
				at = next
				if e.Slot != "" {
					last[agent] = fmt.Sprint(e.N)
				}
			}
		}
		return last
	}
	w.until("jobs of both agents run", func() bool { return len(writers()) == 2 })
	w.tend("store", "add", "eve", "--layout", "openclaw@2026.9", "--store", "s3://"+bucket+"/tend", "--endpoint", w.server.Endpoint)
	for _, n := range w.nodes {
		w.until("the new agent is served", func() bool {
			a := n.call(t.Context(), "eve", "memory_append", map[string]any{"filename": "memory/2026-11-15.md", "text": "- from " + n.name})
			return a.Error == "" && !a.Lost
		})
	}
	if a := one.call(t.Context(), "eve", "memory_read", map[string]any{"filename": "memory/2026-11-15.md"}); !strings.Contains(a.Text,
		"from one") || !strings.Contains(a.Text, "from two") {
		t.Errorf("the new agent's memory is %+v", a)
	}
	two.kill()
	dead := time.Now()
	before := writers()
	w.until("the jobs of both agents go on", func() bool {
		now := writers()
		return now["ada"] != before["ada"] && now["bob"] != before["bob"]
	})
	t.Logf("jobs went on %s after the kill", time.Since(dead).Round(100*time.Millisecond))
	for _, agent := range []string{"ada", "bob"} {
		w.slotsOnce(agent)
	}
	c, err := replica.ReadCommon(t.Context(), w.store)
	must(t, err)
	if !strings.Contains(c.Config, "eve:") {
		t.Errorf("the configuration is\n%s", c.Config)
	}
}
