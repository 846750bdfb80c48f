package search

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var someWords = strings.Fields("crane harbor ship ships pilot oven bread flour red blue max_size 10.0.0.1 東京 the at when Ann: " +
	"Bob: port? why? 2026-11-20 don't")

func drawDoc(t *rapid.T, path string) Doc {
	words := rapid.SliceOfN(rapid.SampledFrom(someWords), 1, 8)
	d := Doc{Path: path, Tier: rapid.SampledFrom(Tiers()).Draw(t, "tier"), Title: strings.Join(words.Draw(t, "title"), " ")}
	for i := range rapid.IntRange(0, 5).Draw(t, "units") {
		d.Units = append(d.Units, Unit{
			Body: strings.Join(words.Draw(t, "body"), " "), Line: i + 1, EndLine: i + 1,
			Tags:     rapid.SliceOfN(rapid.SampledFrom([]string{"lesson", "work/port"}), 0, 2).Draw(t, "tags"),
			Headings: rapid.SliceOfN(rapid.SampledFrom([]string{"Harbor", "Kitchen"}), 0, 2).Draw(t, "headings"),
			Date:     rapid.SampledFrom([]time.Time{{}, testNow.AddDate(0, 0, -19), testNow.AddDate(0, 0, -1)}).Draw(t, "date"),
		})
	}
	return d
}

var queries = []string{
	"crane harbor", "When did the ship leave?", `"red ship"`, "+crane -oven", "har*", "tag:lesson", "東京", "max_size 10.0.0.1",
	"Ann pilot", "haror", "tier:hot bread", "after:2026-11-10 ship", "purchase flour", "ship on 2026-11-20", "the", "",
}

// However an index came to hold its documents, it answers like one that was built from them afresh.
func TestIncrementalEqualsRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := New()
		docs := map[string]Doc{}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			path := rapid.SampledFrom([]string{"a.md", "b.md", "c.md", "d/e.md", "f.md"}).Draw(t, "path")
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				ix.Remove(path)
				delete(docs, path)
			case 1: // a search in between may sort or cache something
				ix.Search(context.Background(), Request{Query: rapid.SampledFrom(queries).Draw(t, "query"), Now: testNow})
			default:
				docs[path] = drawDoc(t, path)
				ix.Put(docs[path])
			}
		}
		fresh := New()
		for _, path := range slices.Sorted(maps.Keys(docs)) {
			fresh.Put(docs[path])
		}
		if ix.stats != fresh.stats || len(ix.dict.ids) != len(fresh.dict.ids) {
			t.Fatalf("holds %+v and %d terms, want %+v and %d", ix.stats, len(ix.dict.ids), fresh.stats, len(fresh.dict.ids))
		}
		for _, q := range queries {
			for _, group := range []Grouping{ByEntry, ByFile} {
				r := Request{Query: q, Group: group, Now: testNow, Limit: 5}
				if diff := cmp.Diff(fresh.Search(context.Background(), r), ix.Search(context.Background(), r), cmpopts.EquateEmpty(),
					cmpopts.IgnoreUnexported(Hit{})); diff != "" {
					t.Fatalf("%q (-rebuilt +incremental):\n%s", q, diff)
				}
			}
		}
	})
}

func TestRemovingReleases(t *testing.T) {
	ix := indexOf(t, port...)
	for range 3 {
		for _, d := range port {
			ix.Put(d)
		}
	}
	for _, d := range port {
		if !ix.Remove(d.Path) || ix.Remove(d.Path) {
			t.Errorf("%s: not there, or not removed", d.Path)
		}
	}
	if got := ix.stats; got != (stats{}) || len(ix.dict.ids) != 0 {
		t.Errorf("an empty index holds %+v", got)
	}
	for id, info := range ix.dict.info {
		if info.text != "" || info.files != nil || info.units != 0 || info.titles != 0 {
			t.Errorf("term %d is still there: %+v", id, info)
		}
	}
	if free := len(ix.dict.free); free != len(ix.dict.info)-firstTerm {
		t.Errorf("%d ids of %d can be used again", free, len(ix.dict.info)-firstTerm)
	}
	ids := len(ix.dict.info)
	for _, d := range port {
		ix.Put(d)
	}
	if len(ix.dict.info) != ids || len(ix.files) != len(port) {
		t.Errorf("the same files again take %d ids and %d slots, before %d and %d", len(ix.dict.info), len(ix.files), ids, len(port))
	}
}

func TestConcurrentUse(t *testing.T) {
	ix := indexOf(t, port...)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 30 {
				ix.Put(doc(fmt.Sprintf("%d-%d.md", w, i%5), fmt.Sprintf("crane %d lifts word%d", i, w*100+i), "the harbor"))
				if i%3 == 0 {
					ix.Remove(fmt.Sprintf("%d-%d.md", w, (i+1)%5))
				}
				if i%7 == 0 {
					ix.Fail("bad.md", "locked")
				}
			}
		})
		wg.Go(func() {
			for i := range 30 {
				q := queries[(w+i)%len(queries)]
				a := ix.Search(context.Background(), Request{Query: q, Source: func(string) (string, error) { return "crane\nharbor\nship\n", nil }})
				for _, h := range a.Hits {
					if h.Path == "" {
						t.Errorf("%s: a hit without a path", q)
					}
				}
			}
		})
	}
	wg.Wait()
	if got := places(ix.Search(context.Background(), Request{Query: "pilots buoy"})); len(got) == 0 || got[0] != "harbor.md:3" {
		t.Errorf("after all that: %v", got)
	}
}

// Only a part of many files is read in full; a strict clause must still find what is in any of them.
func TestManyFiles(t *testing.T) {
	ix := indexOf(t)
	for i := range 5 * candidates {
		ix.Put(doc(fmt.Sprintf("%03d.md", i), "crane harbor crane harbor", "ship", fmt.Sprintf("crane number%d", i)))
	}
	ix.Put(doc("needle.md", strings.Repeat("other words about other things ", 40)+"harbor crane"))
	for query, want := range map[string]string{
		`"harbor crane" -"crane harbor"`: "needle.md:1",
		"crane number7":                  "007.md:3",
		`+"things harbor crane"`:         "needle.md:1",
		"crane file:needle*":             "needle.md:1",
	} {
		if got := places(ix.Search(context.Background(), Request{Query: query})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", query, got, want)
		}
	}
}
