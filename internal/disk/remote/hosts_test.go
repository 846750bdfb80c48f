package remote_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/disk/remote/sshdtest"
	"tend/test/require"
)

// If a host is unknown, has a different key or refuses the login, nothing is sent to it and the error says what to do; the
// other agents are reset.
func TestRefusedHosts(t *testing.T) {
	reset := []string{"reset", "--all"}
	for _, tt := range []struct {
		name  string
		conf  []string
		spoil func(t *testing.T, s *sshdtest.Server)
		code  int
		says  func(s *sshdtest.Server) []string
	}{
		{"unknown host", nil, func(t *testing.T, s *sshdtest.Server) {
			must(t, os.Remove(filepath.Join(s.Home, ".ssh/known_hosts")))
		}, 3, func(s *sshdtest.Server) []string {
			return []string{"is not a known host", ssh.FingerprintSHA256(s.HostKey()), fmt.Sprintf("run `ssh -p %d %s` once", s.Port, s.Host)}
		}},
		{"changed host key", nil, func(t *testing.T, s *sshdtest.Server) {
			s.Stop()
			must(t, s.Rekey())
			must(t, s.Run())
		}, 3, func(s *sshdtest.Server) []string {
			return []string{"a different key than the known one", ssh.FingerprintSHA256(s.HostKey()),
				"remove its line from " + s.Home + "/.ssh/known_hosts"}
		}},
		{"key not accepted", nil, func(t *testing.T, s *sshdtest.Server) {
			must(t, s.Authorize("# nobody"))
		}, 5, func(s *sshdtest.Server) []string {
			return []string{"no key was accepted", "never asks for a password", "authorized_keys"}
		}},
		{"password only", []string{"PubkeyAuthentication no", "PasswordAuthentication yes"}, func(*testing.T, *sshdtest.Server) {}, 5,
			func(s *sshdtest.Server) []string {
				return []string{"no key was accepted", "never asks for a password"}
			}},
		{"no key at all", nil, func(t *testing.T, s *sshdtest.Server) {
			must(t, os.Remove(s.KeyFile()))
		}, 5, func(s *sshdtest.Server) []string {
			return []string{"no key found", s.KeyFile()}
		}},
		{"key with a passphrase", nil, func(t *testing.T, s *sshdtest.Server) {
			pub, err := sshdtest.WriteKey(s.KeyFile(), "secret")
			must(t, err)
			must(t, s.Authorize(pub))
		}, 5, func(s *sshdtest.Server) []string {
			return []string{s.KeyFile() + " has a passphrase", "ssh-add " + s.KeyFile()}
		}},
		{"no server", nil, func(t *testing.T, s *sshdtest.Server) {
			s.Stop()
			t.Cleanup(func() { must(t, s.Run()) })
		}, 5, func(s *sshdtest.Server) []string {
			return []string{"connect to " + s.Addr(), "unreachable", "refused"}
		}},
		{"no sftp", []string{"ForceCommand /bin/true"}, func(*testing.T, *sshdtest.Server) {}, 5, func(s *sshdtest.Server) []string {
			return []string{"start sftp on " + s.Addr()}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("SSH_AUTH_SOCK", "")
			s := sshdtest.Start(t, sshdtest.Options{Config: tt.conf})
			w := approved(t, s)
			tt.spoil(t, s)
			w.fails(tt.code, reset, tt.says(s)...)
			w.untouched("far", "- a note of far\n")
			w.wasReset("near")
		})
	}
}

// ssh_config is followed: names, ports, users, keys, other files, jump hosts.
func TestConfig(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "")
	inner, outer := sshdtest.Start(t, sshdtest.Options{}), sshdtest.Start(t, sshdtest.Options{})
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, ".ssh"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, "known hosts"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(home, "known"), []byte(inner.KnownHost()+"\n"+outer.KnownHost()+"\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(home, "a key"), []byte(read(t, inner.KeyFile())), 0o600))
	conf := fmt.Sprintf(`
Host box
  HostName %[1]s
  Port %[2]d
  User %[3]s
  IdentityFile "~/a key"

Host behind
  HostName 127.0.0.1
  Port %[2]d
  IdentityFile "~/a key"
  ProxyJump gate

Host gate
  HostName %[4]s
  Port %[5]d
  IdentityFile %[6]s

Host command
  ProxyCommand touch %[7]s/ran

Match all
  UserKnownHostsFile ~/known
`, inner.Host, inner.Port, inner.User, outer.Host, outer.Port, outer.KeyFile(), home)
	must(t, os.WriteFile(filepath.Join(home, ".ssh/config"), []byte(conf), 0o600))
	ws := t.TempDir()
	p := poolOf(t, remote.Options{Home: home, Timeout: time.Minute})
	for _, alias := range []string{"box", "behind"} {
		tree := open(t, p, remote.Target{Host: alias, Path: ws})
		must(t, tree.Mkdir(alias, 0o700))
		if _, err := os.Stat(filepath.Join(ws, alias)); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(outer.Log(), "Accepted publickey") {
		t.Error("the jump host was not used")
	}
	if _, err := p.Open(t.Context(), remote.Target{Host: "command", Path: ws}); err == nil || !strings.Contains(err.Error(), "ProxyJump") {
		t.Errorf("proxy command: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("a command of ssh_config was run")
	}

	// The jump host's key is checked too.
	must(t, os.WriteFile(filepath.Join(home, "known"), []byte(inner.KnownHost()+"\n"), 0o600))
	_, err := poolOf(t, remote.Options{Home: home, Timeout: time.Minute}).Open(t.Context(), remote.Target{Host: "behind", Path: ws})
	if !errors.Is(err, remote.ErrHostKey) || !strings.Contains(err.Error(), outer.Addr()) {
		t.Errorf("unknown jump host: %v", err)
	}
	outer.Stop()
	_, err = poolOf(t, remote.Options{Home: home, Timeout: time.Minute}).Open(t.Context(), remote.Target{Host: "behind", Path: ws})
	if !errors.Is(err, fsys.ErrUnreachable) {
		t.Errorf("jump host down: %v", err)
	}
	must(t, outer.Run())
}

// A key with a passphrase is used through the SSH agent.
func TestAgent(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"MaxAuthTries 3"}})
	pub, err := sshdtest.WriteKey(s.KeyFile(), "secret")
	must(t, err)
	must(t, s.Authorize(pub))
	sock := filepath.Join(t.TempDir(), "agent")
	cmd := exec.Command(require.Program(t, "ssh-agent"), "-D", "-a", sock)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for range 30000 {
		if _, err := os.Stat(sock); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	// The agent offers keys of other hosts first: the server limits the attempts.
	for i := range 5 {
		name := filepath.Join(t.TempDir(), fmt.Sprint(i))
		_, err := sshdtest.WriteKey(name, "")
		must(t, err)
		add(t, sock, name, "")
	}
	add(t, sock, s.KeyFile(), "secret")
	ws := t.TempDir()
	must(t, open(t, poolOf(t, remote.Options{Home: s.Home, AgentSock: sock}), target(s, ws)).Mkdir("d", 0o700))

	must(t, os.WriteFile(filepath.Join(s.Home, ".ssh/config"), []byte("Host *\n  IdentityAgent none\n"), 0o600))
	_, err = poolOf(t, remote.Options{Home: s.Home, AgentSock: sock}).Open(t.Context(), target(s, ws))
	if !errors.Is(err, remote.ErrDenied) || !strings.Contains(err.Error(), "ssh-add") {
		t.Errorf("without the agent: %v", err)
	}
	if strings.Contains(s.Log(), "agent-forward") || strings.Contains(s.Log(), "auth-agent-req") {
		t.Error("the agent was forwarded")
	}
}

func add(t *testing.T, sock, key, passphrase string) {
	t.Helper()
	cmd := exec.Command(require.Program(t, "ssh-add"), "-q", key)
	ask := filepath.Join(t.TempDir(), "ask")
	must(t, os.WriteFile(ask, []byte("#!/bin/sh\necho '"+passphrase+"'\n"), 0o700))
	cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+sock, "SSH_ASKPASS="+ask, "SSH_ASKPASS_REQUIRE=force", "DISPLAY=:0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v: %s", err, out)
	}
}

// A host that accepts the connection and never answers times out, and calls soon after fail at once.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	came := make(chan net.Conn, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came <- c
		}
	}()
	s := sshdtest.Start(t, sshdtest.Options{})
	p := poolOf(t, remote.Options{Home: s.Home, Timeout: 5 * time.Second})
	to := remote.Target{User: "me", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Path: "/tmp"}
	for range 5 {
		_, err := p.Open(t.Context(), to)
		if !errors.Is(err, fsys.ErrUnreachable) || !strings.Contains(err.Error(), "no answer within 5s") {
			t.Errorf("open: %v", err)
		}
	}
	if len(came) != 1 {
		t.Errorf("the host was asked %d times, want once", len(came))
	}
	(<-came).Close()
}

// One connection serves all agents of a host.
func TestOneConnection(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	agents := map[string]place{}
	for i := range 200 {
		agents[fmt.Sprintf("a%03d", i)] = s.URL
	}
	w := newWorld(t, "shepherd", agents)
	w.ok("baseline", "approve", "--all")
	for name := range agents {
		w.append(name, "- a note of "+name+"\n")
	}
	before := strings.Count(s.Log(), "Accepted publickey")
	w.ok("reset", "--all")
	if got := strings.Count(s.Log(), "Accepted publickey") - before; got != 1 {
		t.Errorf("200 agents took %d connections, want 1", got)
	}
	w.wasReset("a000")
	w.wasReset("a199")
}
