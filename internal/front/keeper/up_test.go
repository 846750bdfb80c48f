package keeper

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote/sshdtest"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
)

const often = `schedule.rotate: "@every 1s", reset.every: 1m, history.quiet: 1s, watch.quiet: 50ms`

func TestRunsJobs(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a", "b").start()
	for _, n := range []string{"a", "b"} {
		h.until("rotate of "+n, func() bool { return strings.Contains(h.read("state/agents/"+n+"/jobs.json"), `"slot"`) })
	}
	must(t, h.stop())
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.alerted) < 2 || !strings.HasPrefix(h.alerted[0], "READY=1") || !strings.HasPrefix(h.alerted[len(h.alerted)-1], "STOPPING=1") {
		t.Errorf("the service manager got %q", h.alerted)
	}
}

// TestNotReadyAgain: a reload that ends while the keeper stops does not report READY to the service manager.
func TestNotReadyAgain(t *testing.T) {
	t.Parallel()
	var alerted []string
	p := &pulse{o: Options{Notify: func(s string) { alerted = append(alerted, s) }}}
	for _, s := range []string{"READY=1", reloadingMessage(), "STOPPING=1\nSTATUS=finishing", "READY=1", "WATCHDOG=1"} {
		p.notify(s)
	}
	if len(alerted) != 4 || alerted[2] != "STOPPING=1\nSTATUS=finishing" || alerted[3] != "WATCHDOG=1" {
		t.Errorf("the service manager got %q", alerted)
	}
}

func TestSecondKeeperRefuses(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	err := Run(t.Context(), Options{Load: h.load, Log: slog.New(slog.DiscardHandler), Clock: time.Now})
	if !errors.Is(err, ErrSecond) || !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("a second keeper: %v, want ErrSecond", err)
	}
}

func TestTamperedBaselineComesBack(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a", "b").start()
	want := baseline("a")
	for name, tamper := range map[string]func(){
		"changed":  func() { h.write("baselines/a.md", want+"and obey me\n") },
		"emptied":  func() { h.write("baselines/a.md", "") },
		"removed":  func() { _ = os.Remove(h.path("baselines/a.md")) },
		"replaced": func() { h.write("x", "evil"); _ = os.Rename(h.path("x"), h.path("baselines/a.md")) },
		"linked": func() {
			h.write("elsewhere", "not the operator's")
			_ = os.Symlink(h.path("elsewhere"), h.path("x"))
			_ = os.Rename(h.path("x"), h.path("baselines/a.md"))
		},
		"linked to nowhere": func() {
			_ = os.Symlink("/nowhere/at/all", h.path("x"))
			_ = os.Rename(h.path("x"), h.path("baselines/a.md"))
		},
		"a folder": func() {
			_ = os.Remove(h.path("baselines/a.md"))
			h.write("baselines/a.md/inside", "evil")
		},
	} {
		tamper()
		h.until("baseline "+name+" restored", func() bool {
			info, err := os.Lstat(h.path("baselines/a.md"))
			return err == nil && info.Mode().IsRegular() && h.read("baselines/a.md") == want
		})
	}
	if got := h.read("elsewhere"); got != "not the operator's" {
		t.Errorf("the target of a link was changed: %q", got)
	}
	h.until("finding", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), "baseline-restored") })
	kept, _ := filepath.Glob(h.path("state/baselines/a/tampered-*"))
	if len(kept) < 2 {
		t.Errorf("kept %v, want the replaced texts", kept)
	}
	if n := strings.Count(h.log.String(), "code=baseline-restored"); n == 0 {
		t.Error("the log does not say so")
	}
}

func TestZoneComesBackAndNotesStay(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	text := strings.Replace(baseline("a"), "The operator's text.", "My own rules now.", 1) + "- a note of mine\n"
	h.write("ws/a/MEMORY.md", text)
	h.until("zone restored", func() bool { return h.read("ws/a/MEMORY.md") == baseline("a")+"- a note of mine\n" })
	h.write("ws/a/MEMORY.md", "I have no line any more\n")
	h.until("file without a line", func() bool {
		got := h.read("ws/a/MEMORY.md")
		return strings.HasPrefix(got, "# a\n\nThe operator's text.") && strings.HasSuffix(got, "I have no line any more\n")
	})
	found := 0
	err := filepath.WalkDir(h.path("state/archive"), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if text, _ := os.ReadFile(p); strings.Contains(string(text), "My own rules now.") {
				found++
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("the drift is in %d archives, %v", found, err)
	}
}

func TestReportOnly(t *testing.T) {
	t.Parallel()
	h := newHome(t, often+", guard.zone: report, guard.baseline: hold", "", "a").start()
	changed := strings.Replace(baseline("a"), "The operator's text.", "My own rules now.", 1)
	h.write("ws/a/MEMORY.md", changed)
	h.until("drift reported", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), `"drift"`) })
	h.write("baselines/a.md", changed)
	h.until("tampering reported", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), "baseline-tampered") })
	if got := h.read("ws/a/MEMORY.md"); got != changed {
		t.Error("the file was changed although the policy says report")
	}
}

func TestTamperedWhileDown(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	h.write("baselines/a.md", "evil")
	h.start()
	h.until("restored at the start", func() bool { return h.read("baselines/a.md") == baseline("a") })
}

func TestReload(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a", "b")
	h.configure(often, "", "a")
	h.start()
	good := h.read("tend.yaml")
	h.write("tend.yaml", good+"  b:\n    workspace: [nonsense\n")
	h.until("a broken one is reported", func() bool { return strings.Contains(h.read("state/keeper-findings.json"), "config-broken") })
	before := h.read("state/agents/a/jobs.json")
	h.until("the old one stays in use", func() bool { return h.read("state/agents/a/jobs.json") != before })
	h.configure(often, "", "a", "b")
	h.until("a valid one is loaded", func() bool { return strings.Contains(h.read("state/agents/b/jobs.json"), `"slot"`) })
	h.until("and the finding is over", func() bool { return !strings.Contains(h.read("state/keeper-findings.json"), "config-broken") })
	h.hup <- syscall.SIGHUP
	h.until("SIGHUP", func() bool { return strings.Count(h.log.String(), "configuration loaded") >= 2 })
}

func TestWritesAreTakenIntoHistory(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a").start()
	h.write("ws/a/MEMORY.md", baseline("a")+"- a first thought\n")
	h.until("commit", func() bool {
		heads, _ := filepath.Glob(h.path("state/history/a.git/refs/heads/main"))
		return len(heads) == 1
	})
}

func TestWebhook(t *testing.T) { // not parallel: starting a program just written can fail with ETXTBSY while another test forks
	var mu sync.Mutex
	var bodies []string
	calls := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls == 1 {
			w.WriteHeader(http.StatusBadGateway) // to be retried
			return
		}
		if r.Header.Get("X-Tend-Signature") != Sign([]byte("s3cret"), r.Header.Get("X-Tend-Timestamp"), body) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		bodies = append(bodies, string(body))
	}))
	defer hook.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{"secret": "s3cret\n", "alert": "#!/bin/sh\ncat >> " + dir + "/heard\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	h := newHome(t, often, "alerts:\n  webhook: "+hook.URL+"\n  secret_file: "+dir+"/secret\n  command: ["+dir+"/alert]\n", "a").start()
	h.write("baselines/a.md", "evil")
	h.until("web hook", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(bodies) > 0 && strings.Contains(bodies[0], "baseline-restored")
	})
	h.until("command", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "heard"))
		return strings.Contains(string(text), "baseline-restored")
	})
	mu.Lock()
	defer mu.Unlock()
	if len(bodies) != 1 {
		t.Errorf("%d alerts, want one", len(bodies))
	}
}

// TestStopWaitsForWork: a keeper that is stopped while it works leaves nothing half done.
func TestStopWaitsForWork(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "", "a")
	for range 5 {
		h.start()
		h.write("ws/a/MEMORY.md", strings.Replace(baseline("a"), "text", "texts", 1))
		time.Sleep(60 * time.Millisecond)
		must(t, h.stop())
	}
	h.start()
	h.until("restored in the end", func() bool { return h.read("ws/a/MEMORY.md") == baseline("a") })
}

// TestHistoryHasEachVersion writes twice with a pause: history has both versions at their times.
func TestHistoryHasEachVersion(t *testing.T) {
	t.Parallel()
	checkVersions(t, newHome(t, often, "", "a"))
}

// TestHistoryHasEachRemoteVersion does the same with an agent on another host, whose files are polled.
func TestHistoryHasEachRemoteVersion(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	h := newHome(t, often+", watch.poll: 1s", "", "a")
	h.write("tend.yaml", strings.Replace(h.read("tend.yaml"), "./ws/a", s.URL(h.path("ws/a")), 1))
	checkVersions(t, h)
}

func checkVersions(t *testing.T, h *home) {
	t.Helper()
	h.start()
	cfg, err := h.load()
	must(t, err)
	f, err := fleet.Open(cfg, fleet.Options{})
	must(t, err)
	defer f.Close()
	a, err := f.Agent(t.Context(), "a")
	must(t, err)
	defer a.Close()
	first, second := baseline("a")+"- a first thought\n", baseline("a")+"- a second thought\n"
	at := func(when time.Time) string {
		then, err := past.Open(a).At(t.Context(), "MEMORY.md", when)
		if err != nil && !errors.Is(err, past.ErrUnknown) {
			t.Fatal(err)
		}
		return string(then.Data)
	}
	h.write("ws/a/MEMORY.md", first)
	h.until("the first is committed", func() bool {
		return at(time.Now()) == first && strings.Contains(h.read("state/history/a.git/refs/heads/main"), "\n")
	})
	then := time.Now()
	time.Sleep(1100 * time.Millisecond) // git counts seconds
	h.write("ws/a/MEMORY.md", second)
	h.until("the second is committed", func() bool { return at(time.Now()) == second })
	if got := at(then); got != first {
		t.Errorf("then it was %q, want the first thought", got[len(got)-30:])
	}
}
