package remote_test

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
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
		before := recorded(t, w.dir+"/state")
		for _, do := range table.Names() {
			if do == "reset" {
				continue // it has no baseline
			}
			if _, err := runner.Job(t.Context(), a, do, runner.Options{}); err == nil || !strings.Contains(err.Error(), "the workspace is gone") {
				t.Errorf("%s of %s: %v", do, name, err)
			}
		}
		if _, err := a.Input(t.Context()); err == nil || !strings.Contains(err.Error(), "the workspace is gone") {
			t.Errorf("read of %s: %v", name, err)
		}
		if after := recorded(t, w.dir+"/state"); !maps.Equal(after, before) {
			t.Errorf("the state changed from %v to %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
		must(t, a.Close())
	}
	must(t, os.Rename(w.ws("far")+"-away", w.ws("far")))
	w.ok("reset", "far")
	w.wasReset("far")
}

// recorded returns the files of the state except the record of runs: that a job ran and failed is kept on purpose.
func recorded(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := files(t, dir)
	maps.DeleteFunc(found, func(name, _ string) bool {
		return slices.Contains([]string{"jobs.json", "jobs.lock", "runs.jsonl"}, path.Base(name))
	})
	return found
}
