package cli

import (
	"cmp"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/app/connect"
	"tend/internal/engine/config"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/session"
	"tend/internal/text/transcript"
)

// agentVariable names the agent for a plugin whose folder does not tell.
const agentVariable = "TEND_AGENT"

// absentError says why a plugin has no memory to give, and what to do, in sentences for the user of a harness.
type absentError string

func (e absentError) Error() string { return string(e) }

const (
	errNotSetUp absentError = "Tend is not set up yet: run `tend init DIR` with the folder of an agent's memory. " +
		"Until then the plugin does nothing."
	errNoMemory absentError = "Tend has no memory for this folder, or `tend connect` gives it already. " +
		"`tend init DIR` adds an agent; $" + agentVariable + " names one."
)

var errHookAndPlugin = usererr.Usagef("leave one out", "--hook and --plugin both say for which harness")

// isNoMemory reports whether an error says that there is no memory here, which is no failure of a plugin.
func isNoMemory(err error) bool {
	_, ok := errors.AsType[absentError](err)
	return ok
}

// pluginFlag adds --plugin to the commands that a harness's plugin runs.
func pluginFlag(cmd *cobra.Command, harness *string) {
	cmd.Flags().StringVar(harness, "plugin", "",
		"called by the plugin of this `HARNESS`: take the agent of the folder, and do nothing if there is none")
	_ = cmd.RegisterFlagCompletionFunc("plugin", cobra.FixedCompletions(plain(session.Hooks()), cobra.ShellCompDirectiveNoFileComp))
}

// pluginAgent finds the agent for a call by a plugin, which is the same for everybody and names none: the one named, the
// one whose memory belongs to the session's folder, that of $TEND_AGENT, or the only one the harness can have. The error
// is absent if there is none, or if `tend connect` has set up the harness for it already.
func (a *app) pluginAgent(h session.Hook, name string, in transcript.HookInput) (string, error) {
	a.plugin = true
	cfg, err := a.config()
	if errors.Is(err, config.ErrNotFound) {
		return "", errNotSetUp
	}
	if err != nil {
		return "", err
	}
	if name == "" && h == session.ClaudeCode {
		name = cfg.AgentAt(connect.ClaudeMemory(in.Cwd))
	}
	name = cmp.Or(name, agentOf(cfg, in))
	// OpenClaw's sessions run in their agent's workspace: if it is nobody's here, no other memory is meant.
	if name == "" && (in.Cwd == "" || h != session.OpenClaw) {
		name = os.Getenv(agentVariable)
	}
	// Hermes works in any folder, with one memory for all of them.
	if name == "" && (in.Cwd == "" || h == session.Hermes) {
		name = onlyAgent(cfg, h)
	}
	if name == "" {
		return "", errNoMemory
	}
	if _, err := cfg.Agent(name); err != nil {
		return "", err
	}
	known, err := connect.Records(cfg.StateDir)
	if err == nil && slices.ContainsFunc(known, func(r connect.Record) bool { return r.Covers(string(h), name, in.Cwd) }) {
		return "", errNoMemory
	}
	return name, nil
}

// onlyAgent returns the one agent that a harness has, "" if it has none or several.
func onlyAgent(cfg *config.Config, h session.Hook) string {
	name := ""
	for _, ag := range cfg.Agents {
		switch {
		case h != session.Generic && !h.Runs(ag.Layout):
		case name != "":
			return ""
		default:
			name = ag.Name
		}
	}
	return name
}

// pluginFolder returns the folder of the session a server was started for, "" if the harness starts it elsewhere.
func pluginFolder(h session.Hook) string {
	if h != session.ClaudeCode && h != session.Gemini {
		return ""
	}
	dir, _ := os.Getwd()
	return dir
}

// nothingHere answers a session's start without a memory. Only the user is informed, and only before the first `tend init`:
// most folders have no memory.
func nothingHere(a *app, h session.Hook, why error) error {
	if errors.Is(why, errNotSetUp) {
		if h == session.ClaudeCode || h == session.Codex || h == session.Gemini {
			return a.printJSON(map[string]string{"systemMessage": why.Error()})
		}
		a.errorf("tend: %s\n", textfmt.Safe(why.Error()))
	}
	if h == session.Generic {
		return nil
	}
	return a.printJSON(struct{}{})
}
