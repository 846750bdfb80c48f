package job

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  []string // code file:line
	}{
		{"all is well", map[string]string{"MEMORY.md": "- grafana listens on port 3000\n", "TOOLS.md": "- grafana: port 3000\n"}, nil},
		{"a port", map[string]string{"MEMORY.md": "- grafana listens on port 3000\n", "TOOLS.md": "# Tools\n- grafana: port 3001\n"}, []string{"contradiction MEMORY.md:1"}},
		{"an address, under a heading", map[string]string{"MEMORY.md": "- the mirror is at 10.0.0.5\n", "TOOLS.md": "## Mirror\n- address: 10.0.0.6\n"}, []string{"contradiction MEMORY.md:1"}},
		{"a version", map[string]string{"USER.md": "- postgres 15.3\n", "TOOLS.md": "- postgres version 16.1\n"}, []string{"contradiction TOOLS.md:1"}},
		{"a path", map[string]string{"MEMORY.md": "- backups live in /srv/backup\n", "TOOLS.md": "- backup path: /mnt/backup\n"}, []string{"contradiction MEMORY.md:1"}},
		{"a date", map[string]string{"MEMORY.md": "- deadline for the audit is 2026-12-01\n", "USER.md": "- the audit deadline is 2026-12-08\n"}, []string{"contradiction MEMORY.md:1"}},
		{"a name", map[string]string{"MEMORY.md": "- the owner of billing is Ana\n", "USER.md": "- owner of billing: Bob\n"}, []string{"contradiction MEMORY.md:1"}},
		{"one of several values", map[string]string{"MEMORY.md": "- nginx: port 443\n", "TOOLS.md": "- nginx listens on port 80\n- nginx listens on port 443\n"}, nil},
		{"within one file both may hold", map[string]string{"TOOLS.md": "- nginx listens on port 80\n- nginx listens on port 443\n"}, nil},
		{"a log that is newer", map[string]string{"TOOLS.md": "- grafana listens on port 3000\n", "memory/2026-11-14.md": "- moved: grafana listens on port 3001\n- grafana listens on port 3001\n"}, []string{"contradiction TOOLS.md:1"}},
		{"an old log tells what was", map[string]string{"TOOLS.md": "- grafana listens on port 3000\n", "memory/2026-11-01.md": "- grafana listens on port 3001\n"}, nil},
		{"logs differ from day to day", map[string]string{"memory/2026-11-13.md": "- grafana listens on port 3000\n", "memory/2026-11-14.md": "- grafana listens on port 3001\n"}, nil},
		{"two homes", map[string]string{"MEMORY.md": "- [lesson] freeze the clock in fixtures\n", "memory/lessons.md": "- [lesson] Freeze the clock in fixtures!\n"}, []string{"two-homes memory/lessons.md:1"}},
		{"a few words may stand anywhere", map[string]string{"MEMORY.md": "- see below\n", "TOOLS.md": "- see below\n"}, nil},
		{"links", map[string]string{
			"MEMORY.md":         "- [there](memory/lessons.md)\n- [gone](memory/gone.md)\n- `memory/also-gone.md`\n- [web](https://example.org/x.md)\n- [[lessons]]\n\n```\n[code](none.md)\n```\n",
			"memory/lessons.md": "see [hot](../MEMORY.md) and [log](2026-01-01.md)\n", "memory/archive/2026/01/2026-01-01.md": "- old\n",
		}, []string{"dead-link MEMORY.md:2", "dead-link MEMORY.md:3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := night{files: tt.files}.input(t)
			pl := Compare(in)
			var got []string
			for _, f := range pl.Findings {
				got = append(got, fmt.Sprintf("%s %s:%d", f.Code, f.File, f.Line))
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%+v", diff, pl.Findings)
			}
			if !pl.Empty() {
				t.Error("compare must not change anything")
			}
		})
	}
}
