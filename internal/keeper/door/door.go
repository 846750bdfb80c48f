// Package door is the keeper's front: the memory of agents over MCP, a small JSON
// API, metrics and health, behind checks of who asks and from where.
//
// The order of the checks is the policy: first the name by which this machine was
// addressed and the page that asks (a browser must not be a way in), then the token,
// then whose memory it is. An agent's token reaches that agent; everything else does
// not exist for it.
package door

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
	"time"

	"tend/internal/act"
	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/hint"
	"tend/internal/notice"
	"tend/internal/token"
)

// House is what is behind the door.
type House interface {
	Ready() bool
	// Health is nil while all is well enough to go on.
	Health() error
	Known(agent string) bool
	Status(ctx context.Context, agents []string) []Status
	Findings(agents []string) []notice.Notice
	Acknowledge(agent string, ids []string, ack notice.Ack) ([]notice.Notice, error)
	RunJob(ctx context.Context, agent, job string) act.Result
	Reload()
	// Memory serves an agent's memory over MCP. The agent is known.
	Memory(agent string, readOnly bool) (http.Handler, error)
}

// Status is an agent at a glance, with its jobs.
type Status struct {
	fleet.Status
	Jobs map[string]hint.Run `json:"jobs"`
}

// Options say who may come in.
type Options struct {
	Tokens  *token.Checker
	Hosts   []string // names of this machine besides the loopback ones
	Local   bool     // only this machine can reach the door
	TLS     bool
	Metrics http.Handler
	Pages   http.Handler // the dashboard; nil for none
	Count   func(door string, status int)
	Log     *slog.Logger
	Version string
}

// The limits of a request.
const (
	maxBody       = 4 << 20
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// ErrOpen: the address can be reached from elsewhere and nothing would protect it.
var ErrOpen = errors.New("refused")

// CheckListen refuses to serve other machines without TLS and tokens.
func CheckListen(addr string, tls, tokens bool) error {
	if Loopback(addr) {
		return nil
	}
	switch {
	case !tls:
		return fmt.Errorf("%s can be reached from other machines and there is no TLS: name certificate files under keeper.tls, or listen on 127.0.0.1: %w", addr, ErrOpen)
	case !tokens:
		return fmt.Errorf("%s can be reached from other machines and there are no tokens: `tend token create`, or listen on 127.0.0.1: %w", addr, ErrOpen)
	}
	return nil
}

// Loopback reports whether an address can be reached from this machine alone.
func Loopback(addr string) bool {
	return config.Loopback(addr)
}

// NewServer is an HTTP server with the limits of this door.
func NewServer(h House, o Options) *http.Server {
	return &http.Server{
		Handler: New(h, o), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
}

// New is the door to a house.
func New(h House, o Options) http.Handler {
	d := &door{house: h, o: o}
	mux := http.NewServeMux()
	for _, r := range d.routes() {
		mux.Handle(r.Pattern(), d.guarded(r))
	}
	protection := http.NewCrossOriginProtection()
	return d.counted(d.hosts(sameOrigin(protection.Handler(http.MaxBytesHandler(mux, maxBody)))))
}

type door struct {
	house House
	o     Options
}

// hosts refuses requests that name another machine: a page that had its own name
// lead here would otherwise be of the same origin.
func (d *door) hosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.ToLower(strings.Trim(host, "[]"))
		ip, err := netip.ParseAddr(host)
		if host != "localhost" && (err != nil || !ip.IsLoopback()) && !slices.ContainsFunc(d.o.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
			refuse(w, http.StatusForbidden, "host", "this keeper is not addressed by that name; add it under keeper.hosts")
			return
		}
		if len(r.TransferEncoding) > 0 {
			// What stands behind a body of unsaid length is not taken for a request: one who
			// counted it differently may have let it through.
			w.Header().Set("Connection", "close")
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// sameOrigin refuses what names another origin, whatever the method.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host && o != "https://"+r.Host {
			refuse(w, http.StatusForbidden, "origin", "requests of other origins are refused")
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" {
			refuse(w, http.StatusForbidden, "origin", "requests of other sites are refused")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// counted counts requests by door and status.
func (d *door) counted(next http.Handler) http.Handler {
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
			// Headers are not logged: they may hold a token.
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
