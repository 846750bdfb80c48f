package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody bounds a request: the largest text a tool takes, escaped, and room.
const maxBody = 4 << 20

// Handler serves a server over streamable HTTP, each request by itself. It
// refuses pages of other origins and names that are not this machine's, since a
// browser would otherwise let any web site speak for the user.
func Handler(pick func(*http.Request) *sdk.Server) http.Handler {
	h := sdk.NewStreamableHTTPHandler(pick, &sdk.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	return sameOrigin(http.NewCrossOriginProtection().Handler(knownVersion(fewAtOnce(h))))
}

// spoken are the versions of the protocol that are understood.
func spoken() []string {
	return []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// unsupportedVersion is the protocol's code for a version nobody here speaks.
const unsupportedVersion = -32022

// knownVersion answers those who speak another version of the protocol as the protocol
// says, with those they may choose from; the library answers in words.
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

// fewAtOnce refuses large batches: each of their messages costs far more than the few
// bytes it has.
func fewAtOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bufio.NewReader(r.Body)
		r.Body = struct {
			io.Reader
			io.Closer
		}{body, r.Body}
		first, _ := body.Peek(512) // what cannot be read is the next one's to tell
		if !bytes.HasPrefix(bytes.TrimLeft(first, " \t\r\n"), []byte("[")) {
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

// messages counts the messages of a batch, up to one more than may be.
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

// sameOrigin refuses what names another origin, whatever the method: the
// standard library lets safe methods pass, and the protocol wants none to.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host && o != "https://"+r.Host {
			http.Error(w, "cross-origin request refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// NewHTTPServer is a server with limits on how long a client may take.
func NewHTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
}

// Loopback reports whether an address can be reached from this machine alone.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
