package replicas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	undone    bool // it undoes an append
	ok, lost  bool
	seen      string
	action    string
}

// state is the file, and what later undos need to know of the file before their actions. Everything else is left out, so
// that orders of events without a difference become one state and the checker need not try them all.
type state struct{ text, before string }

// with returns the state after an action wrote text. before is what its undo needs to know.
func (s state) with(text, token, before string) state {
	return state{text, s.before + token + "\x00" + before + "\x00"}
}

// take returns what is known about an action, and the state without it.
func (s state) take(token string) (before string, rest state, ok bool) {
	parts := strings.Split(s.before, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		if parts[i] == token {
			before = parts[i+1]
			return before, state{s.text, strings.Join(slices.Delete(parts, i, i+2), "\x00")}, true
		}
	}
	return "", s, false
}

// undo returns the state after undoing an action, or after that turned out impossible.
func (s state) undo(in op) (after, rest state, possible bool) {
	before, rest, ok := s.take(in.old)
	if !ok {
		return rest, rest, false
	}
	if !in.undone {
		return state{before, rest.before}, rest, true
	}
	at, added := 0, in.old+"\n"
	fmt.Sscan(before, &at)
	if !strings.HasPrefix(s.text[min(at, len(s.text)):], added) {
		return rest, rest, false // the text is no longer where it was added
	}
	return state{s.text[:at] + s.text[at+len(added):], rest.before}, rest, true
}

// modelOf models a file that changes one call at a time. A call whose answer was lost may or may not have been done.
func modelOf(history []porcupine.Operation) porcupine.Model {
	undone := map[string]bool{}
	for _, h := range history {
		if in := h.Input.(op); in.kind == "undo" {
			undone[in.old] = true
		}
	}
	file := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{text: "start\n"}} },
		Step: func(s, input, output any) []any {
			return step(s.(state), input.(op), output.(op), undone)
		},
		Equal:             func(a, b any) bool { return a == b },
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
	}
	return file.ToModel()
}

// step returns the states that may follow a call with this answer.
func step(now state, in, out op, undone map[string]bool) []any {
	after, not := now, now // the call was done, or it was not
	possible := true
	switch in.kind {
	case "read":
		if out.lost || out.seen == now.text {
			return []any{now}
		}
		return nil
	case "append":
		after.text += in.text + "\n"
		if undone[in.text] {
			after = now.with(after.text, in.text, fmt.Sprint(len(now.text)))
		}
	case "replace":
		if possible = strings.Count(now.text, in.old) == 1; !possible {
			break
		}
		after.text = strings.Replace(now.text, in.old, in.text, 1)
		if undone[in.text] {
			after = now.with(after.text, in.text, now.text)
		}
	case "undo":
		after, not, possible = now.undo(in)
	}
	switch {
	case out.lost && possible:
		return []any{not, after}
	case out.lost:
		return []any{not}
	case out.ok != possible:
		return nil
	}
	return []any{after}
}

// TestLinearizable: with store.freshness 0 all answers of three replicas fit one order of events, also when the network
// fails.
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
		// A client whose answer was lost continues as a new client.
		for i := range history {
			if history[i].Return == math.MaxInt64 {
				history[i].ClientId = clients + i
			}
		}
		if result := porcupine.CheckOperationsTimeout(modelOf(history), history, 10*time.Minute); result != porcupine.Ok {
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

// TestModelRefuses: the checker finds an answer that fits no order.
func TestModelRefuses(t *testing.T) {
	start := "start\n"
	calls := []porcupine.Operation{
		{Input: op{kind: "append", text: "a"}, Output: op{ok: true}, Call: 1, Return: 2},
		{Input: op{kind: "append", text: "b"}, Output: op{ok: true}, Call: 3, Return: 6},
		{Input: op{kind: "undo", old: "a", undone: true}, Output: op{ok: true}, Call: 4, Return: 5},
	}
	for seen, want := range map[string]porcupine.CheckResult{
		start + "b\n":        porcupine.Ok,
		start + "a\nb\n":     porcupine.Illegal, // the undo is missing
		start:                porcupine.Illegal, // an append is lost
		start + "b\nb\n":     porcupine.Illegal, // it came twice
		start + "a\nb\nc\n ": porcupine.Illegal,
	} {
		history := append(slices.Clone(calls), porcupine.Operation{Input: op{kind: "read"}, Output: op{ok: true, seen: seen}, Call: 7, Return: 8})
		if got := porcupine.CheckOperationsTimeout(modelOf(history), history, 10*time.Minute); got != want {
			t.Errorf("%q: %s, want %s", seen, got, want)
		}
	}
}
