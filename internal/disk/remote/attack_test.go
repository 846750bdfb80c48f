package remote_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault/vaulttest"
)

// The attacks on remote agents, and their tests:
//
//	an unknown host                         TestRefusedHosts
//	a host whose key has changed            TestRefusedHosts, and with an alert in test/link
//	a host name that looks like an option   TestNames
//	a path that a shell would run           TestOddPaths
//	a file that is a link, huge, or changes TestNotAFile, TestVault, TestWritesMeanwhile
//	a connection that is cut                TestCut
//	a restricted key                        TestRestrictedKey; that the agent is not forwarded: TestAgent

// No part of an address is interpreted as an option, a command or a second line.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, address := range []string{
		"ssh://-oProxyCommand=touch ran/x", "ssh://-oProxyCommand=touch${IFS}ran@host/x", "ssh://host;touch ran/x",
		"ssh://a;b@host/x", "ssh://$(touch ran)/x",
		"ssh://host\\nProxyCommand touch ran/x", "ssh://`touch ran`@host/x", "ssh://host:22;touch/x", "ssh://host:-1/x",
		"ssh://[::1;touch ran]/x", "ssh:///x", "ssh://@host/x",
	} {
		w := newWorld(t, "shepherd", map[string]place{"near": direct})
		w.put("tend.yaml", fmt.Sprintf("version: 1\nstate_dir: ./state\ndefaults: {layout: shepherd}\nagents:\n  far: {workspace: \"%s\"}\n",
			address))
		w.fails(2, []string{"status"}, "tend.yaml:5")
		for _, ran := range []string{filepath.Join(w.dir, "ran"), filepath.Join(dir, "ran"), "ran"} {
			if _, err := os.Stat(ran); err == nil {
				t.Errorf("%q was run", address)
			}
		}
	}
}

// A key that the host limits to SFTP is enough.
func TestRestrictedKey(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	pub := strings.TrimSpace(read(t, s.KeyFile()+".pub"))
	must(t, s.Authorize(`restrict,command="internal-sftp" `+pub))
	w := approved(t, s)
	w.ok("reset", "--all")
	w.wasReset("far")
	w.ok("doctor")
}

// An agent that appends to its file all the time loses no line to concurrent resets.
func TestWritesMeanwhile(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	w := approved(t, s)
	stop, wrote := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { wrote <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if vaulttest.Folder(w.ws("far")).AppendFile("MEMORY.md", fmt.Sprintf("- line %d of many.\n", n)) == nil {
				n++
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for range 10 {
		if code, out := w.tend("reset", "far"); code > 1 {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
	close(stop)
	lines, there := <-wrote, map[string]bool{}
	for line := range strings.Lines(w.everything()) {
		there[line] = true
	}
	for n := range lines {
		if !there[fmt.Sprintf("- line %d of many.\n", n)] {
			t.Errorf("line %d of %d is nowhere", n, lines)
		}
	}
	if lines < 10 {
		t.Errorf("only %d lines were written", lines)
	}
}

// Two machines manage one workspace, each with its own state. What either displaces is kept, and neither treats the
// other's files as its own.
func TestTwoTends(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	one, two := approved(t, s), approved(t, s)
	two.put("tend.yaml", strings.ReplaceAll(read(t, two.conf), two.ws("far"), one.ws("far")))
	for round := range 8 {
		note := fmt.Sprintf("- note %d of the agent\n", round)
		one.append("far", note)
		var both sync.WaitGroup
		for _, w := range []*world{one, two} {
			both.Go(func() {
				if code, out := w.tend("reset", "far"); code > 1 && !strings.Contains(out, "changed meanwhile") {
					t.Errorf("exit code %d: %s", code, out)
				}
			})
		}
		both.Wait()
		if all := one.everything() + two.everything(); !strings.Contains(all, note) {
			t.Errorf("%q is nowhere", note)
		}
		if got := read(t, one.memory("far")); got != baseline("far") {
			t.Errorf("it is %q", got[max(0, len(got)-80):])
		}
	}
	// A day later both remove what they left beside the file.
	for _, w := range []*world{one, two} {
		w.append("near", "- more\n")
		one.append("far", "- a last note\n")
		code, out := w.tend("--clock", "2026-11-17 23:00", "reset", "far")
		if code > 1 {
			t.Errorf("a day later: exit code %d: %s", code, out)
		}
	}
	all := one.everything() + two.everything()
	for round := range 8 {
		if note := fmt.Sprintf("- note %d of the agent\n", round); !strings.Contains(all, note) {
			t.Errorf("a day later %q is nowhere", note)
		}
	}
	names, err := vaulttest.Folder(one.ws("far")).Names()
	must(t, err)
	if len(names) > 3 { // the file, and what the last two displaced
		t.Errorf("left beside the file: %q", names)
	}
}
