// Package mcp runs the real program as a harness would: as a second process on pipes or a port, with the official client, and
// attackers beside it.
package mcp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/internal/front/cli"
)

// asTend makes the test binary behave as tend, so that the program under test
// is the one that was just compiled.
const asTend = "TEND_TEST_AS_TEND"

func TestMain(m *testing.M) {
	if os.Getenv(asTend) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// tend returns a command of the program.
func tend(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"--config", filepath.Join(dir, "tend.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), asTend+"=1")
	return cmd
}

// newWorkspace creates a folder with one agent; more is appended to its configuration.
func newWorkspace(t *testing.T, more string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tend.yaml"), "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw@2026.9, timezone: UTC}\nagents:\n"+
		"  ada:\n    workspace: ./ws\n"+more)
	if err := os.MkdirAll(filepath.Join(dir, "ws"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// client is a session with a server in a process of its own.
type client struct {
	t *testing.T
	*sdk.ClientSession
}

func connect(t *testing.T, dir string, o *sdk.ClientOptions, args ...string) client {
	t.Helper()
	cmd := tend(dir, append([]string{"mcp", "ada"}, args...)...)
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, o).Connect(context.Background(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return client{t, s}
}

// call runs a tool; failed is true if it answered with an error.
func (c client) call(name string, args map[string]any) (text string, failed bool) {
	c.t.Helper()
	res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s %v: %v", name, args, err)
	}
	var b strings.Builder
	for _, part := range res.Content {
		fmt.Fprintln(&b, part.(*sdk.TextContent).Text)
	}
	return strings.TrimSuffix(b.String(), "\n"), res.IsError
}

// must runs a tool that has to succeed.
func (c client) must(name string, args map[string]any) string {
	c.t.Helper()
	text, failed := c.call(name, args)
	if failed {
		c.t.Fatalf("%s %v: %s", name, args, text)
	}
	return text
}
