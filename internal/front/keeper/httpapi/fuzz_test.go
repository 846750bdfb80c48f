package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/state/findinglog"
	"tend/internal/state/token"
)

// counter counts changes.
type counter struct{ changed int }

func (h *counter) Ready() bool                                    { return true }
func (h *counter) Health() error                                  { return nil }
func (h *counter) Known(agent string) bool                        { return agent == "a" }
func (h *counter) Status(context.Context, []string) []fleet.State { return nil }
func (h *counter) Findings([]string) []findinglog.Notice          { return []findinglog.Notice{{ID: "1"}} }
func (h *counter) Reload()                                        { h.changed++ }
func (h *counter) Memory(string, bool) (http.Handler, error)      { return nil, errors.New("none") }
func (h *counter) RunJob(context.Context, string, string) runner.Result {
	h.changed++
	return runner.Result{}
}

func (h *counter) Acknowledge(string, []string, findinglog.Ack) ([]findinglog.Notice, error) {
	h.changed++
	return nil, nil
}

// FuzzRoutes sends any request with a read-only token, an agent's token or none: nothing panics and nothing is changed.
func FuzzRoutes(f *testing.F) {
	state, err := fsys.Dir(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer state.Close()
	secrets := []string{"", "tend_made_up"}
	for _, t := range []token.Token{{ReadOnly: true}, {Agent: "a"}, {Agent: "a", ReadOnly: true}, {Agent: "gone"}} {
		_, secret, err := token.Create(state, t)
		if err != nil {
			f.Fatal(err)
		}
		secrets = append(secrets, secret)
	}
	h := &counter{}
	d := New(h, Options{Tokens: token.NewChecker(state, time.Now), Local: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Metrics: http.NotFoundHandler()})
	for _, r := range Routes() {
		f.Add("POST", strings.NewReplacer("{agent}", "a", "{job}", "reset", "{id}", "1").Replace(r.Path), "Bearer ", uint8(2), "{}")
	}
	f.Fuzz(func(t *testing.T, method, path, scheme string, who uint8, body string) {
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \r\n\x00%#?") ||
			strings.ContainsAny(method, " \r\n()<>@,;:\\\"/[]?={}\t") || method == "" {
			return
		}
		req, err := http.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
		if err != nil {
			return
		}
		if secret := secrets[int(who)%len(secrets)]; secret != "" {
			req.Header.Set("Authorization", scheme+secret)
		}
		d.ServeHTTP(httptest.NewRecorder(), req)
		if h.changed > 0 {
			t.Fatalf("%s %s changed something", method, path)
		}
	})
}
