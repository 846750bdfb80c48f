package note

import "testing"

func apply(t *testing.T, text string, edits ...Edit) string {
	t.Helper()
	out, err := Apply([]byte(text), edits)
	must(t, err)
	return string(out)
}

func TestApply(t *testing.T) {
	tests := []struct {
		name  string
		edits []Edit
		want  string
	}{
		{"none", nil, "abcdef"},
		{"unsorted", []Edit{{4, 1, "E"}, {0, 1, "A"}}, "AbcdEf"},
		{"two insertions keep their order", []Edit{{3, 0, "1"}, {3, 0, "2"}}, "abc12def"},
		{"adjacent", []Edit{{0, 3, "x"}, {3, 3, "y"}}, "xy"},
		{"at the end", []Edit{{6, 0, "g"}}, "abcdefg"},
		{"insert at a cut's start", []Edit{{2, 0, "+"}, {2, 2, ""}}, "ab+ef"},
		{"all", []Edit{{0, 6, ""}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := apply(t, "abcdef", tt.edits...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	const big = int(^uint(0) >> 1)
	for _, bad := range [][]Edit{{{-1, 0, ""}}, {{0, -1, ""}}, {{7, 0, ""}}, {{5, 2, ""}}, {{1, big, ""}},
		{{0, 3, ""}, {2, 1, ""}}, {{2, 2, ""}, {3, 0, "x"}}} {
		if out, err := Apply([]byte("abcdef"), bad); err == nil {
			t.Errorf("%v: got %q, want an error", bad, out)
		}
	}
}

func TestTrim(t *testing.T) {
	tests := []struct {
		old, new string
		want     Edit
	}{
		{"", "", Edit{0, 0, ""}},
		{"abc", "abc", Edit{3, 0, ""}},
		{"abc", "abXc", Edit{2, 0, "X"}},
		{"abc", "ac", Edit{1, 1, ""}},
		{"aaa", "aaaa", Edit{3, 0, "a"}},
		{"", "x", Edit{0, 0, "x"}},
		{"é", "è", Edit{0, 2, "è"}},
		{"記憶", "記録", Edit{3, 3, "録"}},
		{"x\u00e9", "x\u0129", Edit{1, 2, "\u0129"}}, // the same last byte
		{"🧠", "🧡", Edit{0, 4, "🧡"}},
		{"\xff\x80a", "\xff\x80b", Edit{2, 1, "b"}},
	}
	for _, tt := range tests {
		got := Trim([]byte(tt.old), []byte(tt.new))
		if got != tt.want {
			t.Errorf("%q to %q: got %+v, want %+v", tt.old, tt.new, got, tt.want)
		}
		if out := apply(t, tt.old, got); out != tt.new {
			t.Errorf("%q to %q: applied gives %q", tt.old, tt.new, out)
		}
	}
}
