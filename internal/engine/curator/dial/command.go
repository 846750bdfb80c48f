package dial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"tend/internal/engine/curator"
)

// command is a program that reads a prompt and writes its answer.
type command struct {
	name string
	args []string
}

// presets are the programs of harnesses, as they answer one prompt without tools and without a session. curator.Read
// takes their JSON envelopes off.
func presets() map[string]command {
	return map[string]command{
		"openclaw": {"openclaw", []string{"openclaw", "agent", "exec", "--message-file", "-", "--json"}},
		"claude":   {"claude", []string{"claude", "-p", "--output-format", "json", "--tools", "", "--no-session-persistence"}},
		"codex":    {"codex", []string{"codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "--ephemeral", "-"}},
		"gemini":   {"gemini", []string{"gemini", "--output-format", "json", "--approval-mode", "plan"}},
	}
}

func (c command) Name() string { return c.name }

// Ask runs the program in an empty folder, so that it finds no project and no memory there. On timeout the program is
// killed, on Unix with its process group.
func (c command) Ask(ctx context.Context, prompt string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tend-curator-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir)
	cmd.Stdin = strings.NewReader(prompt)
	out, stderr := &bounded{limit: curator.MaxAnswer}, &bounded{limit: 4 << 10, dropRest: true}
	cmd.Stdout, cmd.Stderr = out, stderr
	killGroup(cmd)
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case out.over:
		return nil, curator.ErrTooLong
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run %s: %w", c.name, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("run %s: %w: %s", c.name, err, brief(stderr.buf.Bytes()))
	}
	return out.buf.Bytes(), nil
}

// bounded keeps the first bytes of an output. The buffer is not embedded: its ReadFrom would read everything.
type bounded struct {
	buf      bytes.Buffer
	limit    int
	dropRest bool // what is longer is dropped; else it is an error, which ends the program
	over     bool
}

var errFull = errors.New("too much output")

func (b *bounded) Write(p []byte) (int, error) {
	n, _ := b.buf.Write(p[:min(len(p), b.limit-b.buf.Len())])
	if n == len(p) || b.dropRest {
		return len(p), nil
	}
	b.over = true
	return n, errFull
}
