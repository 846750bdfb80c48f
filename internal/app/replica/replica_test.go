package replica

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/usererr"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/sealed"
	"tend/internal/sync/store/storetest"
	"tend/test/require"
)

var must = require.NoError

// home is a machine with a tend.yaml in a folder of its own.
type home struct {
	t   *testing.T
	dir string
}

func (h home) file(name string) string { return filepath.Join(h.dir, name) }

func (h home) write(name, text string) {
	h.t.Helper()
	must(h.t, os.MkdirAll(filepath.Dir(h.file(name)), 0o755))
	must(h.t, os.WriteFile(h.file(name), []byte(text), 0o644))
}

func (h home) read(name string) string {
	data, _ := os.ReadFile(h.file(name))
	return string(data)
}

func (h home) config() (*config.Config, error) {
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	return config.Load(h.file("tend.yaml"), env)
}

// with opens the fleet and the store for one call.
func (h home) with(run func(*fleet.Fleet, *dial.Connected)) {
	h.t.Helper()
	cfg, err := h.config()
	must(h.t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	must(h.t, err)
	defer f.Close()
	s, err := Connect(h.t.Context(), cfg)
	must(h.t, err)
	defer s.Close()
	run(f, s)
}

func (h home) sync() (o Outcome) {
	h.t.Helper()
	h.with(func(f *fleet.Fleet, s *dial.Connected) { o = Sync(h.t.Context(), f, s, []string{"ada"}, "test")[0] })
	return o
}

func (h home) clone(t *testing.T, set config.Store) error {
	_, err := Clone(t.Context(), CloneRequest{
		Agent: "ada", Workspace: h.file("ws"), ConfigPath: h.file("tend.yaml"), Config: h.config, Store: set, Clock: time.Now, Who: "test",
	})
	return err
}

// TestServer: two machines share an encrypted store on a real S3 server. The server is killed and restarted; objects are
// flipped, swapped, forged and removed on its disk. Each such entry is reported and never applied.
func TestServer(t *testing.T) {
	server := storetest.Serve(t, "memory")
	one, two := home{t, t.TempDir()}, home{t, t.TempDir()}
	must(t, os.WriteFile(one.file("key"), []byte(sealed.NewKey().Text()), 0o600))
	set := config.Store{URL: "s3://memory/tend", Endpoint: server.Endpoint, KeyFile: one.file("key")}
	one.write("tend.yaml", "version: 1\nstate_dir: ./state\nstore:\n  url: "+set.URL+"\n  endpoint: "+set.Endpoint+"\n  key_file: ./key\n"+
		"agents:\n  ada:\n    workspace: ./ws\n    layout: openclaw@2026.8\n    timezone: UTC\n")
	one.write("ws/MEMORY.md", "# Memory\n\n- a secret of ada's\n")
	one.write("ws/memory/2026-11-15.md", "- first\n")
	c, err := dial.Init(t.Context(), Settings(set), time.Now())
	must(t, err)
	must(t, c.Close())
	one.with(func(f *fleet.Fleet, s *dial.Connected) {
		_, err := Push(t.Context(), f, s, "ada", "test", false)
		must(t, err)
	})
	must(t, two.clone(t, set))
	if two.read("ws/MEMORY.md") != one.read("ws/MEMORY.md") {
		t.Errorf("the clone has %q", two.read("ws/MEMORY.md"))
	}

	server.Kill()
	one.write("ws/memory/2026-11-15.md", "- first\n- while the server was away\n")
	cfg, err := one.config()
	must(t, err)
	if _, err := Connect(t.Context(), cfg); !errors.Is(err, store.ErrUnreachable) || code(err) != usererr.CodeFailed {
		t.Errorf("without a server: %v, exit %d", err, code(err))
	}
	server.Start(t)
	if o := one.sync(); o.Err != nil || o.Entry != 2 {
		t.Fatalf("after it came back: %+v", o)
	}

	journal := filepath.Join(server.Dir, "memory", "tend", "agents", "ada", "journal")
	first, second := filepath.Join(journal, "000000000001"), filepath.Join(journal, "000000000002")
	good, err := os.ReadFile(second)
	must(t, err)
	if strings.Contains(string(good), "server was away") {
		t.Error("the entry can be read on the server")
	}
	older, err := os.ReadFile(first)
	must(t, err)
	flipped := append([]byte{}, good...)
	flipped[len(flipped)/2] ^= 1
	for what, bad := range map[string][]byte{"flipped": flipped, "swapped": older, "forged": []byte(`{"v":1}`)} {
		must(t, os.WriteFile(second, bad, 0o644))
		o := two.sync()
		if o.Err == nil || code(o.Err) != usererr.CodeRefused || !strings.Contains(o.Err.Error(), "agents/ada/journal/000000000002") {
			t.Errorf("%s: %v, exit %d, want a refusal that names the entry", what, o.Err, code(o.Err))
		}
		if strings.Contains(two.read("ws/memory/2026-11-15.md"), "away") {
			t.Errorf("%s: it was applied", what)
		}
		two.with(func(_ *fleet.Fleet, s *dial.Connected) {
			if _, found, err := Check(t.Context(), s, nil); err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "000000000002") {
				t.Errorf("%s: check found %v, %v", what, found, err)
			}
		})
	}
	must(t, os.Remove(second))
	if o := one.sync(); o.Err == nil || code(o.Err) != usererr.CodeRefused || !strings.Contains(o.Err.Error(), "000000000002") {
		t.Errorf("removed: %v", o.Err)
	}
	must(t, os.WriteFile(second, good, 0o644))
	for _, h := range []home{two, one} {
		if o := h.sync(); o.Err != nil {
			t.Errorf("after it was repaired: %v", o.Err)
		}
	}
	if two.read("ws/memory/2026-11-15.md") != one.read("ws/memory/2026-11-15.md") {
		t.Errorf("they differ: %q", two.read("ws/memory/2026-11-15.md"))
	}
	// Without the key, or with another, nothing can be cloned.
	three := home{t, t.TempDir()}
	plain := set
	plain.KeyFile = ""
	if err := three.clone(t, plain); !errors.Is(err, dial.ErrWrongKey) || code(err) != usererr.CodeRefused {
		t.Errorf("without the key: %v", err)
	}
	must(t, os.WriteFile(three.file("key"), []byte(sealed.NewKey().Text()), 0o600))
	plain.KeyFile = three.file("key")
	if err := three.clone(t, plain); !errors.Is(err, dial.ErrWrongKey) {
		t.Errorf("with another key: %v", err)
	}
}

func code(err error) int {
	var f *usererr.Error
	if errors.As(err, &f) {
		return f.Code
	}
	return usererr.CodeFine
}

// TestWatch: a change on one machine arrives on the other, and a lasting error is reported once.
func TestWatch(t *testing.T) {
	nas := t.TempDir()
	one, two := home{t, t.TempDir()}, home{t, t.TempDir()}
	set := config.Store{URL: nas}
	one.write("tend.yaml", "version: 1\nstate_dir: ./state\nstore:\n  url: "+nas+"\nagents:\n  ada:\n    workspace: ./ws\n"+
		"    layout: openclaw@2026.8\n")
	one.write("ws/MEMORY.md", "# Memory\n")
	one.write("ws/memory/2026-11-15.md", "- first\n")
	c, err := dial.Init(t.Context(), Settings(set), time.Now())
	must(t, err)
	must(t, c.Close())
	one.with(func(f *fleet.Fleet, s *dial.Connected) {
		_, err := Push(t.Context(), f, s, "ada", "test", false)
		must(t, err)
	})
	must(t, two.clone(t, set))
	two.with(func(f *fleet.Fleet, _ *dial.Connected) {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		said := 0
		one.write("ws/memory/2026-11-15.md", "- first\n- second\n")
		if o := one.sync(); o.Err != nil {
			t.Fatal(o.Err)
		}
		err := Watch(ctx, f, []string{"ada"}, "test", 10*time.Millisecond, func(o Outcome) {
			said++
			switch {
			case o.Err == nil && said == 1: // it has arrived: now cause a lasting error
				must(t, os.RemoveAll(two.file("ws")))
			case o.Err != nil && said == 2:
				time.AfterFunc(300*time.Millisecond, stop) // about thirty more rounds
			default:
				t.Errorf("said %d: %+v", said, o)
			}
		})
		must(t, err)
		if said != 2 {
			t.Errorf("%d lines, want the change and the error", said)
		}
	})
}

// TestWatchComesBack: an unreachable store is reported once, and syncing resumes when it is back.
func TestWatchComesBack(t *testing.T) {
	nas := filepath.Join(t.TempDir(), "nas")
	one := home{t, t.TempDir()}
	one.write("tend.yaml", "version: 1\nstate_dir: ./state\nstore:\n  url: "+nas+"\nagents:\n  ada:\n    workspace: ./ws\n"+
		"    layout: openclaw@2026.8\n")
	one.write("ws/MEMORY.md", "# Memory\n")
	one.write("ws/memory/2026-11-15.md", "- first\n")
	c, err := dial.Init(t.Context(), dial.Settings{URL: nas}, time.Now())
	must(t, err)
	must(t, c.Close())
	one.with(func(f *fleet.Fleet, s *dial.Connected) {
		_, err := Push(t.Context(), f, s, "ada", "test", false)
		must(t, err)
		must(t, os.Rename(nas, nas+".away"))
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		said := 0
		must(t, Watch(ctx, f, []string{"ada"}, "test", 10*time.Millisecond, func(o Outcome) {
			switch said++; {
			case said == 1 && errors.Is(o.Err, store.ErrUnreachable):
				one.write("ws/memory/2026-11-15.md", "- first\n- while it was away\n")
				must(t, os.Rename(nas+".away", nas))
			case said == 2 && o.Err == nil && o.Pushed == 1:
				stop()
			default:
				t.Errorf("said %d: %+v", said, o)
				stop()
			}
		}))
		if said != 2 {
			t.Errorf("%d lines, want the error and the change", said)
		}
	})
}
