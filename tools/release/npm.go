package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
)

// npmName returns the name of the package that runs the program.
func (r *release) npmName() string {
	host, _ := r.host()
	return cmp.Or(r.scope, "@"+host) + "/tend"
}

// node returns a platform as Node and npm name it.
func (t target) node() (platform, arch string) {
	platform, arch = t.os, t.arch
	if platform == "windows" {
		platform = "win32"
	}
	switch arch {
	case "amd64":
		arch = "x64"
	case "armv7":
		arch = "arm"
	}
	return platform, arch
}

// program returns the file name of the program.
func (t target) program() string {
	if t.os == "windows" {
		return "tend.exe"
	}
	return "tend"
}

// npmPackage writes a package as `npm pack` does.
func (r *release) npmPackage(name string, files []file) error {
	var b bytes.Buffer
	if err := writeTar(&b, inFolder("package", files), r.date); err != nil {
		return err
	}
	data, err := compress(b.Bytes())
	if err != nil {
		return err
	}
	return r.put(name+".tgz", data)
}

// npm writes the package that runs the program, and one with the binary of each platform, of which npm installs one.
func (r *release) npm(built []build, licences string, licence []byte) error {
	common := func(name string) object {
		return object{"name": name, "version": r.version, "description": summary, "license": spdx, "author": author, "homepage": r.base}
	}
	optional := object{}
	for _, b := range built {
		platform, arch := b.node()
		name := fmt.Sprintf("%s-%s-%s", r.npmName(), platform, arch)
		optional[name] = r.version
		about := common(name)
		about["description"] = fmt.Sprintf("The program of %s for %s on %s", r.npmName(), platform, arch)
		about["os"], about["cpu"], about["preferUnplugged"] = []string{platform}, []string{arch}, true
		about["files"] = []string{"bin", "THIRD-PARTY-LICENSES.txt"}
		binary, err := os.ReadFile(b.path)
		if err != nil {
			return err
		}
		err = r.npmPackage(fmt.Sprintf("tend_%s_npm_%s-%s", r.version, platform, arch), []file{
			manifest("package.json", about), {name: "bin/" + b.program(), mode: 0o755, data: binary},
			text("README.md", "# "+name+"\n\nInstalled by "+r.npmName()+".\n"), text("THIRD-PARTY-LICENSES.txt", licences),
			{name: "LICENSE", mode: 0o644, data: licence},
		})
		if err != nil {
			return err
		}
	}
	runner, err := r.template("bin/tend.js", "npm/tend.js")
	if err != nil {
		return err
	}
	runner.mode = 0o755
	readme, err := r.template("README.md", "npm.md")
	if err != nil {
		return err
	}
	about := common(r.npmName())
	about["bin"], about["optionalDependencies"], about["files"] = object{"tend": "bin/tend.js"}, optional, []string{"bin"}
	about["engines"], about["mcpName"], about["keywords"] = object{"node": ">=18"}, r.registryName(), []string{"mcp", "memory", "agents"}
	return r.npmPackage("tend_"+r.version+"_npm",
		[]file{manifest("package.json", about), runner, readme, {name: "LICENSE", mode: 0o644, data: licence}})
}
