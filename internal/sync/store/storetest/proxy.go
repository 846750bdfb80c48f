package storetest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Proxy is between a client and an S3 server and injects faults of networks and servers.
type Proxy struct {
	Endpoint string

	to     string
	client *http.Client
	mu     sync.Mutex
	rng    *rand.Rand
	on     bool
	counts map[string]int
}

// NewProxy returns a proxy for a server. The same seed does the same to the same requests.
func NewProxy(t testing.TB, to string, seed uint64) *Proxy {
	p := &Proxy{to: to, rng: rand.New(rand.NewPCG(seed, 11)), counts: map[string]int{}}
	p.client = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	s := httptest.NewServer(p)
	t.Cleanup(func() {
		p.client.CloseIdleConnections()
		s.Close()
	})
	p.Endpoint = s.URL
	return p
}

// Faults switches the faults on or off.
func (p *Proxy) Faults(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on = on
}

// Counts returns what was done, by kind.
func (p *Proxy) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// fault picks what happens to a request: usually nothing.
func (p *Proxy) fault(method string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts["requests"]++
	kinds := []string{"drop", "delay", "500 before", "503 before", "cut after", "500 after"}
	if method == http.MethodPut {
		kinds = append(kinds, "cut after", "409", "412")
	}
	n := p.rng.IntN(6 * len(kinds))
	if !p.on || n >= len(kinds) {
		return ""
	}
	p.counts[kinds[n]]++
	return kinds[n]
}

// ServeHTTP forwards a request, perhaps.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	kind := p.fault(r.Method)
	refuse := func(status int, code string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
	}
	switch kind {
	case "drop":
		hangUp(w)
		return
	case "delay":
		time.Sleep(20 * time.Millisecond)
	case "500 before":
		refuse(500, "InternalError")
		return
	case "503 before":
		refuse(503, "SlowDown")
		return
	case "409":
		refuse(409, "ConditionalRequestConflict")
		return
	case "412":
		refuse(412, "PreconditionFailed")
		return
	}
	resp, data, err := p.forward(r, body)
	switch {
	case err != nil || kind == "cut after":
		hangUp(w)
		return
	case kind == "500 after":
		refuse(500, "InternalError")
		return
	}
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(data)
}

// forward sends a request as it was signed: to the server, under the proxy's name.
func (p *Proxy) forward(r *http.Request, body []byte) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.RequestURI(), nil)
	if err != nil {
		return nil, nil, err
	}
	out.Host, out.Header = r.Host, r.Header.Clone()
	if len(body) > 0 {
		out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	resp, err := p.client.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp, data, err
}

func hangUp(w http.ResponseWriter) {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		c.Close()
	}
}
