//go:build unix

package mcp

import (
	"os"
	"strings"
	"testing"
)

// TestACallEndsWithItsReader: a call that nobody will read the answer of ends.
func TestACallEndsWithItsReader(t *testing.T) {
	c := newWaiting(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in := strings.NewReader(hello + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{}}}` + "\n")
	served := make(chan error, 1)
	go func() { served <- ServeStdio(t.Context(), c.server, in, w, nil) }()
	<-c.begun
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-c.ended; err == nil {
		t.Error("the call went on")
	}
	<-served // it may say that the answer could not be written
	_ = w.Close()
}
