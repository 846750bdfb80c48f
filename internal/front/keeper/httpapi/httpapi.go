// Package httpapi is the keeper's HTTP server: the agents' memory over MCP, a small JSON API, metrics, health and the
// dashboard.
//
// Each request is checked in this order: the Host header and the origin, so that a web page cannot use a browser to get
// in, then the token, then the agent. For an agent's token, other agents do not exist.
package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/front/mcp"
	"tend/internal/state/findinglog"
	"tend/internal/state/token"
)

// Backend is the keeper, as the server uses it.
type Backend interface {
	Ready() bool
	// Health returns why the keeper cannot work, or nil.
	Health() error
	Known(agent string) bool
	Status(ctx context.Context, agents []string) []fleet.State
	Findings(agents []string) []findinglog.Notice
	Acknowledge(agent string, ids []string, ack findinglog.Ack) ([]findinglog.Notice, error)
	RunJob(ctx context.Context, agent, job string) runner.Result
	Reload()
	// Memory serves the memory of a known agent over MCP.
	Memory(agent string, readOnly bool) (http.Handler, error)
}

// Options configures the server.
type Options struct {
	Tokens  *token.Checker
	Hosts   []string // names of this machine besides the loopback ones
	Local   bool     // only this machine can reach the server
	TLS     bool
	Metrics http.Handler
	Pages   http.Handler // the dashboard; nil for none
	Count   func(door string, status int)
	Log     *slog.Logger
	Version string
}

// maxBody bounds a request.
const maxBody = 4 << 20

// ErrOpen: other machines could reach the server without TLS or tokens.
var ErrOpen = errors.New("refusing to listen")

// CheckListen refuses to serve other machines without TLS and tokens.
func CheckListen(addr string, tls, tokens bool) error {
	if config.Loopback(addr) {
		return nil
	}
	switch {
	case !tls:
		return fmt.Errorf("%w on %s without TLS: other machines can reach it (set keeper.tls, or listen on 127.0.0.1)", ErrOpen, addr)
	case !tokens:
		return fmt.Errorf("%w on %s without a token: other machines can reach it (run `tend token create`, or listen on 127.0.0.1)", ErrOpen,
			addr)
	}
	return nil
}

// NewServer returns an HTTP server with timeouts for slow clients.
func NewServer(h Backend, o Options) *http.Server {
	s := mcp.NewHTTPServer(New(h, o))
	s.ConnContext = withConn
	s.ErrorLog = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)
	return s
}

// New returns the handler.
func New(h Backend, o Options) http.Handler {
	d := &door{backend: h, o: o, taken: map[string]chan struct{}{}}
	mux := http.NewServeMux()
	for _, r := range d.routes() {
		mux.Handle(r.Pattern(), d.withToken(r))
	}
	protection := http.NewCrossOriginProtection()
	return d.countRequests(d.checkHost(sameOrigin(protection.Handler(http.MaxBytesHandler(d.wrongAddress(mux), maxBody)))))
}

// wrongAddress shows a browser that follows a wrong address a page that leads back.
func (d *door) wrongAddress(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isBrowser := r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
		if _, pattern := mux.Handler(r); pattern == "" && isBrowser && d.o.Pages != nil {
			d.o.Pages.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

type door struct {
	backend Backend
	o       Options

	mu    sync.Mutex
	taken map[string]chan struct{} // by agent, "" for the operator
}

// readsAtOnce is how many requests for an agent's state are answered at once, as each reads its largest files.
const readsAtOnce = 2

// checkHost refuses requests with an unknown Host header. Otherwise a page whose own name resolves to this machine (DNS
// rebinding) would have the same origin.
func (d *door) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.ToLower(strings.Trim(host, "[]"))
		ip, err := netip.ParseAddr(host)
		isLocal := host == "localhost" || (err == nil && ip.IsLoopback())
		isOurs := slices.ContainsFunc(d.o.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
		if !isLocal && !isOurs {
			writeError(w, http.StatusForbidden, "host", "unknown host name; add it under keeper.hosts")
			return
		}
		if len(r.TransferEncoding) > 0 {
			// Close the connection after a body without a length: a proxy that parses it differently could have smuggled in
			// a second request.
			w.Header().Set("Connection", "close")
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// sameOrigin refuses requests from other origins, with any method.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host && o != "https://"+r.Host {
			writeError(w, http.StatusForbidden, "origin", "requests from other origins are refused")
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" {
			writeError(w, http.StatusForbidden, "origin", "requests from other sites are refused")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// countRequests counts requests by route group and status.
func (d *door) countRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(s, r)
		name := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")[0]
		if !slices.Contains([]string{"mcp", "api", "metrics", "healthz", "readyz", "static"}, name) {
			name = "other"
		}
		s.status = cmp.Or(s.status, http.StatusOK)
		if d.o.Count != nil {
			d.o.Count(name, s.status)
		}
		if s.status == http.StatusUnauthorized || s.status == http.StatusForbidden {
			// Headers are not logged: they may contain a token.
			d.o.Log.Warn("refused", "door", name, "status", strconv.Itoa(s.status), "from", r.RemoteAddr)
		}
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) WriteHeader(code int) {
	s.status = cmp.Or(s.status, code)
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap lets streams be flushed.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }
