// Package loadviewtest generates random workspaces that are hard to show: a seed gives the same workspace on every machine.
package loadviewtest

import (
	"strings"

	"tend/internal/text/layout/loadview"
)

// Root is the path every sample workspace claims to have.
const Root = "/workspace"

// Workspace is a folder of files and the settings they are shown with.
type Workspace struct {
	Files   []loadview.File
	Options loadview.Options
}

// New generates the workspace of a seed.
func New(seed uint64) Workspace {
	r := &source{state: seed*0x9E3779B97F4A7C15 + 1}
	w := Workspace{Options: loadview.Options{Root: Root}}
	w.Options.FileLimit = pick(r, 0, 0, 1+r.upTo(40), 60+r.upTo(80), 100+r.upTo(300), 300+r.upTo(900), 1000+r.upTo(4000))
	w.Options.TotalLimit = pick(r, 0, 0, 0, 1+r.upTo(70), 60+r.upTo(10), 100+r.upTo(600), 500+r.upTo(3000), 3000+r.upTo(9000))
	w.Options.Session = pick(r, "", "", "", "", "", "", "cron", "subagent", "group", "channel")
	near := w.Options.FileLimit
	if near == 0 {
		near = pick(r, 300, 1500, 4000, 12000, 20000)
	}
	for _, name := range []string{
		"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md",
	} {
		if r.chance(12) {
			continue
		}
		f := loadview.File{Name: name}
		switch {
		case r.chance(2):
			f.Kind = pick(r, loadview.Folder, loadview.Symlink, loadview.Hardlink)
		case r.chance(4):
			f.Data = []byte(pick(r, "", "\n", " \t\r\n\u3000\ufeff", "\ufeff", "x"))
		}
		if f.Data == nil && f.Kind != loadview.Folder {
			f.Data = r.text(size(r, near), name == "AGENTS.md")
		}
		w.Files = append(w.Files, f)
	}
	return w
}

// size is a length in characters: small, far above the limit, or close to it.
func size(r *source, limit int) int {
	switch r.upTo(5) {
	case 0:
		return r.upTo(200)
	case 1:
		return max(0, limit-3+r.upTo(6))
	case 2:
		return r.upTo(limit + 1)
	case 3:
		return limit + r.upTo(200)
	}
	return limit + r.upTo(limit+400)
}

// text generates about n UTF-16 units of mixed text.
func (r *source) text(n int, rules bool) []byte {
	var b strings.Builder
	scripts := pick(r, latin, latin, mixed, mixed, astral, cjk)
	nl := pick(r, "\n", "\n", "\n", "\r\n")
	left := n
	for left > 0 {
		line := r.line(scripts, rules)
		line += pick(r, nl, nl, nl, nl, nl+nl, " "+nl, "\t"+nl, "\r", "\u2028", nl+"  ")
		b.WriteString(line)
		left -= units(line)
	}
	out := []rune(b.String())
	for total := units(b.String()); n > 0 && total > n; {
		end := len(out) - max(1, (total-n+1)/2)
		total -= units(string(out[end:]))
		out = out[:end]
	}
	s := string(out) + pick(r, "", "", "\n", "\n\n", " \n\t\n", "\r\n", "\u00a0\u3000\ufeff", "\u0085", "\u200b\n")
	if r.chance(5) {
		s = "\ufeff" + s
	}
	data := []byte(s)
	if r.chance(6) {
		for range 1 + r.upTo(4) {
			at := r.upTo(len(data) + 1)
			bad := pick(r, "\xff", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xed\xa0\x80", "\x80", "\xf4\x90\x80\x80")
			data = append(data[:at:at], append([]byte(bad), data[at:]...)...)
		}
	}
	return data
}

var (
	latin = []string{"the", "agent", "keeps", "notes", "of", "what", "happened", "a", "and", "so", "on", "naïve",
		"façade", "word_with_parts", "42"}
	cjk    = []string{"記憶", "今天", "メモ", "を", "書く", "기억", "하다", "，", "。", "規則"}
	astral = []string{"😀", "👩‍👩‍👧", "🇩🇪", "𝒳", "🔴", "x", "🏽", "𠮷"}
	mixed  = append(append(append([]string{"e\u0301", "\u0301", "a\u200db", "שלום", "مرحبا", "a\u00a0b", "\v", "\f", "\u2009"}, latin...),
		cjk...), astral...)
)

var ruleWords = []string{
	"must", "MUST", "Never", "do not", "Do  not", "required", "scoped", "ſcoped", "AGENTS.md", "agents.md", "AGENTSxmd", "security",
	"secret", "secrets", "credential", "owner", "owners", "test", "testing", "validation", "command", "commit", "push", "GitHub", "pr",
	"PR", "prs", "before subtree", "read scoped", "\u212Ahub", "mustn't", "must_not", "禁止", "嚴禁", "不得", "絕不", "絕對不", "切勿", "必須",
	"務必", "一律", "紅線", "🔴", "tes\u017F", "pu\u017Fh",
}

var ruleStarts = []string{
	"- ", "* ", "+ ", "-", "1. ", "12) ", "3.) ", "1 ", "# ", "## ", "###### ", "####### ", "#", "  - ", "\t* ", "٣. ",
	"```", "~~~", "~~~~ x", "> ", "",
	"", "", "-\u00a0", "#\t",
}

func (r *source) line(words []string, rules bool) string {
	var b strings.Builder
	if rules && r.chance(40) {
		b.WriteString(pick(r, ruleStarts...))
	} else if r.chance(15) {
		b.WriteString(pick(r, "- ", "# ", "1. "))
	}
	n := 1 + r.upTo(12)
	if r.chance(3) {
		n += 60
	}
	for i := range n {
		if i > 0 {
			b.WriteString(pick(r, " ", " ", " ", "  ", "", "-"))
		}
		if rules && r.chance(8) {
			b.WriteString(pick(r, ruleWords...))
			continue
		}
		b.WriteString(pick(r, words...))
	}
	return b.String()
}

func units(s string) int {
	n := 0
	for _, c := range s {
		if n++; c > 0xFFFF {
			n++
		}
	}
	return n
}
