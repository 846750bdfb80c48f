package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
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
	return sameOrigin(http.NewCrossOriginProtection().Handler(knownVersion(fewAtOnce(h))))
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
		body := bufio.NewReader(r.Body)
		r.Body = struct {
			io.Reader
			io.Closer
		}{body, r.Body}
		if !batch(body) {
			next.ServeHTTP(w, r)
			return
		}
		text, err := io.ReadAll(io.LimitReader(body, maxBody+1))
		if err == nil && len(text) <= maxBody && messages(text) > mostAtOnce {
			http.Error(w, fmt.Sprintf("a batch may have %d messages", mostAtOnce), http.StatusBadRequest)
			return
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), body), r.Body}
		next.ServeHTTP(w, r)
	})
}

// batch skips the blanks before a message and reports whether it is a batch. The next handler reports errors.
func batch(body *bufio.Reader) bool {
	for range maxBody {
		c, err := body.ReadByte()
		if err != nil {
			return false
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			_ = body.UnreadByte()
			return c == '['
		}
	}
	return true // what follows so many blanks is counted, whatever it is
}

// messages counts the messages of a batch, up to one more than the limit.
func messages(text []byte) int {
	d, n := json.NewDecoder(bytes.NewReader(text)), 0
	_, _ = d.Token()
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
