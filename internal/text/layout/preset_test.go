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
		d, err := assemble(p.ref(), data)
		must(t, err)
		if d.Name != p.name || d.Version != p.version || d.Since != p.since || d.About == "" {
			t.Errorf("%s calls itself %q %q since %q, about %q", p.ref(), d.Name, d.Version, d.Since, d.About)
		}
	}
	if got := Presets(); len(got) < 20 || strings.Contains(strings.Join(got, " "), "base") {
		t.Errorf("presets are %q", got)
	}
}
