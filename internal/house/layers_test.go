package house

import (
	"strconv"
	"strings"
	"testing"
)

// ranks says which packages may import which: a package imports only packages of a lower rank, and its own parent and
// children. Add a new package here first.
var ranks = map[string]int{
	"internal/collect": 0,
	"internal/fault":   0,
	"internal/finding": 0,
	"internal/fsys":    0,
	"internal/house":   0,
	"internal/metric":  0,
	"internal/note":    0,
	"internal/policy":  0,
	"internal/splice":  0,
	"internal/tasks":   0,
	"internal/words":   0,

	"internal/claim":    1,
	"internal/curator":  1,
	"internal/layout":   1,
	"internal/remote":   1,
	"internal/scan":     1,
	"internal/schedule": 1,
	"internal/vault":    1,

	"internal/identity":   2,
	"internal/notice":     2,
	"internal/pack":       2,
	"internal/plan":       2,
	"internal/recall":     2,
	"internal/token":      2,
	"internal/transcript": 2,

	"internal/job":    3,
	"internal/ledger": 3,

	"internal/config": 4,
	"internal/hint":   4,
	"internal/store":  4,

	"internal/carry":   5,
	"internal/guard":   5,
	"internal/history": 5,
	"internal/session": 5,

	"internal/fleet":   6,
	"internal/service": 6,

	"internal/past": 7,

	"internal/act": 8,

	"internal/baseline": 9,
	"internal/connect":  9,
	"internal/demo":     9,
	"internal/memory":   9,
	"internal/replica":  9,
	"internal/purge":    9,

	"internal/doctor": 10,
	"internal/setup":  10,
	"internal/mcp":    10,
	"internal/web":    10,
	"pkg/tend":        10, // the library for other programs

	"internal/keeper": 11,

	"internal/cli": 12,

	"cmd/tend": 13,

	"bench": 14, // programs that measure
	"test":  14, // what tests of several packages share
	"tools": 14, // what make runs
}

// room returns the entry of ranks that a package belongs to.
func room(path string) (string, bool) {
	for ; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
		if _, ok := ranks[path]; ok {
			return path, true
		}
	}
	return "", false
}

func TestLayers(t *testing.T) {
	for _, p := range all(t) {
		own, ok := room(p.path)
		if !ok {
			t.Errorf("%s has no place in ranks (internal/house/layers_test.go): give it one", p.path)
			continue
		}
		for _, f := range p.files {
			if f.test() {
				continue
			}
			for _, spec := range f.syntax.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				must(t, err)
				below, ours := strings.CutPrefix(path, module()+"/")
				if !ours {
					continue
				}
				other, ok := room(below)
				switch {
				case own == "cmd/tend" && below != "internal/cli":
					t.Errorf("%s:%d imports %s: the main package imports only internal/cli", f.path, f.line(spec.Pos()), below)
				case ok && other != own && ranks[other] >= ranks[own]:
					t.Errorf("%s:%d imports %s (rank %d) from rank %d: imports point down only", f.path, f.line(spec.Pos()), below, ranks[other], ranks[own])
				}
			}
		}
	}
}

func TestRoom(t *testing.T) {
	for path, want := range map[string]string{
		"internal/vault": "internal/vault", "internal/vault/vaulttest": "internal/vault", "bench/reset": "bench", "internal/util": "",
	} {
		if got, _ := room(path); got != want {
			t.Errorf("room(%q) = %q, want %q", path, got, want)
		}
	}
}
