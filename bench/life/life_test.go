// Package life plays months of agents' days through the real nights and checks that they do no harm: no line is lost, and
// none that Tend did not write leaves a file that is loaded. What the nights promote is not judged here.
package life

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNightsDoNoHarm plays the lives in testdata; with -short one of them.
func TestNightsDoNoHarm(t *testing.T) {
	all := lives(t)
	if testing.Short() {
		all = all[:1]
	}
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, l)
			w.play(l, func(run func()) {
				before := w.loaded()
				run()
				w.stays(before)
			})
			w.conserved()
		})
	}
}

// loaded returns the lines of the files at the top of the workspace, by file.
func (w workspace) loaded() map[string][]string {
	w.Helper()
	names, err := filepath.Glob(w.path("*.md"))
	must(w, err)
	out := map[string][]string{}
	for _, name := range names {
		out[filepath.Base(name)] = lines(w.read(filepath.Base(name)))
	}
	return out
}

// stays checks that each line that a person or the agent had written to a loaded file still stands there, as often.
func (w workspace) stays(before map[string][]string) {
	w.Helper()
	for name, had := range before {
		now := lines(w.read(name))
		for _, l := range had {
			if i := slices.Index(now, l); i >= 0 {
				now = slices.Delete(now, i, i+1)
			} else if w.written[name][l] {
				w.Errorf("a night took a line off %s that Tend did not write: %q", name, l)
			}
		}
	}
}

// conserved checks that every line that was ever written stands in a file of the workspace, in an archive or in history.
func (w workspace) conserved() {
	w.Helper()
	all := w.everything()
	for name, written := range w.written {
		for l := range written {
			if !bytes.Contains(all, []byte(l)) && !bytes.Contains(all, quoted(w.T, l)) {
				w.Errorf("a line of %s is lost: %q", name, l)
			}
		}
	}
}

// everything is the text of all files of the workspace and of Tend's state, except the derived repository.
func (w workspace) everything() []byte {
	w.Helper()
	var all bytes.Buffer
	must(w, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasSuffix(d.Name(), ".git"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		all.WriteByte('\n')
		return err
	}))
	return all.Bytes()
}

// quoted is a line as JSON has it, without quotes.
func quoted(t *testing.T, l string) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	must(t, enc.Encode(l))
	return bytes.Trim(b.Bytes(), "\"\n")
}
