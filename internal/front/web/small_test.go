package web

import (
	"net/http"
	"testing"

	"tend/internal/state/token"
)

// TestALookDoesNotRedeemALink: programs that only look at a link, as chats and mail servers do, leave it to the person.
func TestALookDoesNotRedeemALink(t *testing.T) {
	h := newFixture(t, map[string]string{"a": before})
	secret, err := token.CreateLogin(h.state, token.Login{Name: "sam", Expires: h.now().Add(token.LoginValid)})
	must(t, err)
	b := &browser{h: h}
	for range 2 {
		if p := b.do("HEAD", "/login?once="+secret, nil, nil); p.status == http.StatusSeeOther || b.cookie != nil {
			t.Fatalf("HEAD logs in: %d", p.status)
		}
	}
	if p := b.get("/login?once=" + secret); p.status != http.StatusSeeOther || b.cookie == nil {
		t.Errorf("the link no longer works: %d", p.status)
	}
}

// TestBackStaysHere: a form returns to a page of this site, however the way back is written.
func TestBackStaysHere(t *testing.T) {
	for to, want := range map[string]string{
		"/inbox?agent=a": "/inbox?agent=a", "/a/b%20c": "/a/b%20c", "": "/", "//evil.example": "/",
		"/\t/evil.example": "/", "/\\evil.example": "/",
		"/\r\nX: y": "/", "http://evil.example/": "/", "/\x00/x": "/", "/ /x": "/", "/\u2028/x": "/", "/%09/evil.example": "/%09/evil.example",
	} {
		if got := wayBack(to, "/"); got != want {
			t.Errorf("back to %q: %q, want %q", to, got, want)
		}
	}
}

// TestEventStreamsAreShared: one browser cannot take the places of all others.
func TestEventStreamsAreShared(t *testing.T) {
	l := newLive()
	one, other := &session{}, &session{}
	n := 0
	for range mostLive {
		if _, ok := l.join(one); ok {
			n++
		}
	}
	if n != mostOfOne {
		t.Errorf("one session has %d of %d streams", n, mostLive)
	}
	if _, ok := l.join(other); !ok {
		t.Error("another session gets none")
	}
	l.leave(one)
	if _, ok := l.join(one); !ok {
		t.Error("a stream that ended does not free its place")
	}
}
