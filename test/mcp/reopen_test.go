package mcp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A running server continues in a workspace that was removed and recreated, once the operator has confirmed it.
func TestReopen(t *testing.T) {
	for _, how := range []string{"removed", "moved away"} {
		t.Run(how, func(t *testing.T) {
			dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "- the first one\n"})
			ws := filepath.Join(dir, "ws")
			c := connect(t, dir, nil)
			c.must("memory_append", map[string]any{"filename": "MEMORY.md", "text": "- more"})
			away := os.RemoveAll
			if how != "removed" {
				away = func(ws string) error { return os.Rename(ws, ws+".old") }
			}
			if err := away(ws); err != nil {
				t.Fatal(err)
			}
			if text, failed := c.call("memory_read", map[string]any{"filename": "MEMORY.md"}); how == "removed" &&
				(!failed || !strings.Contains(text, "moved or deleted")) {
				t.Errorf("read without a workspace: %s", text)
			}
			write(t, filepath.Join(ws, "MEMORY.md"), "- the second one\n")
			if text, _ := c.call("memory_read", map[string]any{"filename": "MEMORY.md"}); strings.Contains(text, "second") {
				t.Errorf("an unconfirmed folder was read: %s", text)
			}
			if out, err := tend(dir, "move", "ada").CombinedOutput(); err != nil {
				t.Fatalf("tend move: %v\n%s", err, out)
			}
			if got := c.must("memory_read", map[string]any{"filename": "MEMORY.md"}); !strings.Contains(got, "the second one") {
				t.Errorf("after the workspace was recreated: %s", got)
			}
			c.must("memory_append", map[string]any{"filename": "MEMORY.md", "text": "- written"})
			if got := read(t, filepath.Join(ws, "MEMORY.md")); got != "- the second one\n- written\n" {
				t.Errorf("the file is %q", got)
			}
			if got := c.must("memory_search", map[string]any{"query": "second"}); !strings.Contains(got, "the second one") {
				t.Errorf("search: %s", got)
			}
		})
	}
}

// A subscription from before a workspace was recreated continues in the new folder, and its client is notified at once.
func TestSubscriptionFollowsRecreatedWorkspace(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "- the first one\n"})
	ws := filepath.Join(dir, "ws")
	updated := make(chan string, 100)
	c := connect(t, dir, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	const changed, other = "memory://ada/MEMORY.md", "memory://ada/other.md"
	for _, uri := range []string{changed, other} {
		if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(uri string) {
		for got := range updated {
			if got == uri {
				return
			}
		}
	}
	c.must("memory_append", map[string]any{"filename": "MEMORY.md", "text": "- more"})
	stop := keepWriting(t, filepath.Join(ws, "MEMORY.md"))
	hear(changed)
	stop()
	if err := os.Rename(ws, ws+".old"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws, "MEMORY.md"), "- the second one\n")
	if out, err := tend(dir, "move", "ada").CombinedOutput(); err != nil {
		t.Fatalf("tend move: %v\n%s", err, out)
	}
	hear(other) // neither folder has this file: the notice comes because the folder changed
	write(t, filepath.Join(ws, "other.md"), "- new here\n")
	hear(other)
}
