package layout

import (
	"strings"
	"testing"

	"tend/test/require"
)

var must = require.NoError

func TestPresetsAreWhatTheirFilesAreCalled(t *testing.T) {
	for _, p := range presets() {
		data, err := presetFiles.ReadFile("presets/" + p.ref() + ".yaml")
		must(t, err)
		d, err := mergeExtended(p.ref(), data)
		must(t, err)
		if d.Name != p.name || d.Version != p.version || d.Since != p.since || d.About == "" {
			t.Errorf("%s calls itself %q %q since %q, about %q", p.ref(), d.Name, d.Version, d.Since, d.About)
		}
	}
	if got := Presets(); len(got) < 20 || strings.Contains(strings.Join(got, " "), "base") {
		t.Errorf("presets are %q", got)
	}
}

// TestPersonalUserFiles: what OpenClaw knows of one person is a lasting file from 2026.9 on. It is in no ordinary session, and the
// agent's, not the operator's.
func TestPersonalUserFiles(t *testing.T) {
	const file = "users/ada-1/USER.md"
	for ref, want := range map[string]Role{"openclaw@2026.8": "", "openclaw@2026.9": Semantic, "openclaw-v4@1.3": ""} {
		l, err := Preset(ref)
		must(t, err)
		if got, _ := l.RoleOf(file); got != want || l.OwnerOf(file) != AgentOwned || l.Loads(file) {
			t.Errorf("%s: role %q, owner %s, loaded %v", ref, got, l.OwnerOf(file), l.Loads(file))
		}
		if got, _ := l.RoleOf("USER.md"); got != User || !l.Loads("USER.md") {
			t.Errorf("%s: USER.md is %s", ref, got)
		}
	}
}
