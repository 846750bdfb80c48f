package harness

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet/harness/harnesstest"
	"tend/internal/model/finding"
	"tend/test/require"
)

func TestRecorded(t *testing.T) {
	ws := filepath.Join(t.TempDir(), "ws")
	require.NoError(t, os.Mkdir(ws, 0o755))
	if got, err := Recorded(ws); err != nil || len(got) != 0 {
		t.Errorf("without OpenClaw: %v, %v", got, err)
	}
	at := time.Date(2026, 11, 2, 14, 5, 0, 0, time.UTC)
	harnesstest.OpenClaw(t, ws,
		harnesstest.Write{File: "MEMORY.md", Text: "mine\n", At: at},
		harnesstest.Write{File: "USER.md", Text: "hers\n", Untrusted: true, At: at},
		harnesstest.Write{File: "memory/2026-11-02.md", Text: "log\n", Untrusted: true, At: at},
		harnesstest.Write{File: "memory/2026-11-03.md", Text: "log\n", At: at},
		harnesstest.Write{File: "SOUL.md", Text: "never recorded by OpenClaw\n", At: at},
	)
	got, err := Recorded(ws)
	require.NoError(t, err)
	if len(got) != 4 {
		t.Fatalf("records: %v", got)
	}
	now := at.AddDate(0, 0, 3)
	for _, tt := range []struct {
		file vault.Path
		text string
		want string // the finding's code
	}{
		{"MEMORY.md", "mine\n", ""},
		{"MEMORY.md", "mine\n- and Tend's\n", finding.HarnessWillExclude.Code},
		{"USER.md", "hers\n", finding.HarnessExcludes.Code},
		{"memory/2026-11-02.md", "log\n", finding.HarnessDistrusts.Code},
		{"memory/2026-11-03.md", "changed log\n", ""},
	} {
		f, _ := got[tt.file].Finding(vault.Doc{Path: tt.file, Data: []byte(tt.text), Version: vault.VersionOf([]byte(tt.text))}, now)
		if f.Code != tt.want {
			t.Errorf("%s with %q: %q, want %q", tt.file, tt.text, f.Code, tt.want)
		}
	}
	f, _ := got["USER.md"].Finding(vault.Doc{Path: "USER.md", Version: "x"}, now)
	if want := "OpenClaw has not loaded this file since 2026-11-02 14:05"; f.Text != want {
		t.Errorf("%q, want %q", f.Text, want)
	}
}

// TestRecordedUnreadable: nothing is known of a database that cannot be read, and that is said.
func TestRecordedUnreadable(t *testing.T) {
	ws := filepath.Join(t.TempDir(), "ws")
	require.NoError(t, os.MkdirAll(filepath.Join(filepath.Dir(ws), "state"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(ws), "state", "openclaw.sqlite"), []byte("something else"), 0o600))
	if got, err := Recorded(ws); err == nil {
		t.Errorf("no error: %v", got)
	}
}

func TestCanRecord(t *testing.T) {
	for p, want := range map[vault.Path]bool{
		"MEMORY.md": true, "USER.md": true, "users/ada/USER.md": true, "memory/2026-11-02.md": true, "memory/deep/x.md": true,
		"SOUL.md": false, "memory/x.txt": false, "memory/.dreams/x.md": false, "memory/dreaming/x.md": false,
		"x/MEMORY.md": false, "users/../USER.md": false,
	} {
		if CanRecord(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}
