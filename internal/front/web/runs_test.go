package web

import (
	"strings"
	"testing"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/engine/jobruns"
	"tend/internal/model/finding"
)

// TestRuns: the page lists every recorded run: with changes, with nothing to do, and failed, with the reason.
func TestRuns(t *testing.T) {
	h := newFixture(t, map[string]string{"a": before})
	b := h.login(false)
	a := h.agent("a")
	ran := func(name string, r jobruns.Run) {
		t.Helper()
		h.pass(time.Hour)
		if err := a.Runs.Record([]string{name}, h.now(), r); err != nil {
			t.Fatal(err)
		}
	}
	did := h.put("a", "MEMORY.md", before+"- one more\n", "curate") // as recorded before single runs were
	for range 3 {
		ran("rotate", jobruns.Run{Outcome: "unchanged", Took: "4ms"})
	}
	ran("archive", jobruns.Run{Outcome: "failed", Took: "21ms", Error: "<b>no space</b> left"})
	h.write("ws/a/memory/2026-11-14.md", "# 2026-11-14\n\n- 09:00 [decision] We moved the queue to quill because rack three fails.\n")
	if p := b.post("/run", "agent", "a", "job", "curate", "force", "1"); p.status != 303 {
		t.Fatalf("run: %d %s", p.status, p.text)
	}
	page := b.get("/jobs?agent=a").text
	_, list, _ := strings.Cut(page, `id="runs"`)
	for _, want := range []string{did.Action, h.last("a").ID, "3 times that day", "4ms", "&lt;b&gt;no space&lt;/b&gt; left", "21ms",
		`<span class="state bad">failed</span>`, "unchanged"} {
		if !strings.Contains(list, want) {
			t.Errorf("the runs do not say %q: %s", want, list)
		}
	}
	_, list, _ = strings.Cut(b.get("/jobs?agent=a&job=archive").text, "<table class=\"cards runs\">")
	if strings.Count(list, "<tr data-row>") != 1 || !strings.Contains(list, "no space") {
		t.Errorf("runs of one job: %s", list)
	}
	for range 45 {
		ran("prune", jobruns.Run{Outcome: "changed", Action: "x" + h.now().String()})
	}
	b = h.login(false) // two days have passed
	p := b.get("/jobs?agent=a").text
	if !strings.Contains(p, `href="/jobs?agent=a&amp;runs=40#runs"`) {
		t.Errorf("no second page of runs: %s", p)
	}
	if p := b.get("/jobs?agent=a&runs=40"); !strings.Contains(p.text, did.Action) {
		t.Error("the oldest run is not on the second page")
	}
}

// TestCalendarOfAllEntries counts entries of logs, topics and the loaded file by day, kind and tag.
func TestCalendarOfAllEntries(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n\n- [decision] (2026-11-10) quill runs the queue\n- no date at all\n"})
	h.write("ws/a/memory/2026-11-14.md", "# 2026-11-14\n\n- 09:00 [lesson] one\n- 10:00 [lesson] two\n- 11:00 three\n")
	h.write("ws/a/memory/topics.md", "# Topics\n\n## 2026-11-12\n\n- [decision] releases go out on Tuesdays\n")
	b := h.login(false)
	for query, want := range map[string]string{
		"": "5 entries in half a year; most on 2026-11-14 (3), 2026-11-12 (1), " +
			"2026-11-10 (1); 1 entry without a date",
		"?tag=decision":                   "2 entries in half a year; most on 2026-11-12 (1), 2026-11-10 (1)",
		"?kind=daily+logs":                "3 entries in half a year; most on 2026-11-14 (3)",
		"?kind=daily+logs&tag=lesson":     "2 entries in half a year; most on 2026-11-14 (2)",
		"?kind=knowledge":                 "1 entry in half a year; most on 2026-11-12 (1)",
		"?kind=nonsense&tag=%3Cscript%3E": "5 entries in half a year",
	} {
		if p := b.get("/a/a" + query); !strings.Contains(p.text, want) {
			_, text, _ := strings.Cut(p.text, `id="entries"`)
			text, _, _ = strings.Cut(text, `id="growth"`)
			t.Errorf("%s does not say %q: %s", query, want, text)
		}
	}
}

// TestOverdueOnTheFleetPage: a job that is overdue decides the dashboard's verdict as it does that of `tend status`.
func TestOverdueOnTheFleetPage(t *testing.T) {
	h := newFixture(t, map[string]string{"a": before})
	slot := h.now().AddDate(0, 0, -9)
	if err := h.agent("a").Runs.Change("nightly", func(r *jobruns.Run) { r.Slot, r.Last = &slot, slot }); err != nil {
		t.Fatal(err)
	}
	st := h.fleet.State(t.Context(), "a", fleet.Survey{Jobs: true})
	if got, want := h.site.look("a").Verdict.Word, st.Verdict().Word; got != want || want != finding.Overdue.Code ||
		st.Jobs["nightly"].Overdue == nil {
		t.Errorf("the dashboard says %q, the status %q: %+v", got, want, st.Jobs)
	}
}
