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
	goal string // the folder of Tend that is below it, as the configuration names it
}

func upwardOf(dirs ...string) (up upward) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		resolved, err := filepath.EvalSymlinks(dir)
		for at := dir; err != nil && at != filepath.Dir(at); { // does not exist yet
			at = filepath.Dir(at)
			resolved, err = filepath.EvalSymlinks(at)
		}
		for err == nil && !seen[resolved] { // the folders above it were added with it
			seen[resolved] = true
			if st, err := fsys.LstatPath(resolved); err == nil {
				up = append(up, step{st, dir})
			}
			resolved = filepath.Dir(resolved)
		}
	}
	return up
}

// checkApart refuses a workspace that contains Tend's own files.
func (up upward) checkApart(cfg config.Agent, ws fsys.Info) error {
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
