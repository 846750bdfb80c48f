package remote_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"tend/internal/remote"
	"tend/internal/remote/sshdtest"
)

// A second host, in a network of its own, whose link goes down while it is in
// use: what was under way ends in bounded time as unreachable, other agents are
// looked after, and when the link is up again so are its own. For a minute, and under
// a keeper, it is cut in test/link.
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
	for range 3000 { // neighbours have to find each other again
		if _, seen = tree.Lstat("MEMORY.md"); seen == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	must(t, seen)
	w.ok("reset", "--all")
	w.wasReset("far")
}

// The sections of the old tool for agents on other hosts become agents that work.
func TestImport(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	w := newWorld(t, "shepherd", map[string]place{"far": s.URL})
	w.append("far", "- a note of far\n")
	// The old tool knows no port: that is what ssh_config is for.
	must(t, os.WriteFile(s.Home+"/.ssh/config", fmt.Appendf(nil, "Host mailhost\n  HostName %s\n  Port %d\n  HostKeyAlias mailhost\n", s.Host, s.Port), 0o600))
	must(t, os.WriteFile(s.Home+"/.ssh/known_hosts", []byte(knownhosts.Line([]string{"mailhost"}, s.HostKey())+"\n"), 0o600))
	w.put("memory-shepherd.conf", "[general]\nbaseline_dir="+w.dir+"/base\n[far]\nremote_host=mailhost\nremote_user="+s.User+"\nremote_memory="+w.memory("far")+"\nbaseline=far.md\n")
	w.ok("import", w.dir+"/memory-shepherd.conf", "--to", w.conf, "--overwrite")
	if text := read(t, w.conf); !strings.Contains(text, "ssh://"+s.User+"@mailhost"+w.ws("far")) {
		t.Fatalf("imported:\n%s", text)
	}
	t.Setenv("XDG_STATE_HOME", w.dir+"/state")
	w.ok("baseline", "approve", "--all")
	w.ok("reset", "--all")
	if got := read(t, w.memory("far")); got != baseline("far") {
		t.Errorf("it holds %q", got)
	}
	if archived := fmt.Sprint(files(t, w.dir)); !strings.Contains(archived, "a note of far") {
		t.Error("the note is nowhere")
	}
}
