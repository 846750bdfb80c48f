package main

import (
	"debug/buildinfo"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// target is a platform.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func targets() []target {
	return []target{
		{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "armv7"},
		{"darwin", "amd64"}, {"darwin", "arm64"},
		{"windows", "amd64"}, {"windows", "arm64"},
	}
}

func choose(only string) ([]target, error) {
	if only == "" {
		return targets(), nil
	}
	var list []target
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(targets(), func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no target %s", name)
		}
		list = append(list, targets()[i])
	}
	return list, nil
}

// build is a binary and what is linked into it.
type build struct {
	target
	path string
	info *debug.BuildInfo
}

// build compiles for one target. The binary contains nothing of this machine: no paths, no time, no repository.
func (r *release) build(t target) (build, error) {
	log.Printf("building %s", t)
	name := filepath.Join(r.work, strings.ReplaceAll(t.String(), "/", "-"))
	flags := fmt.Sprintf("-s -w -buildid= -X %[1]s/internal/front/cli.version=%[2]s -X %[1]s/internal/front/cli.commit=%[3]s -X "+
		"%[1]s/internal/front/cli.date=%[4]s",
		r.module, r.version, r.commit, r.date.Format(time.RFC3339))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", flags, "-o", name, "./cmd/tend")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0")
	if t.arch == "armv7" {
		cmd.Env = append(cmd.Env, "GOARCH=arm", "GOARM=7")
	}
	if diag, err := cmd.CombinedOutput(); err != nil {
		return build{}, fmt.Errorf("build %s: %w: %s", t, err, diag)
	}
	info, err := buildinfo.ReadFile(name)
	return build{t, name, info}, err
}

// modules returns the modules linked into a binary, except the main one.
func (b build) modules() []*debug.Module {
	list := make([]*debug.Module, 0, len(b.info.Deps))
	for _, m := range b.info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, m)
	}
	return list
}

// generate runs the program to write its man pages and completions.
func (r *release) generate() ([]file, error) {
	host, err := r.build(target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return nil, err
	}
	man := filepath.Join(r.work, "man")
	if _, err := output(host.path, "man", man); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil {
		return nil, err
	}
	var list []file
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: "man/" + filepath.Base(page), mode: 0o644, data: data})
	}
	for shell, name := range map[string]string{"bash": "tend.bash", "zsh": "_tend", "fish": "tend.fish", "powershell": "tend.ps1"} {
		script, err := output(host.path, "completion", shell)
		if err != nil {
			return nil, err
		}
		list = append(list, text("completions/"+name, script+"\n"))
	}
	return list, nil
}
