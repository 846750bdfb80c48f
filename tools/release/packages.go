package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"tend/internal/app/service"
	"tend/internal/engine/config"
)

// maintainer is a placeholder that the publisher of packages replaces.
const maintainer = "Tend maintainers <maintainers@tend.invalid>"

// content describes a file of a deb or rpm for nfpm.
type content struct {
	Source string         `json:"src,omitempty"`
	Place  string         `json:"dst"`
	Type   string         `json:"type,omitempty"`
	Format string         `json:"packager,omitempty"`
	Info   map[string]any `json:"file_info,omitempty"`
}

// unit returns the service of the packages: what `tend service install` writes for a system user with an empty
// configuration.
func unit() string {
	u := service.Keeper(service.Options{
		Binary: "/usr/bin/tend", System: true, User: "tend",
		Config: &config.Config{Path: "/etc/tend/tend.yaml", StateDir: "/var/lib/tend", ArchiveDir: "/var/lib/tend/archive"},
	})[0].Text
	comment := `# Not enabled when it is installed: fill in /etc/tend/tend.yaml first, then run "systemctl enable --now tend".
# It may write to /var/lib/tend only. For workspaces elsewhere, or hosts to talk to, "tend service install --run-as tend"
# writes a unit that fits your configuration to /etc/systemd/system, which takes the place of this one.
`
	u = strings.Replace(u, service.Mark+"\n", comment, 1)
	return strings.Replace(u, "\nUser=tend\n", "\nUser=tend\nGroup=tend\nStateDirectory=tend\nStateDirectoryMode=0700\n", 1)
}

// installed returns where a package installs a file of an archive.
func installed(name string) string {
	switch {
	case name == "tend":
		return "/usr/bin/tend"
	case strings.HasPrefix(name, "man/"):
		return "/usr/share/man/man1/" + path.Base(name) + ".gz"
	case name == "completions/tend.bash":
		return "/usr/share/bash-completion/completions/tend"
	case name == "completions/_tend":
		return "/usr/share/zsh/vendor-completions/_tend"
	case name == "completions/tend.fish":
		return "/usr/share/fish/vendor_completions.d/tend.fish"
	case name == "completions/tend.ps1", name == "LICENSE":
		return ""
	case name == "CHANGELOG.md":
		return "/usr/share/doc/tend/changelog.gz"
	}
	return "/usr/share/doc/tend/" + name
}

// packages writes the deb and the rpm of one binary.
func (r *release) packages(b build, files []file) error {
	dir, err := os.MkdirTemp(r.work, "package-")
	if err != nil {
		return err
	}
	var list []content
	add := func(place string, mode int, data []byte, kind, format string) error {
		name := filepath.Join(dir, fmt.Sprintf("%03d", len(list)))
		list = append(list, content{Source: name, Place: place, Type: kind, Format: format, Info: map[string]any{
			"mode": mode, "mtime": r.date.Format(time.RFC3339), "owner": "root", "group": "root",
		}})
		return os.WriteFile(name, data, 0o644)
	}
	for _, f := range files {
		place := installed(f.name)
		if place == "" {
			continue
		}
		data := f.data
		if strings.HasSuffix(place, ".gz") {
			if data, err = compress(data); err != nil {
				return err
			}
		}
		if err := add(place, int(f.mode.Perm()), data, "", ""); err != nil {
			return err
		}
	}
	sample, err := os.ReadFile("packaging/tend.yaml")
	if err != nil {
		return err
	}
	overrides, err := os.ReadFile("packaging/lintian-overrides")
	if err != nil {
		return err
	}
	changes, err := compress(fmt.Appendf(nil,
		"tend (%s-1) unstable; urgency=medium\n\n  * Version %s; changelog.gz says what is new.\n\n -- %s  %s\n",
		strings.Replace(r.version, "-", "~", 1), r.version, maintainer, r.date.Format(time.RFC1123Z)))
	if err != nil {
		return err
	}
	for _, f := range []struct {
		place        string
		data         []byte
		kind, format string
	}{
		{"/etc/tend/tend.yaml", sample, "config|noreplace", ""},
		{"/lib/systemd/system/tend.service", []byte(unit()), "", "deb"},
		{"/usr/lib/systemd/system/tend.service", []byte(unit()), "", "rpm"},
		{"/usr/share/doc/tend/copyright", r.copyright(), "", "deb"},
		{"/usr/share/doc/tend/changelog.Debian.gz", changes, "", "deb"},
		{"/usr/share/licenses/tend/LICENSE", licenceOf(files), "", "rpm"},
		{"/usr/share/lintian/overrides/tend", overrides, "", "deb"},
	} {
		if err := add(f.place, 0o644, f.data, f.kind, f.format); err != nil {
			return err
		}
	}
	arch := b.arch
	if arch == "armv7" {
		arch = "arm7"
	}
	for _, format := range []string{"deb", "rpm"} {
		description := map[string]any{
			"name": "tend", "arch": arch, "version": r.version, "release": "1", "section": "admin", "priority": "optional",
			"maintainer": maintainer,
			"description": "keeps the markdown memory of LLM agents whole, small and true\nGuards the operator's baseline, does the housekeeping, " +
				"serves the memory to\nthe agent over MCP, and keeps every byte that was ever in it.",
			"license": "Apache-2.0", "contents": list, "mtime": r.date.Format(time.RFC3339),
			"suggests": []string{"git"},
			"scripts":  map[string]string{"postinstall": "packaging/postinst", "preremove": "packaging/prerm", "postremove": "packaging/postrm"},
			"rpm": map[string]any{"buildhost": "reproducible", "group": "Applications/System",
				"summary": "Keeps the markdown memory of LLM agents whole, small and true"},
			"deb": map[string]any{"compression": "gzip"},
		}
		if format == "deb" {
			description["depends"] = []string{"passwd"}
		} else {
			description["depends"] = []string{"shadow-utils"}
		}
		if err := r.nfpmRun(dir, format, description); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) nfpmRun(dir, format string, description map[string]any) error {
	data, err := json.Marshal(description) // JSON is YAML
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "nfpm.yaml")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	cmd := exec.Command(r.nfpm, "package", "--config", name, "--packager", format, "--target", r.out)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	if diag, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nfpm: %w: %s", err, diag)
	}
	return nil
}

func licenceOf(files []file) []byte {
	for _, f := range files {
		if f.name == "LICENSE" {
			return f.data
		}
	}
	return nil
}

// copyright returns Debian's copyright file.
func (r *release) copyright() []byte {
	return fmt.Appendf(nil, `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tend

Files: *
Copyright: %d the authors of Tend
License: Apache-2.0
 On Debian systems the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
Comment: Modules of others that are linked into the program have licences of their own,
 see /usr/share/doc/tend/THIRD-PARTY-LICENSES.txt.
`, r.date.Year())
}

// manifests fills in the templates for Homebrew and Scoop with the checksums of what was built.
func (r *release) manifests() error {
	for name, out := range map[string]string{"packaging/tend.rb": "tend.rb", "packaging/scoop.json": "tend.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		data = bytes.ReplaceAll(data, []byte("{{version}}"), []byte(r.version))
		data = bytes.ReplaceAll(data, []byte("{{base}}"), []byte(r.base))
		complete := true
		for _, t := range targets() {
			sum, err := checksum(r.out, fmt.Sprintf("tend_%s_%s_%s", r.version, t.os, t.arch))
			mark := []byte("{{sha256 " + t.String() + "}}")
			if err != nil && bytes.Contains(data, mark) {
				complete = false // built for some targets only
			}
			data = bytes.ReplaceAll(data, mark, []byte(sum))
		}
		if !complete {
			continue
		}
		if err := r.put(out, data); err != nil {
			return err
		}
	}
	return nil
}
