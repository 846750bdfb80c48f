package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the tests got to their golden files")

// eachFile runs a test for every file of testdata that matches: adding a test is adding a file.
func eachFile(t *testing.T, pattern string, run func(t *testing.T, path string, text []byte)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %s (%v)", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(t, err)
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) { run(t, path, text) })
	}
}

// golden compares got with the file beside path that has another ending.
func golden(t *testing.T, path, ending string, got []byte) {
	t.Helper()
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ending
	if *update {
		must(t, os.WriteFile(file, got, 0o644))
		return
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-want +got):\n%s", file, cmp.Diff(string(want), string(got)))
	}
}
