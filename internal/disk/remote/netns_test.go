package remote_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"tend/internal/disk/remote"
	"tend/internal/disk/remote/sshdtest"
)

// The link to a second host, in a network namespace, goes down while it is in use: running calls fail in bounded time as
// unreachable, other agents are reset, and its own once the link is up again. test/link does the same under a keeper.
func TestLinkDown(t *testing.T) {
	host := sshdtest.NewHost(t)
	s := host.Start(sshdtest.Options{})
	w := approved(t, s)
	tree := open(t, poolOf(t, remote.Options{Home: s.Home, Timeout: 15 * time.Second}), target(s, w.ws("far")))
	_, err := tree.Lstat("MEMORY.md")
	must(t, err)

	host.Link(false)
	if _, err := tree.Lstat("MEMORY.md"); err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Errorf("over a link that is down: %v", err)
	}
	w.fails(5, []string{"reset", "--all"}, "unreachable", "near   reset")
	w.untouched("far", "- a note of far\n")
	w.wasReset("near")

	host.Link(true)
	var seen error
	for range 3000 { // until ARP has found the neighbour again
		if _, seen = tree.Lstat("MEMORY.md"); seen == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	must(t, seen)
	w.ok("reset", "--all")
	w.wasReset("far")
}

// Memory Shepherd's sections for remote agents are imported as working agents.
func TestImport(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	w := newWorld(t, "shepherd", map[string]place{"far": s.URL})
	w.append("far", "- a note of far\n")
	// Memory Shepherd has no setting for the port: it is in ssh_config.
	must(t, os.WriteFile(s.Home+"/.ssh/config",
		fmt.Appendf(nil, "Host mailhost\n  HostName %s\n  Port %d\n  HostKeyAlias mailhost\n", s.Host, s.Port), 0o600))
	must(t, os.WriteFile(s.Home+"/.ssh/known_hosts", []byte(knownhosts.Line([]string{"mailhost"}, s.HostKey())+"\n"), 0o600))
	w.put("memory-shepherd.conf", "[general]\nbaseline_dir="+w.dir+"/base\n[far]\nremote_host=mailhost\nremote_user="+s.User+
		"\nremote_memory="+w.memory("far")+"\nbaseline=far.md\n")
	w.ok("import", w.dir+"/memory-shepherd.conf", "--to", w.conf, "--overwrite")
	if text := read(t, w.conf); !strings.Contains(text, "ssh://"+s.User+"@mailhost"+w.ws("far")) {
		t.Fatalf("imported:\n%s", text)
	}
	t.Setenv("XDG_STATE_HOME", w.dir+"/state")
	w.ok("baseline", "approve", "--all")
	w.ok("reset", "--all")
	if got := read(t, w.memory("far")); got != baseline("far") {
		t.Errorf("it is %q", got)
	}
	if archived := fmt.Sprint(files(t, w.dir)); !strings.Contains(archived, "a note of far") {
		t.Error("the note is lost")
	}
}
