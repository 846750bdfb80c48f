//go:build release && linux

package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/test/require"
)

var must = require.NoError

func deb(dir, version string) string {
	return filepath.Join(dir, "tend_"+version+"-1_"+runtime.GOARCH+".deb")
}

func TestLintian(t *testing.T) {
	out, err := exec.Command("lintian", "--allow-root", "--fail-on", "error", deb(world.a, version)).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func TestUnitIsHardened(t *testing.T) {
	dir := t.TempDir()
	say(t, "dpkg-deb", "-x", deb(world.a, version), dir)
	out := say(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager",
		filepath.Join(dir, "lib/systemd/system/tend.service"))
	t.Log(out[strings.LastIndex(out, "→"):])
}

func TestRPM(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(world.a, "*.rpm"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	files := say(t, "rpm", "-qpl", found[0])
	for _, name := range []string{"/usr/bin/tend", "/usr/lib/systemd/system/tend.service", "/etc/tend/tend.yaml",
		"/usr/share/man/man1/tend.1.gz", "/usr/share/licenses/tend/LICENSE"} {
		if !strings.Contains(files, name+"\n") {
			t.Errorf("%s is missing in\n%s", name, files)
		}
	}
	if conf := say(t, "rpm", "-qpc", found[0]); conf != "/etc/tend/tend.yaml\n" {
		t.Errorf("configuration files: %s", conf)
	}
	if scripts := say(t, "rpm", "-qp", "--scripts", found[0]); !strings.Contains(scripts, "useradd --system") ||
		strings.Contains(scripts, "systemctl enable") {
		t.Errorf("scripts: %s", scripts)
	}
}

// TestImage unpacks the image as an engine would, checks every digest, and runs the program as the image's user.
func TestImage(t *testing.T) {
	layout := map[string][]byte{}
	unpack(t, strings.NewReader(read(t, filepath.Join(world.a, "tend_"+version+"_oci.tar"))),
		func(h *tar.Header, data []byte) { layout[h.Name] = data })
	type descriptor struct {
		MediaType, Digest string
		Size              int
	}
	get := func(d descriptor, into any) []byte {
		data := layout["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		sum := sha256.Sum256(data)
		if d.Digest != "sha256:"+hex.EncodeToString(sum[:]) || d.Size != len(data) {
			t.Fatalf("%s %s has %d bytes, not %d", d.MediaType, d.Digest, len(data), d.Size)
		}
		if into != nil {
			must(t, json.Unmarshal(data, into))
		}
		return data
	}
	var top, index struct{ Manifests []descriptor }
	must(t, json.Unmarshal(layout["index.json"], &top))
	get(top.Manifests[0], &index)
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	get(index.Manifests[0], &manifest)
	var config struct {
		Architecture string
		Config       struct {
			User            string
			Entrypoint, Cmd []string
		}
		Rootfs struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	get(manifest.Config, &config)
	if config.Config.User != "65532:65532" || config.Architecture != runtime.GOARCH {
		t.Errorf("config: %+v", config)
	}
	layer, err := gzip.NewReader(bytes.NewReader(get(manifest.Layers[0], nil)))
	must(t, err)
	plain, err := io.ReadAll(layer)
	must(t, err)
	if sum := sha256.Sum256(plain); config.Rootfs.DiffIDs[0] != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Error("the layer is not the one that the configuration names")
	}
	root := t.TempDir()
	cmd := exec.Command("tar", "-C", root, "-x")
	cmd.Stdin = bytes.NewReader(plain)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	inside := append([]string{"--userspec=" + config.Config.User, root}, config.Config.Entrypoint...)
	if out := say(t, "chroot", append(slices.Clip(inside), "version")...); !strings.HasPrefix(out, "tend "+version) {
		t.Errorf("in the image: %s", out)
	}
	// Without a volume it says what is missing.
	if out, err := exec.Command("chroot", append(inside, config.Config.Cmd...)...).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "no folder /var/lib/tend/store") {
		t.Errorf("%v without a store: %v\n%s", config.Config.Cmd, err, out)
	}
}

func unpack(t *testing.T, r io.Reader, each func(*tar.Header, []byte)) {
	t.Helper()
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		data, err := io.ReadAll(in)
		must(t, err)
		each(h, data)
	}
}

// TestDebianPackage installs the older package in a Debian, uses it, upgrades and purges it.
func TestDebianPackage(t *testing.T) {
	d := debian(t)
	d.install(deb(world.older, olderVersion))
	if out := d.say("tend", "version"); !strings.HasPrefix(out, "tend "+olderVersion) {
		t.Fatal(out)
	}
	if out := d.say("sh", "-c",
		"getent passwd tend; stat -c '%U %a' /var/lib/tend; find /etc/systemd -name '*tend*'"); !strings.Contains(out, "tend 700") ||
		strings.Contains(out, ".wants/") {
		t.Fatalf("user, state folder, enabled units: %s", out)
	}
	// The operator adds an agent; its workspace is in the folder that the unit may write to.
	d.say("sh", "-ec",
		`mkdir -p /var/lib/tend/ws && printf '# Soul\n' > /var/lib/tend/ws/SOUL.md && printf '# Memory\n' > /var/lib/tend/ws/MEMORY.md
chown -R tend:tend /var/lib/tend/ws
printf 'version: 1\nstate_dir: /var/lib/tend/state\nkeeper:\n  listen: "off"\nagents:\n  ada:\n    workspace: /var/lib/tend/ws\n    layout: openclaw\n' > /etc/tend/tend.yaml`)
	d.start()
	d.as("note", "--agent", "ada", "kept across the upgrade")

	d.install(deb(world.a, version))
	if out := d.say("tend", "version"); !strings.HasPrefix(out, "tend "+version) {
		t.Fatal(out)
	}
	if conf := d.say("cat", "/etc/tend/tend.yaml"); !strings.Contains(conf, "ada:") {
		t.Errorf("the upgrade replaced the configuration: %s", conf)
	}
	if out := d.as("log", "ada"); !strings.Contains(out, "note") {
		t.Errorf("log after the upgrade: %s", out)
	}
	d.start()

	d.say("dpkg", "--purge", "tend")
	if out := d.say("sh", "-c",
		"ls -d /usr/bin/tend /etc/tend /usr/share/doc/tend /lib/systemd/system/tend.service 2>/dev/null; true"); out != "" {
		t.Errorf("left behind: %s", out)
	}
	if out := d.say("cat", "/var/lib/tend/ws/MEMORY.md"); out != "# Memory\n" {
		t.Errorf("the agent's memory after the purge: %q", out)
	}
}

// machine is a Debian in a folder.
type machine struct {
	t    *testing.T
	root string
}

// debian unpacks a minimal Debian. It is kept for the next run, in the folder for temporary files.
func debian(t *testing.T) *machine {
	t.Helper()
	base := filepath.Join(os.TempDir(), "tend-test-bookworm.tar")
	if _, err := os.Stat(base); err != nil {
		dir := t.TempDir()
		say(t, "debootstrap", "--variant=minbase", "bookworm", dir)
		say(t, "tar", "-C", dir, "--one-file-system", "-cf", base+".part", ".")
		must(t, os.Rename(base+".part", base))
	}
	root := t.TempDir()
	say(t, "tar", "-C", root, "-xf", base)
	return &machine{t, root}
}

func (d *machine) say(args ...string) string {
	d.t.Helper()
	return say(d.t, "chroot", append([]string{d.root}, args...)...)
}

// as runs tend as the service's user.
func (d *machine) as(args ...string) string {
	d.t.Helper()
	return say(d.t, "chroot", append([]string{"--userspec=tend:tend", d.root, "/usr/bin/tend", "--config", "/etc/tend/tend.yaml"}, args...)...)
}

func (d *machine) install(name string) {
	d.t.Helper()
	say(d.t, "cp", name, filepath.Join(d.root, "tmp", "tend.deb"))
	d.say("dpkg", "--install", "--force-confold", "/tmp/tend.deb")
}

// start runs the unit's own command as the unit's user until it says that it is ready, as systemd would wait for it, and
// stops it. There is no systemd in a chroot, so its sandbox is not part of this.
func (d *machine) start() {
	t := d.t
	t.Helper()
	var command []string
	for line := range strings.Lines(d.say("cat", "/lib/systemd/system/tend.service")) {
		if c, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart="); ok {
			command = strings.Fields(c)
		}
	}
	if len(command) == 0 {
		t.Fatal("the unit starts nothing")
	}
	socket := filepath.Join(d.root, "tmp", "notify")
	_ = os.Remove(socket)
	in, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	must(t, err)
	defer in.Close()
	must(t, os.Chmod(socket, 0o777))
	cmd := exec.Command("chroot", append([]string{"--userspec=tend:tend", d.root}, command...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/var/lib/tend", "NOTIFY_SOCKET=/tmp/notify"}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	must(t, cmd.Start())
	// A keeper that ends without a word must not leave the test waiting.
	must(t, in.SetReadDeadline(time.Now().Add(5*time.Minute)))
	buf := make([]byte, 4096)
	for ready := false; !ready; {
		n, err := in.Read(buf)
		if err != nil {
			_ = cmd.Process.Kill()
			t.Fatalf("not ready: %v\n%s", err, said.String())
		}
		ready = strings.Contains(string(buf[:n]), "READY=1")
	}
	if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
		t.Fatalf("stopped: %v\n%s", err, said.String())
	}
}
