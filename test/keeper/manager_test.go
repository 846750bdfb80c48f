//go:build !windows

package keeper

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestServiceManager receives the keeper's notifications as systemd does.
func TestServiceManager(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	var mu sync.Mutex
	var heard strings.Builder
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := socket.Read(buf)
			if err != nil {
				return
			}
			mu.Lock()
			heard.WriteString(string(buf[:n]) + "\n")
			mu.Unlock()
		}
	}()
	says := func(text string, times int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Count(heard.String(), text) >= times
		}
	}
	t.Setenv("NOTIFY_SOCKET", name)
	t.Setenv("WATCHDOG_USEC", "600000")
	h := newFixture(t)
	r := h.up()
	r.until("ready", says("READY=1", 1))
	r.until("watchdog", says("WATCHDOG=1", 4))
	r.signal(syscall.SIGHUP)
	r.until("reloading", says("RELOADING=1\nMONOTONIC_USEC=", 1))
	r.until("ready again", says("READY=1", 2))
	r.signal(os.Interrupt)
	if code := r.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, r.log())
	}
	r.until("stopping", says("STOPPING=1", 1))
}
