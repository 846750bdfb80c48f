package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/engine/curator"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
)

// ollamaServer speaks Ollama's API and answers every prompt with what say returns.
func ollamaServer(t *testing.T, say func(prompt string) string) *[]string {
	t.Helper()
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model   string
			Stream  *bool
			Options struct {
				NumCtx int `json:"num_ctx"`
			}
			Messages []struct{ Role, Content string }
		}
		data, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(data, &body); err != nil || r.URL.Path != "/api/chat" || body.Stream == nil || *body.Stream {
			http.Error(w, "unexpected request", http.StatusBadRequest)
			return
		}
		if body.Options.NumCtx < 8192 {
			http.Error(w, "the window is too small for the request", http.StatusBadRequest)
			return
		}
		asked = append(asked, body.Messages[0].Content)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": body.Model, "created_at": "2026-11-15T22:00:00Z", "done": true, "done_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": say(body.Messages[0].Content)},
		})
	}))
	t.Cleanup(srv.Close)
	t.Setenv("OLLAMA_HOST", srv.URL)
	return &asked
}

const (
	curatedLog = "- 09:00 [decision] drop the vendor feed because it repeats the advisories\n" +
		"- 10:00 - the mirror at 10.0.0.5 lags by a day\n- 11:00 - lunch\n"
	curatedHot = "# Memory\n\n## Hosts\n- web: 10.0.0.2\n"
)

func curatedHome(t *testing.T, settings map[string]any) *home {
	t.Helper()
	all := map[string]any{"automation": "curate", "curator": "ollama/qwen3:8b"}
	maps.Copy(all, settings)
	h := newHome(t, "openclaw@2026.8", "Europe/Berlin", all)
	h.at(evening)
	h.write("MEMORY.md", curatedHot)
	h.write("memory/2026-11-15.md", curatedLog)
	return h
}

func operations(list ...string) string { return `{"operations":[` + strings.Join(list, ",") + `]}` }

// TestCuratedNight: what a model chose stands on the page with its source, the ledger names the model, and nothing is asked twice.
func TestCuratedNight(t *testing.T) {
	asked := ollamaServer(t, func(string) string {
		return "<think>which?</think>Here you are:\n```json\n" + operations(
			`{"op":"keep","from":"e2","quote":"the mirror at 10.0.0.5 lags","under":"Hosts"}`,
			`{"op":"skip","from":["e1","e3"]}`,
		) + "\n```"
	})
	h := curatedHome(t, nil)
	r := h.run("curate")
	want := "# Memory\n\n## Hosts\n- web: 10.0.0.2\n- the mirror at 10.0.0.5 lags by a day\n"
	if diff := cmp.Diff(want, h.read("MEMORY.md")); diff != "" {
		t.Errorf("MEMORY.md (-want +got):\n%s", diff)
	}
	if len(r.Did.Judges) != 1 || r.Did.Judges[0].Model != "ollama/qwen3:8b" || !strings.Contains(r.Did.Judges[0].Answer, "e2") {
		t.Errorf("the ledger records %+v", r.Did.Judges)
	}
	if len(r.Did.Sources) != 1 || r.Did.Sources[0].Quote != "the mirror at 10.0.0.5 lags" {
		t.Errorf("the source is recorded as %+v", r.Did.Sources)
	}
	h.run("curate")
	if diff := cmp.Diff(want, h.read("MEMORY.md")); diff != "" || len(*asked) != 1 {
		t.Errorf("a second night asked %d times and changed MEMORY.md:\n%s", len(*asked)-1, diff)
	}
}

// TestCompatibleServers: a night with a server that speaks OpenAI's or Anthropic's protocol, named or by its address.
func TestCompatibleServers(t *testing.T) {
	said := operations(`{"op":"keep","from":"e2","quote":"the mirror at 10.0.0.5 lags","under":"Hosts"}`)
	for _, tt := range []struct {
		path, head, key string
		answer          map[string]any
		curator         func(url string) string
	}{
		{"/v1/chat/completions", "Authorization", "Bearer k-1", map[string]any{
			"id": "x", "object": "chat.completion", "choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
				"message": map[string]any{"role": "assistant", "content": said}}}, "usage": map[string]any{"total_tokens": 9},
		}, func(url string) string { t.Setenv("OPENAI_BASE_URL", url+"/v1"); return "openai/gpt-x" }},
		{"/v1/chat/completions", "Authorization", "Bearer k-1", map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "```json\n" + said + "\n```"}}},
		}, func(url string) string { return url + "/v1#small" }},
		{"/v1/messages", "X-Api-Key", "k-1", map[string]any{
			"type": "message", "role": "assistant", "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "thinking", "thinking": "hm"}, map[string]any{"type": "text", "text": said}},
		}, func(url string) string { t.Setenv("ANTHROPIC_BASE_URL", url); return "anthropic/claude-x" }},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != tt.path || r.Header.Get(tt.head) != tt.key {
				http.Error(w, "unexpected request", http.StatusNotFound)
				return
			}
			_ = json.NewEncoder(w).Encode(tt.answer)
		}))
		name := tt.curator(srv.URL)
		for _, variable := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "TEND_CURATOR_KEY"} {
			t.Setenv(variable, "k-1")
		}
		h := curatedHome(t, map[string]any{"curator": name})
		r := h.run("curate")
		if !strings.Contains(h.read("MEMORY.md"), "- the mirror at 10.0.0.5 lags by a day\n") {
			t.Errorf("%s: %+v\n%s", name, r.Findings, h.read("MEMORY.md"))
		}
		srv.Close()
	}
}

// TestFailedNightsLoseNothing: what was not answered is offered again, with a finding; after three nights the rules decide.
func TestFailedNightsLoseNothing(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(string) string
	}{
		{"it refuses", func(string) string { return "I cannot help with that." }},
		{"it floods", func(string) string { return strings.Repeat("{", curator.MaxAnswer) }},
		{"it answers another agent's request", func(string) string {
			return `{"request":"e1-e3-aaaaaa","operations":[{"op":"keep","from":"e2","quote":"the mirror at 10.0.0.5 lags"}]}`
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := ollamaServer(t, tt.say)
			h := curatedHome(t, nil)
			for night := range 3 {
				h.at(fmt.Sprintf("2026-11-%d 23:00", 15+night))
				r := h.run("curate")
				if finding.Worst(r.Findings) < finding.Warning || h.read("MEMORY.md") != curatedHot {
					t.Fatalf("night %d: %+v\n%s", night, r.Findings, h.read("MEMORY.md"))
				}
				if len(*asked) < night+1 {
					t.Fatalf("night %d: the entries were not offered again", night)
				}
			}
			n := len(*asked)
			h.at("2026-11-18 23:00")
			h.run("curate")
			if !strings.Contains(h.read("MEMORY.md"), "[decision] drop the vendor feed") || len(*asked) != n {
				t.Errorf("after three failed nights the rules decide:\n%s", h.read("MEMORY.md"))
			}
		})
	}
}

// TestHangingModel: a model that never answers costs its time limit and nothing else.
func TestHangingModel(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()
	defer close(release)
	t.Setenv("OLLAMA_HOST", srv.URL)
	h := curatedHome(t, map[string]any{"curate.timeout": "1s"})
	r := h.run("curate")
	if h.read("MEMORY.md") != curatedHot || !strings.Contains(fmt.Sprint(r.Findings), "deadline") {
		t.Errorf("%+v", r.Findings)
	}
}

// TestStoppedWhileAModelIsAsked: a signal during a call ends the night. That is no night in vain: nothing is recorded.
func TestStoppedWhileAModelIsAsked(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	asked := ollamaServer(t, func(string) string {
		stop()
		return operations(`{"op":"keep","from":"e2","quote":"the mirror at 10.0.0.5 lags"}`)
	})
	h := curatedHome(t, nil)
	for range 4 {
		if r, err := Job(ctx, h.agent(), "curate", Options{Who: "test"}); err == nil && r.Did.ID != "" || h.read("MEMORY.md") != curatedHot {
			t.Fatalf("%v, %+v\n%s", err, r, h.read("MEMORY.md"))
		}
	}
	n := len(*asked)
	if h.run("curate"); len(*asked) != n+1 || !strings.Contains(h.read("MEMORY.md"), "lags by a day") {
		t.Errorf("asked %d times:\n%s", len(*asked), h.read("MEMORY.md"))
	}
}

// TestRetryWithTheErrors: an answer that cannot be used is sent back once, with what is wrong.
func TestRetryWithTheErrors(t *testing.T) {
	n := 0
	asked := ollamaServer(t, func(string) string {
		if n++; n == 1 {
			return operations(`{"op":"keep","from":"e9","quote":"nothing like it"}`, `{"op":"skip","from":"e1"}`)
		}
		return operations(`{"op":"keep","from":"e2","quote":"the mirror at 10.0.0.5 lags by a day","under":"Hosts"}`)
	})
	h := curatedHome(t, nil)
	h.run("curate")
	if len(*asked) != 2 || !strings.Contains((*asked)[1], "operation 1 (keep): it cites e9") {
		t.Errorf("%d requests; the second: %s", len(*asked), (*asked)[len(*asked)-1])
	}
	if !strings.Contains(h.read("MEMORY.md"), "- the mirror at 10.0.0.5 lags by a day\n") {
		t.Error(h.read("MEMORY.md"))
	}
}

// TestAnswerByHand: a request that was printed can be answered later, as long as what it showed is unchanged.
func TestAnswerByHand(t *testing.T) {
	ctx := context.Background()
	h := curatedHome(t, map[string]any{"curator": "off", "automation": "off"})
	a := h.agent()
	r, ok, err := NextRequest(ctx, a)
	must(t, err)
	if !ok {
		t.Fatal("there is nothing to ask")
	}
	keep := curator.Operation{Op: curator.Keep, From: []string{"e2"}, Quote: "the mirror at 10.0.0.5 lags", Under: "Hosts"}
	answer := curator.Answer{Request: r.Key, Model: "a reader", Operations: []curator.Operation{keep}}
	h.write("memory/2026-11-15.md", curatedLog+"- 23:10 an entry that came later\n")
	res, err := JobAnswered(ctx, a, "curate", answer, Options{Who: "test"})
	must(t, err)
	if res.Outcome != plan.Changed || !strings.Contains(h.read("MEMORY.md"), "lags by a day") {
		t.Fatalf("%+v\n%s", res, h.read("MEMORY.md"))
	}
	if next, ok, err := NextRequest(ctx, a); err != nil || !ok || len(next.Log) != 1 || !strings.Contains(next.Log[0].Text, "came later") {
		t.Errorf("the later entry must still be unread: %v %+v", err, next.Log)
	}
	if _, err := JobAnswered(ctx, a, "curate", answer, Options{Who: "test"}); err == nil {
		t.Error("an answer to a request that is no longer the same must be refused")
	}
}

// TestJudgedComparison: a curator names the outdated line and quotes the one that is right; each pair becomes a proposal, and
// a pair that it made up does not.
func TestJudgedComparison(t *testing.T) {
	ollamaServer(t, func(prompt string) string {
		if !strings.Contains(prompt, "cannot both be true") {
			return "{}"
		}
		return operations(`{"op":"replace","line":4,"from":"7","quote":"web: 10.0.0.9"}`, `{"op":"replace","line":4,"from":"7","quote":"web: 10.9.9.9"}`)
	})
	h := curatedHome(t, nil)
	h.write("TOOLS.md", "# Tools\n\n- web: 10.0.0.9 since May\n")
	r, err := Job(context.Background(), h.agent(), "compare", Options{AskCurator: true})
	must(t, err)
	list, err := h.agent().Proposals.List()
	must(t, err)
	if len(list) != 1 || list[0].Replaces != "- web: 10.0.0.2" || list[0].Text != "- web: 10.0.0.9 since May" {
		t.Errorf("%+v\n%+v", list, r)
	}
	if h.read("MEMORY.md") != curatedHot {
		t.Error("a comparison changed a file")
	}
}
