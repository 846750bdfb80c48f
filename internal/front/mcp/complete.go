package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/app/memory"
)

// mostCompleted is what the protocol allows in one answer.
const mostCompleted = 100

// complete completes paths of memory files. Nothing else has arguments.
func (r *resources) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	res := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	ref := req.Params.Ref
	if ref == nil || ref.Type != "ref/resource" || req.Params.Argument.Name != "path" {
		return res, nil
	}
	list := memory.ListRequest{}
	for {
		page, err := r.memory().Reader.List(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, f := range page.Files {
			if !strings.HasPrefix(string(f.Path), req.Params.Argument.Value) {
				continue
			}
			if len(res.Completion.Values) == mostCompleted {
				res.Completion.HasMore = true
				return res, nil
			}
			res.Completion.Values = append(res.Completion.Values, string(f.Path))
		}
		if list.After = page.Next; page.Next == "" {
			return res, nil
		}
	}
}
