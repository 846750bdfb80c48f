package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
}

func golang(kind, name, version string) component {
	url := "pkg:golang/" + name + "@" + version
	return component{Type: kind, Ref: url, Name: name, Version: version, URL: url}
}

// bom returns a CycloneDX bill of materials: the modules recorded in the binary, and Go's standard library.
func (r *release) bom(b build) ([]byte, error) {
	parts := []component{golang("library", "std", strings.TrimPrefix(b.info.GoVersion, "go"))}
	for _, m := range b.modules() {
		parts = append(parts, golang("library", m.Path, m.Version))
	}
	bom := map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{
			"timestamp": r.date.Format(time.RFC3339),
			"component": golang("application", r.module, "v"+r.version),
			"properties": []map[string]string{
				{"name": "target", "value": b.target.String()}, {"name": "commit", "value": r.commit},
			},
		},
		"components": parts,
	}
	data, err := json.MarshalIndent(bom, "", "  ")
	return append(data, '\n'), err
}

// thirdParty returns the licences of all modules in the binaries.
func thirdParty(built []build) (string, error) {
	versions := map[string]string{}
	for _, b := range built {
		for _, m := range b.modules() {
			versions[m.Path] = m.Version
		}
	}
	var b strings.Builder
	b.WriteString("tend is linked from the modules below, whose licences follow.\n")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	golang, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return "", err
	}
	section(&b, "The Go standard library, "+runtime.Version(), "LICENSE", golang)
	for _, path := range slices.Sorted(keys(versions)) {
		dir, err := moduleDir(path, versions[path])
		if err != nil {
			return "", err
		}
		found, err := licenceFiles(dir)
		if err != nil {
			return "", err
		}
		if len(found) == 0 {
			return "", fmt.Errorf("%s@%s has no licence file", path, versions[path])
		}
		for _, name := range found {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return "", err
			}
			section(&b, path+" "+versions[path], name, data)
		}
	}
	return b.String(), nil
}

func section(b *strings.Builder, what, name string, data []byte) {
	fmt.Fprintf(b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), what, name,
		strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")))
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// licenceFiles returns the licences and notices at the top of a module.
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		for _, begin := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"} {
			if strings.HasPrefix(upper, begin) && e.Type().IsRegular() {
				names = append(names, e.Name())
				break
			}
		}
	}
	return names, nil
}

// moduleDir returns the folder of a module in Go's module cache.
func moduleDir(path, version string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", path, err)
	}
	var m struct{ Dir string }
	err = json.Unmarshal(out, &m)
	return m.Dir, err
}
