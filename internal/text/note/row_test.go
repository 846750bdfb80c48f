package note

import (
	"slices"
	"testing"
)

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"the head and the line below it are no rows", "| who | phone |\n|---|---|\n| Ann | 12 |\n| Ben | 13 |\n", []string{"| Ann | 12 |", "| Ben | 13 |"}},
		{"old beside new", "| what | old | new |\n|---|---|---|\n| port | 80 | 8080 |\n| host | | web2 |\n", []string{"port: 8080 (was 80)", "host: web2"}},
		{"in other languages", "| was | bisher | neu |\n|:--|:--|--:|\n| Tor | 18:00 | 17:30 |\n", []string{"Tor: 17:30 (was 18:00)"}},
		{"a row with a tag says its cells", "| 14:00 | [decision] | use the old gate |\n", []string{"14:00, use the old gate"}},
		{"one column of the two", "| what | new |\n|---|---|\n| port | 8080 |\n", []string{"| port | 8080 |"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range Parse([]byte(tt.text)).Rows(0) {
				got = append(got, e.Text())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}
