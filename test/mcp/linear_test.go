package mcp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
)

// op is a call with its answer.
type op struct {
	kind      string // read, write, append, replace
	text, old string
	when      string // the version named, "" if none
	ok        bool
	seen      string // by a read
	code      toolerr.Code
}

// model is a file that changes one call at a time.
var model = porcupine.Model{
	Init: func() any { return "start\n" },
	Step: func(state, input, output any) (bool, any) {
		text, in, out := state.(string), input.(op), output.(op)
		if in.when != "" && !strings.HasPrefix(digest(text), in.when) {
			return !out.ok && out.code == toolerr.Changed, text
		}
		if in.when != "" && !out.ok && out.code == toolerr.Changed {
			return false, text // it was at that version
		}
		switch in.kind {
		case "read":
			return out.ok && out.seen == text, text
		case "write":
			return out.ok, in.text
		case "append":
			return out.ok, text + in.text + "\n"
		case "replace":
			switch strings.Count(text, in.old) {
			case 0:
				return !out.ok && out.code == toolerr.NoMatch, text
			case 1:
				return out.ok, strings.Replace(text, in.old, in.text, 1)
			}
			return !out.ok && out.code == toolerr.Ambiguous, text
		}
		return false, text
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// TestHistoriesAreLinearizable has several servers, each with its own descriptors and locks like separate processes, work on
// one file, and checks that all their answers fit one order of events.
func TestHistoriesAreLinearizable(t *testing.T) {
	const servers, calls, runs = 6, 12, 8
	total := 0
	for run := range runs {
		dir := newWorkspace(t, "    policy: {lock.wait: 10m}\n", map[string]string{"ws/MEMORY.md": "start\n"})
		var mu sync.Mutex
		var history []porcupine.Operation
		began := time.Now()
		var wg sync.WaitGroup
		for id := range servers {
			m := service(t, dir)
			rnd := rand.New(rand.NewPCG(uint64(run), uint64(id)))
			wg.Go(func() {
				version := ""
				for i := range calls {
					in := draw(rnd, id, i, version)
					from := time.Since(began)
					out, v := perform(m, in)
					to := time.Since(began)
					if v != "" {
						version = v
					}
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: id, Input: in, Output: out, Call: int64(from), Return: int64(to)})
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		total += len(history)
		if result := porcupine.CheckOperationsTimeout(model, history, 10*time.Minute); result != porcupine.Ok {
			t.Fatalf("run %d: %s: %d operations fit no order", run, result, len(history))
		}
	}
	t.Logf("%d operations of %d servers in %d runs, every history linearizable", total, servers, runs)
}

func service(t *testing.T, dir string) *memory.Service {
	t.Helper()
	env, err := config.OSEnv()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(filepath.Join(dir, "tend.yaml"), env)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := f.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	m := memory.New(a, memory.Options{})
	t.Cleanup(func() {
		a.Close()
		f.Close()
	})
	return m
}

// draw picks a call. Replaces aim at text that another call may have written.
func draw(rnd *rand.Rand, id, i int, version string) op {
	token := fmt.Sprintf("<%d.%d>", id, i)
	in := op{text: token}
	switch rnd.IntN(6) {
	case 0, 1:
		in.kind = "read"
	case 2, 3:
		in.kind = "append"
	case 4:
		in.kind, in.old = "replace", fmt.Sprintf("<%d.%d>", rnd.IntN(6), rnd.IntN(i+1))
	case 5:
		in.kind, in.text = "write", token+"\n"
	}
	if in.kind != "read" && version != "" && rnd.IntN(3) == 0 {
		in.when = version
	}
	return in
}

func perform(m *memory.Service, in op) (out op, version string) {
	ctx := context.Background()
	var err error
	var r memory.Receipt
	switch in.kind {
	case "read":
		var t memory.Text
		t, err = m.Reader.Read(ctx, memory.ReadRequest{Path: "MEMORY.md"})
		out.seen, version = t.Text, t.Version
	case "write":
		r, err = m.Writer.Write(ctx, memory.WriteRequest{Path: "MEMORY.md", Text: in.text, If: in.when})
	case "append":
		r, err = m.Writer.Append(ctx, memory.AppendRequest{Path: "MEMORY.md", Text: in.text, If: in.when})
	case "replace":
		r, err = m.Writer.Replace(ctx, memory.ReplaceRequest{Path: "MEMORY.md", Old: in.old, New: in.text, If: in.when})
	}
	out.ok = err == nil
	if e, ok := err.(*toolerr.Error); ok {
		out.code = e.Code
	}
	if version == "" {
		version = r.Version
	}
	return out, version
}
