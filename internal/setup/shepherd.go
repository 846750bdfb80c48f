package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"tend/internal/config"
	"tend/internal/fsys"
	"tend/internal/note"
	"tend/internal/policy"
)

// shepherdNotes is what somebody who comes from Memory Shepherd must know before the first reset: baselines without a
// line, and old timers that still run.
func shepherdNotes(to string, text []byte, env config.Env) (list []config.Note) {
	if cfg, err := config.Parse(to, text, env); err == nil {
		for _, a := range cfg.Agents {
			for _, b := range a.Baselines {
				data, err := fsys.ReadFile(b.Source)
				if err != nil {
					continue
				}
				if _, _, ok := note.FindLine(data, policy.BaselineSeparator.Of(a.Policy)); !ok {
					list = append(list, config.Note{Text: fmt.Sprintf("%s has no line %q: all of %s would be the operator's, and approving it is refused without --whole-file. End it with the line and a heading for the notes", b.Source, policy.BaselineSeparator.Of(a.Policy), b.File)})
				}
			}
		}
	}
	home, _ := os.UserHomeDir()
	for _, dir := range []string{"/etc/systemd/system", filepath.Join(home, ".config", "systemd", "user"), "/etc/cron.d"} {
		found, _ := filepath.Glob(filepath.Join(dir, "memory-shepherd*"))
		for _, name := range found {
			if ext := filepath.Ext(name); ext == ".service" {
				continue
			}
			list = append(list, config.Note{Text: name + " still runs the old tool, which removes archives by age: disable it before Tend takes over (`systemctl disable --now " + filepath.Base(name) + "`)"})
		}
	}
	return list
}
