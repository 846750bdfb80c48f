package mcp

import (
	"net"
	"net/http"
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
	return sameOrigin(http.NewCrossOriginProtection().Handler(h))
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
