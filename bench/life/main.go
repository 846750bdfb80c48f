// Command life plays months of an agent's days against tend and scores the memory that comes out.
//
//	go run ./bench/life [-json] [-show] [-keep DIR] [-tend BINARY] [FILE…]
//
// A life (testdata/*.json, the default) holds what an agent wrote every day and what is true at the end. Each day's log,
// buffer and edits are written with that day's times; at 23:30 `tend nightly` runs, on Mondays at 09:00 `tend review`. At
// the end the loaded files are compared with the facts, every fact is asked for with `tend search`, and every pair of
// statements is given to `tend compare` in a workspace of its own.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"tend/bench/kit"
)

func main() {
	var asJSON, show bool
	var keep, tend string
	flag.BoolVar(&asJSON, "json", false, "print JSON")
	flag.BoolVar(&show, "show", false, "print what was missed, and the final MEMORY.md")
	flag.StringVar(&keep, "keep", "", "leave the workspaces in this folder")
	flag.StringVar(&tend, "tend", "", "the binary to play against (default: built from this tree)")
	flag.Parse()
	kit.In("", func(dir string) error {
		files := flag.Args()
		if len(files) == 0 {
			files, _ = filepath.Glob("bench/life/testdata/*.json")
		}
		if len(files) == 0 {
			return errors.New("no life found: name a file, or run this at the top of the repository")
		}
		tend, err := binary(tend, dir)
		if err != nil {
			return err
		}
		all, err := playAll(files, func(l life) (string, func() error, error) { return folder(keep, dir, l.Name) }, process(tend))
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(os.Stdout, all)
		}
		return printTable(os.Stdout, all, show)
	})
}

// binary is the absolute path of the program under test, built when none is named.
func binary(tend, dir string) (string, error) {
	if tend == "" {
		return kit.BuildTend(dir)
	}
	return filepath.Abs(tend)
}

// folder is where a life is played: kept if asked for, otherwise removed afterwards.
func folder(keep, dir, name string) (string, func() error, error) {
	if keep == "" {
		at := filepath.Join(dir, name)
		return at, func() error { return os.RemoveAll(at) }, os.MkdirAll(at, 0o755)
	}
	at, err := filepath.Abs(filepath.Join(keep, name))
	if err == nil {
		err = errors.Join(os.RemoveAll(at), os.MkdirAll(at, 0o755))
	}
	return at, func() error { return nil }, err
}

// scored is a life with its scores.
type scored struct {
	life
	scores
}

func playAll(files []string, place func(life) (string, func() error, error), tend runner) ([]scored, error) {
	var all []scored
	for _, name := range files {
		l, err := load(name)
		if err != nil {
			return nil, err
		}
		dir, done, err := place(l)
		if err != nil {
			return nil, err
		}
		s, err := score(l, dir, tend)
		if err := errors.Join(err, done()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, scored{l, s})
	}
	return all, nil
}
