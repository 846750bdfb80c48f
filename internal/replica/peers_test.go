package replica

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tend/internal/store/dial"
)

// TestSilence: with the usual beat, a replica that says nothing any more is given up within 20 seconds, and its agents
// get another. One that beats stays.
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
			must(t, p.look(t.Context(), c))
			since := time.Duration(i) * p.every
			if want := since < silentAfter; slices.Contains(p.live, "two") != want {
				t.Errorf("%s after its last beat: among the living: %v, want %v", since, !want, want)
			}
			if slices.Contains(p.live, "two") && since > 20*time.Second {
				t.Errorf("it is not given up after %s", since)
			}
			if !slices.Contains(p.live, "three") {
				t.Errorf("after %s one that beats is given up", since)
			}
			time.Sleep(p.every)
		}
	})
}
