package workcopy

import (
	"strings"
	"testing"

	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// TestPurgedStaysPurged: a text that one machine purged from its ledger, trash and archives does not come back with the
// ledger of another machine that still had it.
func TestPurgedStaysPurged(t *testing.T) {
	for kind, open := range kinds(t) {
		t.Run(kind, func(t *testing.T) {
			s, syncing := open()
			a, b := newMachine(t, "laptop", s), newMachine(t, "desktop", s)
			for _, m := range []*machine{a, b} {
				m.syncing = syncing
				m.open()
			}
			a.write("MEMORY.md", "# Memory\n")
			a.act(plan.Write, "MEMORY.md", "# Memory\n\n- pw9x\n")
			a.act(plan.Append, "log.md", "- pw9x in a log\n")
			a.act(plan.Write, "MEMORY.md", "# Memory\n\n- clean\n")
			a.act(plan.Write, "log.md", "- clean\n")
			_, err := a.Push(t.Context())
			must(t, err)
			b.pass(3e9)
			_, err = b.Join(t.Context())
			must(t, err)
			b.act(plan.Append, "log.md", "- by the desktop\n")

			session, err := a.Ledger.Begin(t.Context(), "laptop")
			must(t, err)
			p := ledger.NewPurge([]byte("pw9x"), "r0000000001", false)
			n, err := session.Purge(p)
			must(t, err)
			must(t, session.Close())
			if n.Records == 0 || n.Trash == 0 {
				t.Fatalf("purged from %+v", n)
			}
			for range 3 {
				a.sync()
				b.sync()
			}
			for _, m := range []*machine{a, b} {
				for _, dir := range []string{"ws", "state"} {
					for name, text := range m.disk.Files(dir) {
						if strings.Contains(text, "pw9x") {
							t.Errorf("%s has it in %s", m.name, name)
						}
					}
				}
				if !strings.Contains(m.get("log.md"), "by the desktop") {
					t.Errorf("%s lost what was written meanwhile", m.name)
				}
			}
			same(t, a, b)
		})
	}
}
