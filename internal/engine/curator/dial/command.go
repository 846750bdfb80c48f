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

// presets are the programs of harnesses, as they answer one prompt without tools and without a session. Their wrappers are
// read by curator.Read.
func presets() map[string]command {
	return map[string]command{
		"openclaw": {"openclaw", []string{"openclaw", "agent", "exec", "--message-file", "-", "--json"}},
		"claude":   {"claude", []string{"claude", "-p", "--output-format", "json", "--tools", "", "--no-session-persistence"}},
		"codex":    {"codex", []string{"codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "--ephemeral", "-"}},
		"gemini":   {"gemini", []string{"gemini", "--output-format", "json", "--approval-mode", "plan"}},
	}
}

func (c command) Name() string { return c.name }

// Ask runs the program in an empty folder, so that it finds no project and no memory there. On timeout the program and
// everything it started is killed.
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
	out, said := &bounded{most: curator.MaxAnswer}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	killGroup(cmd)
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case out.over:
		return nil, curator.ErrTooLong
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run %s: %w", c.name, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("run %s: %w: %s", c.name, err, brief(said.buf.Bytes()))
	}
	return out.buf.Bytes(), nil
}

// bounded keeps the first bytes of an output and refuses the rest. The buffer is not embedded: its ReadFrom would read
// everything.
type bounded struct {
	buf  bytes.Buffer
	most int
	over bool
}

var errFull = errors.New("too much output")

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.most {
		b.over = true
		return 0, errFull
	}
	return b.buf.Write(p)
}
