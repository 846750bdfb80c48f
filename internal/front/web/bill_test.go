package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"tend/internal/text/layout/loadview"
	look "tend/internal/text/session/seen"
)

// TestBill shows what the start of a session costs, in the same numbers for file and sections.
func TestBill(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n\n## Crane\n\n- it lifts forty tons\n\n## Oven\n\n- it burns on the left\n"})
	p := h.login(false).get("/a/a/cost")
	if p.status != 200 {
		t.Fatalf("%d %s", p.status, p.text)
	}
	for _, want := range []string{
		`the harness loads \d+ tokens of memory\. Once connected, Tend adds [\d,]+: tools [1-9][\d,]*, hook \d+, rules 0\.`,
		`(?s)>MEMORY\.md</a></th><td data-label="Tokens" class="n">[1-9]\d*<`,
		`>Crane</td><td data-label="Tokens" class="n dim">[1-9]`,
	} {
		if !regexp.MustCompile(want).MatchString(p.text) {
			t.Errorf("%s is not in %s", want, p.text)
		}
	}
}

// TestAgentTokens: the page of an agent has the numbers of its bill, for each loaded file and for all.
func TestAgentTokens(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n\n- it lifts forty tons\n"})
	b := h.login(false)
	bill, page := b.get("/a/a/cost").text, b.get("/a/a").text
	file := regexp.MustCompile(`(?s)>MEMORY\.md</a></th><td data-label="Tokens" class="n">(\d+)<`).FindStringSubmatch(bill)
	added := regexp.MustCompile(`Tend adds ([\d,]+): `).FindStringSubmatch(bill)
	if file == nil || added == nil {
		t.Fatal(bill)
	}
	for _, want := range []string{
		`>MEMORY\.md</a>.*<small>all of it: ` + file[1] + ` tokens</small>`,
		`<dt>A session</dt><dd>[\d,]+ tokens of memory at its start <small><a href="/a/a/cost">` + added[1] + ` more once Tend is connected</a>`,
	} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("%s is not in %s", want, page)
		}
	}
}

// TestSeenByTheModel: the page of a fact says when the model last saw it, and why the newest session did not have it.
func TestSeenByTheModel(t *testing.T) {
	const text = "# Memory\n\n- the crane lifts forty tons\n- the oven burns on the left\n"
	h := newFixture(t, map[string]string{"a": text})
	session := func(id string, at time.Time, last int, why look.Why) {
		must(t, h.agent("a").Cache.AddSession(look.Session{ID: id, At: at, Layout: "openclaw", Source: look.Hook, Files: []look.File{
			{Path: "MEMORY.md", Lines: 4, Seen: []loadview.Span{{From: 1, To: last}}, Why: why, Marks: look.MarksOf([]byte(text))},
		}}))
	}
	session("s1", h.now().Add(-2*time.Hour), 4, look.Whole)
	session("s2", h.now().Add(-time.Hour), 3, look.Cut)
	b := h.login(false)
	for line, want := range map[string][]string{
		"crane": {"Last seen by the model on 2026-11-15 11:00, in session s2 (in 2 of 2 known sessions)."},
		"oven": {"Last seen by the model on 2026-11-15 10:00, in session s1 (in 1 of 2 known sessions).",
			"Not in the newest session, s2 of 2026-11-15 11:00 (cut from MEMORY.md)."},
	} {
		p := b.get("/a/a/fact?q=" + line)
		for _, w := range want {
			if !strings.Contains(p.text, w) {
				t.Errorf("%s: %q is not in %s", line, w, p.text)
			}
		}
		if strings.Contains(p.text, "Not in the newest") != (len(want) > 1) {
			t.Errorf("%s: %s", line, p.text)
		}
	}
}
