package mcp

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
	"tend/internal/app/memory/scope"
	"tend/internal/disk/vault"
	"tend/internal/text/session"
)

// resources serves every memory file under memory://AGENT/PATH, and the session
// context under memory://AGENT. Files are not registered one by one but listed
// from disk when a client asks, so that a server's memory use does not grow with
// their number.
type resources struct {
	agent  string
	memory func() *memory.Service // as it is now
	server *sdk.Server
	life   context.Context // ends the watch for subscribers

	once sync.Once
	mu   sync.Mutex
	uris map[string]bool // has subscribers
}

// mostSubscribed bounds the number of subscriptions.
const mostSubscribed = 10_000

func (r *resources) base() string { return "memory://" + r.agent }

func (r *resources) uri(p vault.Path) string {
	return r.base() + "/" + (&url.URL{Path: string(p)}).EscapedPath()
}

// file returns the path of a URI.
func (r *resources) file(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, r.base()+"/")
	if !ok {
		return "", false
	}
	p, err := url.PathUnescape(rest)
	return p, err == nil && p != ""
}

func (r *resources) add() {
	r.addContext()
	r.server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "memory file", URITemplate: r.base() + "/{+path}", MIMEType: "text/markdown",
		Description: "A memory file by its path.",
	}, r.read)
	r.server.AddReceivingMiddleware(r.listFiles)
}

// addContext registers the session context. Registering it again notifies
// clients that the list of resources has changed.
func (r *resources) addContext() {
	r.server.AddResource(&sdk.Resource{
		Name: "context", URI: r.base(), MIMEType: "text/markdown", Title: "Session context",
		Description: "What a session starts with: identity, memory, recent days.",
	}, r.readContext)
}

func (r *resources) readContext(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c, err := r.memory().Session.Context(ctx, session.Options{})
	if err != nil {
		return nil, err
	}
	return contents(req.Params.URI, "text/markdown", c.Text), nil
}

func (r *resources) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	p, ok := r.file(req.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	t, err := r.memory().Reader.Read(ctx, memory.ReadRequest{Path: p})
	if errors.Is(err, vault.ErrAbsent) {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		if errors.Is(err, vault.ErrRefused) {
			e.Code = jsonrpc.CodeInvalidParams
		}
		return nil, e
	}
	return contents(req.Params.URI, mime(p), t.Text), nil
}

func contents(uri, kind, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}

func mime(p string) string {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".json":
		return "application/json"
	}
	return "text/plain"
}

// listFiles answers resources/list: registered resources, then the files, page
// by page.
func (r *resources) listFiles(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		params, ok := req.GetParams().(*sdk.ListResourcesParams)
		if method != "resources/list" || !ok {
			return next(ctx, method, req)
		}
		out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
		cursor := ""
		if params != nil {
			cursor = params.Cursor
		}
		if cursor == "" {
			res, err := next(ctx, method, req)
			if err != nil {
				return nil, err
			}
			out = res.(*sdk.ListResourcesResult)
		}
		page, err := r.memory().Reader.List(ctx, memory.ListRequest{After: cursor})
		if err != nil {
			return nil, err
		}
		for _, f := range page.Files {
			out.Resources = append(out.Resources, &sdk.Resource{
				Name: string(f.Path), URI: r.uri(f.Path), MIMEType: mime(string(f.Path)), Size: f.Size,
			})
		}
		out.NextCursor = page.Next
		return out, nil
	}
}

// subscribe starts the watch for the first subscriber.
func (r *resources) subscribe(_ context.Context, req *sdk.SubscribeRequest) error {
	if _, ok := r.file(req.Params.URI); !ok && req.Params.URI != r.base() {
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	r.mu.Lock()
	if len(r.uris) < mostSubscribed {
		r.uris[req.Params.URI] = true
	}
	r.mu.Unlock()
	r.once.Do(func() { go r.follow(r.memory()) })
	return nil
}

func (r *resources) unsubscribe(context.Context, *sdk.UnsubscribeRequest) error { return nil }

// lookEvery is how often a watch checks whether the memory was reopened or the watch must restart.
const lookEvery = time.Second

// follow notifies subscribers of every change, no matter who made it, and moves to the new folder when a workspace is recreated.
func (r *resources) follow(m *memory.Service) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for again := false; r.life.Err() == nil; again = true {
		ctx, stop := context.WithCancel(r.life)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = m.Reader.Follow(ctx, func(changes []scope.Change) { r.notify(changes, again) })
		}()
		for same := true; same; {
			select {
			case <-ended: // the files cannot be read at the moment
				same = false
			case <-r.life.Done():
				same = false
			case <-look.C:
				same = r.memory() == m
			}
		}
		stop()
		<-ended
		select {
		case <-r.life.Done():
		case <-look.C: // not at once, in case the files still cannot be read
		}
		m = r.memory()
	}
}

// notify notifies subscribers of changes. After a watch restarts it is unknown what changed: then all are notified.
func (r *resources) notify(changes []scope.Change, again bool) {
	listed := false
	for _, c := range changes {
		listed = listed || c.New || c.Gone
		r.updated(r.uri(c.Path))
	}
	switch {
	case len(changes) > 0:
		r.updated(r.base())
	case again:
		r.mu.Lock()
		all := slices.Sorted(maps.Keys(r.uris))
		r.mu.Unlock()
		for _, uri := range all {
			r.updated(uri)
		}
		listed = true
	}
	if listed {
		r.addContext()
	}
}

func (r *resources) updated(uri string) {
	r.mu.Lock()
	wanted := r.uris[uri]
	r.mu.Unlock()
	if wanted {
		_ = r.server.ResourceUpdated(r.life, &sdk.ResourceUpdatedNotificationParams{URI: uri})
	}
}
