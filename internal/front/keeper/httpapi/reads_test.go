package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/state/token"
)

// slow is a backend whose status takes as long as the test wants.
type slow struct {
	counter
	mu   sync.Mutex
	busy map[string]int // by agent
	most map[string]int
	end  chan struct{}
}

func (s *slow) Known(string) bool { return true }

func (s *slow) Status(_ context.Context, agents []string) []fleet.State {
	s.mu.Lock()
	s.busy[agents[0]]++
	s.most[agents[0]] = max(s.most[agents[0]], s.busy[agents[0]])
	s.mu.Unlock()
	<-s.end
	s.mu.Lock()
	s.busy[agents[0]]--
	s.mu.Unlock()
	return nil
}

// TestReadersOfAnAgentWait: many requests with one agent's token are answered one after the other, and hold up no other agent.
func TestReadersOfAnAgentWait(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	secrets := map[string]string{}
	for _, agent := range []string{"a", "b"} {
		if _, secrets[agent], err = token.Create(state, token.Token{Agent: agent}); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		h := &slow{busy: map[string]int{}, most: map[string]int{}, end: make(chan struct{})}
		d := New(h, Options{Tokens: token.NewChecker(state, time.Now), Local: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Metrics: http.NotFoundHandler()})
		ask := func(ctx context.Context, agent string, status *int) {
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/api/v1/status", nil)
			r.Header.Set("Authorization", "Bearer "+secrets[agent])
			w := httptest.NewRecorder()
			d.ServeHTTP(w, r)
			*status = w.Code
		}
		var all, left sync.WaitGroup
		var codes [11]int
		for i := range 10 {
			all.Go(func() { ask(t.Context(), "a", &codes[i]) })
		}
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		left.Go(func() { ask(ctx, "a", new(int)) })
		all.Go(func() { ask(t.Context(), "b", &codes[10]) })
		synctest.Wait()
		if h.busy["a"] != readsAtOnce || h.busy["b"] != 1 {
			t.Errorf("at once: %v", h.busy)
		}
		leave()
		left.Wait() // a client that leaves waits no longer
		close(h.end)
		all.Wait()
		for i, code := range codes {
			if code != http.StatusOK {
				t.Errorf("request %d: status %d", i, code)
			}
		}
		if h.most["a"] != readsAtOnce {
			t.Errorf("at most %v", h.most)
		}
	})
}
