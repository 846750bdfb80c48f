package write

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/plan"
)

const logFile = "memory/2026-11-15.md"

func TestNote(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    night
		w    Request
		file string // logFile unless said
		want string // the log afterwards
		op   plan.Op
	}{
		{
			name: "a new log", w: Request{Text: "ship it", Tags: []string{"decision"}},
			want: "# 2026-11-15\n\n- 23:00 [decision] ship it\n", op: plan.Write,
		},
		{
			name: "a true append", n: night{files: one(logFile, "# 2026-11-15\n\n- 09:00 - begun\n")}, w: Request{Text: "lunch"},
			want: "# 2026-11-15\n\n- 09:00 - begun\n- 23:00 - lunch\n", op: plan.Append,
		},
		{
			name: "behind blank lines, still an append", n: night{files: one(logFile, "- 09:00 - begun\n\n\n")}, w: Request{Text: "lunch"},
			want: "- 09:00 - begun\n\n\n- 23:00 - lunch\n", op: plan.Append,
		},
		{
			name: "no newline at the end", n: night{files: one(logFile, "some words")}, w: Request{Text: "lunch"},
			want: "some words\n\n- 23:00 - lunch\n", op: plan.Append,
		},
		{
			name: "CRLF", n: night{files: one(logFile, "- begun\r\n")}, w: Request{Text: "one\r\ntwo"},
			want: "- begun\r\n- 23:00 - one\r\n  two\r\n", op: plan.Append,
		},
		{
			name: "an empty file", n: night{files: one(logFile, "")}, w: Request{Text: "lunch"},
			want: "- 23:00 - lunch\n", op: plan.Append,
		},
		{
			name: "several tags", w: Request{Text: "x", Tags: []string{"Decision", "[human]", "decision"}},
			want: "# 2026-11-15\n\n- 23:00 [decision] [human] x\n", op: plan.Write,
		},
		{
			name: "tags and a time it brings along", w: Request{Text: "08:15 [lesson] x", Tags: []string{"lesson"}},
			want: "# 2026-11-15\n\n- 08:15 [lesson] x\n", op: plan.Write,
		},
		{
			name: "a list is several entries", w: Request{Text: "- [lesson] one\n  more\n* two\n\n- [ ] three", Tags: []string{"human"}},
			want: "# 2026-11-15\n\n- 23:00 [human] [lesson] one\n  more\n- 23:00 [human] two\n- 23:00 [human] [ ] three\n", op: plan.Write,
		},
		{
			name: "a text of many lines is one entry", w: Request{Text: "first\n\n```\ncode\n```\n# no heading"},
			want: "# 2026-11-15\n\n- 23:00 - first\n\n  ```\n  code\n  ```\n  # no heading\n", op: plan.Write,
		},
		{
			name: "before the closure block", n: night{layout: v4, files: one(dailyFile, "# d\n\n- a\n\n"+closure+"\n")},
			w: Request{Text: "b"}, file: dailyFile,
			want: "# d\n\n- a\n- 23:00 - b\n\n" + closure + "\n", op: plan.Write,
		},
		{
			name: "a new log with its closure block", n: night{layout: v4}, w: Request{Text: "b"}, file: dailyFile,
			want: "# 2026-11-15\n\n- 23:00 - b\n\n" + closure, op: plan.Write,
		},
		{
			name: "there already", n: night{files: one(logFile, "- 09:00 [decision] Ship it!\n- other\n")},
			w:    Request{Text: "ship it", Tags: []string{"decision"}},
			want: "- 09:00 [decision] Ship it!\n- other\n",
		},
		{
			name: "there, but without the tag", n: night{files: one(logFile, "- 09:00 - ship it\n")},
			w:    Request{Text: "ship it", Tags: []string{"decision"}},
			want: "- 09:00 - ship it\n- 23:00 [decision] ship it\n", op: plan.Append,
		},
		{
			name: "there ten entries ago", n: night{files: one(logFile, "- ship it\n"+lines(9))}, w: Request{Text: "ship it"},
			want: "- ship it\n" + lines(9),
		},
		{
			name: "there eleven entries ago", n: night{files: one(logFile, "- ship it\n"+lines(10))}, w: Request{Text: "ship it"},
			want: "- ship it\n" + lines(10) + "- 23:00 - ship it\n", op: plan.Append,
		},
		{
			name: "one of two is there", n: night{files: one(logFile, "- one\n")}, w: Request{Text: "- one\n- two"},
			want: "- one\n- 23:00 - two\n", op: plan.Append,
		},
		{
			name: "never compared", n: night{policy: map[string]any{"note.dedupe": 0}, files: one(logFile, "- one\n")}, w: Request{Text: "one"},
			want: "- one\n- 23:00 - one\n", op: plan.Append,
		},
		{
			name: "a fence somebody left open", n: night{files: one(logFile, "- a\n\n```\ncode\n")}, w: Request{Text: "b\n```\nmore\n```"},
			want: "- a\n\n```\ncode\n\n```\n- 23:00 - b\n  ```\n  more\n  ```\n", op: plan.Append,
		},
		{
			name: "a comment somebody left open", n: night{files: one(logFile, "- a\n\n<!-- hm\n")}, w: Request{Text: "b\n-->"},
			want: "- a\n\n<!-- hm\n\n-->\n- 23:00 - b\n  -->\n", op: plan.Append,
		},
		{
			name: "the day is the agent's", n: night{zone: "Pacific/Kiritimati", clock: "2027-01-01 00:05"}, w: Request{Text: "x"},
			file: "memory/2027-01-01.md",
			want: "# 2027-01-01\n\n- 00:05 - x\n", op: plan.Write,
		},
		{
			name: "in a folder a month", n: night{layout: "picoclaw@2026.8"}, w: Request{Text: "x"}, file: "memory/202611/20261115.md",
			want: "# 2026-11-15\n\n- 23:00 - x\n", op: plan.Write,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file == "" {
				tt.file = logFile
			}
			in := tt.n.input(t)
			pl, err := Note(in, tt.w)
			must(t, err)
			if diff := cmp.Diff(tt.want, text(in, pl, tt.file)); diff != "" {
				t.Errorf("the log (-want +got):\n%s", diff)
			}
			op := plan.Op("")
			if !pl.Empty() {
				op = pl.Changes[0].Op
			}
			if op != tt.op {
				t.Errorf("got op %q, want %q", op, tt.op)
			}
			again, err := Note(job.After(in, pl), tt.w)
			if err != nil || !again.Empty() && tt.n.policy == nil {
				t.Errorf("the same note again is not nothing: %v %s", err, again.Summary)
			}
		})
	}
}

func TestWritingIsRefused(t *testing.T) {
	note := func(in job.Input, w Request) error { _, err := Note(in, w); return err }
	buffer := func(in job.Input, w Request) error { _, err := BufferAdd(in, w, ""); return err }
	session := func(in job.Input, w Request) error { _, err := SessionWrite(in, w); return err }
	for _, tt := range []struct {
		name string
		n    night
		do   func(job.Input, Request) error
		w    Request
		why  string
		safe bool // refused for safety, not as nonsense
	}{
		{name: "no text", do: note, w: Request{Text: " \n\t"}, why: "there is no text"},
		{name: "no such tag", do: note, w: Request{Text: "x", Tags: []string{"lessen"}}, why: `"lessen" is not a tag`},
		{name: "no such tag in the buffer", do: buffer, w: Request{Text: "x", Tags: []string{"todo"}}, why: `"todo" is not a tag`},
		{name: "no text at all", do: note, w: Request{Text: "a\x00b"}, why: "not UTF-8"},
		{name: "broken text", do: session, w: Request{Text: "a\xffb"}, why: "not UTF-8"},
		{name: "too long", n: night{policy: map[string]any{"file.max_bytes": 1024}}, do: note, w: Request{Text: strings.Repeat("a", 1025)},
			why: "1025 bytes"},
		{name: "no daily logs", n: night{layout: "codex@2026.8"}, do: note, w: Request{Text: "x"}, why: "no place for daily logs"},
		{name: "no buffer", n: night{layout: "shepherd@1"}, do: buffer, w: Request{Text: "x"}, why: "no place for a working buffer"},
		{name: "no session", n: night{layout: v4}, do: session, w: Request{Text: "x"}, why: "no place for the session's state"},
		{name: "a secret", do: note, w: Request{Text: "key " + awsKey}, why: "secret.aws-access-key", safe: true},
		{name: "a secret in the buffer", do: buffer, w: Request{Text: "key " + awsKey}, why: "secret.aws-access-key", safe: true},
		{name: "a secret in the session", do: session, w: Request{Text: "key " + awsKey}, why: "secret.aws-access-key", safe: true},
		{name: "another rule was waived", do: note, w: Request{Text: "key " + awsKey, Allow: []string{"secret.jwt"}},
			why: "secret.aws-access-key", safe: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do(tt.n.input(t), tt.w)
			var r *job.Refusal
			if !errors.As(err, &r) {
				t.Fatalf("got %v, want a refusal", err)
			}
			if !strings.Contains(r.Why, tt.why) || r.Try == "" {
				t.Errorf("got %q, try %q; want %q and something to try", r.Why, r.Try, tt.why)
			}
			if got := errors.Is(err, vault.ErrRefused); got != tt.safe || r.Usage == tt.safe {
				t.Errorf("refused for safety: %t, want %t", got, tt.safe)
			}
			if strings.Contains(r.Why+r.Try, awsKey) {
				t.Errorf("the refusal tells the secret: %s", r.Why)
			}
		})
	}
}

func TestSecretsOtherwise(t *testing.T) {
	w := Request{Text: "key " + awsKey}
	for _, tt := range []struct {
		name, mode   string
		allow        []string
		code, reason string
	}{
		{name: "warned of", mode: "warn", code: "secret-written"},
		{name: "not looked for", mode: "off"},
		{name: "waived by the operator", mode: "refuse", allow: []string{"secret.aws-access-key"},
			reason: "the operator waived secret.aws-access-key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.Allow = tt.allow
			in := night{policy: map[string]any{"secrets": tt.mode}}.input(t)
			pl, err := Note(in, w)
			must(t, err)
			if got := codes(pl); got != tt.code || pl.Reason != tt.reason {
				t.Errorf("got findings %q reason %q, want %q %q", got, pl.Reason, tt.code, tt.reason)
			}
			if !strings.Contains(text(in, pl, logFile), awsKey) {
				t.Error("it was not written")
			}
		})
	}
}

func TestNoteToAFileThatGrowsTooLarge(t *testing.T) {
	in := night{policy: map[string]any{"file.max_bytes": 1024}, files: one(logFile, strings.Repeat("- a\n", 256))}.input(t)
	pl, err := Note(in, Request{Text: "one too many"})
	if err != nil || pl.Empty() || codes(pl) != "unread-file" {
		t.Errorf("got %v, findings %q, want it written and said", err, codes(pl))
	}
}

func TestClosureBlockIsTrue(t *testing.T) {
	in := night{layout: "openclaw-v4@1.3", files: map[string]string{dailyFile: "# 2026-11-15\n\n- 09:00 - begun\n\n" + closure}}.input(t)
	pl, err := Note(in, Request{Text: "ship on Tuesdays; never on Fridays", Tags: []string{"decision"}})
	if err != nil {
		t.Fatal(err)
	}
	in = job.After(in, pl)
	pl, err = Note(in, Request{Text: "the mirror lags", Tags: []string{"lesson"}})
	if err != nil {
		t.Fatal(err)
	}
	log := text(in, pl, dailyFile)
	if !strings.Contains(log, "Decisions: ship on Tuesdays, never on Fridays\nSignal: the mirror lags\nOpen: none\n") ||
		strings.Contains(log, "Decisions: none") {
		t.Errorf("the log is\n%s", log)
	}
}
