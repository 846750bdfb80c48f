package crashtest

import (
	"fmt"
	"testing"

	"tend/internal/disk/fsys/memfs"
)

// moment is the number of steps of both disks at one time.
type moment struct{ disk, state int }

// recordBoth records an operation on two disks and the moments at which the
// power may fail: between any two calls.
func recordBoth(r rig, op operation) (*recorded, []moment, error) {
	w, err := rehearse(r, op)
	if err != nil {
		return nil, nil, fmt.Errorf("setup: %w", err)
	}
	c := &recorded{op: op, w: w, span: span{before: w.memoryFiles(), also: op.also, adds: op.adds}}
	c.span.private = c.span.names()
	var list []moment
	note := func() {
		if m := (moment{w.disk.Len(), w.state.Len()}); len(list) == 0 || list[len(list)-1] != m {
			list = append(list, m)
		}
	}
	agents := func(memfs.Op) {}
	if op.inject != nil {
		agents = op.inject(w)
	}
	w.disk.OnOp(func(o memfs.Op) { note(); agents(o) })
	w.state.OnOp(func(memfs.Op) { note() })
	if err := op.run(w); err != nil && op.refused == nil {
		return nil, nil, fmt.Errorf("run: %w", err)
	}
	w.disk.OnOp(nil)
	w.state.OnOp(nil)
	note()
	c.span.after = w.memoryFiles()
	return c, list, nil
}

// crashesOfTwo interrupts an operation whose files and state are on two file systems:
// each loses unsynced data in its own way.
func crashesOfTwo(op operation, group bool) (states int, err error) {
	r := rig{far: true, group: group, light: few()}
	c, moments, err := recordBoth(r, op)
	if err != nil {
		return 0, err
	}
	end, tried := moments[len(moments)-1], 0
	for _, m := range moments {
		for i, choose := range [][2]memfs.Chooser{
			{memfs.Lost, memfs.Lost}, {memfs.LoseNothing, memfs.LoseNothing}, {memfs.Lost, memfs.LoseNothing}, {memfs.LoseNothing, memfs.Lost},
			{memfs.Random(1), memfs.Random(2)}, {memfs.Random(3), memfs.Random(4)}, {memfs.Random(5), memfs.Random(6)},
		} {
			if !r.sampled(&tried, 1) {
				continue
			}
			states++
			d, s := c.w.disk.CrashAt(m.disk, choose[0]), c.w.state.CrashAt(m.state, choose[1])
			if err := c.lookAt(d, s, m == end); err != nil {
				return states, fmt.Errorf("after %v of %v steps, way %d: %w", m, end, i, err)
			}
		}
	}
	return states, nil
}

func TestCrashPointsOnTwoFileSystems(t *testing.T) {
	t.Parallel()
	total := 0
	for _, group := range []bool{false, true} {
		for _, op := range operations() {
			t.Run(fmt.Sprintf("group %v/%s", group, op.name), func(t *testing.T) {
				n, err := crashesOfTwo(op, group)
				total += n
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Logf("%d crash states of two file systems", total)
}
