package remote_test

import (
	"os"
	"strings"
	"testing"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/engine/act"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
)

// A workspace that disappears while its agent is open is never treated as one whose notes were all deleted, local or
// remote, at any moment: no job plans anything, and nothing is recorded.
func TestWorkspaceVanishes(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	w := approved(t, s)
	env, err := config.OSEnv()
	must(t, err)
	cfg, err := config.Load(w.conf, env)
	must(t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	must(t, err)
	defer f.Close()
	for _, name := range []string{"near", "far"} {
		a, err := f.Agent(t.Context(), name)
		must(t, err)
		must(t, os.Rename(w.ws(name), w.ws(name)+"-away"))
		if name == "near" { // an open folder stays open when it is moved
			must(t, os.RemoveAll(w.ws(name)+"-away"))
		}
		before := files(t, w.dir+"/state")
		for _, do := range table.Names() {
			if do == "reset" {
				continue // it has no baseline
			}
			if _, err := act.Job(t.Context(), a, do, act.Options{}); err == nil || !strings.Contains(err.Error(), "the workspace is gone") {
				t.Errorf("%s of %s: %v", do, name, err)
			}
		}
		if _, err := a.Input(t.Context()); err == nil || !strings.Contains(err.Error(), "the workspace is gone") {
			t.Errorf("read of %s: %v", name, err)
		}
		if after := files(t, w.dir+"/state"); len(after) != len(before) {
			t.Errorf("the state has %d files, had %d", len(after), len(before))
		}
		must(t, a.Close())
	}
	must(t, os.Rename(w.ws("far")+"-away", w.ws("far")))
	w.ok("reset", "far")
	w.wasReset("far")
}
