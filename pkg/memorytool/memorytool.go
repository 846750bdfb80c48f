// Package memorytool answers the commands of Anthropic's memory tool
// (memory_20250818) for Go programs that call Claude, with all of Tend's
// guarantees: durable, atomic writes that never overwrite what somebody else
// wrote meanwhile, nothing lost, everything reversible.
//
// It does not import Anthropic's SDK. Announce the tool with the SDK's own type
// for memory_20250818, and when the model uses it hand the block's input to
// [Tool.Run]:
//
//	tool, err := memorytool.Open(memorytool.Options{Dir: "./memories", State: "./state"})
//	…
//	for _, block := range message.Content {
//		if use, ok := block.AsAny().(anthropic.ToolUseBlock); ok && use.Name == memorytool.Name {
//			text, isError := tool.Run(ctx, use.Input)
//			results = append(results, anthropic.NewToolResultBlock(use.ID, text, isError))
//		}
//	}
package memorytool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"

	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/memory"
	"tend/internal/memory/anthropic"
)

// The names under which the tool is announced to the API.
const (
	Type = anthropic.Type // "memory_20250818"
	Name = anthropic.Name // "memory"
)

// Options say whose memory is served.
type Options struct {
	// Config is a tend.yaml, and Agent one of its agents; the name may be left
	// out when there is only one.
	Config string
	Agent  string

	// Dir is a folder to be served without a configuration; State is where Tend
	// keeps history, trash and archives, outside of Dir.
	Dir   string
	State string

	// ReadOnly answers view and refuses all else.
	ReadOnly bool
	// Log hears of refused calls and of failures; nil is silent.
	Log *slog.Logger
}

// Tool answers commands. It may be used from several goroutines, and several
// programs may serve the same folder.
type Tool struct {
	fleet    *fleet.Fleet
	agent    *fleet.Agent
	memory   *memory.Service
	readOnly bool
}

// Open makes the tool ready. Close it when done.
func Open(o Options) (*Tool, error) {
	cfg, err := o.load()
	if err != nil {
		return nil, err
	}
	name := o.Agent
	if name == "" && len(cfg.Agents) == 1 {
		name = cfg.Agents[0].Name
	}
	f, err := fleet.Open(cfg, fleet.Options{Write: !o.ReadOnly})
	if err != nil {
		return nil, err
	}
	a, err := f.Agent(context.Background(), name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Tool{fleet: f, agent: a, memory: memory.New(a, memory.Options{Log: o.Log}), readOnly: o.ReadOnly}, nil
}

func (o Options) load() (*config.Config, error) {
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	switch {
	case o.Config != "" && o.Dir != "":
		return nil, errors.New("open memory tool: give a configuration or a folder, not both")
	case o.Config != "":
		return config.Load(o.Config, env)
	case o.Dir == "" || o.State == "":
		return nil, errors.New("open memory tool: a folder needs a state folder outside of it")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	state, err := filepath.Abs(o.State)
	if err != nil {
		return nil, err
	}
	// All of the folder is memory, whatever the files are called.
	text := fmt.Sprintf("version: 1\nstate_dir: %s\nlayouts:\n  folder:\n    extends: harness@0.1\n    reach: \"\"\nagents:\n  memories:\n    layout: folder\n    workspace: %s\n", strconv.Quote(state), strconv.Quote(dir))
	return config.Parse(filepath.Join(state, "tend.yaml"), []byte(text), env)
}

// Run answers the input of one tool_use block: the text for the tool_result,
// and whether it is an error.
func (t *Tool) Run(ctx context.Context, input []byte) (text string, isError bool) {
	c, err := anthropic.Parse(input)
	if err == nil && t.readOnly && c.Writes() {
		err = errors.New("this memory is read-only: only view is allowed")
	}
	if err == nil {
		text, err = anthropic.Run(ctx, t.memory, c)
	}
	if err != nil {
		return err.Error(), true
	}
	return text, false
}

// Close lets go of the memory.
func (t *Tool) Close() error {
	return errors.Join(t.memory.Close(), t.agent.Close(), t.fleet.Close())
}
