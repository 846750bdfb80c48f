//go:build release && linux

package release

import (
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// world has two builds of one version in two folders, and an older one.
var world struct {
	a, b, older string // folders of releases
	binary      string
	tree        string // that they were built from
}

const version, olderVersion = "0.1.0", "0.0.9"

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "release-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = build(dir)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return m.Run()
}

// build clones the tree twice and builds each clone. The second has a cache of its own: it compiles everything again.
func build(dir string) error {
	release := func(clone, out, version string, env ...string) error {
		cmd := exec.Command("go", "run", "./tools/release", "-nfpm", os.Getenv("TEND_NFPM"), "-only", "linux/"+runtime.GOARCH,
			"-out", out, "-version", version)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = clone, append(os.Environ(), env...), os.Stderr, os.Stderr
		return cmd.Run()
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "a-folder-with-a-longer-name", "two")
	for _, clone := range []string{one, two} {
		if out, err := exec.Command("git", "clone", "--quiet", "--shared", top, clone).CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return err
		}
	}
	world.tree = one
	world.a, world.b, world.older = filepath.Join(dir, "dist-a"), filepath.Join(dir, "dist-b"), filepath.Join(dir, "dist-older")
	if err := release(one, world.a, version); err != nil {
		return err
	}
	if err := release(one, world.older, olderVersion); err != nil {
		return err
	}
	if err := release(two, world.b, version, "GOCACHE="+filepath.Join(dir, "cache"), "TZ=Asia/Tokyo", "LC_ALL=C.UTF-8"); err != nil {
		return err
	}
	name := "tend_" + version + "_linux_" + runtime.GOARCH
	if out, err := exec.Command("tar", "-C", dir, "-xzf", filepath.Join(world.a, name+".tar.gz")).CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return err
	}
	world.binary = filepath.Join(dir, name, "tend")
	return nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return string(data)
}

// say runs a program that must succeed and returns its output.
func say(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestTwoBuildsAreIdentical(t *testing.T) {
	a, b := read(t, filepath.Join(world.a, "SHA256SUMS")), read(t, filepath.Join(world.b, "SHA256SUMS"))
	if a != b || strings.Count(a, "\n") < 6 {
		t.Errorf("first:\n%s\nsecond:\n%s", a, b)
	}
	say(t, "sh", "-c", "cd '"+world.b+"' && sha256sum --check --quiet SHA256SUMS")
}

func TestBillOfMaterialsIsWhatIsLinked(t *testing.T) {
	info, err := buildinfo.ReadFile(world.binary)
	must(t, err)
	want := []string{"std@" + strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		want = append(want, m.Path+"@"+m.Version)
	}
	var bom struct {
		Components []struct{ Name, Version string }
	}
	name := filepath.Join(world.a, "tend_"+version+"_linux_"+runtime.GOARCH+".cdx.json")
	must(t, json.Unmarshal([]byte(read(t, name)), &bom))
	var got []string
	licences := read(t, filepath.Join(world.a, "THIRD-PARTY-LICENSES.txt"))
	for _, c := range bom.Components {
		got = append(got, c.Name+"@"+c.Version)
		if c.Name != "std" && !strings.Contains(licences, c.Name+" "+c.Version+": ") {
			t.Errorf("no licence of %s", c.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(want) < 10 {
		t.Errorf("the bill has\n%v\nlinked are\n%v", got, want)
	}
	if strings.Contains(strings.Join(want, " "), "nfpm") {
		t.Error("the packager is linked into tend")
	}
}

func TestArchive(t *testing.T) {
	dir := filepath.Dir(world.binary)
	for _, name := range []string{"README.md", "LICENSE", "THIRD-PARTY-LICENSES.txt", "man/tend.1", "man/tend-reset.1",
		"completions/tend.bash", "completions/_tend", "completions/tend.fish", "completions/tend.ps1"} {
		if read(t, filepath.Join(dir, name)) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	f, err := elf.Open(world.binary)
	must(t, err)
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err != nil || len(libs) > 0 ||
		slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("not static: %v, %v", libs, err)
	}
	var v map[string]string
	must(t, json.Unmarshal([]byte(say(t, world.binary, "version", "--json")), &v))
	head := strings.TrimSpace(say(t, "git", "-C", world.tree, "rev-parse", "HEAD"))
	if v["version"] != version || v["commit"] != head || v["date"] == "" || v["go"] != runtime.Version() {
		t.Errorf("version: %v", v)
	}
}
