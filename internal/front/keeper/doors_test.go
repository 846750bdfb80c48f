package keeper

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/state/token"
)

// TestSilentHostKeepsNobodyElseWaiting: while a host accepts a connection and never answers, a local memory is served.
func TestSilentHostKeepsNobodyElseWaiting(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	called := make(chan net.Conn, 16)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				close(called)
				return
			}
			called <- c
		}
	}()
	withKey(t)
	h := newHome(t, "", "", "near")
	h.write("tend.yaml", h.read("tend.yaml")+fmt.Sprintf("  far:\n    workspace: ssh://nobody@%s/memory\n", silent.Addr()))
	h.start()
	secret := h.token(token.Token{Agent: "near"})

	over := make(chan error, 1)
	go func() {
		_, err := h.keeper().Memory("far", false)
		over <- err
	}()
	var conn net.Conn
	select {
	case conn = <-called:
	case err := <-over:
		t.Fatalf("the far host was not called: %v", err)
	}
	if status, body, _ := h.do(tool("memory_list", map[string]any{}).with(secret)); status != 200 {
		t.Errorf("the local memory: %d %s", status, body)
	}
	select {
	case err := <-over:
		t.Fatalf("the silent host timed out before the local memory was served: %v", err)
	default:
	}
	silent.Close()
	conn.Close()
	for c := range called {
		c.Close()
	}
	if err := <-over; err == nil {
		t.Error("the memory of a silent host was served")
	}
}

// withKey gives the test a home folder with an SSH key: without a key no host is called.
func withKey(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	must(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	if _, err := sshdtest.WriteKey(filepath.Join(home, ".ssh", "id_ed25519"), ""); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
}
