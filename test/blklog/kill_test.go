//go:build linux

package blklog

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tend/test/require"
)

var must = require.NoError

// victimEnv makes the test binary a process that is in the middle of a run
// when it gets killed; its value says in the middle of what.
const victimEnv = "BLKLOG_VICTIM"

// victim says "busy" and goes on until it is killed.
func victim() int {
	w := Workload{
		Run: func(dir string, ack func(string)) error {
			return writeUntilError(dir, 10, ack)
		},
		Check: func(string, []string) error {
			fmt.Println("busy")
			select {}
		},
	}
	switch os.Getenv(victimEnv) {
	case "workload":
		w.Run = func(dir string, ack func(string)) error {
			return writeUntilError(dir, 1<<30, func(label string) {
				ack(label)
				fmt.Println("busy")
			})
		}
	case "panic":
		w.Run = func(dir string, ack func(string)) error {
			go func() {
				fmt.Println("busy")
				panic("on purpose")
			}()
			return writeUntilError(dir, 1<<30, ack)
		}
	}
	_, err := Explore(context.Background(), Config{}, w)
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func writeUntilError(dir string, times int, ack func(string)) error {
	for v := range times {
		if err := inPlace(dir, content(v)); err != nil {
			return err
		}
		ack(strconv.Itoa(v))
	}
	return nil
}

// startVictim returns when the victim is busy.
func startVictim(t *testing.T, mode, temp string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), victimEnv+"="+mode, "TMPDIR="+temp)
	cmd.Stderr = &bytes.Buffer{}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "busy\n" {
		t.Fatalf("victim: got %q, %v, want busy: %s", line, err, cmd.Stderr)
	}
	return cmd
}

// findHelper is the id of a victim's helper, which is there as long as the victim lives.
func findHelper(t *testing.T, temp string) int {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	must(t, err)
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+helperEnv+"="+temp+"/") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			must(t, err)
			return pid
		}
	}
	t.Fatal("found no helper")
	return 0
}

// TestKilled shows that the helper cleans up after a test that cannot.
func TestKilled(t *testing.T) {
	needDisk(t)
	for _, mode := range []string{"workload", "check", "panic"} {
		t.Run(mode, func(t *testing.T) {
			temp := ownTemp(t)
			cmd := startVictim(t, mode, temp)
			if mode != "panic" {
				must(t, cmd.Process.Kill())
			}
			if err := cmd.Wait(); err == nil {
				t.Error("victim: got a clean exit, want none")
			}
			for len(leftovers(t, temp)) > 0 && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}
