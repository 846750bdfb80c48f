package web

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tend/test/require"
)

// TestAccess checks every page with axe-core in both themes, including contrast.
func TestAccess(t *testing.T) {
	axe, err := os.ReadFile("../../.tools/axe/node_modules/axe-core/axe.min.js")
	require.Here(t, err == nil, "this test runs axe-core, which is not installed: tools/setup installs it")
	s := sample(t)
	b := s.login(t)
	look := func(what string) {
		t.Helper()
		eval[any](b, string(axe)+"; undefined")
		for _, theme := range []string{"light", "dark"} {
			b.theme(theme)
			for _, v := range eval[[]string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v =>
				v.nodes.slice(0, 3).map(n => v.id + ": " + v.help + "\n    " + n.html.slice(0, 200) + "\n    " + n.failureSummary)))`) {
				t.Errorf("%s, %s: %s", what, theme, v)
			}
		}
	}
	for _, page := range pages {
		b.visit(page.path, 200)
		look(page.path)
	}
	b.visit("/a/nobody", 404)
	look("an error")
	b.forgive("404")
	b.visit("/jobs?agent=librarian", 200)
	b.press(`button[aria-label="Dry run of curate"]`, "")
	look("a dry run")
	b = s.open(t)
	b.visit("/login", 200)
	look("the login page")
}

// TestKeyboard goes through every page with the Tab key: it reaches every link, field and button in the order of the page,
// and the focus is visible.
func TestKeyboard(t *testing.T) {
	s := sample(t)
	b := s.login(t)
	for _, page := range pages {
		b.visit(page.path, 200)
		count := eval[int](b, `(() => {
			window.met = []
			window.fetch = () => Promise.reject() // no live update while we count
			const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter(x => x.checkVisibility())
			all.forEach((x, i) => { x.dataset.key = i })
			document.activeElement.blur()
			addEventListener("focusin", (e) => {
				const s = getComputedStyle(e.target)
				met.push({ key: e.target.dataset.key ?? "", shown: s.outlineStyle !== "none" || s.boxShadow !== "none", html: e.target.outerHTML.slice(0, 200) })
			})
			return all.length
		})()`)
		extra := eval[int](b, `document.querySelectorAll("pre[tabindex], .versions").length`) // scrolling areas take the focus too
		b.do(chromedp.KeyEvent(strings.Repeat(kb.Tab, count+extra+2)))
		for _, wrong := range eval[[]string](b, `(() => {
			const wrong = [], keys = met.map(m => m.key).filter(k => k !== "").map(Number)
			for (const m of met) if (m.key !== "" && !m.shown) wrong.push("nothing shows that this has the focus: " + m.html)
			for (const x of document.querySelectorAll("[data-key]")) if (!keys.includes(Number(x.dataset.key))) wrong.push("the Tab key does not reach " + x.outerHTML.slice(0, 200))
			const first = keys.slice(0, new Set(keys).size)
			if (first.some((k, i) => i > 0 && k < first[i - 1])) wrong.push("the focus jumps back: " + first.join(" "))
			return wrong.slice(0, 5)
		})()`) {
			t.Errorf("%s: %s", page.path, wrong)
		}
	}
}

// TestShortcuts uses the keys that the help page lists.
func TestShortcuts(t *testing.T) {
	s := sample(t)
	b := s.login(t)
	at := func(want string) {
		t.Helper()
		if got := eval[string](b, `location.pathname`); got != want {
			t.Errorf("the page is %s, not %s", got, want)
		}
	}
	press := func(keys, want string) {
		t.Helper()
		b.answered(200, chromedp.KeyEvent(keys))
		at(want)
	}
	b.visit("/", 200)
	second := eval[string](b, `document.querySelectorAll("tr[data-agent]")[1].dataset.agent`)
	b.do(chromedp.KeyEvent("jjjk"))
	press(kb.Enter, "/a/"+second)
	press("u", "/")
	press("gi", "/inbox")
	press("gj", "/jobs")
	press("gs", "/search")
	press("?", "/help")
	for _, key := range []string{"j", "k", "Enter", "Tab", "/", "Esc", "n", "p", "u", "g", "?"} {
		b.reads(".keylist", key)
	}
	press("gf", "/")
	b.do(chromedp.KeyEvent("/"))
	b.do(chromedp.KeyEvent("?j")) // in a field keys are letters
	if got := eval[string](b, `document.activeElement.value`); !strings.HasSuffix(got, "?j") {
		t.Errorf("the search box has %q", got)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	press("gh", "/help")

	b.visit("/a/scout/file/AGENTS.md", 200)
	press("n", "/a/scout/file/AGENTS.md")
	if eval[string](b, `location.search`) == "" {
		t.Error("n does not lead to the next part of the file")
	}
	b.answered(200, chromedp.KeyEvent("p"))
	b.reads(".source", "1")

	b.visit("/a/concierge/time/USER.md", 200)
	b.find("#slider", "")
	eval[any](b, `document.getElementById("slider").focus()`)
	b.answered(200, chromedp.KeyEvent(kb.ArrowLeft))
	if !strings.Contains(eval[string](b, `location.search`), "at=") {
		t.Error("the slider does not move by key")
	}
}
