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

// protective begins the names of the settings that decide what Tend guards, runs, checks and whom it asks. A package and
// a store without a key can come from anyone, so they are the operator's of this machine.
var protective = []string{"automation", "guard.", "baseline.", "curator", "scan."}

// Withhold removes the protective settings from a draft and returns them.
func Withhold(d *config.AgentDraft) (withheld []string) {
	d.Policy = slices.DeleteFunc(slices.Clone(d.Policy), func(s config.Setting) bool {
		own := slices.ContainsFunc(protective, func(prefix string) bool { return strings.HasPrefix(s.Key, prefix) })
		if own {
			withheld = append(withheld, s.Key+": "+s.Value)
		}
		return own
	})
	return withheld
}
