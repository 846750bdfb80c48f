package replicas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// op is a call of a tool on one file.
type op struct {
	kind      string // read, append, replace, undo
	text, old string
	undone    bool // what is undone is an append
	ok, lost  bool
	seen      string
	action    string
}

// state is the file, and what it was before each action: pairs of what the action wrote
// and the text before it.
type state struct{ text, past string }

func (s state) with(text, token string) state {
	return state{text, s.past + token + "\x00" + s.text + "\x00"}
}

// before is the file before an action.
func (s state) before(token string) (string, bool) {
	parts := strings.Split(s.past, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		if parts[i] == token {
			return parts[i+1], true
		}
	}
	return "", false
}

// undo is the file after an action was undone.
func (s state) undo(in op) (text string, possible bool) {
	before, ok := s.before(in.old)
	switch {
	case !ok:
		return "", false
	case !in.undone:
		return before, true
	}
	added := in.old + "\n"
	if !strings.HasPrefix(s.text[min(len(before), len(s.text)):], added) {
		return "", false // it does not stand where it was added
	}
	return s.text[:len(before)] + s.text[len(before)+len(added):], true
}

// model is a file that changes one call at a time. A call whose answer was lost may have
// been carried out or not.
var model = porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{text: "start\n"}} },
	Step: func(s, input, output any) []any {
		now, in, out := s.(state), input.(op), output.(op)
		after := now
		possible := true
		switch in.kind {
		case "read":
			if out.lost || out.seen == now.text {
				return []any{now}
			}
			return nil
		case "append":
			after = now.with(now.text+in.text+"\n", in.text)
		case "replace":
			if possible = strings.Count(now.text, in.old) == 1; possible {
				after = now.with(strings.Replace(now.text, in.old, in.text, 1), in.text)
			}
		case "undo":
			text := ""
			if text, possible = now.undo(in); possible {
				after.text = text
			}
		}
		switch {
		case out.lost && possible:
			return []any{now, after}
		case out.lost:
			return []any{now}
		case out.ok != possible:
			return nil
		}
		return []any{after}
	},
	Equal:             func(a, b any) bool { return a == b },
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

// TestLinearizable: with store.freshness 0 all answers of three replicas fit one order of
// events, also when the network fails.
func TestLinearizable(t *testing.T) {
	const clients, calls = 5, 10
	total := 0
	for seed := range seeds(t) {
		w := newWorld(t, uint64(seed), strings.NewReplacer(`"@every 1s"`, `"off"`, `"@every 2s"`, `"off"`).Replace(fmt.Sprintf(fleetFile, "0s")))
		for _, name := range []string{"one", "two", "three"} {
			w.start(name, beat)
		}
		if a := perform(t, w.nodes[0], op{kind: "append", text: "start"}); !a.ok {
			t.Fatalf("%+v", a)
		}
		w.proxy.Faults(seed%2 == 1)
		var mu sync.Mutex
		var history []porcupine.Operation
		began := time.Now()
		var wg sync.WaitGroup
		for id := range clients {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(id)))
			wg.Go(func() {
				var done []op // what may be undone
				for i := range calls {
					in := draw(r, id, i, clients, &done)
					from := time.Since(began)
					out := perform(t, w.nodes[r.IntN(3)], in)
					to := int64(time.Since(began))
					if out.ok && out.action != "" && in.kind != "undo" {
						done = append(done, op{text: in.text, undone: in.kind == "append", action: out.action})
					}
					if out.lost {
						to = math.MaxInt64
					}
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: id, Input: in, Output: out, Call: int64(from), Return: to})
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		// A client whose answer was lost goes on as another.
		for i := range history {
			if history[i].Return == math.MaxInt64 {
				history[i].ClientId = clients + i
			}
		}
		if result := porcupine.CheckOperationsTimeout(model.ToModel(), history, time.Minute); result != porcupine.Ok {
			for _, h := range history {
				t.Logf("%d-%d %+v -> %+v", h.Call, h.Return, h.Input, h.Output)
			}
			t.Fatalf("seed %d: %s: %d operations fit no order", seed, result, len(history))
		}
		total += len(history)
		for _, n := range w.nodes {
			n.kill()
		}
		w.server.Kill()
	}
	t.Logf("%d operations over three replicas in %d histories, every one linearizable", total, seeds(t))
}

func draw(r *rand.Rand, id, i, clients int, done *[]op) op {
	in := op{text: fmt.Sprintf("<%d.%d>", id, i)}
	switch r.IntN(6) {
	case 0, 1:
		in.kind = "read"
	case 2, 3:
		in.kind = "append"
	case 4:
		in.kind, in.old = "replace", fmt.Sprintf("<%d.%d>", r.IntN(clients), r.IntN(i+1))
	case 5:
		if len(*done) == 0 {
			in.kind = "read"
			break
		}
		last := (*done)[len(*done)-1]
		*done = (*done)[:len(*done)-1]
		in = op{kind: "undo", old: last.text, undone: last.undone, action: last.action}
	}
	return in
}

func perform(t *testing.T, n *node, in op) (out op) {
	const file = "memory/2026-11-15.md"
	var a answer
	switch in.kind {
	case "read":
		a = n.call(t.Context(), "ada", "memory_read", map[string]any{"filename": file})
		out.seen = a.Text
	case "append":
		a = n.call(t.Context(), "ada", "memory_append", map[string]any{"filename": file, "text": in.text})
	case "replace":
		a = n.call(t.Context(), "ada", "memory_replace", map[string]any{"filename": file, "old_str": in.old, "new_str": in.text})
	case "undo":
		a = n.call(t.Context(), "ada", "memory_restore", map[string]any{"filename": file, "id": in.action})
	}
	out.action = a.Action
	out.ok, out.lost = a.Error == "" && !a.Lost, a.Lost
	if !out.ok && !out.lost && a.Error != "no_match" && !(in.kind == "undo" && a.Error == "changed") {
		t.Errorf("%+v: %+v", in, a)
	}
	return out
}
