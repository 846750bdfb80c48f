package web

import (
	"bytes"
	"net/http"
	"sync"
	"time"
)

// cache keeps finished pages for a moment. A page is dropped when the agent it is about changes, and in any case soon:
// not every change is reported.
type cache struct {
	mu    sync.Mutex
	pages map[string]kept
	gens  map[string]uint64 // how often each agent has changed
}

type kept struct {
	body []byte
	at   time.Time
	gen  uint64
}

// keptFor is how long a page may be shown again, and mostKept how many are kept.
const keptFor, mostKept = 10 * time.Second, 256

func newCache() *cache { return &cache{pages: map[string]kept{}, gens: map[string]uint64{}} }

func (c *cache) changed(agent string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gens[agent]++
}

func (c *cache) get(agent, key string) (body []byte, gen uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gen = c.gens[agent]
	if k, ok := c.pages[key]; ok && k.gen == gen && time.Since(k.at) < keptFor {
		return k.body, gen
	}
	return nil, gen
}

func (c *cache) put(key string, body []byte, gen uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pages) >= mostKept {
		clear(c.pages)
	}
	c.pages[key] = kept{body, time.Now(), gen}
}

// cached shows the page about an agent again if nothing has changed, or has it made.
func (v *visit) cached(agent string, write func() error) error {
	key := v.session.csrf + " " + v.r.URL.RequestURI()
	body, gen := v.cache.get(agent, key)
	if v.session.flash.Load() != nil {
		return write() // it is said once
	}
	if body != nil {
		v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = v.w.Write(body) // the browser has gone
		return nil
	}
	copied := &copier{ResponseWriter: v.w}
	v.w = copied
	err := write()
	if err == nil && copied.status == 0 {
		v.cache.put(key, copied.buf.Bytes(), gen)
	}
	return err
}

// copier keeps what it passes on.
type copier struct {
	http.ResponseWriter
	buf    bytes.Buffer
	status int
}

func (c *copier) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copier) Write(data []byte) (int, error) {
	c.buf.Write(data)
	return c.ResponseWriter.Write(data)
}
