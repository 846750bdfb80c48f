package connect

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tend/internal/text/session"
)

// The scripts for harnesses that run JavaScript or Python. Words between @ are replaced by values, see script.
var (
	//go:embed scripts/hermes.py
	hermesPY string
	//go:embed scripts/openclaw.js
	openclawJS string
	//go:embed scripts/opencode.js
	opencodeJS string
)

// script fills values into a script: those that every script needs, and more pairs of a name and a value. What quoted returns
// is a literal in both languages; timeout is in the unit of the script's own.
func script(text string, t Target, h session.Hook, timeout int, more ...string) string {
	return strings.NewReplacer(append(more, "@tend@", quoted(t.Binary), "@context@", quoted(t.args(t.hookMark(h))),
		"@checkpoint@", quoted(t.args(t.checkpointMark(h))), "@timeout@", strconv.Itoa(timeout))...).Replace(text)
}

func openclawHookDoc(name string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: \"Give a session its memory at its start and save it before a compaction, by Tend\"\n"+
		"metadata: { \"openclaw\": { \"events\": [\"agent:bootstrap\", \"session:compact:before\"] } }\n---\n\n# %s\n\n"+
		"Written by `tend connect openclaw`; `tend connect openclaw --undo` takes it away.\n", name, name)
}

// openclawHandler returns OpenClaw's hook. It adds the session's context as one more memory file to those a session
// starts with, so that OpenClaw shows it wherever it shows memory. Before a compaction it passes on the transcript that
// OpenClaw keeps; the event itself only names the session.
func openclawHandler(t Target) string {
	origin, state := `Written by "tend connect openclaw"; "tend connect openclaw --undo" takes it away.`, quoted(openclawState(t))
	if t.plugin != "" {
		origin, state = "What `tend connect openclaw` would write as a hook, for any agent.", openclawStateJS
	}
	return script(openclawJS, t, session.OpenClaw, hookSeconds*1000,
		"@origin@", origin, "@workspace@", quoted(t.Workspace), "@state@", state)
}

// openclawStateJS computes what openclawState returns, when the script runs.
const openclawStateJS = `process.env.OPENCLAW_STATE_DIR ?? join(homedir(), ".openclaw")`

// hermesPlugin returns the module of Hermes's plugin, which runs the same commands as the hooks in its settings.
func hermesPlugin(t Target) string {
	return script(hermesPY, t, session.Hermes, hookSeconds)
}

// opencodePlugin returns opencode's plugin. It adds the context to the system prompt once per session. Before a compaction
// it saves what was said and adds the context to the prompt of the summary.
func opencodePlugin(t Target) string {
	return script(opencodeJS, t, session.Generic, hookSeconds*1000)
}
