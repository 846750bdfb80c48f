package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"tend/internal/state/ledger"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
)

// A ledger written by a failing disk or another machine is reported as damaged; it must
// not crash the program or make it follow its paths.
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
		"out of the trash":      func(_, end object) { first(end)["trash"] = "../../agents/ada/lock" },
		"out of the archive":    func(_, end object) { end["archives"] = []string{"../x.md"} },
		"another type":          func(intent, _ object) { intent["files"] = "none" },
		"at the end of numbers": func(intent, _ object) {
			first(intent)["edit"] = object{"at": int64(math.MaxInt64), "cut": 1}
		},
		"a cut beyond numbers":   func(intent, _ object) { first(intent)["edit"] = object{"at": 1, "cut": int64(math.MaxInt64)} },
		"an edit beyond the end": func(intent, _ object) { first(intent)["edit"] = object{"at": 100, "text": "x"} },
		"a negative size":        func(intent, _ object) { first(intent)["size"] = -1 },
		"a size beyond all":      func(_, end object) { first(end)["trash_size"] = int64(math.MaxInt64) },
		"the last id there is":   func(intent, end object) { intent["id"], end["id"] = "zzzzzzzzzz", "zzzzzzzzzz" },
		"aside of the workspace": func(_, end object) { first(end)["aside"] = "../x" },
		"a negative receipt": func(intent, _ object) {
			intent["receipts"] = []object{{"job": "curate", "path": "a.md", "from": -1, "to": 2, "hash": ""}}
		},
		"at outside": func(intent, _ object) { first(intent)["at"] = "/etc/passwd" },
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

// TestIDsBeyondTheClock: a record from another machine must not be dated in the future.
func TestIDsBeyondTheClock(t *testing.T) {
	record := func(at time.Time) []byte {
		return fmt.Appendf(nil, `{"v":1,"id":%q,"state":"done","at":"2026-03-31T12:00:00Z","prev":""}`, actid.New(at))
	}
	for ahead, want := range map[time.Duration]bool{-time.Hour: true, time.Hour: true, 72 * time.Hour: false,
		10 * 365 * 24 * time.Hour: false} {
		if err := ledger.CheckFile(record(noon.Add(ahead)), noon); (err == nil) != want {
			t.Errorf("%v ahead: %v", ahead, err)
		}
	}
	if err := ledger.CheckFile([]byte("{}\n"), noon); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("no record: %v", err)
	}
}

// FuzzRecord puts any line into a ledger: whatever it says, nothing panics, nothing leads
// out of the agent's own folders, and a session either opens or reports the damage.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		`{"v":1,"id":"15fk3g0000","state":"intent","at":"2026-03-31T12:00:00Z","files":[{"path":"a.md","op":"write","before":"x","after":"y","size":4,"edit":{"at":9223372036854775807,"cut":1}}],"prev":""}`,
		`{"v":1,"id":"zzzzzzzzzz","state":"done","at":"2026-03-31T12:00:00Z","prev":""}`,
		`{"v":1,"id":"15fk3g0000","state":"intent","at":"2026-03-31T12:00:00Z","files":[{"path":"a.md","op":"append","edit":{"at":4,"text":"more"},"size":8}],"prev":""}`,
		`{"v":1,"id":"15fk3g0000","state":"intent","at":"2026-03-31T12:00:00Z","files":[{"path":"a.md","op":"remove","before":"x"}],"retired":["x.md"],"prev":""}`,
		`{"v":1,"id":"15fk3g0000","state":"intent","at":"2026-03-31T12:00:00Z","undoes":"15fk3g0000","returned":["x.md"],"discarded":["y"],"prev":""}`,
	} {
		f.Add(seed, "old\n")
	}
	f.Fuzz(func(t *testing.T, line, text string) {
		d := newDesk(t)
		d.has("a.md", text)
		d.edit(plan.Write, "a.md", "new\n")
		d.must(d.disk.MkdirAll("state/agents/victim"))
		d.must(d.disk.WriteFile("state/agents/victim/secret", "secret"))
		d.must(d.disk.AppendFile(month, strings.ReplaceAll(line, "\n", " ")+"\n"))
		ctx := context.Background()
		for a, err := range d.Actions() {
			if err != nil {
				break
			}
			_, _ = d.PlanUndo(ctx, a, false)
			_, _ = d.PlanUndo(ctx, a, true)
			for i := range a.Files {
				_, _ = d.After(a, i)
				_ = d.Holds(a.Files[i])
			}
		}
		_, _ = d.Verify()
		_, _ = d.Last()
		s, err := d.Begin(ctx, "test")
		if err == nil {
			_, err = s.Apply(ctx, plan.Plan{Job: "write", Changes: []plan.Change{d.change(plan.Write, "b.md", "b")}})
			d.must(s.Close())
			if err == nil {
				acts := d.actions()
				if !actid.Valid(acts[0].ID) || len(acts) > 1 && acts[0].ID <= acts[1].ID {
					t.Errorf("new ids do not sort after it: %s", acts[0].ID)
				}
			}
		}
		for name, text := range d.disk.Files("ws") {
			if strings.Contains(text, "secret") && !strings.Contains(line, "secret") {
				t.Errorf("%s has %q", name, text)
			}
		}
	})
}

// A record of a removed file never makes a program that runs as its owner, whatever mode it has.
func TestForeignModes(t *testing.T) {
	d := newDesk(t)
	d.has("a.md", "old\n")
	d.edit(plan.Remove, "a.md", "")
	text, err := d.disk.ReadFile(month)
	d.must(err)
	i := strings.Index(text, `"attr":{"mode":`) + len(`"attr":{"mode":`)
	end := i + strings.Index(text[i:], ",")
	d.must(d.disk.WriteFile(month, text[:i]+fmt.Sprint(uint32(fs.ModeSetuid|fs.ModeSetgid|0o755))+text[end:]))
	act := d.actions()[0]
	p, err := d.PlanUndo(t.Context(), act, false)
	d.must(err)
	d.now = d.now.Add(time.Second)
	d.apply(p)
	if i, err := d.disk.Stat("ws/a.md"); err != nil || i.Mode != 0o755 {
		t.Errorf("mode %v, %v", i.Mode, err)
	}
}
