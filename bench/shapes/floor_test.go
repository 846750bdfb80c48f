package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"tend/internal/model/policy"
	"tend/test/require"
)

// rules is the operator's text of a good agent.
const rules = "# Soul\n\nWhat the operator wants.\n\n- Ask before what cannot be undone.\n- Say what you did not look at.\n"

var must = require.NoError

// floorFile names the file that this program, started with it, restores and nothing else.
const floorFile = "TEND_BENCH_FLOOR"

// startFloor starts the floor on a file of its own.
func startFloor(t *testing.T, dir string) (name string) {
	t.Helper()
	name = filepath.Join(dir, "floor", "SOUL.md")
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(rules), 0o644))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), floorFile+"="+name)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	_, err = out.Read(make([]byte, 1)) // it watches
	must(t, err)
	return name
}

// runFloor watches one file; as soon as it has been quiet for as long as the keeper waits by default, it writes the text anew,
// syncs it and renames it into place.
func runFloor(name string) error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	if err := events.Add(filepath.Dir(name)); err != nil {
		return err
	}
	os.Stdout.WriteString(".")
	quiet := time.NewTimer(time.Hour)
	for {
		select {
		case e := <-events.Events:
			if e.Name == name {
				quiet.Reset(policy.WatchQuiet.Of(policy.Policy{}).Std())
			}
		case <-quiet.C:
			if text, _ := os.ReadFile(name); string(text) == rules {
				continue
			}
			f, err := os.Create(name + ".new")
			if err != nil {
				return err
			}
			_, err = f.WriteString(rules)
			if err := errors.Join(err, f.Sync(), f.Close(), os.Rename(name+".new", name)); err != nil {
				return err
			}
		}
	}
}
