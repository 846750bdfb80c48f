package note

import (
	"testing"
)

func TestRemark(t *testing.T) {
	for entry, want := range map[string]string{
		"- Port 8081":               "- Port 8081 (2026-03-04)",
		"- Ports:\n  - 8081":        "- Ports (2026-03-04):\n  - 8081",
		"- 端口：\n  - 8081":           "- 端口 (2026-03-04)：\n  - 8081",
		"- Ports, all of: 1\n  - 2": "- Ports, all of: 1 (2026-03-04)\n  - 2",
	} {
		got := Remark(entry, "2026-03-04")
		if got != want {
			t.Errorf("%q: got %q, want %q", entry, got, want)
		}
		if back := WithoutDay(got); back != entry {
			t.Errorf("undated %q is %q, want %q", got, back, entry)
		}
	}
	for _, kept := range []string{"- Contract signed (2025-03-01) by Ann", "- Until (soon)", "- 2026-03-04"} {
		if got := WithoutDay(kept); got != kept {
			t.Errorf("%q became %q", kept, got)
		}
	}
}
