package note

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(t *testing.T, s string) Day {
	t.Helper()
	if s == "" {
		return 0
	}
	d, err := ParseDay(s)
	must(t, err)
	return d
}

// one parses a text that is a single entry.
func one(t *testing.T, text string) Entry {
	t.Helper()
	es := Parse([]byte(text)).Entries(0)
	if len(es) != 1 {
		t.Fatalf("entries of %q: got %d, want 1", text, len(es))
	}
	return es[0]
}

func TestEntryMarks(t *testing.T) {
	tests := []struct {
		raw, text string
		tags      []string
		task      Task
		day       string
		minute    int
	}{
		{raw: "- plain", text: "plain"},
		{raw: "a paragraph\nof two lines\n", text: "a paragraph\nof two lines"},
		{raw: "- [decision] use Go", text: "use Go", tags: []string{"decision"}},
		{raw: "* [Decision][LESSON] x", text: "x", tags: []string{"decision", "lesson"}},
		{raw: "- [decision, human] x", text: "x", tags: []string{"decision", "human"}},
		{raw: "- (decision) use Go", text: "(decision) use Go"},
		{raw: "- [lesson] [lesson] x", text: "x", tags: []string{"lesson"}},
		{raw: "- **[identity]** x", text: "x", tags: []string{"identity"}},
		{raw: "- **[identity]:** x", text: "x", tags: []string{"identity"}},
		{raw: "- `[surprise]` x", text: "x", tags: []string{"surprise"}},
		{raw: "[lesson] paragraph", text: "paragraph", tags: []string{"lesson"}},
		{raw: "- [lesson]: x", text: "x", tags: []string{"lesson"}},
		{raw: "- x [lesson]", text: "x", tags: []string{"lesson"}},
		{raw: "- no [lesson] here today", text: "no [lesson] here today"},
		{raw: "- [lesson](a.md) x", text: "[lesson](a.md) x"},
		{raw: "- [[lesson]] x", text: "[[lesson]] x"},
		{raw: "- [unknown] x", text: "[unknown] x"},
		{raw: "- [RECOVERED: STALE] [lesson] x", text: "[RECOVERED: STALE] [lesson] x", tags: []string{"lesson"}},
		{raw: "- [decision]", text: "", tags: []string{"decision"}},
		{raw: "- [ ] task", text: "task", task: OpenTask},
		{raw: "- [x] task", text: "task", task: DoneTask},
		{raw: "1. [X] [decision] task", text: "task", task: DoneTask, tags: []string{"decision"}},
		{raw: "- [-] dropped", text: "[-] dropped"},
		{raw: "[x] no bullet", text: "[x] no bullet"},
		{raw: "- TODO: x", text: "TODO: x"},
		{raw: "- ✅ x", text: "✅ x"},
		{raw: "- ❌ x", text: "❌ x"},
		{raw: "- ⚠️ x ✅", text: "⚠️ x ✅"},
		{raw: "- ~~struck~~", text: "~~struck~~"},
		{raw: "- [ ] parent\n  - [x] child\n", text: "parent\n  - [x] child", task: OpenTask},
		{raw: "- [x] parent\n  - [ ] child\n", text: "parent\n  - [ ] child", task: OpenTask},
		{raw: "- [x] parent\n  - [x] child\n", text: "parent\n  - [x] child", task: DoneTask},
		{raw: "- parent\n  - [lesson] child (2026-11-15)\n", text: "parent\n  - [lesson] child (2026-11-15)",
			tags: []string{"lesson"}, day: "2026-11-15"},
		{raw: "- 2026-11-16: parent\n  - 2026-11-15: child\n", text: "parent\n  - 2026-11-15: child", day: "2026-11-16"},
		{raw: "- 2026-11-14: parent\n  - 2026-11-15: child\n", text: "parent\n  - 2026-11-15: child", day: "2026-11-15"},
		{raw: "- parent\n  ```\n  - [lesson] code\n  ```\n", text: "parent\n  ```\n  - [lesson] code\n  ```"},
		{raw: "- 2026-11-15: x", text: "x", day: "2026-11-15"},
		{raw: "- 2026-11-15 — x", text: "x", day: "2026-11-15"},
		{raw: "- (2026-11-15) x", text: "x", day: "2026-11-15"},
		{raw: "- [2026-11-15] x", text: "x", day: "2026-11-15"},
		{raw: "- **2026-11-15** x", text: "x", day: "2026-11-15"},
		{raw: "- x (2026-11-15)", text: "x", day: "2026-11-15"},
		{raw: "- x (2026-11-15).", text: "x (2026-11-15).", day: "2026-11-15"},
		{raw: "- 2026-11-15 [decision] x", text: "x", day: "2026-11-15", tags: []string{"decision"}},
		{raw: "- [decision] 2026-11-15: x", text: "x", day: "2026-11-15", tags: []string{"decision"}},
		{raw: "- 2026-12-01 is the launch", text: "2026-12-01 is the launch", day: "2026-12-01"},
		{raw: "- 2026-11-15.md is broken", text: "2026-11-15.md is broken"},
		{raw: "- 2026-13-45: x", text: "2026-13-45: x"},
		{raw: "- [14:30] x", text: "x", minute: 14*60 + 30},
		{raw: "- 14:30 - x", text: "x", minute: 14*60 + 30},
		{raw: "- 14:30 – x", text: "x", minute: 14*60 + 30},
		{raw: "- 9:05: x", text: "x", minute: 9*60 + 5},
		{raw: "- **14:30** x", text: "x", minute: 14*60 + 30},
		{raw: "- **14:30:** x", text: "x", minute: 14*60 + 30},
		{raw: "- [14:30:05] [lesson] x", text: "x", minute: 14*60 + 30, tags: []string{"lesson"}},
		{raw: "- 14:30 [lesson] x", text: "x", minute: 14*60 + 30, tags: []string{"lesson"}},
		{raw: "- 14:30 is tea time", text: "14:30 is tea time", minute: 14*60 + 30},
		{raw: "- 24:30 - x", text: "24:30 - x"},
		{raw: "- 3:1 - a ratio", text: "3:1 - a ratio"},
		{raw: "- 2026-11-15 14:30 x", text: "x", day: "2026-11-15", minute: 14*60 + 30},
		{raw: "- 2026-11-15T14:30:00+01:00 x", text: "x", day: "2026-11-15", minute: 14*60 + 30},
		{raw: "- [2026-11-15 14:30 UTC] x", text: "x", day: "2026-11-15", minute: 14*60 + 30},
		{raw: "- x <!-- observed: 2026-11-15 | status: active -->", text: "x", day: "2026-11-15"},
		{raw: "- x (2026-11-15) <!-- importance: 9 -->", text: "x", day: "2026-11-15"},
		{raw: "- x (2026-11-15) #pinned", text: "x", day: "2026-11-15"},
		{raw: "- x (2026-11-15) #topic", text: "x (2026-11-15) #topic", day: "2026-11-15"},
		{raw: "- see https://e.org/2026-11-15", text: "see https://e.org/2026-11-15"},
		{raw: "- 記憶を整理する (2026-11-15)\r\n", text: "記憶を整理する", day: "2026-11-15"},
		// as agents write them
		{raw: "09:04 **[decision]** use Go", text: "use Go", tags: []string{"decision"}, minute: 9*60 + 4},
		{raw: "- 9:08 AM [lesson] x", text: "x", tags: []string{"lesson"}, minute: 9*60 + 8},
		{raw: "- 9:08 pm: x", text: "x", minute: 21*60 + 8},
		{raw: "- 28.03.2026: x", text: "x", day: "2026-03-28"},
		{raw: "- **Mar 28, 2026** x", text: "x", day: "2026-03-28"},
		{raw: "- 28 March 2026 — x", text: "x", day: "2026-03-28"},
		{raw: "- 2026/03/28: x", text: "x", day: "2026-03-28"},
		{raw: "- 2026年4月14日：搬家", text: "搬家", day: "2026-04-14"},
		{raw: "- 搬家（2026年4月14日）", text: "搬家（2026年4月14日）", day: "2026-04-14"},
		{raw: "- **2026-11-15 status:** x", text: "**2026-11-15 status:** x", day: "2026-11-15"},
		{raw: "- **[decision] use Go** today", text: "**[decision] use Go** today", tags: []string{"decision"}},
		{raw: "- March is cold", text: "March is cold"},
		{raw: "- 10:00 - 10:50: x", text: "x", minute: 600},
		{raw: "- 11:30 wrote the middleware", text: "11:30 wrote the middleware", minute: 11*60 + 30},
		{raw: "- **Decision:** use Go", text: "use Go", tags: []string{"decision"}},
		{raw: "- **Decision**: use Go", text: "use Go", tags: []string{"decision"}},
		{raw: "- **Lesson** (small): x", text: "**Lesson** (small): x"},
		{raw: "- Decision: use Go", text: "use Go", tags: []string{"decision"}},
		{raw: "- decision: use Go", text: "use Go", tags: []string{"decision"}},
		{raw: "- Entscheidung: wir nehmen Go", text: "Entscheidung: wir nehmen Go"},
		{raw: "- Decision fatigue: real", text: "Decision fatigue: real"},
		{raw: "- Human: reviews it", text: "Human: reviews it"},
		{raw: "- the #lesson was long", text: "the #lesson was long"},
		{raw: "- **Note:** x", text: "**Note:** x"},
		{raw: "- Decision making is hard", text: "Decision making is hard"},
		{raw: "- #lesson x", text: "x", tags: []string{"lesson"}},
		{raw: "- x #lesson", text: "x", tags: []string{"lesson"}},
		{raw: "- x #lessons", text: "x #lessons"},
		{raw: "- 📌 [human] x", text: "x", tags: []string{"human"}},
		{raw: "- 💡 **Lesson:** x", text: "x", tags: []string{"lesson"}},
		{raw: "- 📦 parcel came", text: "📦 parcel came"},
		{raw: "> [decision] x", text: "x", tags: []string{"decision"}},
		{raw: "- it runs. **[decision]** Do not touch it", text: "it runs. **[decision]** Do not touch it"},
		{raw: "- write `x [lesson] y` there", text: "write `x [lesson] y` there"},
		{raw: "- x `[lesson]`", text: "x", tags: []string{"lesson"}},
		{raw: "-", text: ""},
		{raw: "- a\r\n  b\r\n", text: "a\r\n  b"},
	}
	for _, tt := range tests {
		t.Run(tt.raw, func(t *testing.T) {
			if tt.minute == 0 {
				tt.minute = -1
			}
			e := one(t, tt.raw)
			if got := e.Text(); got != tt.text {
				t.Errorf("text: got %q, want %q", got, tt.text)
			}
			if diff := cmp.Diff(tt.tags, e.Tags); diff != "" {
				t.Errorf("tags (-want +got):\n%s", diff)
			}
			if e.Task != tt.task {
				t.Errorf("task: got %v, want %v", e.Task, tt.task)
			}
			if got := e.Day.String(); got != tt.day {
				t.Errorf("day: got %q, want %q", got, tt.day)
			}
			if e.Minute != tt.minute {
				t.Errorf("minute: got %d, want %d", e.Minute, tt.minute)
			}
		})
	}
}

func TestEntryUntil(t *testing.T) {
	for raw, want := range map[string]string{
		"- the door code is with Anna (until 2026-12-31)":                  "2026-12-31",
		"- [human] Anna is away [valid until 2026-12-31]":                  "2026-12-31",
		"- Anna is away (Expires 2026-12-31), Ben stands in":               "2026-12-31",
		"- Anna is away <!-- observed: 2026-11-01 | until: 2026-12-31 -->": "2026-12-31",
		"- was (until 2026-11-30), now (until 2026-12-31)":                 "2026-12-31",
		"- Anna is away\n  back soon (until 2026-12-31)\n":                 "2026-12-31",
		"- Anna is away (until Dec 31, 2026)":                              "2026-12-31",
		"- Anna is away until 2026-12-31":                                  "",
		"- Anna is away (2026-12-31)":                                      "",
		"- write `(until 2026-12-31)` behind it":                           "",
		"- parent\n  - child (until 2026-12-31)\n":                         "",
		"- never (until 2026-13-45)":                                       "",
		"- open (until 2026-12-31":                                         "",
		"- (until ":                                                        "",
	} {
		e := one(t, raw)
		if got := e.Until().String(); got != want {
			t.Errorf("%q holds until %q, want %q", raw, got, want)
		}
		if e.Day != 0 && e.DayFrom == FromText && want != "" && e.Day == day(t, want) {
			t.Errorf("%q: the day it ends was taken for the day it was written", raw)
		}
	}
}

func TestEntryDay(t *testing.T) {
	text := "- before\n# Log\n## 2026-11-10\n- a\n- b (2026-11-09)\n### Later\n- c\n# Rest\n- d on 2020-02-02 we moved\n"
	tests := []struct {
		file string
		want []string
		from []DayFrom
	}{
		{"2026-11-15",
			[]string{"2026-11-15", "2026-11-10", "2026-11-09", "2026-11-10", "2026-11-15"},
			[]DayFrom{FromFile, FromHeading, FromText, FromHeading, FromFile}},
		{"",
			[]string{"", "2026-11-10", "2026-11-09", "2026-11-10", "2020-02-02"},
			[]DayFrom{Undated, FromHeading, FromText, FromHeading, Mentioned}},
	}
	for _, tt := range tests {
		var got []string
		var from []DayFrom
		for _, e := range Parse([]byte(text)).Entries(day(t, tt.file)) {
			got, from = append(got, e.Day.String()), append(from, e.DayFrom)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("days with %q (-want +got):\n%s", tt.file, diff)
		}
		if diff := cmp.Diff(tt.from, from); diff != "" {
			t.Errorf("sources with %q (-want +got):\n%s", tt.file, diff)
		}
	}
}

func TestEntryLatest(t *testing.T) {
	text := "- a\n- [09:15] b\n## 2026-11-14\n- c\n### 14:30 Deploy\n- d\n- 15:00 - e\n- f (2026-11-13)\n# Rest\n- g\n"
	var got []string
	for _, e := range Parse([]byte(text)).Entries(day(t, "2026-11-15")) {
		got = append(got, e.Latest(time.UTC).Format("2006-01-02 15:04"))
	}
	want := []string{"2026-11-16 00:00", "2026-11-15 09:15", "2026-11-15 00:00", "2026-11-14 14:30", "2026-11-14 15:00",
		"2026-11-14 00:00", "2026-11-16 00:00"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("latest (-want +got):\n%s", diff)
	}
	if got := one(t, "- a").Latest(time.UTC); !got.IsZero() {
		t.Errorf("undated: got %v, want the zero time", got)
	}
}

func TestEntryExtent(t *testing.T) {
	text := "# T\n#tags: x\n\n- a\n  b\n\n```\nno entry\n```\n\n| no | entry |\n\n<!-- no entry -->\n\npara\n---\n- 記憶\n"
	d := Parse([]byte(text))
	type row struct {
		Line, Section int
		Raw           string
	}
	var got []row
	for _, e := range d.Entries(0) {
		got = append(got, row{e.Line, e.Section, string(e.Raw)})
		if text[e.Start:e.End] != string(e.Raw) {
			t.Errorf("extent: got %q, want %q", text[e.Start:e.End], e.Raw)
		}
	}
	want := []row{{4, 0, "- a\n  b\n"}, {15, 0, "para\n"}, {17, 0, "- 記憶\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestEntryMeta(t *testing.T) {
	e := one(t, "- x <!-- trigger: a, b --> <!-- Importance: 9 -->\n<!-- observed: 2026-11-15 | status: active -->")
	for key, want := range map[string]string{"trigger": "a, b", "importance": "9", "status": "active", "observed": "2026-11-15"} {
		if got, ok := e.Meta(key); !ok || got != want {
			t.Errorf("%s: got %q, %v, want %q", key, got, ok, want)
		}
	}
	if got, ok := e.Meta("project"); ok {
		t.Errorf("project: got %q, want none", got)
	}
	if _, ok := one(t, "- <!-- importance: 9").Meta("importance"); ok {
		t.Error("found a key in a comment that never closes")
	}
}

func TestEntryHashtags(t *testing.T) {
	tests := []struct {
		raw      string
		pinned   bool
		friction []string
	}{
		{"- a #pinned", true, nil},
		{"- a #Pinned and more", true, nil},
		{"- a #pinned-not", false, nil},
		{"- a x#pinned", false, nil},
		{"- #friction: waited for CI", false, []string{"waited for CI"}},
		{"- a\n  #Friction: one\n  #friction: two #pinned", true, []string{"one", "two #pinned"}},
		{"- write `#friction: x` when you wait, #friction is costly", false, nil},
		{"#friction: one\n#friction: two\n", false, []string{"one", "two"}},
	}
	for _, tt := range tests {
		e := one(t, tt.raw)
		if e.Pinned != tt.pinned {
			t.Errorf("%q pinned: got %v, want %v", tt.raw, e.Pinned, tt.pinned)
		}
		if diff := cmp.Diff(tt.friction, e.Friction()); diff != "" {
			t.Errorf("%q friction (-want +got):\n%s", tt.raw, diff)
		}
	}
}

func TestEntryTagSet(t *testing.T) {
	d := Syntax{Tags: []string{"risk", "idea"}}.Parse([]byte("- [idea] [decision] x\n"))
	e := d.Entries(0)[0]
	if diff := cmp.Diff([]string{"idea"}, e.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if !e.Has("idea") || e.Has("decision") {
		t.Errorf("Has: got %v %v, want true false", e.Has("idea"), e.Has("decision"))
	}
}

func TestEntriesDelimited(t *testing.T) {
	d := Syntax{Style: Delimited}.Parse([]byte("[lesson] a\nb\n§\n- c (2026-11-15)"))
	var got []string
	for _, e := range d.Entries(0) {
		got = append(got, e.Text())
	}
	if diff := cmp.Diff([]string{"a\nb", "c"}, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestConsecutiveLinesAreEntriesAsAgentsWriteThem(t *testing.T) {
	text := "09:15 standup\n10:02 **[decision]** Limit is 120 a minute\nand 429 above that\n11:30 wrote it\n\n" +
		"[lesson] one\n[human] two\n\n### Decision: small purchases\nI may buy stamps.\n\n- ordered paper\n\n## [lesson]\n- a\n- b\n\n" +
		"## Lessons\n- c\n\n> \"never fly\"\n> she said\n"
	type row struct {
		Text string
		Tags []string
	}
	var got []row
	for _, e := range Parse([]byte(text)).Entries(0) {
		got = append(got, row{e.Text(), e.Tags})
	}
	want := []row{
		{"09:15 standup", nil}, {"Limit is 120 a minute\nand 429 above that", []string{"decision"}}, {"11:30 wrote it", nil},
		{"one", []string{"lesson"}}, {"two", []string{"human"}}, {"I may buy stamps.", nil}, {"ordered paper", nil},
		{"a", nil}, {"b", nil}, {"c", nil}, {"\"never fly\"\nshe said", nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestTagAtTheEndOfALongLineEndsTheEntry(t *testing.T) {
	text := "the new contract has a fixed rate of 22 cents for each hour from July #decision\nlooked up trains\n"
	es := Syntax{Lines: true}.Parse([]byte(text)).Entries(0)
	if len(es) != 2 || !es[0].Has("decision") || es[1].Has("decision") {
		t.Errorf("got %d entries: %+v", len(es), es)
	}
}

func TestSectionDayInAnyForm(t *testing.T) {
	for title, want := range map[string]string{
		"2026-03-28": "2026-03-28", "Notes of Mar 28, 2026": "2026-03-28", "28 March 2026 Deploy": "2026-03-28",
		"March 28th, 2026": "2026-03-28",
		"28.03.2026":       "2026-03-28", "2026/03/28": "2026-03-28", "2026年3月28日 搬家": "2026-03-28", "28. März 2026": "2026-03-28",
		"28 марта 2026": "2026-03-28", "28 de março de 2026": "2026-03-28", "Sept. 5, 2026": "2026-09-05", "5 août 2026": "2026-08-05",
		"28.03. Deploy": "2026-03-28", "3月28日": "2026-03-28", "March 28": "2026-03-28", "12月30日": "2025-12-30", "30.02.": "",
		"Release 2026.3.28": "", "1.2. Setup": "", "Ports 80 and 443": "", "10.0.0.12": "", "v1.28.2026": "", "Marketing 28, 2026": "",
		"2026-13-45": "", "May the 4th": "", "a/2026-03-28": "", "report-2026-03-28.md": "", "29.02.": "2024-02-29",
	} {
		s := Parse([]byte("# " + title + "\n- a\n")).Sections[0]
		if got := s.DayNear(day(t, "2026-04-20")); got.String() != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

func TestDateWithoutYearIsNearTheFilesDay(t *testing.T) {
	d := Parse([]byte("## 28.03.\n- a\n"))
	if got := d.Entries(day(t, "2026-03-28"))[0]; got.Day.String() != "2026-03-28" || got.DayFrom != FromHeading {
		t.Errorf("got %s from %d", got.Day, got.DayFrom)
	}
	if got := Parse([]byte("## 28.03.\n- a\n")).Entries(0)[0]; got.Day != 0 || got.DayFrom != Undated {
		t.Errorf("without a file's day: got %s", got.Day)
	}
}

// TestSectionOfDay: only a date that the title begins with makes a section a day's.
func TestSectionOfDay(t *testing.T) {
	for title, want := range map[string]bool{
		"2026-05-12": true, "📅 2026-05-12 the move": true, "[2026-05-12] the move": true, "**2026-05-12**": true, "28.03. the move": true,
		"Saturday, 28 March 2026": true, "Rules 2026-03-01": false,
		"3月28日": true, "May 12, 2026": true, "Safety (2026-02-12 incident)": false, "1. Interfaces (2026-03-01)": false, "Rules": false,
		"Day 40 (2026-04-07)": false, "硬规则（2026-06-16）": false,
	} {
		if got := Parse([]byte("## " + title + "\n")).Sections[0].OfDay(); got != want {
			t.Errorf("%s: %v", title, got)
		}
	}
}
