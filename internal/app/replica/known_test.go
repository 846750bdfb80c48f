package replica

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/state/token"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/sealed"
)

// TestHiddenRevocation: the host of a sealed store hides the entry that revoked a token. A replica that starts now refuses to
// serve if another replica, an earlier one of this machine or the operator knows of that entry; a running one lets nobody in.
func TestHiddenRevocation(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, []byte(sealed.NewKey().Text()), 0o600))
	set := sharedIn(t, dial.Settings{URL: t.TempDir(), KeyFile: key}, "ada")
	operator, err := dial.Connect(t.Context(), set)
	must(t, err)
	defer operator.Close()
	revoked, _ := token.Issue(token.Token{Agent: "ada"})
	_, err = ChangeTokens(t.Context(), operator, "test", time.Now(), func([]token.Token) ([]token.Token, error) {
		return []token.Token{revoked}, nil
	})
	must(t, err)

	late := start(t, set) // has not seen the revocation
	at, err := ChangeTokens(t.Context(), operator, "test", time.Now(), func([]token.Token) ([]token.Token, error) {
		return []token.Token{}, nil
	})
	must(t, err)
	here := t.TempDir()
	witness, err := Start(t.Context(), Options{Settings: set, Cache: here})
	must(t, err)

	entries, err := filepath.Glob(filepath.Join(set.URL, "fleet", "journal", "*"))
	must(t, err)
	newest := entries[len(entries)-1]
	hidden, err := os.ReadFile(newest)
	must(t, err)
	must(t, os.Remove(newest))

	begin := func(what string, o Options) {
		t.Helper()
		o.Settings = set
		r, err := Start(t.Context(), o)
		if !errors.Is(err, journal.ErrRemoved) {
			t.Errorf("%s: %v, want ErrRemoved", what, err)
		}
		if err == nil {
			must(t, r.Close())
		}
	}
	begin("beside one that saw the entry", Options{Cache: t.TempDir()})
	tokens := func() string {
		text, err := os.ReadFile(filepath.Join(late.Dir, "state", "tokens.json"))
		must(t, err)
		return string(text)
	}
	if !strings.Contains(tokens(), revoked.ID) {
		t.Fatal("the late replica never had the token")
	}
	must(t, late.sendBeat(t.Context()))
	if err := late.followCommon(t.Context()); !errors.Is(err, journal.ErrRemoved) {
		t.Errorf("a running replica: %v, want ErrRemoved", err)
	}
	if strings.Contains(tokens(), revoked.ID) {
		t.Error("a running replica still accepts the revoked token")
	}

	must(t, witness.Close())
	begin("after one on this machine that saw the entry", Options{Cache: here})
	begin("with the entry named", Options{Cache: t.TempDir(), FleetAt: at})
	// Nobody knows of the entry: a new replica cannot tell. Put back, it is followed.
	must(t, os.WriteFile(newest, hidden, 0o600))
	must(t, late.followCommon(t.Context()))
	r, err := Start(t.Context(), Options{Settings: set, Cache: here, FleetAt: at})
	must(t, err)
	must(t, r.Close())
}
