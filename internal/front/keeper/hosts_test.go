package keeper

import (
	"net"
	"strings"
	"testing"
)

func TestOneAgentAlertsForAHost(t *testing.T) {
	away, denied, other := hostFailure{"a:22", "away"}, hostFailure{"a:22", "denied"}, hostFailure{"b:22", "away"}
	h := newHosts()
	for i, step := range []struct {
		agent string
		t     hostFailure // none: it is well
		want  string
	}{
		{"x", away, "x"},
		{"y", away, "x"},
		{"x", away, "x"},
		{"z", other, "z"},
		{"y", denied, "y"},
		{"y", away, "x"},
		{"x", hostFailure{}, ""},
		{"y", away, "y"},
		{"x", away, "y"},
		{"y", hostFailure{}, ""},
		{"y", hostFailure{}, ""},
		{"z", away, "z"},
		{"x", away, "z"},
	} {
		got := ""
		if step.t == (hostFailure{}) {
			h.recovered(step.agent)
		} else {
			got = h.alertingAgent(step.t, step.agent)
		}
		if got != step.want {
			t.Errorf("step %d: %q alertingAgent for %s, want %q", i, got, step.agent, step.want)
		}
	}
}

// TestHostThatIsAwayAlertsOnce: several agents on an unreachable host send one alert, also after a restart of the keeper.
func TestHostThatIsAwayAlertsOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	addr := l.Addr().String()
	l.Close() // the port is free now
	withKey(t)
	h := newHome(t, often+", watch.poll: 1s", "", "a", "b", "c", "d")
	h.write("tend.yaml", strings.ReplaceAll(h.read("tend.yaml"), "workspace: ./ws/", "workspace: ssh://nobody@"+addr+"/"))
	alerts := func() int { return strings.Count(h.log.String(), "code=host-unreachable") }
	noticed := func() (all, alerted int) {
		for _, n := range h.keeper().books.list() {
			if n.Code == "host-unreachable" {
				all++
				if n.Alerted != nil {
					alerted++
				}
			}
		}
		return all, alerted
	}
	for range 2 {
		h.start()
		h.until("each agent has the finding", func() bool { all, _ := noticed(); return all == 4 })
		h.until("each has been retried", func() bool {
			for _, n := range h.keeper().books.list() {
				if n.Code == "host-unreachable" && n.Times < 2 {
					return false
				}
			}
			return true
		})
		if _, alerted := noticed(); alerted != 1 || alerts() != 1 {
			t.Errorf("%d findings were sent in %d alerts, want one\n%s", alerted, alerts(), h.log)
		}
		must(t, h.stop())
	}
}
