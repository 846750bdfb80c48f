package dial

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/curator"
	"tend/internal/model/policy"
	"tend/test/require"
)

var must = require.NoError

// server answers with the given responses, one after the other, and records the requests.
type fake struct {
	*httptest.Server
	bodies []map[string]any
	heads  []http.Header
	paths  []string
}

func serving(t *testing.T, answers ...func(http.ResponseWriter)) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var body map[string]any
		_ = json.Unmarshal(data, &body)
		f.bodies, f.heads, f.paths = append(f.bodies, body), append(f.heads, r.Header), append(f.paths, r.URL.Path)
		answers[min(len(f.bodies), len(answers))-1](w)
	}))
	t.Cleanup(f.Close)
	return f
}

func status(code int, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}
}

func ask(t *testing.T, name string, env map[string]string, keyFile string) ([]byte, error) {
	t.Helper()
	var c policy.CuratorChoice
	p, err := policy.Policy{}.With("test", map[string]any{"curator": name})
	must(t, err)
	c = policy.Curator.Of(p)
	m, err := New(c, Options{KeyFile: keyFile, Env: func(n string) string { return env[n] }, Pause: time.Millisecond})
	must(t, err)
	return m.Ask(t.Context(), "the prompt")
}

// TestProtocols: each server is asked in its own way, with its key.
func TestProtocols(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, []byte(" k-123\n"), 0o600))
	for _, tt := range []struct {
		name, variable, path, header, value string
		keyed                               string
	}{
		{"openai/gpt-x", "OPENAI_BASE_URL", "/chat/completions", "Authorization", "Bearer k-123", key},
		{"anthropic/claude-x", "ANTHROPIC_BASE_URL", "/v1/messages", "X-Api-Key", "k-123", key},
		{"ollama/qwen3:8b", "OLLAMA_HOST", "/api/chat", "Authorization", "", ""},
	} {
		f := serving(t, status(200, `{"operations":[]}`))
		out, err := ask(t, tt.name, map[string]string{tt.variable: f.URL}, tt.keyed)
		if err != nil || string(out) != `{"operations":[]}` || f.paths[0] != tt.path || f.heads[0].Get(tt.header) != tt.value {
			t.Errorf("%s: %v %s %s %v", tt.name, err, out, f.paths, f.heads)
		}
		_, model, _ := strings.Cut(tt.name, "/")
		if f.bodies[0]["model"] != model {
			t.Errorf("%s: model %v", tt.name, f.bodies[0]["model"])
		}
	}
	f := serving(t, status(200, `{"operations":[]}`))
	if _, err := ask(t, f.URL+"/v1#small", map[string]string{"TEND_CURATOR_KEY": "k-9"}, ""); err != nil ||
		f.paths[0] != "/v1/chat/completions" ||
		f.heads[0].Get("Authorization") != "Bearer k-9" {
		t.Errorf("an address: %v %s", err, f.paths)
	}
}

// TestBusyServersAreAskedAgain: 429 and 5xx are tried again, a rejected temperature is left out, anything else is an error.
func TestBusyServersAreAskedAgain(t *testing.T) {
	good := status(200, "fine")
	f := serving(t, status(429, "slow down"), status(503, "overloaded"), good)
	if out, err := ask(t, f.URL+"/v1#m", nil, ""); err != nil || string(out) != "fine" || len(f.bodies) != 3 {
		t.Errorf("%v after %d requests", err, len(f.bodies))
	}
	f = serving(t, status(400, "temperature is not supported"), good)
	if _, err := ask(t, f.URL+"/v1#m", nil, ""); err != nil || f.bodies[1]["temperature"] != nil || f.bodies[0]["temperature"] == nil {
		t.Errorf("%v %v", err, f.bodies)
	}
	f = serving(t, status(401, "no key"))
	if _, err := ask(t, f.URL+"/v1#m", nil, ""); err == nil || len(f.bodies) != 1 || !strings.Contains(err.Error(), "401") {
		t.Errorf("%v after %d requests", err, len(f.bodies))
	}
	f = serving(t, func(w http.ResponseWriter) {
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	if _, err := ask(t, f.URL+"/v1#m", nil, ""); err == nil {
		t.Error("a redirect must not be followed: the key is for one server")
	}
	f = serving(t, status(200, strings.Repeat("x", curator.MaxAnswer+1)))
	if _, err := ask(t, f.URL+"/v1#m", nil, ""); !errors.Is(err, curator.ErrTooLong) {
		t.Errorf("a flood: %v", err)
	}
}

// TestCommands: a program gets the prompt as its input; one that hangs, floods or fails is an error.
func TestCommands(t *testing.T) {
	require.Here(t, runtime.GOOS != "windows", "the programs are shell scripts")
	for _, tt := range []struct {
		name, script string
		want         string
		err          func(error) bool
	}{
		{"it answers", "grep -q 'the prompt' && echo fine", "fine\n", nil},
		{"it runs in an empty folder", "ls -A | wc -l | tr -d ' '", "0\n", nil},
		{"it fails", "echo broken >&2; exit 3", "", func(err error) bool { return strings.Contains(err.Error(), "broken") }},
		{"it complains at length", "yes complaint | head -c 100000 >&2; echo fine", "fine\n", nil},
		{"it complains at length and fails", "echo broken >&2; yes complaint | head -c 100000 >&2; exit 3", "",
			func(err error) bool {
				return strings.Contains(err.Error(), "exit status 3: broken") && !strings.Contains(err.Error(), "too much")
			}},
		{"it hangs, with a child", "sleep 60 & sleep 60", "", func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
		{"it floods", "yes", "", func(err error) bool { return errors.Is(err, curator.ErrTooLong) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			if strings.Contains(tt.script, "sleep") {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
				defer cancel()
			}
			m, err := New(policy.CuratorChoice{Command: []string{"/bin/sh", "-c", tt.script}}, Options{})
			must(t, err)
			out, err := m.Ask(ctx, "the prompt\n")
			if string(out) != tt.want || (err != nil) != (tt.err != nil) || err != nil && !tt.err(err) {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}

// TestEveryPresetIsAProgram: each preset runs the program of its name.
func TestEveryPresetIsAProgram(t *testing.T) {
	for _, name := range []string{"openclaw", "claude", "codex", "gemini"} {
		m, err := New(policy.CuratorChoice{Name: name}, Options{})
		if err != nil || m.Name() != name || m.(command).args[0] != name || !strings.Contains(Target(policy.CuratorChoice{Name: name}), name) {
			t.Errorf("%s: %v %+v", name, err, m)
		}
	}
}
