package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"tend/internal/engine/job"
	"tend/internal/engine/job/table"
	"tend/internal/front/web"
	"tend/internal/state/findinglog"
	"tend/internal/state/token"
)

func (d *door) healthz(w http.ResponseWriter, _ *http.Request) {
	if err := d.backend.Health(); err != nil {
		writeError(w, http.StatusServiceUnavailable, "unhealthy", err.Error())
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": d.o.Version})
}

func (d *door) readyz(w http.ResponseWriter, _ *http.Request) {
	if !d.backend.Ready() {
		writeError(w, http.StatusServiceUnavailable, "not-ready", "starting or stopping")
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

// page serves the dashboard, which has sessions of its own.
func (d *door) page(w http.ResponseWriter, r *http.Request) {
	if d.o.Pages == nil {
		writeNotFound(w)
		return
	}
	ctx := r.Context()
	d.o.Pages.ServeHTTP(w, r.WithContext(web.WithLogin(ctx, func(who string) { recogniseClient(ctx, "person "+who) })))
}

// metrics name no agents, so they are open on this machine; from elsewhere they need the operator's token.
func (d *door) metrics(w http.ResponseWriter, r *http.Request) {
	if !d.o.Local {
		if t, ok := d.identify(r); !ok || !t.Operator() {
			d.challenge(w, r)
			return
		}
	}
	d.o.Metrics.ServeHTTP(w, r)
}

func (d *door) status(w http.ResponseWriter, r *http.Request, t token.Token) {
	agents, ok := d.agentsOf(t, r.URL.Query().Get("agent"))
	if !ok {
		writeNotFound(w)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"agents": d.backend.Status(r.Context(), agents)})
}

func (d *door) findings(w http.ResponseWriter, r *http.Request, t token.Token) {
	agents, ok := d.agentsOf(t, r.URL.Query().Get("agent"))
	if !ok {
		writeNotFound(w)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"findings": d.backend.Findings(agents)})
}

// acknowledge acknowledges a finding. Only the operator may: an agent must not hide findings about itself.
func (d *door) acknowledge(w http.ResponseWriter, r *http.Request, t token.Token) {
	id := r.PathValue("id")
	all := d.backend.Findings(nil)
	i := slices.IndexFunc(all, func(n findinglog.Notice) bool { return n.ID == id })
	if i < 0 {
		writeNotFound(w)
		return
	}
	agent := cmp.Or(all[i].Agent, findinglog.NoAgent)
	done, err := d.backend.Acknowledge(agent, []string{id}, findinglog.Ack{By: "token " + t.ID, At: time.Now()})
	if err != nil {
		writeError(w, http.StatusInternalServerError, "failed", err.Error())
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"acknowledged": done})
}

// run runs a job now.
func (d *door) run(w http.ResponseWriter, r *http.Request, t token.Token) {
	agent, name := r.PathValue("agent"), r.PathValue("job")
	if _, ok := d.agentsOf(t, agent); !ok {
		writeNotFound(w)
		return
	}
	if _, known := table.Named(name); !known {
		writeNotFound(w)
		return
	}
	res := d.backend.RunJob(withoutCancel(r), agent, name)
	status := http.StatusOK
	switch res.Outcome {
	case job.Failed:
		status = http.StatusInternalServerError
	case job.Locked, job.Refused:
		status = http.StatusConflict
	}
	writeJSON(w, status, res)
}

func (d *door) reload(w http.ResponseWriter, _ *http.Request, _ token.Token) {
	d.backend.Reload()
	writeJSON(w, http.StatusOK, map[string]any{"findings": d.backend.Findings([]string{findinglog.NoAgent})})
}

// mcp serves the memory of the token's agent, or for the operator that of the agent in the path. Tool arguments cannot
// choose another agent.
func (d *door) mcp(w http.ResponseWriter, r *http.Request, t token.Token) {
	agents, ok := d.agentsOf(t, r.PathValue("agent"))
	if !ok || len(agents) != 1 {
		writeNotFound(w)
		return
	}
	h, err := d.backend.Memory(agents[0], t.ReadOnly)
	if err != nil {
		d.o.Log.Error("serve memory", "agent", agents[0], "error", err.Error())
		writeError(w, http.StatusServiceUnavailable, "unavailable", "this agent's memory cannot be served now")
		return
	}
	h.ServeHTTP(w, r)
}

// identify identifies a client by its token, only from the Authorization header: URLs end up in logs and histories.
func (d *door) identify(r *http.Request) (token.Token, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return token.Token{}, false
	}
	kind, secret, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(kind, "Bearer") {
		return token.Token{}, false
	}
	t, ok := d.o.Tokens.Check(strings.TrimSpace(secret))
	// The token of an agent that is no longer configured is invalid.
	return t, ok && (t.Operator() || d.backend.Known(t.Agent))
}

func (d *door) challenge(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="tend", resource_metadata="`+d.baseURL(r)+`/.well-known/oauth-protected-resource"`)
	writeError(w, http.StatusUnauthorized, "token", "a bearer token is needed: `tend token create`")
}

func (d *door) baseURL(r *http.Request) string {
	if d.o.TLS {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// resourceMetadata serves OAuth's protected resource metadata. The operator creates tokens on the machine, so it names no
// authorization server.
func (d *door) resourceMetadata(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{
		"resource": d.baseURL(r) + "/mcp", "resource_name": "Tend", "bearer_methods_supported": []string{"header"},
		"authorization_servers": []string{},
	})
}

// agentsOf returns the agents of a request: the one it asks for, or all the token may see. For an agent's token no other
// agent exists.
func (d *door) agentsOf(t token.Token, asked string) (agents []string, ok bool) {
	switch {
	case t.Operator() && asked == "":
		return nil, true
	case t.Operator():
		return []string{asked}, d.backend.Known(asked)
	case asked == "" || asked == t.Agent:
		return []string{t.Agent}, true
	}
	return nil, false
}

func writeError(w http.ResponseWriter, status int, code, text string) {
	writeJSON(w, status, map[string]string{"error": text, "code": code})
}

func writeNotFound(w http.ResponseWriter) {
	writeError(w, http.StatusNotFound, "not-found", "not found")
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // it fails only if the client has gone
}

// withoutCancel lets a job finish when its client disconnects.
func withoutCancel(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }

// Access says who may use a route.
type Access int

// The kinds of access, from the widest to the narrowest.
const (
	Anyone   Access = iota // no token
	Reader                 // any token: reads its own agent, the operator's reads all
	Memory                 // any token; the memory's tools decide what it may change
	Operator               // the operator's token, unless read-only: for changes
	Browser                // the dashboard's own session; bearer tokens do not work
)

// Route is a row of the API's table. Its Access is checked in one place, guarded.
type Route struct {
	Method string // "" for all
	Path   string
	Access Access
	serve  func(http.ResponseWriter, *http.Request, token.Token)
}

// Pattern returns the route's pattern for http.ServeMux.
func (r Route) Pattern() string {
	if r.Method == "" {
		return r.Path
	}
	return r.Method + " " + r.Path
}

// Routes lists all routes.
func Routes() []Route { return new(door).routes() }

func (d *door) routes() []Route {
	open := func(h http.HandlerFunc) func(http.ResponseWriter, *http.Request, token.Token) {
		return func(w http.ResponseWriter, r *http.Request, _ token.Token) { h(w, r) }
	}
	list := []Route{
		{"GET", "/healthz", Anyone, open(d.healthz)},
		{"GET", "/readyz", Anyone, open(d.readyz)},
		{"GET", "/metrics", Anyone, open(d.metrics)}, // on this machine; from elsewhere it checks for the operator itself
		{"GET", "/.well-known/oauth-protected-resource", Anyone, open(d.resourceMetadata)},
		{"GET", "/.well-known/oauth-protected-resource/", Anyone, open(d.resourceMetadata)},
		{"GET", "/api/v1/status", Reader, d.status},
		{"GET", "/api/v1/findings", Reader, d.findings},
		{"POST", "/api/v1/findings/{id}/ack", Operator, d.acknowledge},
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

// withToken checks the token before a route is served.
func (d *door) withToken(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route.Access == Anyone || route.Access == Browser {
			route.serve(w, r, token.Token{})
			return
		}
		t, ok := d.identify(r)
		if ok {
			recogniseClient(r.Context(), "token "+t.ID)
		}
		switch {
		case !ok:
			d.challenge(w, r)
		case route.Access == Operator && !t.Operator():
			writeError(w, http.StatusForbidden, "operator", "only the operator may do this")
		case route.Access == Operator && t.ReadOnly:
			writeError(w, http.StatusForbidden, "read-only", "this token may only read")
		case route.Access == Reader:
			seat := d.seatsOf(t.Agent)
			select {
			case seat <- struct{}{}:
				defer func() { <-seat }()
				route.serve(w, r, t)
			case <-r.Context().Done():
			}
		default:
			route.serve(w, r, t)
		}
	})
}

// seatsOf returns where the readers of an agent, or the operator's, wait for each other.
func (d *door) seatsOf(agent string) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.taken[agent] == nil {
		d.taken[agent] = make(chan struct{}, readsAtOnce)
	}
	return d.taken[agent]
}
