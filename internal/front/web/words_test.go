package web

import "testing"

func TestTheWordsThatChangedAreMarked(t *testing.T) {
	show := func(lines [][]span) (s string) {
		for _, l := range lines {
			for _, p := range l {
				if p.Changed {
					s += "[" + p.Text + "]"
				} else {
					s += p.Text
				}
			}
			s += "|"
		}
		return s
	}
	for _, tt := range []struct{ old, new, before, after string }{
		{"- The queue runs on quill.", "- The queue runs on heron.", "- The queue runs on [quill].|", "- The queue runs on [heron].|"},
		{"- Tea at four.", "- Tea at half past four.", "- Tea at four.|", "- Tea at [half] [past] four.|"},
		{"会议在星期一", "会议在星期五", "会议在星期[一]|", "会议在星期[五]|"},
		{"one", "entirely other words", "[one]|", "[entirely other words]|"},
	} {
		h := hunk{Removed: []string{tt.old}, Added: []string{tt.new}}
		if got := show(h.Before()); got != tt.before {
			t.Errorf("before: %s, want %s", got, tt.before)
		}
		if got := show(h.After()); got != tt.after {
			t.Errorf("after: %s, want %s", got, tt.after)
		}
	}
	if got := show(hunk{Removed: []string{"a b"}}.Before()); got != "[a b]|" {
		t.Errorf("a line that left: %s", got)
	}
}
