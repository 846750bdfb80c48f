package web

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tend/test/require"
)

// patience is the timeout of one step in a tab, so that a long test does not fail on a busy machine. No passing step
// takes that long.
const patience = 5 * time.Minute

// tab is a page of the browser. It records what a page must never do: errors on the console, dialogs, requests to another
// host.
type tab struct {
	t   *testing.T
	s   *server
	ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// needChromium skips tests of the dashboard on machines without a browser. The names are those that chromedp looks for.
func needChromium(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("chromium")
	for _, name := range []string{"headless_shell", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if err != nil {
			_, err = exec.LookPath(name)
		}
	}
	require.Here(t, err == nil, "this test runs chromium, which is not installed: tools/setup installs it")
}

// open opens a tab without cookies.
func (s *server) open(t *testing.T) *tab {
	t.Helper()
	needChromium(t)
	parent, err := browser()
	must(t, err)
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, s: s, ctx: ctx}
	must(t, chromedp.Do(ctx)) // the first call opens the tab, which would end with the context of a step
	b.size(1280, 900)
	go func() {
		for m := range chromedp.Console(ctx) {
			b.said(m)
		}
	}()
	go func() {
		for e := range chromedp.Events(ctx, network.RequestWillBeSent) {
			if e.Request != nil {
				b.asked(e.Request.URL)
			}
		}
	}()
	go func() {
		for e := range chromedp.Events(ctx, page.JavascriptDialogOpening) {
			if e.Message != "" {
				b.note("a dialog says %q", e.Message)
			}
		}
	}()
	t.Cleanup(func() {
		for _, w := range b.problems() {
			t.Error(w)
		}
	})
	return b
}

// login opens a tab that is logged in.
func (s *server) login(t *testing.T) *tab {
	t.Helper()
	b := s.open(t)
	yes := true
	call(b, network.SetCookie,
		network.SetCookieParams{Name: sessionCookie, Value: s.cookie(t), URL: s.base, HTTPOnly: &yes, SameSite: network.CookieSameSiteStrict})
	return b
}

// said records errors and warnings on the console.
func (b *tab) said(m chromedp.ConsoleMessage) {
	switch m.Type {
	case "error", "warning", "assert", chromedp.ConsoleException:
		b.note("console: %s %s (%s)", m.Type, m.Text, m.URL)
	}
}

// asked records requests to other hosts, and to data: and blob: addresses.
func (b *tab) asked(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "about" || strings.HasPrefix(address, b.s.base+"/") {
		return
	}
	b.note("a request to %.200s", address)
}

func (b *tab) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// problems returns what went wrong since the last call.
func (b *tab) problems() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.wrong
	b.wrong = nil
	return list
}

// forgive drops problems that a test caused on purpose.
func (b *tab) forgive(word string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = slices.DeleteFunc(b.wrong, func(w string) bool { return strings.Contains(w, word) })
}

// step returns the context of one step.
func (b *tab) step() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, patience)
}

// do runs actions in the tab.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%v\n%s", err, b.looks())
	}
}

// call sends a command to the browser.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	r, err := chromedp.Call(ctx, command, params)
	must(b.t, err)
	return r
}

// looks describes the page of a failed test and saves a screenshot.
func (b *tab) looks() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), 10*time.Second)
	defer cancel()
	at, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		return "the page cannot be read: " + err.Error()
	}
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText.slice(0, 3000) : ""`))
	if dir := os.Getenv("TEND_WEB_PICTURES"); dir != "" {
		if picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot()); err == nil {
			_ = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(b.t.Name(), "/", "_")+".png"), picture, 0o644)
		}
	}
	return at + "\n" + text
}

// visit opens a page and checks its status.
func (b *tab) visit(path string, status int64) {
	b.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = b.s.base + path
	}
	b.answered(status, chromedp.Navigate(address))
}

// answered runs actions that load a page, waits for it, and checks its status.
func (b *tab) answered(status int64, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	r, err := chromedp.RunResponse(ctx, actions...)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.looks())
	}
	if r != nil && r.Status != status {
		b.t.Fatalf("%s answers %d, not %d\n%s", r.URL, r.Status, status, b.looks())
	}
}

// press clicks on the first matching element that contains a word, and waits for the page it leads to.
func (b *tab) press(selector, word string) {
	b.t.Helper()
	at := b.find(selector, word)
	b.answered(200, chromedp.ScrollIntoView(at), chromedp.Click(at))
}

// find marks the first matching element that contains a word.
func (b *tab) find(selector, word string) chromedp.CSS {
	b.t.Helper()
	if !eval[bool](b, fmt.Sprintf(`(() => {
		document.querySelectorAll("[data-found]").forEach(x => x.removeAttribute("data-found"))
		const x = [...document.querySelectorAll(%q)].find(x => (x.innerText + (x.value || "")).includes(%q))
		if (x) x.setAttribute("data-found", "")
		return !!x
	})()`, selector, word)) {
		b.t.Fatalf("no %s says %q\n%s", selector, word, b.looks())
	}
	return "[data-found]"
}

// eval evaluates an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", expression, err, b.looks())
	}
	return v
}

// await waits until an expression is true in the page, evaluating it at every change.
func (b *tab) await(expression string) {
	b.t.Helper()
	ctx, cancel := b.step()
	defer cancel()
	if _, err := chromedp.Run(ctx,
		chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingMutation(), chromedp.WithPollingTimeout(0))); err != nil {
		b.t.Fatalf("%s: %v\n%s", expression, err, b.looks())
	}
}

// text returns the visible text of parts of the page.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(x => x.innerText).join("\n")`, selector))
}

// reads checks that a part of the page contains a text.
func (b *tab) reads(selector, want string) {
	b.t.Helper()
	if got := b.text(selector); !strings.Contains(got, want) {
		b.t.Fatalf("%s does not say %q but:\n%s\n%s", selector, want, got, b.looks())
	}
}

// theme chooses light or dark.
func (b *tab) theme(name string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// size sets the size of the window.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
}

// withoutScript turns JavaScript off.
func (b *tab) withoutScript() {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}
