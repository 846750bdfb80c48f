package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Env is what a configuration depends on besides its text.
type Env struct {
	Get func(name string) string // environment variables
	Dir string                   // the working folder, "" to look for no tend.yaml there
}

// OSEnv returns the process's own environment.
func OSEnv() (Env, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Env{}, fmt.Errorf("find working folder: %w", err)
	}
	return Env{Get: os.Getenv, Dir: dir}, nil
}

// home returns the user's home folder, "" if it is not set.
func (e Env) home() string {
	if home := e.Get("HOME"); home != "" || runtime.GOOS != "windows" {
		return home
	}
	return e.Get("USERPROFILE")
}

// xdg returns a folder of the XDG base directory specification, which requires ignoring relative values.
func (e Env) xdg(name, fallback string) string {
	if dir := e.Get(name); filepath.IsAbs(dir) {
		return dir
	}
	if e.home() == "" {
		return ""
	}
	return filepath.Join(e.home(), fallback)
}

// DefaultStateDir is the state folder if tend.yaml does not name one: $XDG_STATE_HOME/tend.
func (e Env) DefaultStateDir() string {
	if dir := e.xdg("XDG_STATE_HOME", ".local/state"); dir != "" {
		return filepath.Join(dir, "tend")
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(e.Get("PROGRAMDATA"), "tend", "state")
	}
	return "/var/lib/tend"
}

// SearchPath lists where tend.yaml is searched if no file is named, in order.
func (e Env) SearchPath() []string {
	var places []string
	if e.Dir != "" {
		places = append(places, filepath.Join(e.Dir, "tend.yaml"))
	}
	if dir := e.xdg("XDG_CONFIG_HOME", ".config"); dir != "" {
		places = append(places, filepath.Join(dir, "tend", "tend.yaml"))
	}
	if runtime.GOOS == "windows" {
		for _, name := range []string{"APPDATA", "PROGRAMDATA"} {
			if dir := e.Get(name); dir != "" {
				places = append(places, filepath.Join(dir, "tend", "tend.yaml"))
			}
		}
		return places
	}
	return append(places, "/etc/tend/tend.yaml")
}

// ErrNotFound: there is no tend.yaml in any of the places.
var ErrNotFound = errors.New("no tend.yaml found")

// Find returns the path of the tend.yaml to use: the named one (--config), else $TEND_CONFIG, else the first of
// Places that exists. A file that was named is returned whether it exists or not: falling back to another would act
// on the wrong agents.
func Find(named string, env Env) (string, error) {
	named = cmp.Or(named, env.Get("TEND_CONFIG"))
	if named != "" {
		return env.Abs(named, env.Dir)
	}
	for i, place := range env.SearchPath() {
		switch _, err := os.Stat(place); {
		case err == nil && i == 0 && env.Dir != "":
			return place, checkWorkingFolder(place, env)
		case err == nil:
			return place, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("look for tend.yaml: %w", err)
		}
	}
	return "", fmt.Errorf("%w in:\n  %s", ErrNotFound, strings.Join(env.SearchPath(), "\n  "))
}

// OwnConfig is where a new configuration goes that nobody named: the user's folder for settings, else the current one.
func (e Env) OwnConfig() string {
	places := e.SearchPath()
	if len(places) < 3 {
		return places[0]
	}
	return places[1]
}

// StateFor is the state folder that a new configuration names: "", the default one, in the folders for settings; elsewhere
// one beside it.
func (e Env) StateFor(file string) string {
	if slices.Contains(e.SearchPath()[1:], file) {
		return ""
	}
	return "./state"
}

// Abs makes a path written by a person absolute: `~` is the user's home, relative paths are below dir. Variables are
// not expanded.
func (e Env) Abs(path, dir string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return "", errors.New("the path contains a NUL character")
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		switch {
		case rest != "" && !os.IsPathSeparator(rest[0]):
			return "", fmt.Errorf("%s: only ~/ is supported, not another user's home; write the path out", path)
		case e.home() == "":
			return "", fmt.Errorf("%s: $HOME is not set; write the path out", path)
		}
		path = filepath.Join(e.home(), rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path), nil
}
