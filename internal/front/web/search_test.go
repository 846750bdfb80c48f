package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSearchOfTheFleet searches more agents than fit on a page: every page says what was searched and links to the rest,
// and every agent is searched once.
func TestSearchOfTheFleet(t *testing.T) {
	memories := map[string]string{}
	for i := range 70 {
		memories[fmt.Sprintf("agent-%02d", i)] = fmt.Sprintf("# Memory\n\n- the pump of number %d leaks\n", i)
	}
	h := newFixture(t, memories)
	h.site.searchFor = 0
	b := h.login(false)
	met := map[string]int{}
	pages := 0
	for next := "/search?q=pump+leaks"; next != ""; pages++ {
		p := b.get(next)
		if p.status != 200 {
			t.Fatalf("%s: %d %s", next, p.status, p.text)
		}
		for _, m := range regexp.MustCompile(`href="/a/(agent-\d\d)">agent`).FindAllStringSubmatch(p.text, -1) {
			met[m[1]]++
		}
		next = ""
		if m := regexp.MustCompile(`id="goon"[^>]* href="([^"]+)"`).FindStringSubmatch(p.text); m != nil {
			next = html.UnescapeString(m[1])
			if !strings.Contains(p.text, "of 70 agents so far") {
				t.Errorf("%s does not say how much was searched", next)
			}
		}
	}
	if pages < 2 || len(met) != 70 {
		t.Errorf("%d pages found %d agents", pages, len(met))
	}
	for name, n := range met {
		if n != 1 {
			t.Errorf("%s was found %d times", name, n)
		}
	}
	h.site.searchFor = time.Hour // however slow the machine is
	if p := b.get("/search?q=pump+leaks"); !strings.Contains(p.text, "Searched 70 agents") ||
		!strings.Contains(p.text, "The best 30 hits are shown") || strings.Contains(p.text, `id="goon"`) {
		t.Errorf("all in one page: %s", regexp.MustCompile(`(?s)<p class="dim" id="searched".*?</p>`).FindString(p.text))
	}
}
