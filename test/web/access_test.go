package web

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axe is the checker that `make setup` installs.
var axe = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile("../../.tools/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		err = fmt.Errorf("`make setup` installs axe-core: %w", err)
	}
	return string(text), err
})

// TestAccess has axe-core look at every page in both themes, contrast included.
func TestAccess(t *testing.T) {
	script, err := axe()
	if err != nil {
		t.Fatal(err)
	}
	s := sample(t)
	b := s.login(t)
	for _, page := range pages {
		b.visit(page.path, 200)
		eval[any](b, script+"; undefined")
		for _, theme := range []string{"light", "dark"} {
			b.theme(theme)
			for _, v := range eval[[]string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v =>
				v.nodes.slice(0, 3).map(n => v.id + ": " + v.help + "\n    " + n.html.slice(0, 200) + "\n    " + n.failureSummary)))`) {
				t.Errorf("%s, %s: %s", page.path, theme, v)
			}
		}
	}
}

// TestKeyboard reaches everything that can be done on a page with the Tab key, sees where it is, and opens an agent.
func TestKeyboard(t *testing.T) {
	s := sample(t)
	b := s.login(t)
	for _, path := range []string{"/", "/inbox?agent=oncall", "/jobs?agent=scout"} {
		b.visit(path, 200)
		eval[any](b, `document.activeElement.blur()`)
		missed := map[string]bool{}
		for _, name := range eval[[]string](b, `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
			.filter(x => x.checkVisibility()).map((x, i) => { x.dataset.key = i; return "" + i })`) {
			missed[name] = true
		}
		most := len(missed)
		for range most + 5 {
			b.do(chromedp.KeyEvent(kb.Tab))
			at := eval[[]string](b, `(() => { const x = document.activeElement, s = getComputedStyle(x)
				return [x.dataset.key || "", s.outlineStyle !== "none" || s.boxShadow !== "none" ? "" : x.outerHTML.slice(0, 200)] })()`)
			delete(missed, at[0])
			if at[0] != "" && at[1] != "" {
				t.Errorf("%s: nothing shows that this has the focus: %s", path, at[1])
			}
			if len(missed) == 0 {
				break
			}
		}
		for name := range missed {
			t.Errorf("%s: the Tab key does not reach %s", path, eval[string](b, fmt.Sprintf(`document.querySelector("[data-key='%s']").outerHTML.slice(0, 200)`, name)))
		}
	}
	b.visit("/", 200)
	b.do(chromedp.KeyEvent("j"))
	b.answered(200, chromedp.KeyEvent(kb.Enter))
	if at := eval[string](b, `location.pathname`); !strings.HasPrefix(at, "/a/") {
		t.Errorf("j and Enter lead to %s", at)
	}
}
