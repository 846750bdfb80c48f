package dial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tend/internal/engine/curator"
	"tend/internal/text/scan"
	"tend/internal/text/session"
)

// protocol is how a server is spoken to.
type protocol uint8

const (
	openAI protocol = iota
	anthropic
	ollama
)

// server is a model behind an HTTP API.
type server struct {
	protocol         protocol
	base, model, key string
	name             string
	pause            time.Duration
}

const (
	tries       = 4
	mostPause   = 30 * time.Second
	answerRoom  = 8192 // tokens for the answer
	leastWindow = 8192 // of Ollama, whose default of a few thousand tokens would cut the request silently
	mostWindow  = 262144
)

// refusedError is a response other than 200.
type refusedError struct {
	status int
	text   string
	after  time.Duration
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("the model's server answered %d: %s", e.status, e.text)
}

// busy reports a status after which another try may succeed.
func (e *refusedError) busy() bool { return e.status == http.StatusTooManyRequests || e.status >= 500 }

func (s server) Name() string { return s.name }

// Ask sends the prompt. A busy server is asked again, and one that rejects the request without the fields that not every
// model knows.
func (s server) Ask(ctx context.Context, prompt string) ([]byte, error) {
	plain, pause := false, s.pause
	for try := 1; ; try++ {
		out, err := s.post(ctx, prompt, plain)
		var no *refusedError
		switch {
		case err == nil || try == tries || !errors.As(err, &no):
			return out, err
		case no.status == http.StatusBadRequest && !plain:
			plain = true
			continue
		case !no.busy():
			return nil, err
		}
		wait := time.NewTimer(min(max(pause, no.after), mostPause))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		}
		pause *= 2
	}
}

// body is the path and the body of a request. A plain one has nothing that a model may reject.
func (s server) body(prompt string, plain bool) (path string, body map[string]any) {
	body = map[string]any{"model": s.model, "messages": []any{map[string]any{"role": "user", "content": prompt}}}
	switch s.protocol {
	case anthropic:
		body["max_tokens"] = answerRoom
		path = "/v1/messages"
	case ollama:
		window := max(leastWindow, session.EstimateTokens(prompt)+answerRoom)
		body["stream"] = false
		body["options"] = map[string]any{"num_ctx": min(window, mostWindow), "temperature": 0}
		return "/api/chat", body
	default:
		path = "/chat/completions"
	}
	if !plain {
		body["temperature"] = 0
	}
	return path, body
}

// post sends one request and reads the response within a size limit. The context sets the deadline. Redirects are not
// followed: the key is for one server.
func (s server) post(ctx context.Context, prompt string, plain bool) ([]byte, error) {
	path, body := s.body(prompt, plain)
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.base, "/")+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	switch {
	case s.protocol == anthropic:
		req.Header.Set("anthropic-version", "2023-06-01")
		req.Header.Set("x-api-key", s.key)
	case s.key != "":
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	out, err := io.ReadAll(io.LimitReader(resp.Body, curator.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the model's answer: %w", err)
	case len(out) > curator.MaxAnswer:
		return nil, curator.ErrTooLong
	case resp.StatusCode != http.StatusOK:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return nil, &refusedError{resp.StatusCode, brief(out), time.Duration(seconds) * time.Second}
	}
	return out, nil
}

// brief is the beginning of what a program or server said, for an error.
func brief(b []byte) string { return scan.Quote(strings.ToValidUTF8(string(b), ""), 200) }
