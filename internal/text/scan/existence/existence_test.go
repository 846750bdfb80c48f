package existence

import (
	"reflect"
	"testing"
)

func TestOf(t *testing.T) {
	tests := []struct {
		line string
		want []Claim
	}{
		{"- Report: `~/books/report.csv`.", []Claim{{Kind: Path, Name: "~/books/report.csv"}}},
		{"- 配置文件在/opt/relay/a.toml，每天检查", []Claim{{Kind: Path, Name: "/opt/relay/a.toml"}}},
		{"- Repo /srv/shop, branch `main`", []Claim{{Kind: Repository, Name: "/srv/shop"}, {Kind: Branch, Name: "main", In: "/srv/shop"}}},
		{"- queue.service and localhost:8080/v1", []Claim{{Kind: Unit, Name: "queue.service"}, {Kind: Port, Name: "8080"}}},
		{"- apt package `git` 2.39", []Claim{{Kind: Package, Name: "git"}, {Kind: Version, Name: "2.39", In: "git"}}},
		{"- The `gh` CLI is set up", []Claim{{Kind: Program, Name: "gh"}}},
		{"- Moved from /srv/shop", nil},
		{"- deploy@web:/srv/shop", nil},
		{"- and/or 24/7", nil},
		{"- `/srv/<name>/x` and /srv/*/y", nil},
		{"- Branch `main`", nil}, // of which repository
		{"", nil},
	}
	for _, tt := range tests {
		if got := Of(tt.line); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.line, got, tt.want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("- `/a b` 仓库 `x`")
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range Of(line) {
			if c.Name == "" || c.Kind == "" {
				t.Errorf("%q: %+v", line, c)
			}
		}
	})
}
