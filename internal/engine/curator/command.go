package curator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// command is a program that reads a request as JSON and writes its picks as JSON.
type command []string

// Ask runs the program. On timeout the program and everything it started is killed.
func (c command) Ask(ctx context.Context, r Request) ([]Pick, error) {
	in, err := json.Marshal(struct {
		Request
		Prompt string `json:"prompt"` // the prompt that models get, for programs that pass it on to one
	}{r, task(r)})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, c[0], c[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=" + os.Getenv("LANG")}
	cmd.Stdin = bytes.NewReader(in)
	out, said := &bounded{most: maxAnswer}, &bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	killGroup(cmd)
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case out.over:
		return nil, ErrTooLong
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run %s: %w", c[0], ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("run %s: %w: %s", c[0], err, short(said.buf.String()))
	}
	return answer(out.buf.Bytes())
}

// bounded keeps the first n bytes and refuses the rest. The buffer is not embedded: its ReadFrom would read
// everything.
type bounded struct {
	buf  bytes.Buffer
	most int
	over bool
}

var errFull = errors.New("too much")

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.most {
		b.over = true
		return 0, errFull
	}
	return b.buf.Write(p)
}
