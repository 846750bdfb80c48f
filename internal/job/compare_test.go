package job

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaims(t *testing.T) {
	tests := map[string]string{ // text: kind subject value
		"grafana listens on port 3000":                           "port grafana 3000",
		"Grafana is on port 3001 now":                            "port grafana 3001",
		"the port of grafana is 3000":                            "port grafana 3000",
		"port: 3000":                                             "",
		"the staging database runs at 10.0.0.5":                  "address database staging 10.0.0.5",
		"staging database moved from 10.0.0.5 to 10.0.0.7":       "address database staging 10.0.0.7",
		"staging database is at 10.0.0.7, port 5432":             "address database staging 10.0.0.7|port database staging 5432",
		"the wiki lives at https://wiki.example.org/":            "address wiki https://wiki.example.org",
		"Postgres version 15.3":                                  "version postgre 15.3",
		"postgres is 16.1":                                       "version postgre 16.1",
		"backups live in /srv/backup":                            "path backup /srv/backup",
		"backup path: /mnt/backup":                               "path backup /mnt/backup",
		"deadline for the audit is 2026-12-01":                   "date audit deadline 2026-12-01",
		"the owner of billing is Ana Silva":                      "name billing owner ana silva",
		"owner of billing: Bob":                                  "name billing owner bob",
		"grafana was on port 3000":                               "",
		"grafana no longer on port 3000":                         "",
		"see notes.md and main.go":                               "",
		"nothing to see here":                                    "",
		"mirror.example.org:8443 serves the release mirror":      "address mirror release mirror.example.org|port mirror release 8443",
		"nginx listens on port 80 and nginx listens on port 443": "port nginx 80|port nginx 443",
	}
	for text, want := range tests {
		var got []string
		for _, c := range claims(text, "") {
			got = append(got, fmt.Sprintf("%s %s %s", c.kind, c.subject, c.value))
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("claims(%q) (-want +got):\n%s", text, diff)
		}
	}
}

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
