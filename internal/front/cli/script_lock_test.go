package cli

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"tend/internal/disk/fsys"
	"tend/internal/state/ledger"
)

func verbHold(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "hold-lock AGENT")
	state, err := fsys.Dir(ts.MkAbs("state"))
	ts.Check(err)
	ts.Defer(func() { state.Close() })
	name := ledger.LockPath(args[0])
	ts.Check(os.MkdirAll(ts.MkAbs(filepath.Join("state", filepath.Dir(name))), 0o700))
	lock, err := state.Lock(name, "pid 1 on elsewhere since 2026-11-15T04:00:00Z\n")
	ts.Check(err)
	opened(ts)["lock "+args[0]] = lock
	ts.Defer(func() { lock.Close() })
}

func verbRelease(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "release-lock AGENT")
	lock, ok := opened(ts)["lock "+args[0]]
	if !ok {
		ts.Fatalf("the lock of %s is not held", args[0])
	}
	ts.Check(lock.Close())
}
