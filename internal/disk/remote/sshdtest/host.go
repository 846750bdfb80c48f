package sshdtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tend/test/require"
)

// Host is a second host: a network namespace with a link to this one, which shares our file system.
type Host struct {
	IP string

	t    testing.TB
	name string
}

// NewHost creates a host for the duration of a test. It needs root and iproute2.
func NewHost(t testing.TB) *Host {
	t.Helper()
	require.Root(t, "a network of its own")
	require.Program(t, "ip")
	h, net := &Host{t: t}, ""
	// The name of the namespace reserves its network, so two processes never share one.
	for try := 0; ; try++ {
		n := (os.Getpid() + try) % 15000
		h.name, net = fmt.Sprintf("tend%d", n), fmt.Sprintf("10.%d.%d", 64+n/250, n%250)
		out, err := exec.Command("ip", "netns", "add", h.name).CombinedOutput()
		if err == nil {
			break
		}
		if try == 20 {
			t.Fatalf("ip netns add: %v: %s", err, out)
		}
	}
	wire := "v" + h.name
	h.IP = net + ".2"
	t.Cleanup(func() { h.do("netns", "del", h.name) })
	h.do("link", "add", wire, "type", "veth", "peer", "name", "eth0", "netns", h.name)
	h.do("addr", "add", net+".1/24", "dev", wire)
	h.do("link", "set", wire, "up")
	h.do("-n", h.name, "addr", "add", net+".2/24", "dev", "eth0")
	h.do("-n", h.name, "link", "set", "lo", "up")
	h.Link(true)
	return h
}

// Start starts a server on the host.
func (h *Host) Start(o Options) *Server {
	h.t.Helper()
	o.Host, o.Run = h.IP, []string{"ip", "netns", "exec", h.name}
	return Start(h.t, o)
}

// Link cuts or restores the link, without notice: packets just no longer arrive.
func (h *Host) Link(up bool) {
	h.t.Helper()
	h.do("-n", h.name, "link", "set", "eth0", map[bool]string{true: "up", false: "down"}[up])
}

func (h *Host) do(args ...string) {
	h.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		h.t.Fatalf("ip %s: %v: %s (this test needs root and iproute2)", strings.Join(args, " "), err, out)
	}
}
