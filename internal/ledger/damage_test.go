package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tend/internal/ledger"
	"tend/internal/plan"
)

// A ledger that a failing disk or another machine has written is told of; it neither
// stops the program nor leads it anywhere.
func TestDamagedLedger(t *testing.T) {
	const file = "state/agents/ada/ledger/2026-03.jsonl"
	type object = map[string]any
	first := func(r object) object { return r["files"].([]any)[0].(object) }
	for name, change := range map[string]func(intent, end object){
		"more files at the end": func(_, end object) { end["files"] = append(end["files"].([]any), end["files"].([]any)...) },
		"no id":                 func(_, end object) { delete(end, "id") },
		"no such state":         func(intent, _ object) { intent["state"] = "perhaps" },
		"no edit":               func(intent, _ object) { f := first(intent); f["op"] = "append"; delete(f, "edit") },
		"an edit before it":     func(intent, _ object) { first(intent)["edit"] = object{"at": -1} },
		"out of the workspace":  func(intent, _ object) { first(intent)["path"] = "../../etc/passwd" },
		"out of the trash":      func(_, end object) { first(end)["kept"] = "../../agents/ada/lock" },
		"out of the archive":    func(_, end object) { end["archives"] = []string{"../x.md"} },
		"another type":          func(intent, _ object) { intent["files"] = "none" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.has("a.md", "old\n")
			d.edit(plan.Write, "a.md", "new\n")
			text, err := d.disk.ReadFile(file)
			d.must(err)
			var lines [2]object
			for i, line := range strings.SplitN(strings.TrimSpace(text), "\n", 2) {
				d.must(json.Unmarshal([]byte(line), &lines[i]))
			}
			change(lines[0], lines[1])
			var out strings.Builder
			for _, l := range lines {
				d.must(json.NewEncoder(&out).Encode(l))
			}
			d.must(d.disk.WriteFile(file, out.String()))

			var got error
			for _, err := range d.Actions() {
				got = errors.Join(got, err)
			}
			if !errors.Is(got, ledger.ErrDamaged) {
				t.Errorf("actions: %v, want %v", got, ledger.ErrDamaged)
			}
			if broken, err := d.Verify(); err != nil || len(broken) == 0 {
				t.Errorf("verify: %v, %v", broken, err)
			}
			// Nor does a session that finds it at the end of the ledger.
			if s, err := d.Begin(context.Background(), "test"); err == nil {
				d.must(s.Close())
			} else if !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("begin: %v", err)
			}
			d.holds("a.md", "new\n")
		})
	}
}
