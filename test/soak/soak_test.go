//go:build !windows

package soak

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak runs 2,000 agents whose files change all the time while the keeper is killed and restarted, baselines are
// tampered with and some agents attack the keeper from their workspaces. Then it looks for every line. It runs for
// TEND_SOAK, 25 seconds by default.
func TestSoak(t *testing.T) {
	length := 25 * time.Second
	if text := os.Getenv("TEND_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("TEND_SOAK: %v", err)
		}
		length = d
	}
	bin := binary(t)
	w := build(t, 2000, 6*len(attacks))
	fresh := freshIdle(t, bin, w)

	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	writers := make([]*writer, 20)
	for i := range writers {
		writers[i] = &writer{town: w, id: i}
		for j := i; j < len(w.agents); j += len(writers) {
			writers[i].agents = append(writers[i].agents, w.agents[j])
		}
		work.Go(func() { writers[i].run(ctx, 20*time.Millisecond) })
	}
	tamper := &tamperer{town: w}
	work.Go(func() { tamper.run(ctx, 150*time.Millisecond) })

	attackers := make([]*attacker, len(w.hostile))
	for i, name := range w.hostile {
		attackers[i] = &attacker{town: w, agent: name, attack: attacks[i%len(attacks)]}
		work.Go(func() { attackers[i].run(ctx, 250*time.Millisecond) })
	}

	callers, secret, addr := make([]*caller, 4), operatorToken(t, bin, w), &atomic.Value{}
	for i := range callers {
		callers[i] = &caller{town: w, id: len(writers) + i, secret: secret, addr: addr}
		work.Go(func() { callers[i].run(ctx, 50*time.Millisecond) })
	}

	kills, slowest, k := killForAWhile(t, bin, w, addr, length*6/10)
	steady := length * 3 / 10
	tamper.alive()
	first, last := watchSteady(t, k, steady)
	cancel()
	work.Wait()
	waitRestored(t, w, k, attackers)
	end, err := k.sample()
	must(t, err)
	// Wait, as a busy machine takes a while to finish what is due; a leak stays forever.
	tidy := func(s sample) bool {
		return s.fds <= fresh.fds+spareFDs && s.goroutines <= fresh.goroutines+spareRoutines
	}
	idle := k.idle(t, 4*5*60, tidy)
	if err := k.stop(); err != nil {
		t.Errorf("the keeper's end: %v", err)
	}
	untold(t, w, tamper.agents)
	checkHostile(t, w, attackers)

	lines, zones := 0, int64(0)
	for _, x := range writers {
		if x.err != nil {
			t.Errorf("writer %d: %v", x.id, x.err)
		}
		lines += x.wrote
		zones += x.tamper.Load()
	}
	want := map[int][]int{} // lines by writer
	for _, x := range writers {
		for n := range x.wrote {
			want[x.id] = append(want[x.id], n)
		}
	}
	acked, failed, took := 0, 0, []time.Duration{}
	for _, c := range callers {
		want[c.id] = c.acked
		acked, failed, took = acked+len(c.acked), failed+c.failed, append(took, c.took...)
	}
	missing := lost(t, w, want)
	t.Logf("%d agents, %s: %d lines written, %d missing", len(w.agents), length, lines, missing)
	slices.Sort(took)
	if len(took) > 0 {
		t.Logf("%d appends over MCP were answered, %d were not; half within %s, 99 %% within %s", acked, failed,
			took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond))
	} else {
		t.Error("no call over MCP was answered")
	}
	t.Logf("killed %d times, slowest start %s", kills, slowest.Round(time.Millisecond))
	tamper.report(t)
	t.Logf("%d changes above the line", zones)
	t.Logf("steady at first: %s", first)
	t.Logf("steady at last:  %s", last)
	t.Logf("at the end:      %s; jobs: %s", end, jobs(end))
	t.Logf("with nothing to do: %s; one that has just begun: %s", idle, fresh)
	if !tidy(idle) {
		t.Errorf("left behind: %d descriptors and %d goroutines, one that has just begun has %d and %d", idle.fds, idle.goroutines, fresh.fds,
			fresh.goroutines)
	}
	if missing > 0 {
		t.Errorf("%d of %d lines are lost", missing, lines)
	}
	if len(tamper.lost) > 0 {
		t.Errorf("baselines that did not come back: %v", tamper.lost)
	}
	if last.rss > first.rss*3/2+64<<20 { // the minimum of the second half is far above the maximum of the first
		t.Errorf("memory grew from %d MB to %d MB", first.rss>>20, last.rss>>20)
	}
}

// killForAWhile kills the keeper repeatedly, and leaves one running.
func killForAWhile(t *testing.T, bin string, w *town, addr *atomic.Value, d time.Duration) (kills int, slowest time.Duration, k *keeper) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for until := time.Now().Add(d); ; kills++ {
		var took time.Duration
		k, took = start(t, bin, w)
		slowest = max(slowest, took)
		addr.Store(k.addr)
		if !time.Now().Before(until) {
			return kills, slowest, k
		}
		time.Sleep(time.Duration(200+r.IntN(4000)) * time.Millisecond)
		k.kill()
	}
}

// watchSteady lets the keeper run and returns its highest use of resources in the first half and its lowest in the second:
// a short peak is not growth.
func watchSteady(t *testing.T, k *keeper, d time.Duration) (first, last sample) {
	t.Helper()
	take := func() sample {
		s, err := k.sample()
		if err != nil {
			t.Fatalf("the keeper does not answer: %v", err)
		}
		return s
	}
	began := time.Now()
	for time.Since(began) < d/2 || first.metrics == nil {
		time.Sleep(d / 20)
		if s := take(); first.metrics == nil || s.rss > first.rss {
			first = s
		}
	}
	for time.Since(began) < d || last.metrics == nil {
		time.Sleep(d / 20)
		if s := take(); last.metrics == nil || s.rss < last.rss {
			last = s
		}
	}
	return first, last
}

// waitRestored waits until everything is restored and every attack has its finding.
func waitRestored(t *testing.T, w *town, k *keeper, attackers []*attacker) {
	t.Helper()
	var wrong []string
	for until := time.Now().Add(10 * time.Minute); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		wrong = wrong[:0]
		for _, agent := range w.agents {
			base, err := os.ReadFile(w.baseline(agent))
			if err != nil || string(base) != baseline(agent) {
				wrong = append(wrong, agent+": baseline")
			}
			if !wholeZone(w, agent) {
				wrong = append(wrong, agent+": above the line")
			}
		}
		for _, a := range attackers {
			if a.tries > 0 && !a.reported() {
				wrong = append(wrong, a.agent+": no finding about its "+a.attack.name)
			}
		}
		if len(wrong) == 0 {
			return
		}
	}
	t.Errorf("%d were not restored or reported, such as %v", len(wrong), wrong[:min(5, len(wrong))])
	if s, err := k.sample(); err == nil {
		t.Log(s)
	}
}

// What an idle keeper may have more than a fresh one: connections, and work that happens to run.
const spareFDs, spareRoutines = 16, 16

// freshIdle returns the resources of a fresh keeper: the minimum within ten seconds.
func freshIdle(t *testing.T, bin string, w *town) sample {
	t.Helper()
	k, _ := start(t, bin, w)
	s := k.idle(t, 40, func(sample) bool { return false })
	if err := k.stop(); err != nil {
		t.Errorf("the first keeper's end: %v", err)
	}
	return s
}

// untold checks that each agent whose baseline was tampered with has a finding, although the keeper was killed meanwhile.
func untold(t *testing.T, w *town, agents map[string]bool) {
	t.Helper()
	silent := 0
	for agent := range agents {
		text, _ := os.ReadFile(w.path("state", "agents", agent, "findings.json"))
		if !strings.Contains(string(text), `"baseline-restored"`) {
			if silent++; silent <= 5 {
				t.Errorf("the tampered baseline of %s was not reported", agent)
			}
		}
	}
	t.Logf("%d agents' baselines were tampered with, %d of them without a finding", len(agents), silent)
}

var mark = regexp.MustCompile(`soak-(\d+)-(\d+)\.`)

// lost counts the lines that are in no file of the workspaces or of the state.
func lost(t *testing.T, w *town, want map[int][]int) int {
	t.Helper()
	seen := map[[2]int]bool{}
	for _, root := range []string{"ws", "state"} {
		eachRegular(t, w.path(root), func(_ string, text []byte) {
			for _, m := range mark.FindAllSubmatch(text, -1) {
				id, _ := strconv.Atoi(string(m[1]))
				n, _ := strconv.Atoi(string(m[2]))
				seen[[2]int{id, n}] = true
			}
		})
	}
	missing := 0
	for id, numbers := range want {
		for _, n := range numbers {
			if !seen[[2]int{id, n}] {
				if missing++; missing <= 5 {
					t.Errorf("lost: %q", line(id, n))
				}
			}
		}
	}
	return missing
}

func jobs(s sample) string {
	var out []string
	for name, v := range s.metrics {
		if strings.HasPrefix(name, "tend_job_runs_total") || strings.HasPrefix(name, "tend_restored_total") ||
			strings.HasPrefix(name, "tend_errors_total") {
			out = append(out, strings.TrimPrefix(name, "tend_")+"="+strconv.Itoa(int(v)))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
