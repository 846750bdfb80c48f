package transfer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
)

// OpenConfig reads the tend.yaml that an agent is added to, or drafts one if there is none. given is the value of
// --config; load reads the existing configuration.
func OpenConfig(given string, load func() (*config.Config, error)) (text []byte, cfg *config.Config, env config.Env, err error) {
	if env, err = config.OSEnv(); err != nil {
		return nil, nil, env, err
	}
	file, err := config.Find(given, env)
	if errors.Is(err, config.ErrNotFound) {
		file, err = filepath.Abs("tend.yaml")
	}
	if errors.Is(err, config.ErrUntrusted) {
		return nil, nil, env, err
	}
	if err != nil {
		return nil, nil, env, usererr.Usage(err)
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		text = config.Render(config.Draft{StateDir: env.StateFor(file)})
		cfg, err = config.Parse(file, text, env)
		return text, cfg, env, err
	}
	if cfg, err = load(); err != nil {
		return nil, nil, env, err
	}
	text, err = fsys.ReadFile(cfg.Path)
	return text, cfg, env, err
}

// Draft returns the agent for tend.yaml, without paths.
func (a Agent) Draft() config.AgentDraft {
	d := config.AgentDraft{Name: a.Name, Description: a.Description, Disabled: a.Disabled, Layout: a.Layout, NoTools: a.NoTools}
	if a.Timezone != "Local" {
		d.Timezone = a.Timezone
	}
	for _, s := range a.Policy {
		d.Policy = append(d.Policy, config.Setting{Key: s.Key, Value: s.Value})
	}
	return d
}

// AddLayout adds an operator's own layout to the text of a configuration, for the agent of a draft. If another layout
// has its name, the agent's name is added to it.
func AddLayout(cfg *config.Config, text []byte, d *config.AgentDraft, body string, env config.Env) ([]byte, error) {
	if body == "" {
		return text, nil
	}
	if _, err := layout.Parse(d.Layout, []byte(body)); err != nil {
		return nil, err
	}
	there, taken := cfg.Layouts[d.Layout]
	if taken && there != body {
		d.Layout += "-" + d.Name
		there, taken = cfg.Layouts[d.Layout]
	}
	if taken && there == body {
		return text, nil
	}
	return config.AddLayout(cfg.Path, text, d.Layout, body, env)
}

// carried begins the names of the settings that a package, or a store without a key, may bring: limits of a harness and sizes of
// what is printed. Both can come from anyone. All other settings decide what Tend guards, runs, moves or reads, and whom it
// asks; they are the operator's of this machine.
var carried = []string{"hot.", "total.", "size.", "memory.", "verify.", "questions.", "session.", "learnings.", "tags.", "list.", "search.",
	"context.budget", "context.unit", "cost.", "note.", "checkpoint.", "compaction.", "openclaw.", "archive.", "trash.retention", "review."}

// Withhold removes from a draft the settings that are the operator's of this machine, and a layout of its own that this
// machine does not have: a layout sets policies, too, and what a session is told. The preset that it extends takes its place.
// It returns what was removed, and the text of the layout that is left.
func Withhold(cfg *config.Config, d *config.AgentDraft, body string) (withheld []string, left string, err error) {
	d.Policy = slices.DeleteFunc(slices.Clone(d.Policy), func(s config.Setting) bool {
		allowed := slices.ContainsFunc(carried, func(prefix string) bool { return strings.HasPrefix(s.Key, prefix) })
		if !allowed {
			withheld = append(withheld, s.Key+": "+s.Value)
		}
		return !allowed
	})
	if there, ok := cfg.Layouts[d.Layout]; body == "" || (ok && there == body) {
		return withheld, body, nil
	}
	preset, err := layout.Extends(d.Layout, []byte(body))
	if err == nil && preset == "" {
		err = usererr.Refusef("read it, and take it with --settings", "the layout %s is its own and extends none of Tend's", d.Layout)
	}
	withheld = append(withheld, "layout "+d.Layout+" (taken: "+preset+")")
	d.Layout = preset
	return withheld, "", err
}
