package replica

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tend/internal/sync/store/dial"
)

// TestSilence: with the default interval, a replica without heartbeats is considered dead within 20 seconds and its agents
// move to another. One with heartbeats stays.
func TestSilence(t *testing.T) {
	set := shared(t, "ada")
	c, err := dial.Connect(t.Context(), set)
	must(t, err)
	defer c.Close()
	synctest.Test(t, func(t *testing.T) {
		p := newPeers("one")
		must(t, c.Put(t.Context(), peerKey("two"), []byte(`{"id":"two","beat":1}`)))
		for i := range 10 {
			must(t, c.Put(t.Context(), peerKey("three"), fmt.Appendf(nil, `{"id":"three","beat":%d}`, i)))
			must(t, p.readAlive(t.Context(), c))
			since := time.Duration(i) * p.every
			if want := since < silentAfter; slices.Contains(p.live, "two") != want {
				t.Errorf("%s after its last heartbeat: alive: %v, want %v", since, !want, want)
			}
			if slices.Contains(p.live, "two") && since > 20*time.Second {
				t.Errorf("it is not considered dead after %s", since)
			}
			if !slices.Contains(p.live, "three") {
				t.Errorf("after %s one with heartbeats is considered dead", since)
			}
			time.Sleep(p.every)
		}
	})
}
