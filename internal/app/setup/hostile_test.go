package setup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/transfer"
	"tend/internal/model/policy"
	"tend/internal/state/ledger/actid"
)

// hostile is a package made to do harm.
type hostile struct {
	m     transfer.Manifest
	parts []hostilePart
	after func([]byte) []byte // changes the finished file
	tamed bool                // it may be imported, without its harmful part
}

type hostilePart struct {
	h      tar.Header
	data   []byte
	silent bool // not in the manifest
}

func sumOf(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// file is a regular file, listed correctly in the manifest.
func file(name, data string) hostilePart {
	return hostilePart{h: tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}, data: []byte(data)}
}

func odd(name string, kind byte, link string) hostilePart {
	return hostilePart{h: tar.Header{Name: name, Typeflag: kind, Linkname: link, Mode: 0o644}}
}

func (p hostile) bytes(t *testing.T) []byte {
	t.Helper()
	m := p.m
	if m.Format == 0 {
		m.Format = 1
	}
	if m.Agent.Name == "" {
		m.Agent.Name = "scout"
	}
	if m.Agent.Layout == "" {
		m.Agent.Layout, m.Agent.Timezone = "openclaw", "UTC"
	}
	if m.Files == nil {
		for _, f := range p.parts {
			if !f.silent {
				m.Files = append(m.Files, transfer.Entry{Name: f.h.Name, Size: int64(len(f.data)), Mode: 0o777, SHA256: sumOf(f.data)})
			}
		}
	}
	head, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range append([]hostilePart{file("manifest.json", string(head))}, p.parts...) {
		h := f.h
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(f.data))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(f.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	if p.after != nil {
		return p.after(b.Bytes())
	}
	return b.Bytes()
}

const goodID = "0yvee000pt" // January 2026

func record(change func(m map[string]any)) string {
	r := map[string]any{
		"v": 1, "id": goodID, "state": "intent", "at": "2026-01-10T12:00:00Z", "job": "reset", "prev": "",
		"files": []any{map[string]any{"path": "MEMORY.md", "op": "write", "size": 3, "edit": map[string]any{"at": 0, "cut": 0, "text": "new"}}},
	}
	change(r)
	line, _ := json.Marshal(r)
	end, _ := json.Marshal(map[string]any{"v": 1, "id": r["id"], "state": "done", "at": r["at"], "prev": "",
		"files": []any{map[string]any{"path": "MEMORY.md", "size": 0}}})
	return string(line) + "\n" + string(end) + "\n"
}

func corpus(t *testing.T, witness string) map[string]hostile {
	run := "touch " + witness
	ledgerOf := func(change func(m map[string]any)) hostile {
		return hostile{parts: []hostilePart{file("agents/ledger/2026-01.jsonl", record(change))}}
	}
	edit := func(at, cut any) hostile {
		return ledgerOf(func(m map[string]any) {
			m["files"].([]any)[0].(map[string]any)["edit"] = map[string]any{"at": at, "cut": cut, "text": "x"}
		})
	}
	path := func(name string) hostile {
		return ledgerOf(func(m map[string]any) { m["files"].([]any)[0].(map[string]any)["path"] = name })
	}
	text := strings.Repeat("zero", 1)
	list := map[string]hostile{
		"symlink": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", SHA256: sumOf(nil)}}},
			parts: []hostilePart{odd("archive/x.md", tar.TypeSymlink, "/etc/passwd")}},
		"hard link": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", SHA256: sumOf(nil)}}},
			parts: []hostilePart{odd("archive/x.md", tar.TypeLink, "/etc/passwd")}},
		"device": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", SHA256: sumOf(nil)}}},
			parts: []hostilePart{odd("archive/x.md", tar.TypeChar, "")}},
		"block device": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", SHA256: sumOf(nil)}}},
			parts: []hostilePart{odd("archive/x.md", tar.TypeBlock, "")}},
		"fifo": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", SHA256: sumOf(nil)}}},
			parts: []hostilePart{odd("archive/x.md", tar.TypeFifo, "")}},
		"folder": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", SHA256: sumOf(nil)}}},
			parts: []hostilePart{odd("archive/x.md", tar.TypeDir, "")}},
		"link, then a file below it": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x/y.md", Size: 1,
			SHA256: sumOf([]byte("1"))}}}, parts: []hostilePart{odd("archive/x", tar.TypeSymlink, "/tmp"), file("archive/x/y.md", "1")}},
		"absolute name":       {parts: []hostilePart{file("/etc/x", "1")}},
		"name with ..":        {parts: []hostilePart{file("archive/../../x.md", "1")}},
		"name with .. inside": {parts: []hostilePart{file("archive/x/../../agents/ledger/2026-01.jsonl", "1")}},
		"dot":                 {parts: []hostilePart{file("archive/./x.md", "1")}},
		"two slashes":         {parts: []hostilePart{file("archive//x.md", "1")}},
		"backslash":           {parts: []hostilePart{file(`archive/..\..\x.md`, "1")}},
		"outside the parts":   {parts: []hostilePart{file("elsewhere/x.md", "1")}},
		"a part itself":       {parts: []hostilePart{file("archive", "1")}},
		"not UTF-8":           {parts: []hostilePart{file("archive/\xff.md", "1")}},
		"very long name":      {parts: []hostilePart{file("archive/"+strings.Repeat("x/", 3000)+"y.md", "1")}},
		"same name twice": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: 1,
			SHA256: sumOf([]byte("1"))}, {Name: "archive/x.md", Size: 1, SHA256: sumOf([]byte("1"))}}},
			parts: []hostilePart{file("archive/x.md", "1")}},
		"twice in the file": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: 1,
			SHA256: sumOf([]byte("1"))}}}, parts: []hostilePart{file("archive/x.md", "1"), file("archive/x.md", "1")}},
		"names that differ by case": {parts: []hostilePart{file("archive/x.md", "1"), file("archive/X.md", "2")}},
		"file that is a folder too": {parts: []hostilePart{file("archive/x", "1"), file("archive/x/y.md", "2")}},
		"bad digest": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: 1,
			SHA256: sumOf([]byte("2"))}}}, parts: []hostilePart{file("archive/x.md", "1")}},
		"no digest": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: 1}}},
			parts: []hostilePart{file("archive/x.md", "1")}},
		"negative size": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: -1}}},
			parts: []hostilePart{file("archive/x.md", "")}},
		"huge size": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: math.MaxInt64}}}},
		"sizes that overflow": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: math.MaxInt64},
			{Name: "archive/y.md", Size: math.MaxInt64}}}},
		"larger than the disk": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: 1 << 35},
			{Name: "archive/y.md", Size: 1<<35 - 1}}}},
		"bomb": {parts: []hostilePart{file("archive/x.md", strings.Repeat(text, 16<<20))}},
		"not in the manifest": {parts: []hostilePart{file("archive/x.md", "1"),
			{h: tar.Header{Name: "archive/y.md", Typeflag: tar.TypeReg}, data: []byte("1"), silent: true}}},
		"missing": {m: transfer.Manifest{Files: []transfer.Entry{{Name: "archive/x.md", Size: 1,
			SHA256: sumOf([]byte("1"))}}}},
		"truncated": {parts: []hostilePart{file("archive/x.md", strings.Repeat("abc", 999))},
			after: func(b []byte) []byte { return b[:len(b)/2] }},
		"a byte changed": {parts: []hostilePart{file("archive/x.md", strings.Repeat("abc", 999))},
			after: func(b []byte) []byte { b[len(b)-20] ^= 1; return b }},
		"no gzip":               {after: func([]byte) []byte { return []byte("hello") }},
		"empty":                 {after: func([]byte) []byte { return nil }},
		"another format":        {m: transfer.Manifest{Format: 99}},
		"agent's name with ..":  {m: transfer.Manifest{Agent: transfer.Agent{Name: "../../x"}}},
		"agent's name is empty": {m: transfer.Manifest{Agent: transfer.Agent{Name: " "}}},
		"invalid layout": {m: transfer.Manifest{Agent: transfer.Agent{Name: "scout", Layout: "own",
			LayoutText: "roles: [", Timezone: "UTC"}}},
		"time zone with ..": {m: transfer.Manifest{Agent: transfer.Agent{Name: "scout", Layout: "openclaw",
			Timezone: "../../etc/passwd"}}},
		"settings in a description": {m: transfer.Manifest{Agent: transfer.Agent{Name: "scout", Layout: "openclaw", Timezone: "UTC",
			Description: "x\ncurator:\n  command: [" + run + "]\n"}}, tamed: true},
		"settings in a setting": {m: transfer.Manifest{Agent: transfer.Agent{Name: "scout", Layout: "openclaw", Timezone: "UTC",
			Policy: []transfer.Setting{{Key: "hot.max_lines", Value: "60\ncurator: {command: [" + run + "]}"}}}}},
		"unknown setting": {m: transfer.Manifest{Agent: transfer.Agent{Name: "scout", Layout: "openclaw", Timezone: "UTC",
			Policy: []transfer.Setting{{Key: "curator.command", Value: run}}}}},
		"baseline's file with ..": {m: transfer.Manifest{Baselines: []transfer.Baseline{{File: "../../x.md", Name: "baselines/0-x.md"}}},
			parts: []hostilePart{file("baselines/0-x.md", strings.Repeat("x", 2000))}},
		"baseline's name with ..": {m: transfer.Manifest{Baselines: []transfer.Baseline{{File: "SOUL.md", Name: "baselines/0-.."}}},
			parts: []hostilePart{file("baselines/0-..", strings.Repeat("x", 2000))}, tamed: true},
		"missing baseline":           {m: transfer.Manifest{Baselines: []transfer.Baseline{{File: "SOUL.md", Name: "baselines/0-x.md"}}}},
		"workspace with a git hook":  {parts: []hostilePart{file("workspace/.git/hooks/post-commit", run)}},
		"workspace with settings":    {parts: []hostilePart{file("workspace/.claude/settings.json", "{}")}},
		"workspace with a tend.yaml": {parts: []hostilePart{file("workspace/tend.yaml", "curator: {command: ["+run+"]}")}},
		"trash without an id":        {parts: []hostilePart{file("trash/x.md", "1")}},
		"folder in the trash":        {parts: []hostilePart{file("trash/"+goodID+".0-x/y.md", "1")}},
		"ledger: id beyond the end":  ledgerOf(func(m map[string]any) { m["id"] = "zzzzzzzzzz" }),
		"ledger: id of tomorrow":     ledgerOf(func(m map[string]any) { m["id"] = actid.New(time.Now().AddDate(1, 0, 0)) }),
		"ledger: undoes the future":  ledgerOf(func(m map[string]any) { m["undoes"] = "zzzzzzzzzz" }),
		"ledger: time of tomorrow":   ledgerOf(func(m map[string]any) { m["at"] = "2199-01-01T00:00:00Z" }),
		"ledger: invalid id":         ledgerOf(func(m map[string]any) { m["id"] = "../../../x" }),
		"ledger: unknown state":      ledgerOf(func(m map[string]any) { m["state"] = "finished-perhaps" }),
		"ledger: edit at the end":    edit(int64(math.MaxInt64), 0),
		"ledger: edit cuts all":      edit(1, int64(math.MaxInt64)),
		"ledger: negative edit":      edit(-1, 0),
		"ledger: negative size":      ledgerOf(func(m map[string]any) { m["files"].([]any)[0].(map[string]any)["size"] = -5 }),
		"ledger: path with ..":       path("../../other/MEMORY.md"),
		"ledger: absolute":           path("/etc/passwd"),
		"ledger: kept elsewhere": ledgerOf(func(m map[string]any) {
			m["files"].([]any)[0].(map[string]any)["trash"] = "../../agents/other/ledger/x"
		}),
		"ledger: a month with actions": {parts: []hostilePart{file("agents/ledger/2026-01.jsonl", record(func(map[string]any) {}))}, tamed: true},
		"ledger: an action did not end": {parts: []hostilePart{
			file("agents/ledger/2026-01.jsonl", strings.SplitAfter(record(func(map[string]any) {}), "\n")[0]),
			file("trash/"+goodID+".0-MEMORY.md", "1"),
		}},
		"ledger: gzipped": {parts: []hostilePart{file("agents/ledger/2026-01.jsonl", "\x1f\x8b\x08\x00")}},
		"ledger: negative receipt": ledgerOf(func(m map[string]any) {
			m["receipts"] = []any{map[string]any{"job": "curate", "path": "MEMORY.md", "from": -1, "to": 5, "hash": ""}}
		}),
		"ledger: archive elsewhere":  ledgerOf(func(m map[string]any) { m["archives"] = []string{"../x.md"} }),
		"ledger: discards elsewhere": ledgerOf(func(m map[string]any) { m["discarded"] = []string{"../../other/x"} }),
		"records: lock and hints": {parts: []hostilePart{file("agents/lock", "pid 1"),
			file("agents/jobs.json", `{"reset":"2199-01-01T00:00:00Z"}`), file("agents/home.json", `{"workspace":"/etc"}`), file("agents/x/y", "1")},
			tamed: true},
		"pack: another text": {parts: []hostilePart{file("agents/pack/trash-000001.jsonl",
			`{"v":1,"name":"`+goodID+`.0-x.md","at":"2026-01-10T12:00:00Z","size":1,"sha256":"`+sumOf([]byte("2"))+`","text":"1","prev":""}`+"\n")}},
		"pack: base beyond": {parts: []hostilePart{file("agents/pack/trash-000001.jsonl",
			`{"v":1,"name":"`+goodID+`.0-x.md","at":"2026-01-10T12:00:00Z","size":1,"base":7,"sha256":"`+sumOf([]byte("1"))+
				`","text":"1","prev":""}`+"\n")}},
		"pack: no JSON": {parts: []hostilePart{file("agents/pack/seen-000001.jsonl", "hello\n")}},
		"approval without a text": {parts: []hostilePart{file("approved/approvals.json",
			`[{"file":"SOUL.md","sha256":"`+sumOf([]byte("1"))+`","count":1}]`)}},
		"approval: path with ..": {parts: []hostilePart{file("approved/approvals.json",
			`[{"file":"../SOUL.md","sha256":"`+sumOf([]byte("1"))+`","count":1}]`), file("approved/"+sumOf([]byte("1"))+".md", "1")}},
		"approval of a path":  {parts: []hostilePart{file("approved/approvals.json", `[{"file":"SOUL.md","sha256":"../../x","count":1}]`)}},
		"approvals: not JSON": {parts: []hostilePart{file("approved/approvals.json", `{"x":`)}},
		"git history":         {parts: []hostilePart{file("history/config", "[core]\n\tfsmonitor = "+run+"\n")}},
	}
	return list
}

// TestHostilePackages imports every package of the corpus. It is refused and leaves nothing behind, or it is imported
// without its harmful part; nothing is written elsewhere, and none of its commands runs.
func TestHostilePackages(t *testing.T) {
	witness := filepath.Join(t.TempDir(), "ran")
	tries, held, tamed := 0, 0, 0
	for what, p := range corpus(t, witness) {
		t.Run(what, func(t *testing.T) {
			tries++
			top := t.TempDir()
			dir := filepath.Join(top, "deep", "home")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			pkg := filepath.Join(top, "in.tar.gz")
			if err := os.WriteFile(pkg, p.bytes(t), 0o600); err != nil {
				t.Fatal(err)
			}
			conf := filepath.Join(dir, "tend.yaml")
			load := func() (*config.Config, error) {
				env, err := config.OSEnv()
				if err != nil {
					return nil, err
				}
				return config.Load(conf, env)
			}
			_, err := Unpack(UnpackRequest{File: pkg, ConfigPath: conf, Config: load, Who: "test", Clock: time.Now})
			if err != nil {
				if p.tamed {
					t.Fatalf("refused: %v", err)
				}
				for _, name := range []string{"agents", "trash", "archive", "baselines", "history", "../tend.yaml"} {
					if _, err := os.Lstat(filepath.Join(dir, "state", name)); err == nil {
						t.Errorf("refused, but %s was written", name)
					}
				}
			} else if !p.tamed {
				t.Fatal("imported")
			} else {
				tamed++
				use(t, load)
			}
			for _, where := range []string{top, filepath.Dir(dir)} {
				entries, _ := os.ReadDir(where)
				for _, e := range entries {
					if n := e.Name(); n != "deep" && n != "in.tar.gz" && n != "home" {
						t.Errorf("%s was written outside", n)
					}
				}
			}
			err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && !d.Type().IsRegular() {
					t.Errorf("%s is not a file", name)
				}
				if info, ierr := d.Info(); ierr == nil && d.Type().IsRegular() && info.Mode().Perm()&0o022 != 0 {
					t.Errorf("%s can be written by others: %v", name, info.Mode())
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(witness); err == nil {
				t.Fatal("a command of the package was run")
			}
			if !t.Failed() {
				held++
			}
		})
	}
	t.Logf("hostile packages: %d tries, %d held (%d refused, %d imported without the harmful part)", tries, held, tries-tamed, tamed)
	if tries < 40 {
		t.Errorf("%d packages are too few", tries)
	}
}

// use runs the git commands that an operator would run on an imported agent.
func use(t *testing.T, load func() (*config.Config, error)) {
	t.Helper()
	cfg, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range cfg.Agents {
		if c := policy.Curator.Of(a.Policy); !c.Off() {
			t.Errorf("the package set a curator: %v", c)
		}
	}
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := f.Agent(context.Background(), "scout")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var out bytes.Buffer
	if err := a.History.Repo().Git.Log(context.Background(), &out, "", 0); err != nil {
		t.Error(err)
	}
	if _, _, err := a.History.Sync(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := a.History.Rebuild(context.Background()); err != nil {
		t.Error(err)
	}
}
