// Command release builds everything that is published for a version: archives with static binaries, deb and rpm
// packages, an image layout for containers, plugins of harnesses, npm packages, bills of materials, licences and
// checksums. The same commit gives the same bytes in every checkout.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// release is what all steps share.
type release struct {
	out     string // output folder
	work    string // for temporary files
	module  string
	version string
	commit  string
	date    time.Time // of the commit, and of every file
	nfpm    string
	base    string // where the files will be downloaded from
	scope   string // of the npm packages, "" for the host of base
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	r := release{}
	only := flag.String("only", "", "build these `TARGETS` only, as os/arch with commas between")
	dirty := flag.Bool("allow-dirty", false, "build from a tree with changes that are not committed")
	flag.StringVar(&r.out, "out", "dist", "the `FOLDER` to fill; what is in it is removed")
	flag.StringVar(&r.version, "version", "", "the version; default: the tag of the commit")
	flag.StringVar(&r.nfpm, "nfpm", "nfpm", "the `PROGRAM` that makes deb and rpm; '' leaves them out")
	flag.StringVar(&r.base, "base-url", "https://example.org/tend/releases",
		"where the files will be downloaded from, for Homebrew, Scoop and the plugins")
	flag.StringVar(&r.scope, "npm-scope", "",
		"the `SCOPE` of the npm packages, which the publisher owns; default: @ and the host of -base-url")
	flag.Parse()
	if err := r.run(*only, *dirty); err != nil {
		log.Fatal(err)
	}
}

func (r *release) run(only string, dirty bool) (err error) {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if err := r.describe(dirty); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "tend-release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	log.Printf("tend %s, commit %.12s of %s", r.version, r.commit, r.date.Format(time.DateOnly))
	shared, err := r.shared()
	if err != nil {
		return err
	}
	var built []build
	for _, t := range chosen {
		b, err := r.build(t)
		if err != nil {
			return err
		}
		built = append(built, b)
	}
	licences, err := thirdParty(built)
	if err != nil {
		return err
	}
	shared = append(shared, text("THIRD-PARTY-LICENSES.txt", licences))
	if err := r.put("THIRD-PARTY-LICENSES.txt", []byte(licences)); err != nil {
		return err
	}
	for _, b := range built {
		if err := r.publish(b, shared); err != nil {
			return fmt.Errorf("%s: %w", b.target, err)
		}
	}
	if err := r.image(built, licences); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	if err := r.ecosystems(built, licences, licenceOf(shared)); err != nil {
		return err
	}
	if err := r.manifests(); err != nil {
		return err
	}
	return r.sums()
}

// publish writes all packages of one binary.
func (r *release) publish(b build, shared []file) error {
	bom, err := r.bom(b)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("tend_%s_%s", r.version, strings.ReplaceAll(b.target.String(), "/", "_"))
	if err := r.put(name+".cdx.json", bom); err != nil {
		return err
	}
	binary, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	exe := "tend"
	if b.os == "windows" {
		exe += ".exe"
	}
	files := append(slices.Clone(shared), file{name: exe, mode: 0o755, data: binary}, file{name: "sbom.cdx.json", mode: 0o644, data: bom})
	if b.os == "windows" {
		err = r.zip(name, files)
	} else {
		err = r.tarball(name, files)
	}
	if err != nil || b.os != "linux" || r.nfpm == "" {
		return err
	}
	return r.packages(b, files)
}

// ecosystems writes what the package managers of harnesses and of Node install.
func (r *release) ecosystems(built []build, licences string, licence []byte) error {
	if _, err := r.host(); err != nil {
		return err
	}
	if err := r.plugins(licence); err != nil {
		return err
	}
	if err := r.npm(built, licences, licence); err != nil {
		return err
	}
	for _, b := range built {
		if err := r.bundle(b, licences, licence); err != nil {
			return fmt.Errorf("bundle for %s: %w", b.target, err)
		}
	}
	return r.serverJSON()
}

// describe determines the version and date.
func (r *release) describe(dirty bool) error {
	if changed, err := output("git", "status", "--porcelain"); err != nil {
		return err
	} else if changed != "" && !dirty {
		return fmt.Errorf("there are changes that are not committed:\n%s", changed)
	}
	var err error
	if r.module, err = output("go", "list", "-m"); err != nil {
		return err
	}
	if r.commit, err = output("git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	stamp, err := output("git", "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return err
	}
	r.date = time.Unix(seconds, 0).UTC()
	if r.version == "" {
		tag, err := output("git", "describe", "--tags", "--exact-match", "--match", "v[0-9]*")
		if err != nil { // no tag: a version lower than all others
			tag = fmt.Sprintf("v0.0.0-dev.%s.%.7s", r.date.Format("20060102150405"), r.commit)
		}
		r.version = strings.TrimPrefix(tag, "v")
	}
	return nil
}

// shared returns the files of every archive.
func (r *release) shared() ([]file, error) {
	var list []file
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{"README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"}, docs...) {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: name, mode: 0o644, data: data})
	}
	generated, err := r.generate()
	return append(list, generated...), err
}

// put writes a file of the release.
func (r *release) put(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// output runs a program and returns its output.
func output(name string, args ...string) (string, error) {
	var diag strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, diag.String())
	}
	return strings.TrimSpace(string(out)), nil
}
