//go:build !windows

package keeper

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestOneVerdict: status, check, their exit codes, the keeper's findings, its alerts and the dashboard say the same of each agent.
func TestOneVerdict(t *testing.T) {
	t.Parallel()
	h := ordinary(t, "cut", "drifty", "leaky", "fine", "both")
	for _, n := range []string{"cut", "both"} {
		h.append(n, strings.Repeat("- a long note that goes on and on\n", 2000))
	}
	for _, n := range []string{"leaky", "both"} {
		h.append(n, "- the deploy key is AKIAIOSFODNN7EXAMPLQ\n")
	}
	h.write("ws/drifty/MEMORY.md", strings.Replace(h.read("ws/drifty/MEMORY.md"), "The operator's text.", "My own.", 1))
	alerts := newPager(t)
	h.write("tend.yaml", h.read("tend.yaml")+"alerts:\n  webhook: "+alerts.URL+"\n")
	r := h.up()
	operator := h.token("--operator")
	want := map[string]string{"cut": "preview-loss", "drifty": "drift", "leaky": "secret-at-rest", "fine": "well", "both": "secret-at-rest"}
	for n, code := range want {
		ask(t, "POST", "http://"+r.address()+"/api/v1/agents/"+n+"/jobs/audit", operator, "")
		if code != "well" {
			r.until("the finding "+code, func() bool { return h.noticed(n, code) })
			r.until("its alert", func() bool { return alerts.heard(code) > 0 })
		}
	}
	link, _ := h.run("token", "login")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Jar: jar}
	get := func(url string) string {
		t.Helper()
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	get(regexp.MustCompile(`http\S+`).FindString(link))
	for n, code := range want {
		exit := 1
		if code == "well" {
			exit = 0
		}
		status, got := h.run("status", n)
		if got != exit || !regexp.MustCompile(fmt.Sprintf(`(?m)^%s .* %s$`, n, code)).MatchString(status) {
			t.Errorf("status of %s: exit code %d, want %s\n%s", n, got, code, status)
		}
		check, got := h.run("check", n)
		if first := regexp.MustCompile(`(?m)^(?:error|warning) \[([a-z-]+)\]`).FindStringSubmatch(check); got != exit ||
			exit == 1 && (first == nil || first[1] != code) {
			t.Errorf("check of %s: exit code %d, want %s\n%s", n, got, code, check)
		}
		if _, got := h.run("findings", n); got != exit {
			t.Errorf("findings of %s: exit code %d, want %d", n, got, exit)
		}
		row := regexp.MustCompile(`(?s)<tr data-agent="` + n + `".*?</tr>`)
		var page string
		r.until("the dashboard shows "+code+" for "+n, func() bool {
			page = row.FindString(get("http://" + r.address() + "/"))
			return strings.Contains(strings.ToLower(page), code)
		})
	}
	r.signal(syscall.SIGTERM)
	r.ends()
}
