// Package web tests the dashboard in a real Chromium, as people use it: on the sample fleet of `tend demo --serve`, in
// light and dark, on a phone and on a wide screen, with and without JavaScript, and on hostile memories.
package web

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"tend/internal/front/cli/clitest"
	"tend/test/require"
)

var must = require.NoError

var update = flag.Bool("update", false, "write the screenshots of docs/img")

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if err := cleanUp(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// cleaning runs after all tests, the last first.
var cleaning []func() error

func cleanUp() error {
	var errs []error
	for i := len(cleaning) - 1; i >= 0; i-- {
		errs = append(errs, cleaning[i]())
	}
	return errors.Join(errs...)
}

// program builds tend as it is shipped, without the race detector: the demo simulates weeks within seconds.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tend-web-")
	if err != nil {
		return "", err
	}
	cleaning = append(cleaning, func() error { return os.RemoveAll(dir) })
	name := filepath.Join(dir, "tend")
	return name, clitest.Build(name)
})

// server is a keeper that serves a dashboard.
type server struct {
	tend    string
	dir     string
	base    string // http://127.0.0.1:PORT
	link    string // logs in once
	session string // cookie of a logged-in user
	cmd     *exec.Cmd
	ended   chan error
	said    *lines
}

// lines is what a program printed.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(line + "\n")
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// demo serves the sample fleet, once for all tests. They change different agents.
var demo = sync.OnceValues(func() (*server, error) {
	tend, err := program()
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "tend-web-demo-")
	if err != nil {
		return nil, err
	}
	cleaning = append(cleaning, func() error { return os.RemoveAll(tmp) })
	s := &server{tend: tend}
	if err := s.start(tmp, "demo", "--serve"); err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(tmp, "tend-demo-*"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("the demo is in %v, %v", found, err)
	}
	s.dir = found[0]
	cleaning = append(cleaning, func() error {
		if err := s.stop(); err != nil {
			return err
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			return fmt.Errorf("the demo left %v behind, %v", left, err)
		}
		return nil
	})
	return s, nil
})

// start runs tend until it prints a login link.
func (s *server) start(tmp string, args ...string) error {
	s.cmd = exec.Command(s.tend, args...)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "USER=operator", "INVOCATION_ID=") // a service would not print the link
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	s.cmd.Stdout, s.cmd.Stderr = in, in
	if err := s.cmd.Start(); err != nil {
		return err
	}
	in.Close()
	s.said, s.ended = &lines{}, make(chan error, 1)
	links := make(chan string, 1)
	pattern := regexp.MustCompile(`https?://\S+/login\?once=\S+`)
	go func() {
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			s.said.add(scan.Text())
			if link := pattern.FindString(scan.Text()); link != "" {
				select {
				case links <- link:
				default:
				}
			}
		}
		close(links)
		s.ended <- s.cmd.Wait()
	}()
	link, ok := <-links
	if !ok {
		return fmt.Errorf("tend %s ended without a login link: %w\n%s", strings.Join(args, " "), <-s.ended, s.said)
	}
	u, err := url.Parse(link)
	if err != nil {
		return err
	}
	s.link, s.base = link, u.Scheme+"://"+u.Host
	return nil
}

// stop ends the keeper like Ctrl-C and checks that it exits cleanly.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	if err := <-s.ended; err != nil {
		return fmt.Errorf("tend ended with %w\n%s", err, s.said)
	}
	return nil
}

// serve serves a fleet of the test's own.
func serve(t *testing.T, dir string) *server {
	t.Helper()
	tend, err := program()
	must(t, err)
	s := &server{tend: tend, dir: dir}
	must(t, s.start(t.TempDir(), "--config", filepath.Join(dir, "tend.yaml"), "up"))
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sample returns the sample fleet's server, logged in.
func sample(t *testing.T) *server {
	t.Helper()
	s, err := demo()
	must(t, err)
	return s
}

// run runs a tend command on the fleet.
func (s *server) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(s.tend, append([]string{"--config", filepath.Join(s.dir, "tend.yaml")}, args...)...)
	cmd.Env = append(os.Environ(), "USER=operator")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		t.Fatalf("tend %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// newLink asks for another login link.
func (s *server) newLink(t *testing.T, args ...string) string {
	t.Helper()
	out := s.run(t, append([]string{"token", "login"}, args...)...)
	link := regexp.MustCompile(`https?://\S+/login\?once=\S+`).FindString(out)
	if link == "" {
		t.Fatalf("tend token login prints no link:\n%s", out)
	}
	u, err := url.Parse(link)
	must(t, err)
	return s.base + u.RequestURI()
}

// cookie logs in once for all tabs.
func (s *server) cookie(t *testing.T) string {
	t.Helper()
	if s.session != "" {
		return s.session
	}
	jar, err := cookiejar.New(nil)
	must(t, err)
	answer, err := (&http.Client{Jar: jar}).Get(s.newLink(t))
	must(t, err)
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	u, _ := url.Parse(s.base)
	for _, c := range jar.Cookies(u) {
		if c.Name == sessionCookie {
			s.session = c.Value
		}
	}
	if s.session == "" {
		t.Fatalf("a login link gives no cookie %s: %s", sessionCookie, answer.Status)
	}
	return s.session
}

const sessionCookie = "tend_session"

// fetch gets a page without a browser.
func (s *server) fetch(t *testing.T, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.base+path, nil)
	must(t, err)
	req.AddCookie(&http.Cookie{Name: sessionCookie, Value: s.cookie(t)})
	answer, err := http.DefaultClient.Do(req)
	must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	return answer.StatusCode, string(body)
}

// file returns a file of an agent from disk.
func (s *server) file(t *testing.T, agent, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "workspaces", agent, name))
	must(t, err)
	return string(text)
}

// browser is one Chromium for all tests.
var browser = sync.OnceValues(func() (context.Context, error) {
	profile, err := os.MkdirTemp("", "tend-web-chromium-")
	if err != nil {
		return nil, err
	}
	cleaning = append(cleaning, func() error { return os.RemoveAll(profile) })
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.UserDataDir(profile),
		chromedp.Flag("no-sandbox", os.Getuid() == 0),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true),
	)
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	cleaning = append(cleaning, func() error {
		err := chromedp.Cancel(ctx)
		cancel()
		stop()
		return err
	})
	if err := chromedp.Do(ctx); err != nil {
		return nil, fmt.Errorf("start chromium (`make setup` installs it): %w", err)
	}
	return ctx, nil
})
