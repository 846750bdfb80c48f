package mcp

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
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
}

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
	r.server.AddResource(&sdk.Resource{
		Name: "context", URI: r.base(), MIMEType: "text/markdown", Title: "Session context",
		Description: "What a session starts with: identity, memory, recent days.",
	}, r.readContext)
	r.server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "memory file", URITemplate: r.base() + "/{+path}", MIMEType: "text/markdown",
		Description: "A memory file by its path.",
	}, r.read)
	r.server.AddReceivingMiddleware(r.listFiles)
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
