package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestBatchesAreCounted: blanks before a batch do not hide how many messages it has.
func TestBatchesAreCounted(t *testing.T) {
	served := 0
	h := fewAtOnce(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		served++
	}))
	message := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	batch := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(message+",", n), ",") + "]" }
	for _, blanks := range []int{0, 1, 511, 512, 600, 5000, maxBody - 5000} {
		for n, want := range map[int]int{mostAtOnce: 1, mostAtOnce + 1: 0} {
			served = 0
			body := strings.Repeat("\r\n \t", blanks/4) + strings.Repeat(" ", blanks%4) + batch(n)
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); served != want || want == 0 && w.Code != http.StatusBadRequest {
				t.Errorf("%d messages after %d blanks: served %d, status %d", n, blanks, served, w.Code)
			}
		}
	}
	served = 0
	if h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("  "+message))); served != 1 {
		t.Error("a single message after blanks is not served")
	}
}
