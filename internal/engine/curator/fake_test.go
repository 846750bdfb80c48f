package curator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// request is the request of all curators in these tests.
var request = Request{
	Agent: "ada", Date: "2026-11-15", Min: 1, Max: 3, Tags: []string{"decision", "lesson"},
	Entries: []Entry{
		{ID: "e1", File: "memory/2026-11-15.md", Line: 3, Tags: []string{"decision"}, Text: "releases go out on Tuesdays because Mondays are full"},
		{ID: "e2", File: "memory/2026-11-15.md", Line: 4, Text: "the mirror at 10.0.0.5 lags by a day"},
		{ID: "e3", File: "memory/2026-11-15.md", Line: 5, Text: "never restart the proxy while backups run"},
	},
}

// good are picks that pass the check.
var good = []Pick{
	{Text: "Releases go out on Tuesdays, because Mondays are full.", Tag: "decision", Sources: []string{"e1"}},
	{Text: "The mirror at 10.0.0.5 lags by a day", Tag: "lesson", Sources: []string{"e2"}},
}

// fake is a model's server with given answers. It speaks both dialects.
type fake struct {
	*httptest.Server
	asked []map[string]any // the requests' bodies
}

// answering wraps a model's words like its API does.
func answering(t *testing.T, say string) *fake {
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1/messages") {
			input := json.RawMessage(say)
			if !json.Valid(input) {
				input, _ = json.Marshal(say)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"content": []any{
				map[string]any{"type": "text", "text": "Here you are."}, map[string]any{"type": "tool_use", "name": "keep", "input": input},
			}})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": say}}}})
	})
}

func serving(t *testing.T, serve http.HandlerFunc) *fake {
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		data, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(data, &body); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		f.asked = append(f.asked, body)
		serve(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func picksJSON(picks []Pick) string {
	data, _ := json.Marshal(map[string]any{"picks": picks})
	return string(data)
}

// slow answers only after the client has disconnected.
func slow(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
}

// huge sends ten megabytes.
func huge(w http.ResponseWriter, _ *http.Request) {
	line := strings.Repeat("x", 1<<10)
	for range 10 << 10 {
		if _, err := fmt.Fprint(w, line); err != nil {
			return
		}
	}
}
