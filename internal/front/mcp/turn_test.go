package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
)

// waiting is a server with a tool that waits, behind the handler.
type waiting struct {
	t      *testing.T
	server *sdk.Server
	url    string
	begun  chan struct{} // one for each call that has begun
	ended  chan error    // why each ended
	finish chan struct{}
}

func newWaiting(t *testing.T) *waiting {
	c := &waiting{t: t, begun: make(chan struct{}, 100), ended: make(chan error, 100), finish: make(chan struct{})}
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "ws"), 0o755), os.WriteFile(filepath.Join(dir, "tend.yaml"),
		[]byte("version: 1\nstate_dir: ./state\nagents:\n  ada: {workspace: ./ws, layout: openclaw, timezone: UTC}\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	s, tools, err := build(memory.New(open(t, dir, true), memory.Options{}), Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tools.tools["wait"] = offered{call: func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c.begun <- struct{}{}
		select {
		case <-ctx.Done():
		case <-c.finish:
		}
		c.ended <- ctx.Err()
		return &sdk.CallToolResult{}, nil
	}}
	c.server = s
	h := httptest.NewServer(Handler(func(*http.Request) *sdk.Server { return s }))
	t.Cleanup(h.Close)
	c.url = strings.TrimPrefix(h.URL, "http://")
	return c
}

// call sends a call in a protocol version, without its last byte unless it is whole.
func (c *waiting) call(version string, whole bool) net.Conn {
	c.t.Helper()
	conn, err := net.Dial("tcp", c.url)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientInfo":` +
		`{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `"name":"wait","arguments":{}}}`
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"MCP-Protocol-Version: %s\r\nMcp-Method: tools/call\r\nMcp-Name: wait\r\nContent-Length: %d\r\n\r\n", c.url, version, len(body))
	if !whole {
		body = body[:len(body)-1]
	}
	if _, err := conn.Write([]byte(head + body)); err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// TestACallEndsWithItsClient: when a client leaves, its call is cancelled, in every version of the protocol.
func TestACallEndsWithItsClient(t *testing.T) {
	c := newWaiting(t)
	for _, version := range spoken() {
		conn := c.call(version, true)
		<-c.begun
		_ = conn.Close()
		if err := <-c.ended; err == nil {
			t.Errorf("%s: the call went on", version)
		}
	}
}

// TestFewCallsAtOnce: of calls that are not sent to their end, few are read, some wait, and the others are turned away. When
// one ends, the next begins.
func TestFewCallsAtOnce(t *testing.T) {
	c := newWaiting(t)
	for range callsAtOnce {
		c.call(spoken()[0], true)
		<-c.begun
	}
	const more = 5
	status := make(chan int, callsWaiting+more)
	for range callsWaiting + more {
		conn := c.call(spoken()[0], false)
		go func() {
			if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				status <- res.StatusCode
			}
		}()
	}
	for range more {
		if got := <-status; got != http.StatusTooManyRequests {
			t.Errorf("status %d", got)
		}
	}
	select {
	case <-c.begun:
		t.Error("more calls began")
	default:
	}
	close(c.finish)
	for range callsAtOnce {
		<-c.ended
	}
}
