package connect

import (
	_ "embed"
	"fmt"
	"os"

	"tend/internal/text/confedit"
	"tend/internal/text/session"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// atLeast is a value that must exist for what is below another key; an existing one stays.
type atLeast struct {
	d     confedit.Dialect
	path  []string
	value any
	of    []string // what needs it
}

func (p atLeast) in(text string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	if err != nil || j.Find(p.path) != nil {
		return text, err
	}
	err = j.Put(p.path, p.value)
	return j.Text, err
}

// out leaves it if others need it by now.
func (p atLeast) out(text, before string) (string, error) {
	j, err := confedit.ReadJSON(text, p.d)
	was := there(before, p.d)
	if err != nil || j.Find(p.path) == nil || was(p.path) || j.Find(p.of) != nil && !was(p.of) {
		return text, err
	}
	err = j.Drop(p.path, was)
	return j.Text, err
}

// hookSwitch selects a hook of OpenClaw by name. The first name in the list would narrow an open selection: if all
// hooks are on, ours is on too and no name is added.
type hookSwitch struct{ name string }

var hookEntries = []string{"hooks", "internal", "entries"}

func (p hookSwitch) entry() jsonEntry {
	return jsonEntry{confedit.JSON5, append(hookEntries[:len(hookEntries):len(hookEntries)], p.name), map[string]any{"enabled": true}, ""}
}

func (p hookSwitch) in(text string) (string, error) {
	j, err := confedit.ReadJSON(text, confedit.JSON5)
	if err != nil {
		return "", err
	}
	named := j.Find(hookEntries)
	on := j.Find([]string{"hooks", "internal", "enabled"})
	if on != nil && on.Value == true && (named == nil || len(named.Members) == 0) {
		return text, nil
	}
	return p.entry().in(text)
}

func (p hookSwitch) out(text, before string) (string, error) { return p.entry().out(text, before) }

// The scripts for harnesses that run JavaScript or Python. Each %s is a value of the target.
var (
	//go:embed scripts/hermes.py
	hermesPY string
	//go:embed scripts/openclaw.js
	openclawJS string
	//go:embed scripts/opencode.js
	opencodeJS string
)

func openclawHook(name string) string {
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
	return fmt.Sprintf(openclawJS, origin, quoted(t.Binary), quoted(t.args(t.hookMark(session.OpenClaw))),
		quoted(t.args(t.checkpointMark(session.OpenClaw))), quoted(t.Workspace), state, hookSeconds*1000)
}

// openclawStateJS is openclawState at run time.
const openclawStateJS = `process.env.OPENCLAW_STATE_DIR ?? join(homedir(), ".openclaw")`

// hermesPlugin returns the module of Hermes's plugin, which runs the same commands as the hooks in its settings.
func hermesPlugin(t Target) string {
	return fmt.Sprintf(hermesPY, quoted(t.Binary), quoted(t.args(t.hookMark(session.Hermes))),
		quoted(t.args(t.checkpointMark(session.Hermes))), hookSeconds)
}

// opencodePlugin returns opencode's plugin. It adds the context to the system prompt once per session. Before a compaction
// it saves what was said and adds the context to the prompt of the summary.
func opencodePlugin(t Target) string {
	return fmt.Sprintf(opencodeJS, quoted(t.Binary), quoted(t.args(t.hookMark(session.Generic))),
		quoted(t.args(t.checkpointMark(session.Generic))), hookSeconds*1000)
}
