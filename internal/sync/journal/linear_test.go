package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"tend/internal/sync/store"
	"tend/internal/sync/store/storetest/memstore"
)

// call is a client's request to a journal: append a word, or ("") read it.
type call struct{ word string }

// reply is the answer.
type reply struct {
	text string // of a read
	sure bool   // of an append: it was acknowledged
}

// log is a journal as a client sees it: words in a row.
var log = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		text, c := state.(string), in.(call)
		if c.word == "" {
			return out.(reply).text == text, text
		}
		return true, text + " " + c.word
	},
}

// TestLinearizable: what three clients see of one journal, over a store that loses
// answers, is linearizable.
func TestLinearizable(t *testing.T) {
	var all sync.WaitGroup
	var ops, unsure atomic.Int64
	for seed := range uint64(60) {
		all.Go(func() {
			history, n := record(t, seed)
			ops.Add(int64(len(history)))
			unsure.Add(int64(n))
			if res := porcupine.CheckOperationsTimeout(log, history, time.Minute); res != porcupine.Ok {
				t.Errorf("seed %d: %v", seed, res)
			}
		})
	}
	all.Wait()
	t.Logf("60 histories, %d operations, %d appends not acknowledged", ops.Load(), unsure.Load())
	if unsure.Load() == 0 {
		t.Error("every answer arrived: this tests too little")
	}
}

// record lets three clients append and read.
func record(t *testing.T, seed uint64) (history []porcupine.Operation, unsure int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var mu sync.Mutex
	dice := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rng.IntN(n)
	}
	s := memstore.New()
	s.Break(func(_ memstore.When, op, _ string) error {
		time.Sleep(time.Duration(dice(300)) * time.Microsecond)
		if op == "create" && dice(3) == 0 {
			return store.ErrUnclear
		}
		if op == "get" && dice(6) == 0 {
			return store.ErrUnreachable
		}
		return nil
	})
	var wg sync.WaitGroup
	began := time.Now()
	for client := range 3 {
		wg.Go(func() {
			j := New(s, "ada")
			var at Position
			var words strings.Builder
			catchUp := func() {
				for {
					e, next, err := j.Next(t.Context(), at)
					if errors.Is(err, ErrEnd) {
						return
					}
					if err == nil {
						words.WriteString(" " + e.Writer)
						at = next
					} else if !errors.Is(err, store.ErrUnreachable) {
						t.Errorf("seed %d: %v", seed, err)
						return
					}
				}
			}
			for i := range 5 {
				op := porcupine.Operation{ClientId: client, Call: int64(time.Since(began))}
				if dice(2) == 0 {
					catchUp()
					op.Input, op.Output = call{}, reply{text: words.String()}
				} else {
					word := fmt.Sprintf("%d.%d", client, i)
					op.Input = call{word}
					sure := false
					for {
						next, err := j.Commit(t.Context(), at, Entry{Writer: word})
						if err == nil {
							words.WriteString(" " + word)
							at, sure = next, true
						}
						if !errors.Is(err, ErrConflict) {
							break
						}
						catchUp()
					}
					op.Output = reply{sure: sure}
				}
				op.Return = int64(time.Since(began))
				mu.Lock()
				if r := op.Output.(reply); op.Input.(call).word != "" && !r.sure {
					unsure++
					op.Return = int64(time.Hour) // it may still take effect
					op.ClientId += 3 * (i + 1)   // and the client continues
				}
				history = append(history, op)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	s.Break(nil)
	return withLastRead(t, New(s, "ada"), history), unsure
}

// withLastRead adds a last read, which shows which of the unacknowledged appends took effect.
// The others are dropped.
func withLastRead(t *testing.T, j *Journal, history []porcupine.Operation) (out []porcupine.Operation) {
	text := ""
	for at := (Position{}); ; {
		e, next, err := j.Next(t.Context(), at)
		if errors.Is(err, ErrEnd) {
			break
		}
		if err != nil {
			t.Error(err)
			break
		}
		text, at = text+" "+e.Writer, next
	}
	for _, op := range history {
		if c := op.Input.(call); c.word == "" || op.Output.(reply).sure || strings.Contains(text+" ", " "+c.word+" ") {
			out = append(out, op)
		}
	}
	last := porcupine.Operation{ClientId: 100, Call: int64(time.Hour) + 1, Return: int64(time.Hour) + 2,
		Input: call{}, Output: reply{text: text}}
	return append(out, last)
}
