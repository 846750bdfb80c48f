package fleet

import (
	"fmt"
	"path/filepath"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/job"
)

// upward are Tend's own folders and all folders above them. The configuration compares
// names; a link in one of them may hide that the state is within an agent's reach.
type upward []step

type step struct {
	at   fsys.Info
	goal string // the folder below, as the configuration names it
}

func upwardOf(dirs ...string) (up upward) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		for at := dir; err != nil && at != filepath.Dir(at); { // does not exist yet
			at = filepath.Dir(at)
			real, err = filepath.EvalSymlinks(at)
		}
		for err == nil && !seen[real] { // the folders above it were added with it
			seen[real] = true
			if st, err := fsys.LstatPath(real); err == nil {
				up = append(up, step{st, dir})
			}
			real = filepath.Dir(real)
		}
	}
	return up
}

// apart refuses a workspace that contains Tend's own files.
func (up upward) apart(cfg config.Agent, ws fsys.Info) error {
	for _, s := range up {
		if s.at.Same(ws) {
			return &job.Refusal{
				Why:   fmt.Sprintf("%s is inside the workspace of %s, reached through a link: it would be within the agent's reach", s.goal, cfg.Name),
				Try:   "choose a folder outside the workspaces",
				Usage: true,
			}
		}
	}
	return nil
}
