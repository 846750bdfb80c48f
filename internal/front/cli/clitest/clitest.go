// Package clitest builds tend for the tests that start it.
package clitest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tend/internal/disk/fsys"
)

// Build puts the tend binary, as shipped, under the given name. It is built once for all test packages, in the
// repository's folder .tools, and again only if its source has changed.
func Build(name string) (err error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	dir := filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), ".tools", "tested")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	d, err := fsys.Dir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	lock, err := d.Lock("lock", "a test\n")
	for ; errors.Is(err, fsys.ErrLocked); lock, err = d.Lock("lock", "a test\n") {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	built := filepath.Join(dir, "tend")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", built, "tend/cmd/tend")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+dir) // on the same disk: go renames the binary into place
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build tend: %w\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return copyFile(built, name)
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
