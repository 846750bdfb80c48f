package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"tend/internal/engine/config"
	"tend/internal/model/usererr"
)

// Unconfigured returns a configuration for folders that are not in one: every workspace in and below them, with a state
// folder that does not exist and is never created. as is the layout; "" detects it.
func Unconfigured(dirs []string, as string) (*config.Config, []Workspace, error) {
	found, err := workspacesIn(dirs, as, "--as")
	if err != nil {
		return nil, nil, err
	}
	draft := config.Draft{StateDir: filepath.Join(os.TempDir(), fmt.Sprintf("tend-no-state-%d", os.Getpid())), Timezone: LocalZone()}
	for _, w := range found {
		draft.Agents = append(draft.Agents, config.AgentDraft{Name: w.Name, Workspace: w.Dir, Layout: w.Layout})
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := config.Parse(filepath.Join(os.TempDir(), "tend.yaml"), config.Render(draft), env)
	if err != nil {
		return nil, nil, usererr.Usage(err)
	}
	return cfg, found, nil
}
