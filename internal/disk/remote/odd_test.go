package remote_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault"
	"tend/test/require"
)

// sftpServer returns the path of OpenSSH's sftp-server.
func sftpServer(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server",
		"/usr/libexec/sftp-server"} {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	require.Here(t, false, "this test runs sftp-server, which is not installed: tools/setup installs it")
	return ""
}

// A login shell that prints something breaks the protocol; the server's own banner, or output to stderr, does not.
func TestBanner(t *testing.T) {
	program := sftpServer(t)
	banner := filepath.Join(t.TempDir(), "banner")
	must(t, os.WriteFile(banner, []byte("Authorized use only.\n"), 0o644))
	for name, tt := range map[string]struct {
		conf []string
		says string
	}{
		"of sshd":               {conf: []string{"Banner " + banner}},
		"on the error channel":  {conf: []string{"ForceCommand echo welcome >&2; exec " + program}},
		"of the shell":          {conf: []string{"ForceCommand echo welcome; exec " + program}, says: "the user's shell print nothing"},
		"of the shell, and end": {conf: []string{"ForceCommand echo this account is for people"}, says: "the user's shell print nothing"},
		"of the shell, and on":  {conf: []string{"ForceCommand echo hm; exec sleep 60"}, says: "start sftp on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sshdtest.Start(t, sshdtest.Options{Config: tt.conf})
			timeout := time.Minute
			if tt.says != "" { // the server may go silent, which ends with a timeout
				timeout = 5 * time.Second
			}
			_, err := poolOf(t, remote.Options{Home: s.Home, Timeout: timeout}).Open(t.Context(), target(s, t.TempDir()))
			if tt.says == "" {
				must(t, err)
			} else if !errors.Is(err, fsys.ErrUnreachable) || !strings.Contains(err.Error(), tt.says) &&
				!strings.Contains(err.Error(), "no answer within") {
				t.Errorf("open: %v", err)
			}
		})
	}
}

// A slow server does not time out.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	s := sshdtest.Start(t, sshdtest.Options{})
	p := through(t, s)
	p.delay.Store(int64(time.Second))
	to := remote.Target{User: s.User, Host: "127.0.0.1", Port: p.Addr().(*net.TCPAddr).Port, Path: t.TempDir()}
	tree, err := poolOf(t, remote.Options{Home: s.Home, Timeout: 15 * time.Second}).Open(t.Context(), to)
	must(t, err)
	must(t, vault.WriteNew(tree, vault.SyncEach{}, "a.md", []byte("text"), 0o600))
	if got := read(t, filepath.Join(to.Path, "a.md")); got != "text" {
		t.Errorf("it holds %q", got)
	}
}

// One session is enough, and a server that refuses logins while others log in is retried.
func TestFewSessions(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"MaxSessions 1", "MaxStartups 1:100:1"}})
	w := approved(t, s)
	taken, err := net.Dial("tcp", s.Addr())
	must(t, err)
	for range 100 { // until it is counted as one of those
		if _, err = poolOf(t, remote.Options{Home: s.Home}).Open(t.Context(), target(s, w.ws("far"))); err != nil {
			break
		}
	}
	if !errors.Is(err, fsys.ErrUnreachable) {
		t.Errorf("while another login is in progress: %v", err)
	}
	w.fails(5, []string{"reset", "--all"}, "unreachable")
	w.wasReset("near")
	w.untouched("far", "- a note of far\n")
	must(t, taken.Close())
	for range 6000 { // sshd has to notice
		if code, _ := w.tend("status", "far"); code != 5 { // 1: the reset that failed is a finding
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.ok("reset", "far")
	w.wasReset("far")
}

// For a user without a home folder, ~ is not the root folder.
func TestNoHome(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand internal-sftp"}})
	for dir := s.Home; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) { // sshd looks for the key as that user
		must(t, os.Chmod(dir, 0o755))
	}
	to := remote.Target{User: "nobody", Host: s.Host, Port: s.Port, Path: "~/tmp"}
	if _, err := pool(t, s).Open(t.Context(), to); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no home folder") {
		t.Errorf("open: %v", err)
	}
	to.User, to.Path = s.User, "~/"
	open(t, pool(t, s), to)
}

// An exceeded quota is not a full disk, and servers report only a failure, as for this limit on the file size.
func TestQuota(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand ulimit -f 1; trap '' XFSZ; exec " + sftpServer(t)}})
	w := approved(t, s)
	w.fails(5, []string{"reset", "--all"}, "a quota may be used up")
	w.untouched("far", "- a note of far\n")
	w.wasReset("near")
}

// A wrong clock of the host does no harm: an agent with files from tomorrow, or from years ago, is reset like any other.
func TestSkewedClock(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	for name, when := range map[string]time.Time{"ahead": time.Now().AddDate(1, 0, 0), "behind": time.Unix(0, 0),
		"beyond": time.Unix(1<<32-1, 0)} {
		t.Run(name, func(t *testing.T) {
			w := approved(t, s)
			must(t, os.Chtimes(w.memory("far"), when, when))
			w.ok("reset", "far", "--defer")
			w.wasReset("far")
		})
	}
}

// The server's process for one connection is killed during a command: the next call opens a new connection.
func TestChildKilled(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	agents := map[string]place{}
	for i := range 30 {
		agents[fmt.Sprintf("far%02d", i)] = s.URL
	}
	w := newWorld(t, "shepherd", agents)
	w.ok("baseline", "approve", "--all")
	for name := range agents {
		w.append(name, "- a note of "+name+"\n")
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			if _, err := os.Stat(filepath.Join(w.dir, "state/archive/far05")); err == nil {
				s.Drop()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	code, said := w.tend("reset", "--all")
	<-over
	if code > 1 && (code != 5 || !strings.Contains(said, "unreachable")) {
		t.Errorf("exit code %d: %s", code, said)
	}
	for name := range agents {
		w.kept("a note of " + name)
	}
	if code, said := w.tend("reset", "--all"); code > 1 {
		t.Errorf("run again: exit code %d: %s", code, said)
	}
	for name := range agents {
		w.wasReset(name)
	}
}
