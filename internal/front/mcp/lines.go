package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds a message on standard input, as maxBody does over HTTP.
const maxLine = maxBody

// sturdyTransport is the library's stream transport, except that a bad message
// gets an error and does not end the session.
type sturdyTransport struct {
	lines *lines
	out   *oneAtATime
	open  unanswered
	busy  *atomic.Int64 // calls in progress
	leave func()        // ends them

	answers atomic.Int64
	onReady func() // see ServeStdio
}

// Connect begins a session.
func (t *sturdyTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := (&sdk.IOTransport{Reader: t.lines, Writer: t.out, MaxLineLength: -1}).Connect(ctx)
	return &sturdyConn{c, t}, err
}

type sturdyConn struct {
	sdk.Connection
	t *sturdyTransport
}

// Write counts the answers.
func (c *sturdyConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.t.open.answered()
		if c.t.answers.Add(1) == 2 && c.t.onReady != nil {
			go c.t.onReady()
		}
	}
	return err
}

// Read returns the next valid message. It reports the end of the stream only when every call has been answered.
func (c *sturdyConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() && req.Method != "subscriptions/listen" { // it never ends by itself
			c.t.open.calls.Add(1)
		}
		if errors.Is(err, io.EOF) {
			c.t.open.wait(ctx, c.t.busy, c.t.out.w, c.t.leave)
		}
		if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil || c.t.lines.failed.Load() {
			return msg, err
		}
		c.t.out.refuse(nil, jsonrpc.CodeInvalidRequest, err.Error())
	}
}

// lines passes on the lines of a stream that are messages, and answers the others with errors.
type lines struct {
	in     *bufio.Reader
	refuse func(id json.RawMessage, code int, why string)
	rest   []byte      // of the current line
	failed atomic.Bool // read error other than EOF
}

func newLines(in io.Reader, refuse func(json.RawMessage, int, string)) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), refuse: refuse}
}

func (l *lines) Read(b []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.next()
		switch {
		case long:
			l.refuse(nil, jsonrpc.CodeParseError, fmt.Sprintf("the line is longer than %d bytes", maxLine))
		case len(line) == 0 && err != nil:
			if !errors.Is(err, io.EOF) {
				l.failed.Store(true)
			}
			return 0, err
		case len(line) == 0:
		case !json.Valid(line):
			l.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON; send one message per line")
		case !utf8.Valid(line): // otherwise a partial character would be saved as another one
			l.refuse(idOf(line), jsonrpc.CodeParseError, "the line is not UTF-8")
		case line[0] == '[': // a batch; the library splits it
			if messages(line) > mostAtOnce {
				l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a batch may have %d messages", mostAtOnce))
				continue
			}
			l.rest = append(line, '\n')
		default:
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				l.refuse(idOf(line), jsonrpc.CodeInvalidRequest, err.Error())
				continue
			}
			l.rest = append(line, '\n')
		}
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line and trims it. The rest of a line that is too long is
// discarded.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// Close leaves the stream to its owner.
func (l *lines) Close() error { return nil }

// idOf returns the id of an otherwise invalid message, nil if it has none.
func idOf(line []byte) json.RawMessage {
	var m struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(line, &m) != nil {
		return nil
	}
	switch m.ID.(type) {
	case string, float64:
		id, _ := json.Marshal(m.ID) // strings and numbers always are
		return id
	}
	return nil
}

// oneAtATime serializes writes of whole messages to a stream it does not close.
type oneAtATime struct {
	mu sync.Mutex
	w  io.Writer
}

func (o *oneAtATime) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(b)
}

// Close leaves the stream to its owner.
func (o *oneAtATime) Close() error { return nil }

// refuse answers a message that could not be understood.
func (o *oneAtATime) refuse(id json.RawMessage, code int, why string) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		_, _ = o.Write(append(line, '\n')) // the client may be gone
	}
}
