// Package machine answers questions about this computer without changing or running anything: whether a path, a program, a
// systemd unit, a local port, a git branch or a package is there. Only the operator's roots are looked at, and only the loopback
// interface is asked.
package machine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tend/internal/disk/fsys"
)

// Answer is what a probe found.
type Answer int

// The answers. Unknown is what may not or cannot be looked at: it is never a reason to report anything.
const (
	Unknown Answer = iota
	Holds
	Gone
)

// Machine is this computer, or a folder that stands for one.
type Machine struct {
	Base  string   // what "/" means; "" for the real one
	Home  string   // what "~" means, as seen from Base
	Roots []string // folders that may be looked at; "~" is Home
	Dirs  []string // the search path of programs
	Dial  func(ctx context.Context, address string) error
}

// This returns this computer as far as the roots go.
func This(roots []string) Machine {
	home, _ := os.UserHomeDir()
	return Machine{Home: home, Roots: roots, Dirs: filepath.SplitList(os.Getenv("PATH")), Dial: dial}
}

func dial(ctx context.Context, address string) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err == nil {
		err = c.Close()
	}
	return err
}

// localPath returns a path as the operating system names it, false if it is outside the roots.
func (m Machine) localPath(p string) (string, bool) {
	p = m.expandHome(p)
	for _, root := range m.Roots {
		root = m.expandHome(root)
		if rel, err := filepath.Rel(root, p); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return filepath.Join(m.Base, p), true
		}
	}
	return "", false
}

func (m Machine) expandHome(p string) string {
	if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || rest[0] == '/') {
		p = m.Home + rest
	}
	return filepath.Clean(p)
}

// Path asks whether a file or folder exists. A path is gone only if the first folder below its root still exists: a whole disk
// that is missing is not mounted.
func (m Machine) Path(p string) Answer {
	file, ok := m.localPath(p)
	if !ok {
		return Unknown
	}
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return Holds
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		if _, err := os.Lstat(filepath.Join(m.Base, m.expandHome(m.rootOf(p)))); err == nil {
			return Gone
		}
	}
	return Unknown
}

// rootOf returns the root that a path is in.
func (m Machine) rootOf(p string) string {
	p = m.expandHome(p)
	for _, root := range m.Roots {
		if r := m.expandHome(root); p == r || strings.HasPrefix(p, strings.TrimSuffix(r, "/")+"/") {
			return root
		}
	}
	return p
}

// askAnywhere asks for a name in several folders. It is gone only if all of those that exist may be looked at.
func (m Machine) askAnywhere(dirs []string, name string) Answer {
	seen := 0
	for _, dir := range dirs {
		switch m.Path(filepath.Join(m.expandHome(dir), name)) {
		case Holds:
			return Holds
		case Gone:
			seen++
		case Unknown:
			if _, ok := m.localPath(dir); !ok {
				return Unknown
			}
		}
	}
	if seen == 0 {
		return Unknown
	}
	return Gone
}

// Program asks whether a program is in the search path.
func (m Machine) Program(name string) Answer { return m.askAnywhere(m.Dirs, name) }

// Unit asks whether systemd has a unit of this name, of the system or of the user.
func (m Machine) Unit(name string) Answer {
	return m.askAnywhere([]string{
		"/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system", "/usr/local/lib/systemd/system",
		"/etc/systemd/user", "/usr/lib/systemd/user", "~/.config/systemd/user", "~/.local/share/systemd/user",
	}, name)
}

// dialTime is how long a local port may take to answer.
const dialTime = 300 * time.Millisecond

// Port asks whether something listens on a local port. Only a refusal says that nothing does.
func (m Machine) Port(ctx context.Context, port string) Answer {
	refused := 0
	for _, host := range []string{"127.0.0.1", "::1"} {
		limited, cancel := context.WithTimeout(ctx, dialTime)
		err := m.Dial(limited, net.JoinHostPort(host, port))
		cancel()
		switch {
		case err == nil:
			return Holds
		case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EADDRNOTAVAIL):
			refused++
		}
	}
	if refused < 2 {
		return Unknown
	}
	return Gone
}

// Repository asks whether a folder is a git repository.
func (m Machine) Repository(dir string) Answer {
	if a := m.Path(dir); a != Holds {
		return a
	}
	if m.Path(filepath.Join(m.expandHome(dir), ".git")) == Holds || m.Path(filepath.Join(m.expandHome(dir), "HEAD")) == Holds {
		return Holds
	}
	return Unknown // it may be a folder inside one
}

// mostRefs is the largest list of packed references that is read, mostStatus the largest list of packages.
const mostRefs, mostStatus = 4 << 20, 64 << 20

// Branch asks whether a repository has a branch, its own or one it knows of another.
func (m Machine) Branch(dir, name string) Answer {
	git := filepath.Join(m.expandHome(dir), ".git")
	if m.Path(filepath.Join(git, "HEAD")) != Holds {
		return Unknown
	}
	for _, ref := range []string{"refs/heads/", "refs/remotes/origin/"} {
		if m.Path(filepath.Join(git, ref+name)) == Holds {
			return Holds
		}
	}
	packed, err := m.read(filepath.Join(git, "packed-refs"), mostRefs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case err != nil:
		return Unknown
	case bytes.Contains(packed, []byte("/"+name+"\n")):
		return Holds
	}
	return Gone
}

// read returns a file's text, unless a link leads out of the roots.
func (m Machine) read(p string, most int64) ([]byte, error) {
	file, ok := m.localPath(p)
	if !ok {
		return nil, fs.ErrPermission
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, err
	}
	base, err := filepath.EvalSymlinks(filepath.Join("/", m.Base))
	if err != nil {
		return nil, err
	}
	if _, ok := m.localPath(filepath.Join("/", strings.TrimPrefix(real, base))); !ok {
		return nil, fs.ErrPermission
	}
	if i, err := os.Stat(real); err != nil || i.Size() > most {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	return fsys.ReadFile(real)
}

// Package returns the installed version of a Debian package. Where dpkg has no list, nothing is known.
func (m Machine) Package(name string) (version string, a Answer) {
	status, err := m.read("/var/lib/dpkg/status", mostStatus)
	if err != nil {
		return "", Unknown
	}
	lines := bufio.NewScanner(bytes.NewReader(status))
	lines.Buffer(nil, 1<<20)
	here, installed := false, false
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case key == "Package":
			here, installed = value == name, false
		case here && key == "Status":
			installed = value == "install ok installed"
		case here && installed && key == "Version":
			return value, Holds
		}
	}
	if lines.Err() != nil {
		return "", Unknown
	}
	return "", Gone
}
