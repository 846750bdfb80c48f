package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkFleetPage serves a page of 10,000 agents, and the same bytes from a bare handler.
func BenchmarkFleetPage(b *testing.B) {
	memories := map[string]string{}
	for i := range 10_000 {
		memories[fmt.Sprintf("agent-%05d", i)] = before
	}
	h := newHouse(b, memories)
	x := h.login(false)
	x.get("/")
	body := x.get("/").text
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	defer bare.Close()
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			res, err := http.Get(bare.URL)
			must(b, err)
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
	b.Run("fleet", func(b *testing.B) {
		for b.Loop() {
			x.get("/")
		}
	})
	b.Run("agent", func(b *testing.B) {
		for b.Loop() {
			x.get("/a/agent-00001")
		}
	})
}
