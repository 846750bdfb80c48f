//go:build linux

package blklog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	errTorn = errors.New("torn")
	errLost = errors.New("lost")
)

const (
	targetName = "note.md"
	versions   = 20
)

// content of a version is as long as it takes to need several blocks.
func content(version int) []byte {
	line := fmt.Sprintf("version %06d of the note\n", version)
	return bytes.Repeat([]byte(line), 500)
}

// readVersion returns 0 for a file that does not exist.
func readVersion(path string) (int, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var version int
	if _, err := fmt.Sscanf(string(data), "version %d of", &version); err != nil || !bytes.Equal(data, content(version)) {
		return 0, fmt.Errorf("%w: %d bytes, %d of them zero", errTorn, len(data), bytes.Count(data, []byte{0}))
	}
	return version, nil
}

// checkVersion demands a whole version not older than the last one acknowledged.
func checkVersion(dir string, acked []string) error {
	got, err := readVersion(filepath.Join(dir, targetName))
	if err != nil {
		return err
	}
	return notOlder(got, acked)
}

func notOlder(got int, acked []string) error {
	if len(acked) == 0 {
		return nil
	}
	want, err := strconv.Atoi(acked[len(acked)-1])
	if err != nil {
		return err
	}
	if got < want {
		return fmt.Errorf("%w: have version %d, acknowledged %d", errLost, got, want)
	}
	return nil
}

// protocol is a way to replace the target in dir by data.
type protocol func(dir string, data []byte) error

func (p protocol) workload() Workload {
	return Workload{
		Setup: func(dir string) error { return os.WriteFile(filepath.Join(dir, targetName), content(0), 0o600) },
		Run: func(dir string, ack func(string)) error {
			for v := 1; v <= versions; v++ {
				if err := p(dir, content(v)); err != nil {
					return err
				}
				ack(strconv.Itoa(v))
			}
			return nil
		},
		Check: checkVersion,
	}
}

func writeFile(path string, data []byte, flags int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

func nothing(string) error { return nil }

func syncFile(path string) error {
	return withOpen(path, func(f *os.File) error { return f.Sync() })
}

func syncDir(path string) error { return syncFile(filepath.Dir(path)) }

func syncFS(path string) error {
	return withOpen(path, func(f *os.File) error { return unix.Syncfs(int(f.Fd())) })
}

func withOpen(path string, do func(*os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// replace goes by a temporary file; before and after get its path and that of
// the target, before and after the one takes the place of the other.
func replace(before, after func(path string) error) protocol {
	return func(dir string, data []byte) error {
		tmp, target := filepath.Join(dir, "tmp"), filepath.Join(dir, targetName)
		if err := writeFile(tmp, data, os.O_TRUNC); err != nil {
			return err
		}
		if err := before(tmp); err != nil {
			return err
		}
		if err := os.Rename(tmp, target); err != nil {
			return err
		}
		return after(target)
	}
}

func inPlace(dir string, data []byte) error {
	target := filepath.Join(dir, targetName)
	if err := writeFile(target, data, 0); err != nil {
		return err
	}
	return syncFile(target)
}

func withShell(dir string, data []byte) error {
	cmd := exec.Command("sh", "-c", "cat >tmp && sync tmp && mv tmp "+targetName+" && sync .")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(data)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// verdict says in how many states a protocol goes wrong. Maybe is for what
// depends on when exactly the kernel writes back.
type verdict string

const (
	never verdict = "none"
	maybe verdict = "any number"
	found verdict = "some"
)

func (v verdict) allows(count int) bool {
	return v == maybe || (count > 0) == (v == found)
}

// TestProtocols shows that the states distinguish safe protocols from unsafe ones.
func TestProtocols(t *testing.T) {
	needDisk(t)
	quiet := Config{MaxStates: 300, Subsets: 10}
	busy := quiet
	busy.SyncEvery = time.Millisecond
	hasty := quiet
	hasty.MountOpts = []string{"noauto_da_alloc"}
	small := quiet
	small.MkfsArgs = []string{"-b", "1024"}
	for _, tc := range []struct {
		name       string
		cfg        Config
		protocol   protocol
		torn, lost verdict
	}{
		{"fsync file and dir", busy, replace(syncFile, syncDir), never, never},
		{"fsync file and dir, nothing else syncs", quiet, replace(syncFile, syncDir), never, never},
		{"fsync file and dir, small blocks", small, replace(syncFile, syncDir), never, never},
		{"fsync file and dir, by a child process", busy, withShell, never, never},
		{"syncfs instead of fsync", busy, replace(syncFS, syncFS), never, never},
		{"no fsync of dir", quiet, replace(syncFile, nothing), never, found},
		{"no fsync of file", hasty, replace(nothing, syncDir), found, never},
		{"no fsync at all", busy, replace(nothing, nothing), maybe, found},
		{"syncfs after rename only", busy, replace(nothing, syncFS), maybe, never},
		{"in place", busy, inPlace, found, never},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ownTemp(t)
			report := explore(t, tc.cfg, tc.protocol.workload())
			torn, lost := report.Count(errTorn), report.Count(errLost)
			t.Logf("torn %d, lost %d", torn, lost)
			if !tc.torn.allows(torn) {
				t.Errorf("torn: got %d, want %s", torn, tc.torn)
			}
			if !tc.lost.allows(lost) {
				t.Errorf("lost: got %d, want %s", lost, tc.lost)
			}
			if other := len(report.Failures) - torn - lost; other != 0 || t.Failed() {
				t.Errorf("%d other failures: %s", other, report.describe())
			}
			if got, want := report.States, 50; got < want {
				t.Errorf("got %d states, want at least %d", got, want)
			}
		})
	}
}
