// Package sshdtest starts a real sshd on loopback, with keys, configuration and log in its own folder, to test remote
// agents.
package sshdtest

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"tend/test/require"
)

// Options configure the server; by default it listens on 127.0.0.1 and accepts the key created for it.
type Options struct {
	Host   string   // address to listen on
	Run    []string // what to start sshd through, e.g. "ip netns exec NAME"
	Config []string // lines of sshd_config, instead of the usual ones of the same words
}

// Server is a running sshd.
type Server struct {
	Host string
	Port int
	User string // whom the key is for: the user of the test
	// Home is a home folder for clients: its .ssh has a key that the server accepts and the server's host key in
	// known_hosts.
	Home string

	dir  string
	opt  Options
	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts a server for the duration of a test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	require.Program(t, "sshd")
	s, err := Launch(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Launch starts a server whose files are in dir; the caller stops it.
func Launch(dir string, o Options) (*Server, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	o.Host = cmp.Or(o.Host, "127.0.0.1")
	s := &Server{Host: o.Host, User: me.Username, Home: filepath.Join(dir, "home"), dir: dir, opt: o}
	if err := os.MkdirAll(filepath.Join(s.Home, ".ssh"), 0o700); err != nil {
		return nil, err
	}
	if me.Uid == "0" {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where it locks its children in
			return nil, err
		}
	}
	if _, err := WriteKey(filepath.Join(dir, "host_key"), ""); err != nil {
		return nil, err
	}
	pub, err := WriteKey(s.KeyFile(), "")
	if err != nil {
		return nil, err
	}
	if err := s.Authorize(pub); err != nil {
		return nil, err
	}
	for range 5 { // a free port may be taken before we use it
		if s.Port, err = freePort(); err != nil {
			return nil, err
		}
		if err = s.Run(); err == nil {
			return s, os.WriteFile(filepath.Join(s.Home, ".ssh/known_hosts"), []byte(s.KnownHost()+"\n"), 0o600)
		}
	}
	return nil, err
}

// KeyFile returns the private key that the server accepts.
func (s *Server) KeyFile() string { return filepath.Join(s.Home, ".ssh/id_ed25519") }

// HostKey is the server's public key.
func (s *Server) HostKey() ssh.PublicKey {
	text, err := os.ReadFile(filepath.Join(s.dir, "host_key.pub"))
	if err != nil {
		return nil
	}
	key, _, _, _, _ := ssh.ParseAuthorizedKey(text)
	return key
}

// KnownHost returns the server's line of known_hosts.
func (s *Server) KnownHost() string {
	return knownhosts.Line([]string{knownhosts.Normalize(s.Addr())}, s.HostKey())
}

// Addr returns where the server listens.
func (s *Server) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// URL returns a folder of the host as written in tend.yaml.
func (s *Server) URL(dir string) string { return "ssh://" + s.User + "@" + s.Addr() + dir }

// Authorize sets the keys the server accepts.
func (s *Server) Authorize(keys ...string) error {
	return os.WriteFile(filepath.Join(s.dir, "authorized_keys"), []byte(strings.Join(keys, "\n")+"\n"), 0o644)
}

// Rekey gives the server another host key at its next start.
func (s *Server) Rekey() error {
	_, err := WriteKey(filepath.Join(s.dir, "host_key"), "")
	return err
}

// Log returns the server's log.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text)
}

// Run starts the server, also after it was stopped.
func (s *Server) Run() error {
	program, err := findSSHD()
	if err != nil {
		return err
	}
	lines := slices.Clone(s.opt.Config)
	for _, line := range []string{
		"Port " + strconv.Itoa(s.Port), "ListenAddress " + s.Host, "HostKey " + filepath.Join(s.dir, "host_key"),
		"PidFile " + filepath.Join(s.dir, "pid"),
		"AuthorizedKeysFile " + filepath.Join(s.dir, "authorized_keys"), "StrictModes no", "UsePAM no",
		"PermitRootLogin yes", "PasswordAuthentication no",
		"KbdInteractiveAuthentication no", "UseDNS no", "MaxStartups 100", "LogLevel VERBOSE", "Subsystem sftp internal-sftp",
	} {
		// For some keywords the first value counts, for others the last.
		word, _, _ := strings.Cut(line, " ")
		if !slices.ContainsFunc(s.opt.Config, func(own string) bool { return strings.HasPrefix(own, word+" ") }) {
			lines = append(lines, line)
		}
	}
	conf := filepath.Join(s.dir, "sshd_config")
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := append(append([]string{}, s.opt.Run...), program, "-D", "-e", "-f", conf)
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(s.cmd, s.done)
	return s.await()
}

// await waits for the file the server writes once it listens.
func (s *Server) await() error {
	for range 30000 {
		select {
		case <-s.done:
			return fmt.Errorf("sshd ended: %s", s.Log())
		case <-time.After(10 * time.Millisecond):
		}
		if pid, err := os.ReadFile(filepath.Join(s.dir, "pid")); err == nil && len(pid) > 0 {
			return nil
		}
	}
	s.Stop()
	return errors.New("sshd does not come up: " + s.Log())
}

// Stop kills the server and all its connections.
func (s *Server) Stop() {
	kill(append([]int{s.cmd.Process.Pid}, descendants(s.cmd.Process.Pid)...))
	<-s.done
	_ = os.Remove(filepath.Join(s.dir, "pid"))
}

// Drop closes the server's connections, but not the server.
func (s *Server) Drop() { kill(descendants(s.cmd.Process.Pid)) }

func kill(pids []int) {
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

func descendants(pid int) []int {
	pids := childrenOf(pid)
	for i := 0; i < len(pids); i++ {
		pids = append(pids, childrenOf(pids[i])...)
	}
	return pids
}

func childrenOf(pid int) []int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	var pids []int
	for f := range strings.FieldsSeq(string(text)) {
		if n, err := strconv.Atoi(f); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// WriteKey creates a key pair, name and name.pub, and returns the public half as a line of authorized_keys.
func WriteKey(name, passphrase string) (string, error) {
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		return "", err
	}
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		return "", err
	}
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	return line, errors.Join(os.WriteFile(name, pem.EncodeToMemory(block), 0o600), os.WriteFile(name+".pub", []byte(line+"\n"), 0o644))
}

func findSSHD() (string, error) {
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin", "/usr/local/sbin") {
		// It must be started by its full path to be able to restart itself.
		if name := filepath.Join(dir, "sshd"); filepath.IsAbs(name) {
			if _, err := exec.LookPath(name); err == nil {
				return name, nil
			}
		}
	}
	return "", errors.New("there is no sshd: `make setup` installs it")
}

// freePort finds a port below those the kernel assigns to outgoing connections: one of them could take it before the
// server does, or while the server is down.
func freePort() (port int, err error) {
	for range 100 {
		port = 10000 + mrand.IntN(20000)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}
