package keeper

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/job/table"
	"tend/internal/engine/jobruns"
	"tend/internal/engine/schedule"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/model/policy"
	"tend/internal/state/token"
)

func TestOverfiring(t *testing.T) {
	p, err := policy.Policy{}.With("test", map[string]any{"schedule.rotate": "@every 1h"})
	must(t, err)
	entries, err := new(schedule.Parser).Entries("a", table.Scheduled(p, true), p, time.UTC)
	must(t, err)
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		job   string
		fired int
		want  bool
	}{{"rotate", 24, false}, {"rotate", 72, false}, {"rotate", 73, true}, {"audit", 3, false}, {"audit", 4, true}} {
		for _, e := range entries {
			if e.Job != c.job {
				continue
			}
			if got := overfireFindings(e, c.fired, 3, now); (len(got) > 0) != c.want {
				t.Errorf("%s fired %d times: %v, want a finding: %v", c.job, c.fired, got, c.want)
			}
		}
	}
}

// TestOverfiringIsFound: a job that something else runs too often is reported.
func TestOverfiringIsFound(t *testing.T) {
	h := newHome(t, `schedule.rotate: "*/30 * * * *", reset.every: never, schedule.overfire: 1.1, history.quiet: never`, "", "a")
	runs := map[string]jobruns.Run{"rotate": {Last: time.Now()}}
	r := runs["rotate"]
	for i := range 99 {
		r.Recent = append(r.Recent, time.Now().Add(-time.Duration(100-i)*time.Second))
	}
	runs["rotate"] = r
	data, err := json.Marshal(runs)
	must(t, err)
	h.write("state/agents/a/jobs.json", string(data))
	secret := h.token(token.Token{})
	h.start()
	if code, text, _ := h.do(call{path: "/api/v1/agents/a/jobs/rotate"}.with(secret)); code != 200 {
		t.Fatalf("%d %s", code, text)
	}
	// The check comes with the keeper's own run.
	k := h.keeper()
	k.clock.Each(func(s scheduler.Job) {
		if s.Entry.Job == "rotate" {
			go k.times.save(s.Entry, s.State, s.Next)
		}
	})
	h.until("finding", func() bool { return strings.Contains(h.read("state/agents/a/findings.json"), "job-over-firing") })
}

// TestOverdue: an agent is at work for longer than a reset may be deferred.
func TestOverdue(t *testing.T) {
	t.Parallel()
	h := newHome(t, `reset.every: 1m, reset.quiet: 1h, reset.max_defer: 1m, history.quiet: never`, "", "a")
	long := time.Now().Add(-2 * time.Hour)
	slot := long.Add(-time.Minute)
	data, err := json.Marshal(map[string]jobruns.Run{"reset": {Last: long, Slot: &slot, Deferred: &long}})
	must(t, err)
	h.write("state/agents/a/jobs.json", string(data))
	h.write("ws/a/MEMORY.md", baseline("a")+"- busy\n")
	h.start()
	h.until("deferred", func() bool { return strings.Contains(h.read("state/agents/a/jobs.json"), "deferred_since") })
	h.keeper().reportOverdue()
	if got := h.read("state/agents/a/findings.json"); !strings.Contains(got, "job-overdue") {
		t.Errorf("findings: %s, want the reset overdue", got)
	}
	if got := h.read("ws/a/MEMORY.md"); !strings.HasSuffix(got, "- busy\n") {
		t.Error("an agent at work was reset")
	}
}

// certificate writes a self-signed certificate and its key.
func (h *home) certificate(serial int64) {
	h.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(h.t, err)
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	must(h.t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	must(h.t, err)
	h.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))
	h.write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

// TestTLS: the keeper serves other machines, with a certificate that is renewed meanwhile.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newHome(t, often, "keeper:\n  listen: 0.0.0.0:0\n  hosts: [tend.example]\n  tls: {cert: ./cert.pem, key: ./key.pem}\n", "a")
	h.certificate(1)
	secret := h.token(token.Token{})
	h.start()
	_, port, _ := strings.Cut(strings.TrimPrefix(h.addr, "[::]"), ":")
	get := func(host, path string, withToken bool) (int, int64) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
		req, err := http.NewRequest(http.MethodGet, "https://127.0.0.1:"+port+path, nil)
		must(t, err)
		req.Host = host
		if withToken {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
		res, err := client.Do(req)
		must(t, err)
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode, res.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	for _, c := range []struct {
		host, path string
		token      bool
		want       int
	}{
		{"tend.example", "/metrics", true, 200}, {"tend.example", "/metrics", false, 401}, {"tend.example", "/healthz", false, 200},
		{"other.example", "/healthz", false, 403}, {"192.0.2.7", "/healthz", false, 403},
	} {
		if code, _ := get(c.host, c.path, c.token); code != c.want {
			t.Errorf("%s%s with a token %v: %d, want %d", c.host, c.path, c.token, code, c.want)
		}
	}
	past := time.Now().Add(-time.Minute)
	h.certificate(2)
	must(t, os.Chtimes(h.path("cert.pem"), past, past))
	h.until("the renewed certificate", func() bool { _, serial := get("tend.example", "/healthz", false); return serial == 2 })
}

// TestFailedResetIsRecordedOnce: a reset that fails under the keeper has one record and counts once for schedule.overfire.
func TestFailedResetIsRecordedOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, `reset.every: never, history.quiet: never`, "", "a")
	secret := h.token(token.Token{})
	h.start()
	must(t, os.RemoveAll(filepath.Join(h.dir, "ws/a")))
	if _, text, _ := h.do(call{path: "/api/v1/agents/a/jobs/reset"}.with(secret)); !strings.Contains(text, `"failed"`) {
		t.Fatalf("the reset did not fail: %s", text)
	}
	var runs map[string]jobruns.Run
	must(t, json.Unmarshal([]byte(h.read("state/agents/a/jobs.json")), &runs))
	if r := runs["reset"]; string(r.Outcome) != "failed" || len(r.Recent) != 1 ||
		strings.Count(h.read("state/agents/a/runs.jsonl"), "\n") != 1 {
		t.Errorf("recorded: %+v", r)
	}
}
