package memfs_test

import (
	"testing"

	"tend/internal/fsys/memfs"
)

// A test run builds tens of thousands of states, so a state must cost microseconds.
func BenchmarkCrashStates(b *testing.B) {
	d := memfs.New()
	ws, err := d.Tree("ws")
	must(b, err)
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		must(b, d.MkdirAll("ws/dir"+name))
		for _, file := range []string{"1", "2", "3"} {
			must(b, d.WriteFile("ws/dir"+name+"/"+file, old))
		}
	}
	d.Record()
	for _, name := range []string{"a", "b", "c"} {
		f, err := ws.Create("dir"+name+"/tmp", 0o600)
		must(b, err)
		_, _ = f.Write([]byte(fresh))
		_ = f.Sync()
		_ = f.Close()
		_ = ws.Rename("dir"+name+"/tmp", "dir"+name+"/1")
		_ = ws.SyncDir("dir" + name)
	}
	states := 0
	for b.Loop() {
		for range d.EveryCrash(memfs.Limits{}) {
			states++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
}
