package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/test/require"
)

// The credentials of the test server.
const (
	AccessKey = "tend-test"
	SecretKey = "tend-test-secret"
)

// ServerEnv names the S3 server the tests use: versitygw if it is not set, or minio. tools/setup
// installs them.
const ServerEnv = "TEND_TEST_S3"

const versity, minIO = "versitygw", "minio"

func program() string {
	if name := os.Getenv(ServerEnv); name != "" {
		return name
	}
	return versity
}

// Server is an S3 server on loopback, over a folder that is removed with the test.
type Server struct {
	Endpoint string
	Dir      string // where it keeps everything

	program string
	addr    string
	flags   []string
	cmd     *exec.Cmd
	log     *bytes.Buffer
}

// Serve starts an S3 server with one bucket, stops it with the test and puts its credentials into the environment.
func Serve(t *testing.T, bucket string) *Server {
	t.Helper()
	return serve(t, bucket)
}

// ServeUnsafe is Serve with a setting that makes versitygw ignore preconditions.
func ServeUnsafe(t *testing.T, bucket string) *Server {
	t.Helper()
	t.Setenv(ServerEnv, versity)
	return serve(t, bucket, "--nometa")
}

func serve(t *testing.T, bucket string, flags ...string) *Server {
	t.Helper()
	_, err := find(program())
	require.Here(t, err == nil, "this test runs %s, which is not installed: tools/setup installs it", program())
	t.Setenv("AWS_ACCESS_KEY_ID", AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", SecretKey)
	s, err := Launch(t.TempDir(), bucket, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// Launch starts a server over a folder, for programs that are not tests.
func Launch(dir, bucket string, flags ...string) (*Server, error) {
	s := &Server{Dir: dir, flags: flags, program: program()}
	var err error
	if s.addr, err = FreeAddr(); err != nil {
		return nil, err
	}
	s.Endpoint = "http://" + s.addr
	if err := s.start(); err != nil {
		return nil, err
	}
	// Both servers treat a folder as a bucket; MinIO needs an empty folder at start.
	return s, os.Mkdir(filepath.Join(dir, bucket), 0o755)
}

// FreeAddr returns an unused address of this machine. Its port is below those the kernel assigns to outgoing
// connections: one of them could take it before the server does, or while the server is down.
func FreeAddr() (string, error) {
	var err error
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))
		var l net.Listener
		if l, err = net.Listen("tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", err
}

// Start starts the server, also after Kill, and waits until it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	_, err := find(s.program)
	require.Here(t, err == nil, "%v", err)
	require.NoError(t, s.start())
}

func (s *Server) start() error {
	name, err := find(s.program)
	if err != nil {
		return err
	}
	s.log = new(bytes.Buffer)
	args := append([]string{"--port", s.addr, "--access", AccessKey, "--secret", SecretKey, "--keep-alive", "--quiet", "posix"}, s.flags...)
	ready := s.connects
	if s.program == minIO {
		args, ready = append([]string{"server", "--quiet", "--address", s.addr}, s.flags...), s.denies
	}
	s.cmd = exec.Command(name, append(args, s.Dir)...)
	s.cmd.Env = append(os.Environ(), "MINIO_ROOT_USER="+AccessKey, "MINIO_ROOT_PASSWORD="+SecretKey, "MINIO_BROWSER=off", "MINIO_UPDATE=off")
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			s.Kill()
			return fmt.Errorf("%s does not answer: %w\n%s", s.program, err, s.log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// connects: a server that accepts connections is ready.
func (s *Server) connects(ctx context.Context) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// denies: MinIO accepts connections, and reports that it is healthy, before it has loaded its permissions. Then it
// denies requests.
func (s *Server) denies(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint+"/", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode != http.StatusForbidden {
		err = errors.New(resp.Status)
	}
	if resp != nil {
		err = errors.Join(err, resp.Body.Close())
	}
	return err
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// find looks for the server in the repository's tools folder, the PATH and Go's own folder.
func find(program string) (string, error) {
	if dir, err := os.Getwd(); err == nil {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if name := filepath.Join(dir, ".tools", program); executable(name) {
				return name, nil
			}
		}
	}
	if name, err := exec.LookPath(program); err == nil {
		return name, nil
	}
	if out, err := exec.Command("go", "env", "GOPATH").Output(); err == nil {
		if name := filepath.Join(strings.TrimSpace(string(out)), "bin", program); executable(name) {
			return name, nil
		}
	}
	return "", errors.New("no " + program + " found: run tools/setup, which installs it")
}

func executable(name string) bool {
	i, err := os.Stat(name)
	return err == nil && i.Mode().IsRegular() && i.Mode()&0o111 != 0
}
