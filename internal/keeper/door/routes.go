package door

import (
	"net/http"

	"tend/internal/token"
	"tend/internal/web"
)

// Access is who may use a route.
type Access int

// The kinds of access, from the widest to the narrowest.
const (
	Anyone   Access = iota // who can reach the address
	Reader                 // any token; it sees its own agent, and the operator's all. Nothing changes
	Memory                 // any token; what it may change is up to the tools of its memory
	Operator               // the operator's token, and not a read-only one: something changes
	Browser                // the dashboard's own session; no bearer token opens it
)

// Route is one row of the API. Who may use it is said here and checked in one place.
type Route struct {
	Method string // "" for all
	Path   string
	Access Access
	serve  func(http.ResponseWriter, *http.Request, token.Token)
}

// Pattern is the route as a mux has it.
func (r Route) Pattern() string {
	if r.Method == "" {
		return r.Path
	}
	return r.Method + " " + r.Path
}

// Routes lists what the door serves.
func Routes() []Route { return new(door).routes() }

func (d *door) routes() []Route {
	open := func(h http.HandlerFunc) func(http.ResponseWriter, *http.Request, token.Token) {
		return func(w http.ResponseWriter, r *http.Request, _ token.Token) { h(w, r) }
	}
	list := []Route{
		{"GET", "/healthz", Anyone, open(d.healthz)},
		{"GET", "/readyz", Anyone, open(d.readyz)},
		{"GET", "/metrics", Anyone, open(d.metrics)}, // on this machine; elsewhere it asks for the operator itself
		{"GET", "/.well-known/oauth-protected-resource", Anyone, open(d.resource)},
		{"GET", "/.well-known/oauth-protected-resource/", Anyone, open(d.resource)},
		{"GET", "/api/v1/status", Reader, d.status},
		{"GET", "/api/v1/findings", Reader, d.findings},
		{"POST", "/api/v1/findings/{id}/ack", Operator, d.ack},
		{"POST", "/api/v1/agents/{agent}/jobs/{job}", Operator, d.run},
		{"POST", "/api/v1/reload", Operator, d.reload},
		{"", "/mcp", Memory, d.mcp},
		{"", "/mcp/{agent}", Memory, d.mcp},
	}
	for _, r := range web.Routes() {
		list = append(list, Route{r.Method, r.Path, Browser, open(d.page)})
	}
	return list
}

// guarded checks the token before a route is served.
func (d *door) guarded(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route.Access == Anyone || route.Access == Browser {
			route.serve(w, r, token.Token{})
			return
		}
		t, ok := d.who(r)
		switch {
		case !ok:
			d.challenge(w, r)
		case route.Access == Operator && !t.Operator():
			refuse(w, http.StatusForbidden, "operator", "only the operator may do this")
		case route.Access == Operator && t.ReadOnly:
			refuse(w, http.StatusForbidden, "read-only", "this token may only read")
		default:
			route.serve(w, r, t)
		}
	})
}
