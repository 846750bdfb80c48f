package keeper

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"tend/internal/front/keeper/scheduler"
	"tend/internal/state/token"
)

// TestChangeGoesFirst: a changed text is restored while routine checks take all their places.
func TestChangeGoesFirst(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	g := h.keeper().guards
	for range routineAtOnce {
		g.routine <- struct{}{} // a check that hangs
	}
	g.schedule("a", false)
	h.write("ws/a/MEMORY.md", strings.Replace(baseline("a"), "A rule", "No rule", 1))
	h.until("restored", func() bool { return h.read("ws/a/MEMORY.md") == baseline("a") })
	g.mu.Lock()
	if x := g.agents["a"]; x.queued {
		t.Error("the check before it is still to be made")
	}
	g.mu.Unlock()
	for range routineAtOnce {
		<-g.routine
	}
	must(t, h.stop())
}

// TestJobsWaitForTheFirstCheck: after a start, jobs begin when the guarded files were checked.
func TestJobsWaitForTheFirstCheck(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	h.made = func(k *Keeper) {
		for range routineAtOnce {
			k.guards.routine <- struct{}{} // a check that hangs
		}
	}
	h.start()
	g, awaited := h.keeper().guards, make(chan int, 1)
	h.keeper().clock.Post(scheduler.Work{Agent: "a", Job: "curate"}, func(context.Context) {
		g.mu.Lock()
		defer g.mu.Unlock()
		awaited <- len(g.awaited)
	}, nil)
	select {
	case n := <-awaited:
		t.Fatalf("the job ran while %d first checks were missing", n)
	case <-time.After(200 * time.Millisecond):
	}
	for range routineAtOnce {
		<-g.routine
	}
	if n := <-awaited; n != 0 {
		t.Errorf("the job ran while %d first checks were missing", n)
	}
	must(t, h.stop())
}

// TestTheGuardDoesNotWaitForJobs: while a job of the agent runs, and more of them wait, the operator's text is restored.
func TestTheGuardDoesNotWaitForJobs(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	// A job that starts before the test listens must be seen too.
	running, over := make(chan struct{}, 1), make(chan struct{})
	for range 100 {
		h.keeper().clock.Post(scheduler.Work{Agent: "a", Job: "curate"}, func(context.Context) {
			select {
			case running <- struct{}{}:
			default:
			}
			<-over
		}, nil)
	}
	defer close(over)
	<-running
	h.write("ws/a/MEMORY.md", strings.Replace(baseline("a"), "A rule", "No rule", 1))
	h.until("the zone is restored", func() bool { return h.read("ws/a/MEMORY.md") == baseline("a") })
	h.write("baselines/a.md", "evil")
	h.until("the baseline is restored", func() bool { return h.read("baselines/a.md") == baseline("a") })
}

// TestAFailedCheckIsRetried: a check that fails for a reason that passes is made again without another change.
func TestAFailedCheckIsRetried(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	h.until("it guards", func() bool { _, err := os.Stat(h.path("state/agents/a/workspace.json")); return err == nil })
	approvals := h.read("state/baselines/a/approvals.json")
	h.write("state/baselines/a/approvals.json", "{")
	h.write("ws/a/MEMORY.md", strings.Replace(baseline("a"), "A rule", "No rule", 1))
	h.until("a check fails", func() bool { return strings.Contains(h.log.String(), "read approvals") })
	h.write("state/baselines/a/approvals.json", approvals)
	h.until("it is restored", func() bool { return h.read("ws/a/MEMORY.md") == baseline("a") })
}

// TestIdleConnections: a local user without a token opens connections and says nothing. The oldest of them are closed,
// a client with a token is served, and the guard goes on.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	mine := h.token(token.Token{Agent: "a"})
	h.start()
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	for range 700 {
		c, err := net.Dial("tcp", h.addr)
		must(t, err)
		conns = append(conns, c)
	}
	must(t, conns[0].SetReadDeadline(time.Now().Add(5*time.Second)))
	if _, err := conns[0].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the oldest connection of a stranger is still open: %v", err)
	} else if !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the oldest connection: %v", err)
	}
	if code, text, _ := h.do(call{path: "/mcp", body: initialize}.with(mine)); code != http.StatusOK {
		t.Errorf("a client with a token: %d %s", code, text)
	}
	h.write("ws/a/MEMORY.md", strings.Replace(baseline("a"), "A rule", "No rule", 1))
	h.until("the zone is restored", func() bool { return h.read("ws/a/MEMORY.md") == baseline("a") })
}
