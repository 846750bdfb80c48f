package crashtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tend/internal/disk/fsys"
	"tend/test/light"
)

// suite is one of this package's tests, run against a rig until it fails.
type suite struct {
	test string
	run  func(rig) error
}

func onOperations(test string, run func(rig, operation) (int, error)) suite {
	return suite{test, func(r rig) error {
		var least error
		for _, op := range operations() {
			_, err := run(r, op)
			switch {
			case err == nil, errors.Is(err, errNoRun):
			case !strings.Contains(err.Error(), "is left"):
				return fmt.Errorf("%s: %w", op.name, err)
			case least == nil:
				least = fmt.Errorf("%s: %w", op.name, err) // a later operation may show more
			}
		}
		return least
	}}
}

var (
	crashPoints  = onOperations("TestCrashPoints", crashes)
	nthCall      = onOperations("TestNthCallFails", faulty)
	conservation = suite{"TestConservation", func(r rig) error {
		for seed := range uint64(4000) {
			if err := conserve(r, seed, stepsEach, quiet); err != nil {
				return err
			}
		}
		return nil
	}}
)

// TestTeeth puts back the mistakes such programs are known for, one at a time. The test
// written for each must catch it.
func TestTeeth(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct {
		bug     string
		group   bool
		mistake func() mistake
		caught  suite
	}{
		{"a file is not synced", false, leavingOut(true, false), crashPoints},
		{"a folder is not synced", false, leavingOut(false, true), crashPoints},
		{"a new folder's parent is not synced", false, inTrees(noParentSync), crashPoints},
		{"a file is written in place", false, inTrees(inPlace), crashPoints},
		{"the file is replaced before its notes are archived", false, archiveLast, crashPoints},
		{"errors of write and close are ignored", false, bentFiles(func(f fsys.File) fsys.File { return deafFile{f} }), nthCall},
		{"a failed sync is tried again", false, bentFiles(func(f fsys.File) fsys.File { return stubbornFile{f} }), nthCall},
		{"an old lock is broken", false, inTrees(ageLock), conservation},
		{"the temporary file is on another file system", false, inTrees(tempElsewhere), crashPoints},
		{"success is told before the swap is durable", true, ackEarly, crashPoints},
		{"a copy is kept and not the file", false, inTrees(copyOnly), conservation},
		{"the old file is linked, then replaced", false, inTrees(linkAndRename), conservation},
		{"displaced files of one name share a place in the trash", false, inTrees(sameTrash), conservation},
		{"archives of one minute share a name", false, inTrees(sameMinute), crashPoints},
		{"an action is recorded as done before it is", false, hasty(), crashPoints},
	} {
		if light.Race && i%3 > 0 && !thorough {
			continue // make test runs them all, without -short
		}
		t.Run(tt.bug, func(t *testing.T) {
			err := tt.caught.run(rig{name: tt.bug, group: tt.group, mistake: tt.mistake})
			if err == nil {
				t.Fatalf("%s did not catch it", tt.caught.test)
			}
			t.Logf("caught by %s: %.120v", tt.caught.test, err)
		})
	}
}
