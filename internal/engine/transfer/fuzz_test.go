package transfer

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// FuzzPackage unpacks any manifest and any file: nothing panics, nothing is written outside, and only regular files that
// nobody else can write are left.
func FuzzPackage(f *testing.F) {
	f.Add("archive/x.md", "text", int64(4), byte(tar.TypeReg), `{"v":1}`)
	f.Add("../x", "text", int64(-1), byte(tar.TypeSymlink), `{"v":1,"id":"zzzzzzzzzz","state":"done","at":"2026-01-01T00:00:00Z","prev":""}`)
	f.Add("workspace/.git/config", "", int64(1)<<62, byte(tar.TypeFifo), "")
	f.Fuzz(func(t *testing.T, name, text string, size int64, kind byte, record string) {
		m := Manifest{Format: format, Agent: Agent{Name: "a"}, Files: []Entry{
			{Name: name, Size: size, Mode: 0o777, SHA256: digestOf([]byte(text))},
			{Name: "agents/ledger/2026-01.jsonl", Size: int64(len(record)), SHA256: digestOf([]byte(record))},
		}}
		if _, err := json.Marshal(m); err != nil {
			return
		}
		h := tar.Header{Name: name, Typeflag: kind, Linkname: "/etc/passwd"}
		var probe bytes.Buffer
		if probeHeader := h; tar.NewWriter(&probe).WriteHeader(&probeHeader) != nil {
			return // not a valid name in a tar file
		}
		if kind != tar.TypeReg {
			text = ""
		}
		data := packageOf(t, m, part{h, text}, part{tar.Header{Name: "agents/ledger/2026-01.jsonl", Typeflag: tar.TypeReg}, record})
		top := t.TempDir()
		dir := filepath.Join(top, "in")
		must(t, os.Mkdir(dir, 0o700))
		if _, err := Unpack(bytes.NewReader(data), tree(t, dir), 1<<20); err == nil {
			_ = Inspect(tree(t, dir), time.Unix(1_794_000_000, 0))
		}
		entries, _ := os.ReadDir(top)
		if len(entries) != 1 {
			t.Errorf("something was written outside: %v", entries)
		}
		_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil && !d.IsDir() && (!info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0) {
				t.Errorf("%s is %v", p, info.Mode())
			}
			return err
		})
	})
}
