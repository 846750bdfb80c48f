package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody bounds a request: the largest text a tool accepts, escaped, plus some room.
const maxBody = 4 << 20

// Handler serves a server over stateless streamable HTTP. It refuses other
// origins and foreign host names: otherwise any web site could act for the user
// through the browser.
func Handler(pick func(*http.Request) *sdk.Server) http.Handler {
	h := sdk.NewStreamableHTTPHandler(pick,
		&sdk.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	return sameOrigin(http.NewCrossOriginProtection().Handler(knownVersion(inTurn(fewAtOnce(h)))))
}

// callsAtOnce bounds the calls of one memory that are served at once, and callsWaiting those that wait: a call may have a
// body of some megabytes and read a file of more. A client that does not send its call, or does not read its answer, has
// callTime.
const (
	callsAtOnce  = 3
	callsWaiting = 64
	callTime     = time.Minute
)

// turnKey is the key of a request's turn in its context.
type turnKey struct{}

type turn struct {
	end  func()
	here context.Context // of the client
}

// inTurn lets few calls be served at once and some wait.
func inTurn(next http.Handler) http.Handler {
	waiting, serving := make(chan struct{}, callsAtOnce+callsWaiting), make(chan struct{}, callsAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		busy := func() {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Connection", "close")
			http.Error(w, "too many calls at once", http.StatusTooManyRequests)
		}
		select {
		case waiting <- struct{}{}:
		default:
			busy()
			return
		}
		patience := time.NewTimer(callTime / 2)
		defer patience.Stop()
		select {
		case serving <- struct{}{}:
		case <-patience.C:
			<-waiting
			busy()
			return
		}
		answer := http.NewResponseController(w)
		_ = answer.SetWriteDeadline(time.Now().Add(callTime)) // not every writer has one
		end := sync.OnceFunc(func() {
			_ = answer.SetWriteDeadline(time.Time{})
			<-serving
			<-waiting
		})
		defer end()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), turnKey{}, turn{end, r.Context()})))
	})
}

// ofTurn ends the work of a call whose client has left, which the library does for the newest protocol only, and lets a call
// that stays open, to be told of changes, end its turn.
func ofTurn(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if t, ok := ctx.Value(turnKey{}).(turn); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(t.here, cancel)()
			if method == "subscriptions/listen" {
				t.end()
			}
		}
		return next(ctx, method, req)
	}
}

// spoken lists the supported protocol versions.
func spoken() []string {
	return []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// unsupportedVersion is the protocol's error code for an unsupported version.
const unsupportedVersion = -32022

// knownVersion answers requests with an unsupported protocol version as the protocol
// requires, with the list of supported ones; the library answers with plain text.
func knownVersion(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := r.Header.Get("MCP-Protocol-Version")
		if v == "" || r.Method != http.MethodPost || slices.Contains(spoken(), v) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{
			"code": unsupportedVersion, "message": "unsupported protocol version", "data": map[string]any{"supported": spoken(), "requested": v},
		}}) // a client that went away needs no answer
	})
}

// mostAtOnce is how many messages a batch may have; only the oldest clients send any.
const mostAtOnce = 50

// fewAtOnce refuses large batches: each message costs far more than its few bytes.
func fewAtOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err == nil && len(text) <= maxBody && messages(text) > mostAtOnce {
			http.Error(w, fmt.Sprintf("a batch may have %d messages", mostAtOnce), http.StatusBadRequest)
			return
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), r.Body), r.Body}
		next.ServeHTTP(w, r)
	})
}

// messages counts the messages of a batch, up to one more than the limit. One that is no batch counts none.
func messages(text []byte) int {
	d, n := json.NewDecoder(bytes.NewReader(text)), 0
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return 0
	}
	for d.More() && n <= mostAtOnce {
		var m json.RawMessage
		if d.Decode(&m) != nil {
			return n
		}
		n++
	}
	return n
}

// sameOrigin refuses requests from other origins for all methods: the standard
// library lets safe methods pass, the protocol does not allow that.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host && o != "https://"+r.Host {
			http.Error(w, "cross-origin request refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// NewHTTPServer returns a server with timeouts for slow clients.
func NewHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
}
