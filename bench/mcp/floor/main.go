// Command floor is a minimal MCP server on the same SDK: its handlers make only the system calls that a memory needs,
// durable where it must be.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	readIn struct {
		Filename string `json:"filename"`
	}
	writeIn struct {
		Filename string `json:"filename"`
		Content  string `json:"content"`
	}
	replaceIn struct {
		Filename string `json:"filename"`
		OldStr   string `json:"old_str"`
		NewStr   string `json:"new_str"`
	}
	listIn struct{}
)

func main() {
	dir := os.Args[1]
	s := mcp.NewServer(&mcp.Implementation{Name: "floor", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "memory_read"},
		func(_ context.Context, _ *mcp.CallToolRequest, in readIn) (*mcp.CallToolResult, any, error) {
			data, err := os.ReadFile(filepath.Join(dir, in.Filename))
			return text(string(data)), nil, err
		})
	mcp.AddTool(s, &mcp.Tool{Name: "memory_write"},
		func(_ context.Context, _ *mcp.CallToolRequest, in writeIn) (*mcp.CallToolResult, any, error) {
			return text("saved"), nil, Durable(filepath.Join(dir, in.Filename), []byte(in.Content))
		})
	mcp.AddTool(s, &mcp.Tool{Name: "memory_replace"},
		func(_ context.Context, _ *mcp.CallToolRequest, in replaceIn) (*mcp.CallToolResult, any, error) {
			name := filepath.Join(dir, in.Filename)
			data, err := os.ReadFile(name)
			if err == nil && strings.Count(string(data), in.OldStr) != 1 {
				err = errors.New("not once")
			}
			if err == nil {
				err = Durable(name, []byte(strings.Replace(string(data), in.OldStr, in.NewStr, 1)))
			}
			return text("saved"), nil, err
		})
	mcp.AddTool(s, &mcp.Tool{Name: "memory_list"}, func(context.Context, *mcp.CallToolRequest, listIn) (*mcp.CallToolResult, any, error) {
		var b strings.Builder
		err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				fmt.Fprintf(&b, "%s %d %s\n", p[len(dir)+1:], info.Size(), info.ModTime().Format("2006-01-02 15:04"))
			}
			return err
		})
		return text(b.String()), nil, err
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Print(err)
	}
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// Durable is the bare sequence: temporary file, write, fsync, rename, fsync of the folder.
func Durable(name string, data []byte) error {
	tmp := name + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
