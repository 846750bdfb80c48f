package scan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type place struct{ key, at int }

func placesOf(keys []string, text string) []place {
	var got []place
	newFinder(keys).each([]byte(text), func(key, at, _ int) { got = append(got, place{key, at}) })
	return got
}

func TestFinder(t *testing.T) {
	keys := []string{"he", "she", "hers", "to the", "-x"}
	tests := []struct {
		name, text string
		want       []place
	}{
		{"overlapping keys", "uSHErs", []place{{1, 1}, {0, 2}, {2, 2}}},
		{"any gap is one blank", "to **\n  _the", []place{{3, 0}, {0, 10}}},
		{"no gap is no blank", "tothe", []place{{0, 3}}},
		{"other bytes exact", "a–x -X", []place{{4, 6}}},
		{"none", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := placesOf(keys, tt.text)
			slices.SortFunc(got, func(a, b place) int { return a.at - b.at })
			want := slices.Clone(tt.want)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Compares with the plain way: search every key at every position.
func TestFinderAgainstPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab-]{1,5}`), 1, 8, rapid.ID).Draw(t, "keys")
		text := rapid.StringMatching(`[abAB-]{0,40}`).Draw(t, "text")
		var want []place
		for end := range len(text) + 1 {
			for k, key := range keys {
				if at := end - len(key); at >= 0 && strings.EqualFold(text[at:end], key) {
					want = append(want, place{k, at})
				}
			}
		}
		got := placesOf(keys, text)
		order := func(a, b place) int {
			if a.at+len(keys[a.key]) != b.at+len(keys[b.key]) {
				return a.at + len(keys[a.key]) - b.at - len(keys[b.key])
			}
			return a.key - b.key
		}
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
