package search

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var testNow = time.Date(2026, 11, 20, 15, 4, 0, 0, time.UTC)

func TestParseQuery(t *testing.T) {
	word := func(s string) clause { return clause{text: s} }
	for _, tt := range []struct {
		query string
		want  parsed
	}{
		{"", parsed{}},
		{"harbor crane", parsed{clauses: []clause{word("harbor crane")}}},
		{`the "red crane" moved`, parsed{clauses: []clause{word("the"), {kind: phraseClause, text: "red crane"}, word("moved")}}},
		{`+must -not word`, parsed{clauses: []clause{{need: required, text: "must"}, {need: excluded, text: "not"}, word("word")}}},
		{`+"red crane" -"blue crane"`,
			parsed{clauses: []clause{{kind: phraseClause, need: required, text: "red crane"},
				{kind: phraseClause, need: excluded, text: "blue crane"}}}},
		{"deplo* +conf*", parsed{clauses: []clause{{kind: prefixClause, text: "deplo"}, {kind: prefixClause, need: required, text: "conf"}}}},
		{"tag:lesson -tag:old x", parsed{tags: []string{"lesson"}, noTags: []string{"old"}, clauses: []clause{word("x")}}},
		{"tier:hot,Warm", parsed{tiers: []Tier{Hot, Warm}, tiersAsked: true}},
		{"-tier:archive,history", parsed{tiers: []Tier{Hot, Buffer, Warm, Cold}, tiersAsked: true}},
		{"file:memory/*.md -file:old", parsed{globs: []string{"memory/*.md"}, noGlobs: []string{"old"}}},
		{`file:"my notes.md"`, parsed{globs: []string{"my notes.md"}}},
		{"after:2026-11-01 before:2026-12", parsed{after: civil(2026, 11, 1), before: civil(2026, 12, 1)}},
		{"after:7d", parsed{after: civil(2026, 11, 13)}},
		{"since:yesterday until:today", parsed{after: civil(2026, 11, 19), before: civil(2026, 11, 21)}},
		// What is no operator is words.
		{`say "unclosed quote`, parsed{clauses: []clause{word(`say "unclosed quote`)}}},
		{"a - b + c *", parsed{clauses: []clause{word("a - b + c *")}}},
		{"http://x.org:80 note: time: 10:30", parsed{clauses: []clause{word("http://x.org:80 note: time: 10:30")}}},
		{"tag: x", parsed{clauses: []clause{word("tag: x")}}},
		{"after:lunch", parsed{clauses: []clause{word("after:lunch")}}},
		{"tier:lukewarm", parsed{clauses: []clause{word("tier:lukewarm")}}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			got := parseQuery(tt.query, testNow)
			if tt.want.after == 0 {
				tt.want.after = noDay
			}
			if tt.want.before == 0 {
				tt.want.before = noDay
			}
			ignore := cmpopts.IgnoreFields(parsed{}, "notes")
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(parsed{}, clause{}), cmpopts.EquateEmpty(), ignore); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseNotes(t *testing.T) {
	for _, q := range []string{"after:lunch", "before:7x", "tier:lukewarm", "-after:2026"} {
		if p := parseQuery(q, testNow); len(p.notes) != 1 || len(p.clauses) != 1 {
			t.Errorf("%s: got notes %q and clauses %v, want the words searched and a note that says so", q, p.notes, p.clauses)
		}
	}
}

// Whatever is typed, a search answers.
func TestAnyQueryIsAnswered(t *testing.T) {
	ix := indexOf(t, Doc{Path: "a.md", Units: []Unit{{Body: "harbor crane 東京", Tags: []string{"lesson"}, Line: 1, EndLine: 1}}})
	pieces := rapid.SampledFrom([]string{`"`, "+", "-", "*", ":", "tag:", "tier:", "after:", "file:", "harbor", "crane", "東京", "lesson",
		" ", "**/", "?", "2026", "d", "\x00", "é"})
	rapid.Check(t, func(t *rapid.T) {
		var q strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			q.WriteString(pieces.Draw(t, "piece"))
		}
		a := ix.Search(context.Background(), Request{Query: q.String(), Now: testNow})
		if len(a.Hits) == 0 && len(a.Notes) == 0 {
			t.Fatalf("%q: an empty answer without a word", q.String())
		}
	})
}

func TestPeriods(t *testing.T) {
	for _, tt := range []struct {
		in       string
		from, to day
	}{
		{"2026", civil(2026, 1, 1), civil(2027, 1, 1)},
		{"2026-02", civil(2026, 2, 1), civil(2026, 3, 1)},
		{"2026-02-28", civil(2026, 2, 28), civil(2026, 3, 1)},
		{"2w", civil(2026, 11, 6), civil(2026, 11, 21)},
		{"3m", civil(2026, 8, 20), civil(2026, 11, 21)},
		{"1y", civil(2025, 11, 20), civil(2026, 11, 21)},
		{"Today", civil(2026, 11, 20), civil(2026, 11, 21)},
	} {
		from, to, ok := parsePeriod(tt.in, testNow)
		if !ok || from != tt.from || to != tt.to {
			t.Errorf("%s: got %v to %v, %v", tt.in, midnight(from), midnight(to), ok)
		}
	}
	for _, bad := range []string{"", "d", "-3d", "soon", "2026-13", "2026-02-30"} {
		if _, _, ok := parsePeriod(bad, testNow); ok {
			t.Errorf("%q is taken for a date", bad)
		}
	}
	if _, _, ok := parsePeriod("7d", time.Time{}); ok {
		t.Error("7d means nothing without a clock")
	}
}

func TestPathMatcher(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"memory", "a/memory/x.md", true},
		{"MEMORY.md", "memory.md", true},
		{"*.md", "a/b/c.md", true},
		{"*.md", "a/b/c.txt", false},
		{"mem*", "a/memory/x.md", true},
		{"memory/*.md", "memory/x.md", true},
		{"memory/*.md", "memory/y/x.md", false},
		{"memory/**", "memory/y/x.md", true},
		{"**/x.md", "memory/y/x.md", true},
		{"**/x.md", "x.md", true},
		{"memory/**/x.md", "memory/x.md", true},
		{"memory/**/x.md", "memory/a/b/x.md", true},
		{"2026-1?-*", "daily/2026-11-20.md", true},
		{"a*b*c*d", "abcabcabc", false},
	} {
		if got := pathMatcher(tt.pattern)(tt.path); got != tt.want {
			t.Errorf("pathMatcher(%q)(%q) = %v, want %v", tt.pattern, tt.path, got, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []mention
	}{
		{"What happened on 8 May, 2023?", []mention{{2023, 5, 8, "8 May, 2023"}}},
		{"on May 8th", []mention{{0, 5, 8, "May 8th"}}},
		{"the 8th of May 2023", []mention{{2023, 5, 8, "8th of May 2023"}}},
		{"in August", []mention{{0, 8, 0, "August"}}},
		{"by Sept 2024", []mention{{2024, 9, 0, "Sept 2024"}}},
		{"since 2023-05-08", []mention{{2023, 5, 8, "2023-05-08"}}},
		{"plans for 2024", []mention{{2024, 0, 0, "2024"}}},
		{"it may rain, march on", nil},
		{"in may", []mention{{0, 5, 0, "may"}}},
		{"port 8080 and 99 balloons", nil},
		{"yesterday", []mention{{2026, 11, 19, "yesterday"}}},
		{"¿qué pasó el 8 de mayo de 2023?", []mention{{2023, 5, 8, "8 de mayo de 2023"}}},
		{"am 8. März 2024, im Mai", []mention{{2024, 3, 8, "8. März 2024"}, {0, 5, 0, "Mai"}}},
		{"le 3 août", []mention{{0, 8, 3, "3 août"}}},
		{"3 сентября 2025", []mention{{2025, 9, 3, "3 сентября 2025"}}},
		{"the probe reached Mars", nil},
		{"3月28日博客的主题是什么？", []mention{{0, 3, 28, "3月28日"}}},
		{"从2026年5月8号开始，2025年4月", []mention{{2026, 5, 8, "2026年5月8号"}, {2025, 4, 0, "2025年4月"}}},
		{"2024年に何があった", []mention{{2024, 0, 0, "2024年"}}},
		{"5월 8일 회의", []mention{{0, 5, 8, "5월 8일"}}},
		{"3个月内，15月，1月32日", []mention{{0, 1, 0, "1月"}}},
	} {
		got, _ := findMentions(tt.text, testNow)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(mention{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestCloseness(t *testing.T) {
	may8 := mention{year: 2023, month: 5, day: 8}
	on, soon, later, before := may8.closeness(civil(2023, 5, 8)), may8.closeness(civil(2023, 5, 12)), may8.closeness(civil(2023, 6,
		30)), may8.closeness(civil(2023, 5, 1))
	if !(on == 1 && on > soon && soon > later && soon > before && later < 0.01) {
		t.Errorf("on the day %.2f, soon after %.2f, long after %.2f, before %.2f", on, soon, later, before)
	}
	may := mention{month: 5}
	if in, out := may.closeness(civil(2024, 5, 31)), may.closeness(civil(2024, 4, 30)); in <= out || out != 0 {
		t.Errorf("in May %.2f, in April %.2f", in, out)
	}
	if got := may.closeness(noDay); got != 0 {
		t.Errorf("an undated unit is %.2f close", got)
	}
}
