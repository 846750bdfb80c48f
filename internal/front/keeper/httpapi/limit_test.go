package httpapi

import (
	"context"
	"net"
	"testing"
)

// TestAClientHasAPartOfTheConnections: a client with too many connections loses its oldest ones, and strangers lose none to known
// clients: neither keeps others out.
func TestAClientHasAPartOfTheConnections(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limited(inner, Limits{All: 8, Stranger: 2, Peer: 2, Client: 3})
	defer l.Close()
	// connect returns both ends of a connection of a client, "" for a stranger.
	connect := func(who string) (here, there net.Conn) {
		t.Helper()
		there, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		here, err = l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if who != "" {
			recogniseClient(withConn(context.Background(), here), who)
			recogniseClient(withConn(context.Background(), here), who) // with its next request
		}
		t.Cleanup(func() { _, _ = here.Close(), there.Close() })
		return here, there
	}
	open := func(here, there net.Conn) bool {
		_, err := here.Write([]byte("x"))
		if err == nil {
			_, err = there.Read(make([]byte, 1))
		}
		return err == nil
	}
	type pair struct{ here, there net.Conn }
	var all []pair
	for _, who := range []string{"", "token b", "token a", "token a", "token a", "token a", "token a", "person c", ""} {
		here, there := connect(who)
		all = append(all, pair{here, there})
	}
	for i, want := range []bool{true, true, false, false, true, true, true, true, true} {
		if got := open(all[i].here, all[i].there); got != want {
			t.Errorf("connection %d is open: %v", i, got)
		}
	}
	for _, p := range all {
		_ = p.here.Close()
	}
	if x := l.(*limited); x.open != 0 || len(x.clients) != 0 || x.strangers.Len() != 0 || len(x.peers) != 0 {
		t.Errorf("left: %d open, %v, %v", x.open, x.clients, x.peers)
	}
}
