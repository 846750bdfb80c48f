package note

import (
	"strings"
	"testing"
)

func TestSortOf(t *testing.T) {
	talk := "user: where is the key?\nassistant: in the drawer.\nIt is blue.\nuser: thanks\nassistant: you are welcome\n"
	const hook = "# Session: 2026-11-15\n\n- **Session Key**: a\n- **Source**: x\n"
	const dream = "## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- Candidate: x\n<!-- openclaw:dreaming:light:end -->\n"
	chat := "# Day\n- met\n\nuser: when?\nassistant: now.\n\n" + strings.Repeat("- then we went on\n", 4)
	latin := "# Caf\xe9\n" + strings.Repeat("plain words ", 20)
	for _, tt := range []struct {
		name, path, text string
		want             Sort
	}{
		{"a note", "memory/2026-11-15.md", "# Day\n- moved the server\n", Notes},
		{"empty", "a.md", "", Notes},
		{"a session hook's dump", "memory/2026-11-15-0930.md", hook + "\n## Conversation Summary\n\nuser: hello\n", Transcript},
		{"its head alone", "memory/2026-11-15-0930.md", hook, Residue},
		{"a note about a session", "memory/2026-11-15.md", "# Session: moving house\n\n- packed boxes\n", Notes},
		{"turns", "a.md", talk, Transcript},
		{"turns in bold", "a.md", "**Пользователь:** a\n\n**Ассистент:** b\n\n**Пользователь:** c\n\n**Ассистент:** d\n", Transcript},
		{"records with a user in each", "a.md", strings.Repeat("User: ann\nSystem: linux\n", 4), Notes},
		{"a note that quotes a chat", "a.md", chat, Notes},
		{"JSON lines", "a.md", "{\"role\":\"user\"}\n{\"role\":\"assistant\"}\n{\"a\":1}\n", Transcript},
		{"dreaming", "memory/dreaming/light/2026-11-15.md", "# Light\n- x\n", Residue},
		{"a dream diary", "DREAMS.md", "# Dreams\n", Residue},
		{"only a dreaming passage", "memory/2026-11-15.md", dream, Residue},
		{"answers to heartbeats", "memory/2026-11-15.md", "# 2026-11-15\n- HEARTBEAT_OK\n\nHEARTBEAT_OK\n", Residue},
		{"a note about heartbeats", "memory/2026-11-15.md", "# Heartbeat\n- HEARTBEAT_OK is answered twice\n", Notes},
		{"a reply", "a.md", "[[reply_to_current]] Done.\n", Residue},
		{"UTF-16", "a.md", "\xff\xfea\x00b\x00", Unreadable},
		{"NUL bytes", "a.md", "a\x00b\x00c\x00", Unreadable},
		{"latin-1 with one accent", "a.md", latin, Notes},
	} {
		if got := SortOf(tt.path, []byte(tt.text)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestBlocksThatDreamingWroteAreResidue(t *testing.T) {
	const dream = "## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- Candidate: x\n  - y\n<!-- openclaw:dreaming:light:end -->\n"
	d := Parse([]byte("# Day\n- mine\n\n" + dream + "\n- mine too\n"))
	var got []bool
	for _, b := range d.Blocks(0) {
		got = append(got, b.Residue)
	}
	if len(got) != 3 || got[0] || !got[1] || got[2] {
		t.Errorf("residue: got %v, want only the second", got)
	}
}
