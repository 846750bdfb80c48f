package keeper

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
)

// receiver is a web hook that can be down.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int // of its answers; 200 accepts the alert
	got    []findinglog.Notice
	links  map[string]string // of each code the last
	calls  int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusOK, links: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls++
		if r.status == http.StatusOK {
			var n struct {
				findinglog.Notice
				Link string `json:"link"`
			}
			if err := json.Unmarshal(body, &n); err != nil {
				t.Errorf("an alert cannot be read: %v: %s", err, body)
			}
			r.got, r.links[n.Code] = append(r.got, n.Notice), n.Link
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// codes returns the codes of the accepted alerts, in order.
func (r *receiver) codes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, n := range r.got {
		out = append(out, n.Code)
	}
	return out
}

func hook(r *receiver) string { return "alerts:\n  webhook: " + r.URL + "\n" }

func (h *home) impatient() *home {
	h.fast = true
	return h
}

// TestDeadReceiver: alerts for a web hook that is down are reported as undelivered, and delivered once it is back.
func TestDeadReceiver(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.answer(http.StatusServiceUnavailable)
	h := newHome(t, often, hook(r), "a").impatient().start()
	h.write("baselines/a.md", "evil")
	h.until("reported as undelivered", func() bool { return strings.Contains(h.read("state/keeper-findings.json"), "alerts-undelivered") })
	if got := h.read("state/agents/a/findings.json"); !strings.Contains(got, `"undelivered": [`) {
		t.Errorf("the alert is not marked as undelivered: %s", got)
	}
	if _, metrics, _ := h.do(call{method: "GET", path: "/metrics"}); !strings.Contains(metrics,
		`tend_findings{code="alerts-undelivered"} 1`) || strings.Contains(metrics, "tend_alerts_waiting 0\n") {
		t.Errorf("the metrics do not say that alerts wait")
	}
	r.answer(http.StatusOK)
	h.until("delivered", func() bool { return slices.Contains(r.codes(), "baseline-restored") })
	h.until("the finding is over", func() bool { return !strings.Contains(h.read("state/keeper-findings.json"), "alerts-undelivered") })
	h.until("nothing is undelivered", func() bool { return !strings.Contains(h.read("state/agents/a/findings.json"), "undelivered") })
	must(t, h.stop())
	h.start()
	h.keeper().remindOfOpen()
	h.keeper().guards.check(t.Context(), "a")
	must(t, h.stop())
	if n := count(r.codes(), "baseline-restored"); n != 1 {
		t.Errorf("%d alerts, want one", n)
	}
}

// TestAlertLinks: an alert names the page of the dashboard where a person decides.
func TestAlertLinks(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	h := newHome(t, often, hook(r), "a").impatient().start()
	h.write("ws/a/MEMORY.md", strings.Replace(baseline("a"), "A rule", "No rule", 1))
	h.until("the change is reported", func() bool { return slices.Contains(r.codes(), "zone-restored") })
	h.write("baselines/a.md", "evil")
	h.until("the baseline is reported", func() bool { return slices.Contains(r.codes(), "baseline-restored") })
	r.mu.Lock()
	defer r.mu.Unlock()
	site := "http://" + h.addr + "/"
	for code, want := range map[string]string{"zone-restored": "inbox?agent=a#edit-MEMORY.md", "baseline-restored": "a/a#findings"} {
		if got := r.links[code]; got != site+want {
			t.Errorf("%s links to %q, want %q", code, got, site+want)
		}
	}
}

func count(list []string, x string) (n int) {
	for _, y := range list {
		if x == y {
			n++
		}
	}
	return n
}

// TestRefusedAlert: a rejected alert is not retried until the settings change.
func TestRefusedAlert(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.answer(http.StatusForbidden)
	h := newHome(t, often, hook(r), "a").impatient().start()
	h.write("baselines/a.md", "evil")
	h.until("reported", func() bool { return strings.Contains(h.read("state/keeper-findings.json"), "webhook refused") })
	r.mu.Lock()
	calls := r.calls
	r.mu.Unlock()
	if calls > 3 { // the alert itself, and the finding that it was rejected
		t.Errorf("%d calls for a rejected alert", calls)
	}
	r.answer(http.StatusOK)
	h.write("key", "s3cret")
	h.configure(often, hook(r)+"  secret_file: ./key\n", "a")
	h.until("delivered under the new settings", func() bool { return slices.Contains(r.codes(), "baseline-restored") })
}

// TestMoreAlertsThanTheQueueHolds: alerts beyond the queue's limit are delivered from the books.
func TestMoreAlertsThanTheQueueHolds(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	r := newReceiver(t)
	r.answer(http.StatusBadGateway)
	b := newBooks(state, time.Now)
	const n = alertQueue + 300
	cfg := &config.Config{Alerts: config.Alerts{Webhook: r.URL, From: finding.Warning}}
	for i := range n / 100 {
		cfg.Agents = append(cfg.Agents, config.Agent{Name: fmt.Sprintf("agent-%02d", i)})
	}
	b.set(cfg)
	a := newAlerter(discard(), newMetrics(nil), b)
	a.pause = time.Millisecond
	a.set(cfg.Alerts)
	for _, ag := range cfg.Agents {
		var found []finding.Finding
		for i := range 100 {
			found = append(found, finding.Oversize.In(fmt.Sprintf("memory/%d.md", i), "too large"))
		}
		tell, err := b.changeBook(ag.Name, cfg.Alerts, false,
			func(b *findinglog.Book, now time.Time) bool { return b.Holds("check", found, now) })
		must(t, err)
		a.send(tell)
	}
	if f := a.findings(); len(f) != 1 || !strings.Contains(f[0].Text, "behind") {
		t.Errorf("a full queue is not reported: %v", f)
	}
	r.answer(http.StatusOK)
	var wg sync.WaitGroup
	ctx, stop := contextOf(t)
	wg.Go(func() { a.run(ctx) })
	for deadline := time.Now().Add(10 * time.Minute); len(r.codes()) < n && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	wg.Wait()
	seen := map[string]int{}
	for _, x := range r.got {
		seen[x.ID]++
	}
	if len(seen) != n || len(r.got) != n {
		t.Errorf("%d different alerts in %d messages, want %d", len(seen), len(r.got), n)
	}
	if left := b.allPending(); len(left) > 0 {
		t.Errorf("%d are still undelivered", len(left))
	}
}

// TestCommandThatFails: a failing command is not retried forever, as it may have paged somebody.
func TestCommandThatFails(t *testing.T) { // not parallel, like TestWebhook
	h := newHome(t, often, "alerts:\n  command: [./page]\n", "a").impatient()
	h.write("page", "#!/bin/sh\necho called >> "+h.path("calls")+"\nexit 7\n")
	must(t, os.Chmod(h.path("page"), 0o755))
	h.configure(often, "alerts:\n  command: ["+h.path("page")+"]\n", "a")
	h.start()
	h.write("baselines/a.md", "evil")
	h.until("no more retries", func() bool { return strings.Contains(h.read("state/keeper-findings.json"), "command refused") })
	must(t, h.stop())
	// Two alerts, the tampering and the failed delivery, each perhaps repeated after a reload.
	if n := strings.Count(h.read("calls"), "called"); n > 4*commandTries {
		t.Errorf("called %d times", n)
	}
}
