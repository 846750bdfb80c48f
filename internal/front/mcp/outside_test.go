package mcp

import (
	"fmt"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/disk/fsys/memfs"
)

// TestNothingGrowsWithFilesOutside: where a harness keeps its memory in one folder, the work of a call, in disk operations,
// does not grow with the files beside that folder.
func TestNothingGrowsWithFilesOutside(t *testing.T) {
	work := func(outside int) map[string]int {
		d, c := newDisk(t, "harness@0.1", func(d *memfs.Disk) {
			must(t, d.MkdirAll("ws/memory"))
			must(t, d.WriteFile("ws/IDENTITY.md", "# Ada\n"))
			must(t, d.WriteFile("ws/memory/CONTEXT.md", "# Context\n\n- tea, not coffee\n"))
			for i := range outside {
				must(t, d.MkdirAll(fmt.Sprintf("ws/project/%d", i%20)))
				must(t, d.WriteFile(fmt.Sprintf("ws/project/%d/%d.md", i%20, i), "- not memory\n"))
			}
		})
		var n atomic.Int64
		d.OnOp(func(memfs.Op) { n.Add(1) })
		out := map[string]int{}
		for _, call := range [][2]string{
			{"memory_read", `{"filename":"CONTEXT.md"}`}, {"memory_list", `{}`}, {"memory_search", `{"query":"coffee"}`},
			{"memory_write", `{"filename":"a.md","content":"one\n"}`}, {"memory_append", `{"filename":"a.md","text":"two"}`},
			{"memory_replace", `{"filename":"a.md","old_str":"two","new_str":"2"}`}, {"memory_insert", `{"filename":"a.md","line":0,"text":"zero"}`},
			{"memory_checkpoint", `{"text":"half done"}`}, {"memory_history", `{}`}, {"memory_move", `{"from":"a.md","to":"b.md"}`},
			{"memory_delete", `{"filename":"b.md"}`}, {"memory_read", `{"filename":"none.md"}`},
		} {
			n.Store(0)
			c.tool(call[0], call[1])
			out[call[0]+" "+call[1]] = int(n.Load())
		}
		n.Store(0)
		if _, err := c.c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://ada"}); err != nil {
			t.Fatal(err)
		}
		out["context"] = int(n.Load())
		return out
	}
	few, many := work(20), work(400)
	for call, n := range many {
		if n != few[call] {
			t.Errorf("%s: %d operations with 20 files outside the memory, %d with 400", call, few[call], n)
		}
	}
}
