package door

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"tend/internal/token"
)

// who knows a client by its token. It is read from the Authorization header alone:
// addresses end up in logs and histories.
func (d *door) who(r *http.Request) (token.Token, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return token.Token{}, false
	}
	kind, secret, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(kind, "Bearer") {
		return token.Token{}, false
	}
	t, ok := d.o.Tokens.Check(strings.TrimSpace(secret))
	// A token of an agent that is no longer configured is no token.
	return t, ok && (t.Operator() || d.house.Known(t.Agent))
}

func (d *door) challenge(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="tend", resource_metadata="`+d.base(r)+`/.well-known/oauth-protected-resource"`)
	refuse(w, http.StatusUnauthorized, "token", "a bearer token is needed: `tend token create`")
}

func (d *door) base(r *http.Request) string {
	if d.o.TLS {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// resource says how to come in. Tokens are made by the operator at the machine, so
// there is no server that issues them.
func (d *door) resource(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"resource": d.base(r) + "/mcp", "resource_name": "Tend", "bearer_methods_supported": []string{"header"}, "authorization_servers": []string{},
	})
}

// reach is the agents that a token may ask about: those it names, or all it has. None
// is known to it but its own.
func (d *door) reach(t token.Token, asked string) (agents []string, ok bool) {
	switch {
	case t.Operator() && asked == "":
		return nil, true
	case t.Operator():
		return []string{asked}, d.house.Known(asked)
	case asked == "" || asked == t.Agent:
		return []string{t.Agent}, true
	}
	return nil, false
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	answer(w, status, map[string]string{"error": text, "code": code})
}

func absent(w http.ResponseWriter) {
	refuse(w, http.StatusNotFound, "not-found", "there is nothing here")
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // the client has gone
}

// detached keeps a job going when its client goes away: half a job helps nobody.
func detached(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
