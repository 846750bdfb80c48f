package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/disk/machine"
	"tend/internal/text/scan/existence"
	"tend/test/require"
)

// thing is something on a made-up machine: how lines name it, and how it gets there.
type thing struct {
	lines []string // templates in several languages and layouts, {} is the name
	make  func(m *madeUp, name string) string
}

// madeUp is a machine in a folder.
type madeUp struct {
	t     *testing.T
	base  string
	ports map[string]bool
	dpkg  strings.Builder
	gone  bool // the next thing is named but not there
	n     int
}

func (m *madeUp) file(name string) {
	if m.gone {
		return
	}
	file := filepath.Join(m.base, name)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(m.t, os.WriteFile(file, nil, 0o755))
}

func things() []thing {
	path := func(format string) func(*madeUp, string) string {
		return func(m *madeUp, name string) string {
			p := fmt.Sprintf(format, name)
			m.file(strings.Replace(p, "~", "/home/ines", 1))
			return p
		}
	}
	return []thing{
		{[]string{"- Nightly report: `{}`", "- **Exports:** {}", "| invoices | `{}` | monthly |", "- Rechnungen liegen in {}",
			"- Los informes están en `{}`",
			"- Os backups ficam em {}", "- Les exports sont dans `{}`", "- Отчёты лежат в `{}`", "- 报表在`{}`", "- 请求日志放在 {}，每天检查", "- 請求書は`{}`にある"},
			path("~/books/%s.csv")},
		{[]string{"- Config of the relay: `{}`", "- Einstellungen: `{}`", "- 配置文件：`{}`", "- 設定は {} を見る", "1. Edit {} and reload"},
			path("/opt/relay/%s.toml")},
		{[]string{"- `{}.service` runs the queue", "- Der Dienst {}.service startet nachts", "- 定时任务 `{}.service` 每晚运行",
			"- {}.service が毎晩動く", "- Unit: {}.service"},
			func(m *madeUp, name string) string { m.file("/etc/systemd/system/" + name + ".service"); return name }},
		{[]string{"- Dashboard: localhost:{}", "- Das Panel läuft auf 127.0.0.1:{}", "- 面板 localhost:{}", "- API: http is on localhost:{}/v1",
			"- Panel en localhost:{}"},
			func(m *madeUp, _ string) string {
				m.n++
				port := fmt.Sprint(20000 + m.n)
				m.ports[port] = !m.gone
				return port
			}},
		{[]string{"- The command `{}` prints the day's totals", "- Befehl `{}` zeigt die Summen", "- Comando `{}`: imprime los totales",
			"- 命令 `{}` 输出合计", "- コマンド `{}` で集計",
			"- Run `{}` after each import"},
			func(m *madeUp, name string) string { m.file("/usr/bin/" + name); return name }},
		{[]string{"- Shop repository: `{}`", "- Repo: {}", "- 仓库 `{}`", "- リポジトリは`{}`", "- Репозиторий: `{}`", "- Repositorio en {}"},
			func(m *madeUp, name string) string { m.file("/srv/" + name + "/.git/HEAD"); return "/srv/" + name }},
		{[]string{"- Repo /srv/shop, branch `{}` is released", "- Repository /srv/shop: Branch `{}`", "- 仓库 /srv/shop 的分支 `{}`",
			"- リポジトリ /srv/shop のブランチ `{}`"},
			func(m *madeUp, name string) string { m.file("/srv/shop/.git/refs/heads/" + name); return name }},
		{[]string{"- Package `{}` is installed with apt", "- apt-Paket `{}` ist installiert", "- apt package `{}`",
			"- 软件包 `{}` 已用 apt 安装", "- パッケージ `{}` (apt)",
			"- Debian package `{}`"},
			func(m *madeUp, name string) string {
				if !m.gone {
					fmt.Fprintf(&m.dpkg, "Package: %s\nStatus: install ok installed\nVersion: 2.4.1-3\n\n", name)
				}
				return name
			}},
		{[]string{"- apt package `{}` 2.4", "- Debian: Paket `{}` v2.4.1", "- Ubuntu 软件包 `{}` 2.4.1"},
			func(m *madeUp, name string) string {
				version := "1:2.4.1-3"
				if m.gone {
					version = "3.0.2-1"
				}
				fmt.Fprintf(&m.dpkg, "Package: %s\nStatus: install ok installed\nVersion: %s\n\n", name, version)
				return name
			}},
	}
}

// silent are lines that claim nothing about this machine now, whatever is there.
var silent = []string{
	"- Moved from `/srv/old-%s` to the cloud in May", "- Removed %s.service, systemd timers do it now", "- [ ] create /opt/%s/config.toml",
	"- On the production server the app is in /srv/%s", "- ssh deploy@web: logs are in /opt/%s/logs", "- ~~/home/ines/%s/notes.md~~",
	"- If /opt/%s/lock exists, stop", "- Paths look like /srv/<name>/%s", "- Logs: /srv/%s/YYYY-MM-DD.log", "- `/opt/%s/*.csv` are exports",
	"- See https://example.org/srv/%s/index.html", "- Früher lag das in /srv/%s/alt", "- 旧路径 /srv/%s/data 已删除", "- 以前は /opt/%s/data にあった",
	"- Раньше был /srv/%s/data", "- Antes estaba en /srv/%s/datos", "- Ask for 24/7 cover and/or %s", "- Ratio of 3/4 %s",
	"- /deploy %s posts the release notes",
	"- npm package `%s` for sockets", "- **Tool:** `%s`", "- Config: `/opt/%s Data/config.json`",
	"- The branch `%s-x` is discussed on Monday", "- Container path /opt/%s/app", "- Read the %s documentation of `git log`",
	"- Mounted from /mnt/usb/%s/films",
}

// TestWorldFindsPlantedDrift: made-up machines with a fifth of what memory names taken away.
func TestWorldFindsPlantedDrift(t *testing.T) {
	var found, right, planted int
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := &madeUp{t: t, base: t.TempDir(), ports: map[string]bool{}}
		for _, f := range []string{"/srv/shop/.git/HEAD", "/srv/shop/.git/refs/heads/main", "/home/ines/x", "/opt/x", "/usr/bin/ls",
			"/etc/systemd/system/a.service"} {
			m.file(f)
		}
		drift := map[int]bool{}
		var lines []string
		for i, kind := range things() {
			for j, template := range kind.lines {
				m.gone = r.IntN(5) == 0
				name := kind.make(m, fmt.Sprintf("tarn%d%c%d", i, 'a'+j, seed))
				if m.gone {
					drift[len(lines)+1] = true
				}
				lines = append(lines, strings.ReplaceAll(template, "{}", name))
			}
		}
		for i, s := range silent {
			lines = append(lines, fmt.Sprintf(s, fmt.Sprintf("moss%d", i)))
		}
		m.gone = false
		m.file("/var/lib/dpkg/status")
		require.NoError(t, os.WriteFile(filepath.Join(m.base, "/var/lib/dpkg/status"), []byte(m.dpkg.String()), 0o600))
		w := world{ctx: t.Context(), now: time.Now(), asked: map[existence.Claim]string{}, probe: machine.Machine{
			Base: m.base, Home: "/home/ines", Dirs: []string{"/usr/bin"},
			Roots: []string{"~", "/opt", "/srv", "/etc/systemd", "/usr", "/lib", "/var/lib/dpkg"},
			Dial: func(_ context.Context, address string) error {
				if m.ports[address[strings.LastIndexByte(address, ':')+1:]] {
					return nil
				}
				return syscall.ECONNREFUSED
			},
		}}
		w.checkFile("TOOLS.md", []byte(strings.Join(lines, "\n")))
		said := map[int]bool{}
		for _, f := range w.found {
			said[f.Line] = true
			if !drift[f.Line] {
				t.Logf("false: %s", f.Text)
			}
		}
		planted += len(drift)
		found += len(said)
		for line := range drift {
			if said[line] {
				right++
			} else {
				t.Logf("missed: %s", lines[line-1])
			}
		}
	}
	precision, recall := float64(right)/float64(max(1, found)), float64(right)/float64(planted)
	t.Logf("planted %d, found %d, right %d: precision %.2f, recall %.2f", planted, found, right, precision, recall)
	if precision < 0.9 || recall < 0.8 {
		t.Errorf("precision %.2f, recall %.2f", precision, recall)
	}
}

func TestWorldLooksOnlyAtItsRoots(t *testing.T) {
	m := machine.Machine{Base: t.TempDir(), Home: "/home/ines", Roots: []string{"/srv"}, Dirs: []string{"/usr/bin"}}
	require.NoError(t, os.MkdirAll(filepath.Join(m.Base, "srv"), 0o755))
	for _, p := range []string{"/etc/passwd", "/srv/../etc/passwd", "/srvother/x", "~/notes"} {
		if a := m.Path(p); a != machine.Unknown {
			t.Errorf("%s: %v", p, a)
		}
	}
	if a := m.Path("/srv/missing/file"); a != machine.Gone {
		t.Errorf("inside: %v", a)
	}
	if a := m.Program("ls"); a != machine.Unknown {
		t.Errorf("a program outside the roots: %v", a)
	}
}
