//go:build harness

package connect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model is a fake language model on loopback that speaks every harness's protocol. It records requests and answers with a
// call of the memory's tool if callTool asked for one, else always the same.
type model struct {
	t   *testing.T
	url string

	mu    sync.Mutex
	asked []string
	calls int    // next answers that call the tool
	uses  []use  // next answers that call one of the harness's own tools
	fills []int  // context sizes to report with the next answers, in tokens; then small ones
	say   string // what it answers instead of always the same
	// answers, if it is set, returns the answer to a request, "" for the usual one.
	answers func(request string) string
}

// reply is the answer to one request.
type reply struct {
	used   int
	stream bool
	text   string
	use    // the tool to call, if it has a name
}

// use is a call of a tool.
type use struct{ tool, args string }

const (
	answer   = "Understood: the port is 8443."
	argument = `{"text":"[decision] the port is 8443"}`
)

func newModel(t *testing.T) *model {
	m := &model{t: t}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	m.url = s.URL
	return m
}

// callTool makes the next answer a call of memory_note.
func (m *model) callTool() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
}

// use makes the next answer a call of a tool of the harness itself.
func (m *model) use(tool string, args object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, err := json.Marshal(args)
	must(m.t, err)
	m.uses = append(m.uses, use{tool, string(data)})
}

// fill sets the context sizes of the next answers.
func (m *model) fill(tokens ...int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fills = tokens
}

// forget forgets the requests.
func (m *model) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = nil
}

// heard fails unless one request contained all wanted texts.
func (m *model) heard(why string, want ...string) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, body := range m.asked {
		if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(body, w) }) {
			return
		}
	}
	m.t.Errorf("%s: none of %d requests has %q", why, len(m.asked), want)
	for _, body := range m.asked {
		m.t.Logf("%.20000s", body)
	}
}

var noteTool = regexp.MustCompile(`"name": ?"([^"]*memory_note)"`)

// decide returns the reply to a request: requests for titles and summaries have no tools.
func (m *model) decide(path string, body []byte) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, path+"\n"+string(body))
	r := reply{used: 1000, text: cmp.Or(m.say, answer)}
	if m.answers != nil {
		r.text = cmp.Or(m.answers(string(body)), r.text)
	}
	var in struct {
		Stream bool `json:"stream"`
	}
	r.stream = json.Unmarshal(body, &in) == nil && in.Stream
	if len(m.uses) > 0 && bytes.Contains(body, []byte(`"name":"`+m.uses[0].tool+`"`)) {
		r.use, m.uses = m.uses[0], m.uses[1:]
		return r
	}
	tool := noteTool.FindSubmatch(body)
	if tool == nil {
		return r
	}
	if len(m.fills) > 0 {
		r.used, m.fills = m.fills[0], m.fills[1:]
	}
	if m.calls > 0 {
		m.calls--
		r.use = use{string(tool[1]), argument}
	}
	return r
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	path := r.URL.Path
	m.t.Logf("model: %s %s, %d bytes", r.Method, path, len(body))
	switch {
	case r.Method != http.MethodPost:
		send(w, object{"object": "list", "data": []any{}, "models": []any{}})
	case strings.HasSuffix(path, "/count_tokens"):
		send(w, object{"input_tokens": 1000})
	case strings.HasSuffix(path, ":countTokens"):
		send(w, object{"totalTokens": 1000})
	case strings.HasSuffix(path, "/messages"):
		anthropic(w, m.decide(path, body))
	case strings.HasSuffix(path, "/responses"):
		responses(w, m.decide(path, body))
	case strings.HasSuffix(path, "/chat/completions"):
		completions(w, m.decide(path, body))
	case strings.HasSuffix(path, ":streamGenerateContent"):
		stream(w, event{"", gemini(m.decide(path, body))})
	case strings.HasSuffix(path, ":generateContent"):
		send(w, gemini(m.decide(path, body)))
	default:
		http.Error(w, `{"error":{"message":"no such thing"}}`, http.StatusNotFound)
	}
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

type event struct {
	name string
	data any
}

func stream(w http.ResponseWriter, events ...event) {
	w.Header().Set("Content-Type", "text/event-stream")
	var b bytes.Buffer
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(&b, "event: %s\n", e.name)
		}
		data, _ := json.Marshal(e.data)
		if s, ok := e.data.(string); ok {
			data = []byte(s)
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	_, _ = w.Write(b.Bytes())
}

type object = map[string]any

func anthropic(w http.ResponseWriter, r reply) {
	usage := object{"input_tokens": r.used, "output_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
	message := func(content []any, stop any) object {
		return object{"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": content,
			"stop_reason": stop, "stop_sequence": nil, "usage": usage}
	}
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": r.text}, "end_turn"
	if r.tool != "" {
		block, delta, stop = object{"type": "tool_use", "id": "toolu_1", "name": r.tool, "input": object{}}, object{"type": "input_json_delta",
			"partial_json": r.args}, "tool_use"
	}
	if !r.stream {
		send(w, message([]any{object{"type": "text", "text": r.text}}, "end_turn"))
		return
	}
	stream(w,
		event{"message_start", object{"type": "message_start", "message": message([]any{}, nil)}},
		event{"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": block}},
		event{"content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta}},
		event{"content_block_stop", object{"type": "content_block_stop", "index": 0}},
		event{"message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil},
			"usage": object{"output_tokens": 10}}},
		event{"message_stop", object{"type": "message_stop"}},
	)
}

func responses(w http.ResponseWriter, r reply) {
	item := object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": r.text, "annotations": []any{}}}}
	if r.tool != "" {
		item = object{"type": "function_call", "id": "fc_1", "call_id": "call_1", "namespace": "mcp__claw_memory",
			"name": r.tool, "arguments": r.args}
	}
	usage := object{"input_tokens": r.used, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": r.used + 10}
	stream(w,
		event{"response.created", object{"type": "response.created", "response": object{"id": "resp_1"}}},
		event{"response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item}},
		event{"response.completed",
			object{"type": "response.completed", "response": object{"id": "resp_1", "status": "completed", "output": []any{item}, "usage": usage}}},
	)
}

func completions(w http.ResponseWriter, r reply) {
	usage := object{"prompt_tokens": r.used, "completion_tokens": 10, "total_tokens": r.used + 10}
	if !r.stream {
		send(w, object{"id": "c1", "object": "chat.completion", "created": 1, "model": "m",
			"choices": []any{object{"index": 0, "message": object{"role": "assistant", "content": r.text}, "finish_reason": "stop"}},
			"usage":   usage})
		return
	}
	chunk := func(delta object, finish any) event {
		return event{"", object{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}}
	}
	delta, finish := object{"role": "assistant", "content": r.text}, "stop"
	if r.tool != "" {
		delta, finish = object{"role": "assistant",
			"tool_calls": []any{object{"index": 0, "id": "call_1", "type": "function",
				"function": object{"name": r.tool, "arguments": r.args}}}}, "tool_calls"
	}
	stream(w,
		chunk(delta, nil),
		chunk(object{}, finish),
		event{"", object{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{}, "usage": usage}},
		event{"", "[DONE]"},
	)
}

func gemini(r reply) object {
	part := object{"text": r.text}
	if r.tool != "" {
		part = object{"functionCall": object{"name": r.tool, "args": json.RawMessage(r.args)}}
	}
	return object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": r.used, "candidatesTokenCount": 10, "totalTokenCount": r.used + 10},
		"modelVersion":  "gemini-2.5-pro", "responseId": "r1",
	}
}
