//go:build linux

package binary

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/pack"
	"tend/test/blklog"
)

var errNotKept = errors.New("a text that the pack acknowledged is lost")

// keeping moves texts to a pack, as emptying the trash does: each leaves the trash once it is acknowledged.
func keeping(dur vault.Durability) blklog.Workload {
	name := func(i int) string { return fmt.Sprintf("%010d.0-MEMORY.md", i) }
	text := func(i int) []byte { return bytes.Repeat([]byte(name(i)+"\n"), 600) }
	with := func(dir string, do func(*pack.Pack) error) error {
		tree, err := fsys.Dir(dir)
		if err != nil {
			return err
		}
		return errors.Join(do(pack.New(tree, dur, "agents/a/pack", "trash")), tree.Close())
	}
	keep := func(dir string, i int) error {
		return with(dir, func(p *pack.Pack) error {
			return p.Add([]pack.Entry{{Name: name(i), At: time.Unix(1_800_000_000, 0), Text: text(i)}})
		})
	}
	return blklog.Workload{
		Setup: func(dir string) error { return keep(dir, 0) },
		Run: func(dir string, ack func(string)) error {
			for i := 1; i <= 6; i++ {
				if err := keep(dir, i); err != nil {
					return err
				}
				ack(name(i))
			}
			return nil
		},
		Check: func(dir string, acked []string) error {
			return with(dir, func(p *pack.Pack) error {
				for i := range len(acked) + 1 {
					got, err := p.Get(name(i))
					if err != nil || !bytes.Equal(got.Text, text(i)) {
						return fmt.Errorf("%w: %s, %d bytes: %v", errNotKept, name(i), len(got.Text), err)
					}
				}
				return nil
			})
		},
	}
}

// TestPackKeeps: after a power cut at any moment, what the pack acknowledged is there. TestTeethPackUnsynced: without
// syncs it is not, and the test sees that.
func TestPackKeeps(t *testing.T) { packKeeps(t, vault.SyncEach{}, false) }

func TestTeethPackUnsynced(t *testing.T) { packKeeps(t, vault.NoSync{}, true) }

func packKeeps(t *testing.T, dur vault.Durability, mistake bool) {
	if !privileged(t) {
		return
	}
	cfg := blklog.Config{Size: 32 << 20, MaxStates: 250, Subsets: 6, Seed: 1, SyncEvery: 3 * time.Millisecond, Log: t.Logf}
	if mistake {
		cfg.SyncEvery = 0 // or that would hide the missing syncs
	}
	report, err := blklog.Explore(t.Context(), cfg, keeping(dur))
	must(t, err)
	broken := report.Count(errNotKept)
	t.Logf("%d states, %d broken", report.States, broken)
	if other := len(report.Failures) - broken; other > 0 || report.States < 20 {
		t.Errorf("%d states, %d other failures", report.States, other)
	}
	if mistake != (broken > 0) {
		t.Errorf("%d of %d states are broken", broken, report.States)
	}
}
