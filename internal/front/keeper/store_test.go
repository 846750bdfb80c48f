package keeper

import (
	"os"
	"strings"
	"testing"
	"time"

	"tend/internal/app/replica"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/findinglog"
	"tend/internal/sync/store/dial"
)

// TestSyncsStore: the keeper pushes what an agent writes and pulls what another machine wrote. An unreachable store is a
// finding until it is back.
func TestSyncsStore(t *testing.T) {
	t.Parallel()
	nas := t.TempDir()
	h := newHome(t, "", "store:\n  url: "+nas+"/tend\n  every: 1s\n", "ada")
	h.write("ws/ada/memory/2026-11-15.md", "- first\n")
	set := config.Store{URL: nas + "/tend"}
	c, err := dial.Init(t.Context(), replica.Settings(set), time.Now())
	must(t, err)
	defer c.Close()
	cfg, err := h.load()
	must(t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	must(t, err)
	_, err = replica.Push(t.Context(), f, c, "ada", "test", false)
	f.Close()
	must(t, err)
	other := t.TempDir()
	clone := replica.CloneRequest{
		Agent: "ada", Workspace: other + "/ws", ConfigPath: other + "/tend.yaml", Store: set, Clock: time.Now, Who: "test",
		Config: func() (*config.Config, error) {
			env, err := config.OSEnv()
			if err != nil {
				return nil, err
			}
			return config.Load(other+"/tend.yaml", env)
		},
	}
	if _, err := replica.Clone(t.Context(), clone); err != nil {
		t.Fatal(err)
	}
	there := func(do func(f *fleet.Fleet)) {
		t.Helper()
		cfg, err := clone.Config()
		must(t, err)
		f, err := fleet.Open(cfg, fleet.Options{Write: true})
		must(t, err)
		defer f.Close()
		do(f)
	}
	h.start()

	log := "ws/ada/memory/2026-11-15.md"
	h.write(log, "- first\n- by the agent\n")
	h.until("the other machine has what the agent wrote", func() bool {
		there(func(f *fleet.Fleet) {
			if o := replica.Sync(t.Context(), f, c, []string{"ada"}, "test")[0]; o.Err != nil {
				t.Fatal(o.Err)
			}
		})
		text, _ := os.ReadFile(other + "/ws/memory/2026-11-15.md")
		return strings.Contains(string(text), "by the agent")
	})
	must(t, os.WriteFile(other+"/ws/new.md", []byte("from another machine\n"), 0o644))
	there(func(f *fleet.Fleet) {
		if o := replica.Sync(t.Context(), f, c, []string{"ada"}, "test")[0]; o.Err != nil {
			t.Fatal(o.Err)
		}
	})
	h.until("what the other machine did arrives", func() bool { return h.read("ws/ada/new.md") == "from another machine\n" })

	unreachable := func() bool {
		for _, n := range h.keeper().Findings([]string{findinglog.NoAgent}) {
			if n.Code == "store-unreachable" && n.Over == nil {
				return true
			}
		}
		return false
	}
	must(t, os.Rename(nas+"/tend", nas+"/gone"))
	h.until("an unreachable store is a finding", unreachable)
	must(t, os.Rename(nas+"/gone", nas+"/tend"))
	h.until("the finding is over", func() bool { return !unreachable() })
}
