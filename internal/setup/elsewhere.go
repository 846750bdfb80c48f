package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/layout"
)

// Unconfigured is a configuration for folders that are in none: every workspace in and below them, with a state that does
// not exist and is not made. Whoever looks through it is given no way to write. as names the layout; "" detects it.
func Unconfigured(dirs []string, as string) (*config.Config, []Workspace, error) {
	var found []Workspace
	if as != "" {
		l, err := layout.Preset(as)
		if err != nil {
			return nil, nil, fault.Usage(err)
		}
		taken := map[string]bool{}
		for _, dir := range dirs {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return nil, nil, err
			}
			if !isDir(abs) {
				return nil, nil, fault.Usagef("name the folder the memory is in", "%s is not a folder", abs)
			}
			w := Workspace{Name: agentName(abs), Dir: abs, Layout: l.Ref(), Why: []string{"as told"}}
			w.Name = unique(w, taken)
			found = append(found, w)
		}
	} else {
		var err error
		if found, err = Find(dirs...); err != nil {
			return nil, nil, err
		}
	}
	if len(found) == 0 {
		return nil, nil, fault.Usagef("--as names the harness it belongs to ("+strings.Join(layout.Presets(), ", ")+")",
			"no harness's memory was recognised in or below %s", strings.Join(dirs, ", "))
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
		return nil, nil, fault.Usage(err)
	}
	return cfg, found, nil
}
