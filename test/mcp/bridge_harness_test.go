//go:build harness

package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
)

// bridge translates a client's HTTP to the stdio of `tend mcp`, a process per session, for a suite that knows only HTTP.
type bridge struct {
	t   *testing.T
	dir string

	mu       sync.Mutex
	sessions map[string]*piped
}

// piped is a process and the requests that wait for its answers.
type piped struct {
	in io.WriteCloser

	mu   sync.Mutex
	wait map[string]chan []byte // by the id of the request
}

// newBridge serves on loopback and returns the address.
func newBridge(t *testing.T, dir string) string {
	b := &bridge{t: t, dir: dir, sessions: map[string]*piped{}}
	s := httptest.NewServer(b)
	t.Cleanup(func() {
		s.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.sessions {
			p.in.Close()
		}
	})
	return s.Listener.Addr().String()
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !local(r) { // about HTTP, so the bridge checks it
		http.Error(w, "not from this machine", http.StatusForbidden)
		return
	}
	if r.Method == http.MethodDelete {
		b.mu.Lock()
		defer b.mu.Unlock()
		if p := b.sessions[r.Header.Get("Mcp-Session-Id")]; p != nil {
			p.in.Close()
		}
		delete(b.sessions, r.Header.Get("Mcp-Session-Id"))
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "no streams here", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	var msg struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err != nil || json.Unmarshal(body, &msg) != nil {
		http.Error(w, "not a message", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	p := b.sessions[r.Header.Get("Mcp-Session-Id")]
	if msg.Method == "initialize" {
		if p, err = b.start(); err == nil {
			id := fmt.Sprint("session-", len(b.sessions)+1)
			b.sessions[id] = p
			w.Header().Set("Mcp-Session-Id", id)
		}
	}
	b.mu.Unlock()
	if p == nil || err != nil {
		http.Error(w, fmt.Sprint("no such session ", err), http.StatusNotFound)
		return
	}
	answer, err := p.send(body, msg.ID, msg.Method)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select {
	case line := <-answer:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(line)
	case <-r.Context().Done():
	}
}

func local(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if origin, _ := url.Parse(r.Header.Get("Origin")); origin != nil && origin.Host != "" && origin.Hostname() != "127.0.0.1" &&
		origin.Hostname() != "localhost" {
		return false
	}
	return err == nil && (host == "127.0.0.1" || host == "localhost")
}

// start runs a server.
func (b *bridge) start() (*piped, error) {
	cmd := tend(b.dir, "mcp", "ada")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.t.Cleanup(func() {
		_ = in.Close() // it exits when its input is closed
		_ = cmd.Wait()
	})
	p := &piped{in: in, wait: map[string]chan []byte{}}
	go p.receive(bufio.NewReader(out))
	return p, nil
}

// receive passes each answer to the request that waits for it.
func (p *piped) receive(out *bufio.Reader) {
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return
		}
		var msg struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &msg) != nil || msg.Method != "" {
			continue
		}
		p.mu.Lock()
		if to := p.wait[string(msg.ID)]; to != nil {
			to <- line
			delete(p.wait, string(msg.ID))
		}
		p.mu.Unlock()
	}
}

// send passes a message on. The channel returns the answer; it is nil if there will be none.
func (p *piped) send(body []byte, id json.RawMessage, method string) (chan []byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var answer chan []byte
	if len(id) > 0 && method != "" {
		answer = make(chan []byte, 1)
		p.wait[string(id)] = answer
	}
	var line json.RawMessage = body
	compact, err := json.Marshal(line) // one line, whatever the client wrote
	if err == nil {
		_, err = p.in.Write(append(compact, '\n'))
	}
	return answer, err
}
