package loadview_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/layout/loadview/loadviewtest"
	"tend/test/require"
)

var must = require.NoError

// Compares with what released versions of OpenClaw showed of random workspaces, stored by test/harness.
func TestAgreesWithOpenClaw(t *testing.T) {
	data, err := os.ReadFile("testdata/openclaw.json")
	must(t, err)
	var all map[string]loadviewtest.Vectors
	must(t, json.Unmarshal(data, &all))
	if n := len(all["2026.9.6"].Digests); n < 1000 {
		t.Fatalf("only %d answers of 2026.9.6 are stored", n)
	}
	samples := map[uint64]loadviewtest.Workspace{}
	for version, v := range all {
		l, err := layout.Preset("openclaw@" + version)
		must(t, err)
		if l.Ref() != v.Layout {
			t.Errorf("%s: its layout is %s, the answers were compared with %s", version, l.Ref(), v.Layout)
		}
		differ := 0
		for i, want := range v.Digests {
			seed := v.First + uint64(i)
			w, ok := samples[seed]
			if !ok {
				w = loadviewtest.New(seed)
				samples[seed] = w
			}
			got := loadviewtest.Shown(loadview.Inject(l, w.Files, w.Options))
			if whole, ok := v.Whole[fmt.Sprint(seed)]; ok {
				if diff := cmp.Diff(whole, got); diff != "" {
					t.Errorf("%s, seed %d:\n%s", version, seed, diff)
				}
			}
			if loadviewtest.Digest(got) != want {
				if differ++; differ <= 3 {
					t.Errorf("%s, seed %d: not shown as OpenClaw did", version, seed)
				}
			}
		}
		if differ > 0 {
			t.Errorf("%s: %d of %d differ", version, differ, len(v.Digests))
		}
	}
}
