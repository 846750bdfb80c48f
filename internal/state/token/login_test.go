package token

import (
	"errors"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

func TestLoginWorksOnce(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	secret, err := CreateLogin(state, Login{Name: "sam", ReadOnly: true, Expires: now.Add(LoginValid)})
	must(t, err)
	late, err := CreateLogin(state, Login{Name: "kim", Expires: now.Add(time.Second)})
	must(t, err)
	if NewChecker(state, time.Now).Any() {
		t.Error("a login link counts as a token")
	}
	for _, guess := range []string{"", "once_", "once_00000000000000000000000000", secret + "x"} {
		if _, ok, err := UseLogin(state, guess, now); ok || err != nil {
			t.Errorf("%q: %v, %v", guess, ok, err)
		}
	}
	if l, ok, err := UseLogin(state, secret, now); !ok || err != nil || l.Name != "sam" || !l.ReadOnly {
		t.Fatalf("login %+v, %v, %v", l, ok, err)
	}
	if _, ok, _ := UseLogin(state, secret, now); ok {
		t.Error("the link works twice")
	}
	if _, ok, _ := UseLogin(state, late, now.Add(time.Minute)); ok {
		t.Error("an expired link works")
	}
}

// TestChangesAtOnce: concurrent changes wait for each other, and none is lost.
func TestChangesAtOnce(t *testing.T) {
	dir := t.TempDir()
	const each = 20
	made := make(chan error)
	for range each {
		go func() {
			state, err := fsys.Dir(dir)
			if err == nil {
				_, err = CreateLogin(state, Login{Name: "sam", Expires: time.Now().Add(LoginValid)})
				err = errors.Join(err, state.Close())
			}
			made <- err
		}()
	}
	for range each {
		must(t, <-made)
	}
	state, err := fsys.Dir(dir)
	must(t, err)
	defer state.Close()
	var list []Login
	must(t, vault.ReadJSON(state, loginFile, &list))
	if len(list) != each {
		t.Errorf("got %d logins, want %d", len(list), each)
	}
}
