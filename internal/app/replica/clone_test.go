package replica

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/engine/config"
)

// TestCloneNames: an invalid agent name is refused before the store is asked for it.
func TestCloneNames(t *testing.T) {
	dir := t.TempDir()
	conf := filepath.Join(dir, "tend.yaml")
	if err := os.WriteFile(conf, []byte("version: 1\nstate_dir: ./state\nagents: {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	load := func() (*config.Config, error) {
		env, err := config.OSEnv()
		if err != nil {
			return nil, err
		}
		return config.Load(conf, env)
	}
	for _, name := range []string{"../../etc", "a/../../x", "/etc", ".", "..", "", ".hidden", "a\nb"} {
		_, err := Clone(t.Context(), CloneRequest{Agent: name, ConfigPath: conf, Config: load, Store: config.Store{URL: dir}, Who: "test"})
		if err == nil || !strings.Contains(err.Error(), "cannot be an agent's name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
