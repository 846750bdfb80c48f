package curator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// model is a model behind an HTTP API.
type model struct{ url, name, key string }

// refused is a response other than 200.
type refused struct {
	status int
	text   string
}

func (e *refused) Error() string {
	return fmt.Sprintf("the model's server answered %d: %s", e.status, e.text)
}

// post sends a request and reads the response within a size limit. The context sets the deadline. Redirects are not
// followed: the key is for one server.
func (m model) post(ctx context.Context, path string, head map[string]string, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range head {
		req.Header.Set(k, v)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the model's answer: %w", err)
	case len(text) > maxAnswer:
		return nil, ErrTooLong
	case resp.StatusCode != http.StatusOK:
		return nil, &refused{resp.StatusCode, short(string(text))}
	}
	return text, nil
}

// short returns the beginning of a text, on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		return string(r[:159]) + "…"
	}
	return s
}

// openAI speaks the chat completions API, as do Ollama, llama.cpp, vLLM and others.
type openAI struct{ model }

// Ask requests an answer that follows the schema; a server without schema support is asked again for any JSON.
func (m openAI) Ask(ctx context.Context, r Request) ([]Pick, error) {
	formats := []any{
		map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "picks", "strict": true, "schema": schema(r)}},
		map[string]any{"type": "json_object"},
	}
	head := map[string]string{}
	if m.key != "" {
		head["Authorization"] = "Bearer " + m.key
	}
	var text []byte
	var err error
	for _, format := range formats {
		text, err = m.post(ctx, "/chat/completions", head, map[string]any{
			"model": m.name, "temperature": 0, "stream": false, "response_format": format,
			"messages": []any{
				map[string]any{"role": "system", "content": task(r)},
				map[string]any{"role": "user", "content": question(r)},
			},
		})
		if no := (*refused)(nil); !errors.As(err, &no) || no.status != http.StatusBadRequest {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	var said struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrJunk, err)
	}
	if len(said.Choices) == 0 {
		return nil, fmt.Errorf("%w: it has no choices", ErrJunk)
	}
	return answer([]byte(said.Choices[0].Message.Content))
}

// anthropic speaks the messages API; the answer comes as a tool call.
type anthropic struct{ model }

// Ask requests picks.
func (m anthropic) Ask(ctx context.Context, r Request) ([]Pick, error) {
	text, err := m.post(ctx, "/v1/messages", map[string]string{"x-api-key": m.key, "anthropic-version": "2023-06-01"}, map[string]any{
		"model": m.name, "max_tokens": 4096, "temperature": 0, "system": task(r),
		"messages":    []any{map[string]any{"role": "user", "content": question(r)}},
		"tools":       []any{map[string]any{"name": "keep", "description": "Keep the picked entries.", "input_schema": schema(r)}},
		"tool_choice": map[string]any{"type": "tool", "name": "keep"},
	})
	if err != nil {
		return nil, err
	}
	var said struct {
		Content []struct {
			Type  string          `json:"type"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrJunk, err)
	}
	for _, c := range said.Content {
		if c.Type == "tool_use" {
			return answer(c.Input)
		}
	}
	return nil, fmt.Errorf("%w: it calls no tool", ErrJunk)
}
