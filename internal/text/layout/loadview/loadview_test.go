package loadview

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/layout"
)

func preset(t testing.TB, ref string) layout.Layout {
	t.Helper()
	l, err := layout.Preset(ref)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// one injects a single file and returns the result.
func one(t testing.TB, ref, name, text string, o Options) Injected {
	t.Helper()
	r := Inject(preset(t, ref), []File{{Name: name, Data: []byte(text)}}, o)
	in, ok := r.File(name)
	if !ok {
		t.Fatalf("%s does not look at %s", ref, name)
	}
	return in
}

// The published vectors: size, limit, and what is kept of head and tail by the old cut (70/20) and the new (75/25).
func TestGoldenVectors(t *testing.T) {
	tests := []struct {
		name       string
		raw, limit int
		old, new   [4]int // head, tail, injected, lost
	}{
		{"MEMORY.md", 20000, 20000, [4]int{20000, 0, 20000, 0}, [4]int{20000, 0, 20000, 0}},
		{"MEMORY.md", 20001, 20000, [4]int{14000, 4000, 18110, 2001}, [4]int{14917, 4972, 19999, 112}},
		{"MEMORY.md", 25000, 20000, [4]int{14000, 4000, 18110, 7000}, [4]int{14917, 4972, 19999, 5111}},
		{"MEMORY.md", 46000, 20000, [4]int{14000, 4000, 18110, 28000}, [4]int{14917, 4972, 19999, 26111}},
		{"MEMORY.md", 14296, 12000, [4]int{8400, 2400, 10909, 3496}, [4]int{8918, 2972, 11999, 2406}},
		{"SOUL.md", 25000, 20000, [4]int{14000, 4000, 18106, 7000}, [4]int{14920, 4973, 19999, 5107}},
		{"USER.md", 5712, 4000, [4]int{2800, 800, 3703, 2112}, [4]int{2922, 974, 3999, 1816}},
		{"MEMORY.md", 20106, 348, [4]int{243, 69, 418, 19794}, [4]int{181, 60, 347, 19865}},
		{"MEMORY.md", 1000, 64, [4]int{44, 12, 160, 944}, [4]int{30, 10, 63, 960}},
	}
	for _, tt := range tests {
		text := numbered(tt.raw)
		for ref, want := range map[string][4]int{"openclaw@2026.2": tt.old, "openclaw@2026.4": tt.new, "openclaw@2026.9": tt.new} {
			in := one(t, ref, tt.name, text, Options{FileLimit: tt.limit, TotalLimit: 1 << 20})
			got := [4]int{in.Raw, 0, in.Size, in.Lost}
			if in.Cut {
				got[0], got[1] = in.Intact[0].To, tt.raw-in.Intact[1].From
			}
			if got != want {
				t.Errorf("%s %s %d/%d: got %v, want %v", ref, tt.name, tt.raw, tt.limit, got, want)
			}
		}
	}
}

// numbered is ASCII text of a size in which every place is different.
func numbered(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %d of it\n", i)
	}
	return b.String()[:n-1] + "."
}

func TestTextsOfTheCuts(t *testing.T) {
	long := strings.Repeat("ab ", 200) + "end"
	tests := []struct {
		name, ref, file, text string
		o                     Options
		want                  string
	}{
		{
			"old cut puts the marker on top", "openclaw@2026.2", "SOUL.md", long, Options{FileLimit: 20},
			long[:14] + "\n\n[...truncated, read SOUL.md for full content...]\n…(truncated SOUL.md: kept 14+4 chars of 603)…\n\n" + long[599:],
		},
		{
			"new cut has it inside", "openclaw@2026.9", "SOUL.md", long, Options{FileLimit: 140},
			long[:30] + "\n\n[...truncated, read SOUL.md for full content...]\n…(truncated SOUL.md: kept 30+10 chars of 603)…\n\n" + long[593:],
		},
		{"compact marker", "openclaw@2026.9", "SOUL.md", long, Options{FileLimit: 30}, long[:7] + "[…truncated 7+2/603]" + long[601:]},
		{"not even the marker", "openclaw@2026.9", "SOUL.md", long, Options{FileLimit: 5}, "[…tru"},
		{"white space at the end is no text", "openclaw@2026.9", "SOUL.md", "abc \u3000\ufeff\n\n", Options{FileLimit: 3}, "abc"},
		{"USER.md has a fixed cap", "openclaw@2026.8", "USER.md", strings.Repeat("x", 4000), Options{}, strings.Repeat("x", 4000)},
		{
			"a cap below the fixed one counts", "openclaw@2026.8", "USER.md", long, Options{FileLimit: 30},
			long[:7] + "[…truncated 7+2/603]" + long[601:],
		},
		{
			"old cut halves characters", "openclaw@2026.2", "SOUL.md", strings.Repeat("😀", 300), Options{FileLimit: 30},
			strings.Repeat("😀", 10) + "\uFFFD\n\n[...truncated, read SOUL.md for full content...]\n…(truncated SOUL.md: kept 21+6 chars of 600)…\n" +
				"\n😀😀😀",
		},
		{"new cut does not", "openclaw@2026.9", "SOUL.md", strings.Repeat("😀", 300), Options{FileLimit: 27}, "😀😀[…truncated 5+1/600]"},
		{"zeroclaw keeps the head", "zeroclaw", "SOUL.md", "  äöü xyz  ", Options{FileLimit: 4},
			"äöü \n\n[... truncated at 4 chars — use `read` for full file]"},
		{"codex cuts bytes", "codex", "AGENTS.md", "aäb", Options{TotalLimit: 2}, "a\uFFFD"},
		{
			"hermes shows its budget", "hermes", "memories/MEMORY.md", "one\n§\n\n two \n§\none\n", Options{FileLimit: 8},
			bar + "\nMEMORY (your personal notes) [100% — 9/8 chars ⚠ OVER BUDGET]\n" + bar + "\none\n§\ntwo",
		},
		{
			"hermes within budget", "hermes", "memories/USER.md", "likes tea", Options{},
			bar + "\nUSER PROFILE (who the user is) [0% — 9/1,375 chars]\n" + bar + "\nlikes tea",
		},
		{
			"hermes far over budget", "hermes", "memories/MEMORY.md", strings.Repeat("x", 5000), Options{},
			bar + "\nMEMORY (your personal notes) [100% — 5,000/2,200 chars ⚠ OVER BUDGET]\n" + bar + "\n" + strings.Repeat("x", 3080) +
				"\n\n[... 1,040 chars truncated — memory over budget (5,000/2,200); consolidate via memory(action=remove/replace) ...]\n\n" +
				strings.Repeat("x", 880),
		},
		{
			"hermes context file", "hermes", "SOUL.md", strings.Repeat("y", 30000), Options{Root: "/h"},
			strings.Repeat("y", 14000) + "\n\n[...truncated SOUL.md: kept 14000+4000 of 30000 chars. The middle is omitted — if you need the full " +
				"instructions, read the complete file with the read_file tool: /h/SOUL.md]\n\n" + strings.Repeat("y", 4000),
		},
		{"hermes, larger window", "hermes", "SOUL.md", strings.Repeat("y", 30000), Options{Window: 200_000}, strings.Repeat("y", 30000)},
		{"claude counts lines", "claude-code", "MEMORY.md", strings.Repeat("a\n", 300), Options{}, strings.Repeat("a\n", 200)},
		{"claude counts characters", "claude-code", "MEMORY.md", "12345\n1234\nx\n", Options{FileLimit: 10}, "12345\n1234\n"},
		{"claude cuts a line that is all", "claude-code", "MEMORY.md", strings.Repeat("z", 30000), Options{}, strings.Repeat("z", 25000)},
		{
			"claude ignores front matter and comments", "claude-code", "MEMORY.md",
			"---\ntype: x\n---\n<!-- a\nb -->\none\n```\n<!-- code -->\n```\ntwo <!-- c -->\n", Options{},
			"one\n```\n<!-- code -->\n```\ntwo <!-- c -->\n",
		},
		{"the harness shows all", "harness", "memory/CONTEXT.md", " \n" + strings.Repeat("x", 99999) + "\n",
			Options{}, strings.Repeat("x", 99999)},
	}
	for _, tt := range tests {
		in := one(t, tt.ref, tt.file, tt.text, tt.o)
		if diff := cmp.Diff(tt.want, in.Text); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

const bar = "══════════════════════════════════════════════"

func TestDigest(t *testing.T) {
	text := "# Rules\n" + strings.Repeat("Filler without meaning.\n", 30) +
		"Some background.\n- Always   say\tplease\n\nA story.\n```\nYou must not be seen here\n```\nNever push on Friday\n必須 ok\n" +
		strings.Repeat("More filler.\n", 30) + "the end"
	got := one(t, "openclaw@2026.9", "AGENTS.md", text, Options{FileLimit: 480})
	want := text[:72] + "\n[...truncated, read AGENTS.md for full content...]\n[Policy digest from AGENTS.md]\n# Rules\n" +
		"Some background.\n- Always say please\n" +
		"You must not be seen here\nNever push on Friday\n必須 ok"
	if !strings.HasPrefix(got.Text, text[:20]) || !strings.Contains(got.Text, want[72:]) {
		t.Errorf("got %q", got.Text)
	}
	if got.Size > 480 {
		t.Errorf("size %d is over the limit", got.Size)
	}
	plain := one(t, "openclaw@2026.8", "AGENTS.md", text, Options{FileLimit: 480})
	if strings.Contains(plain.Text, "Some background.\n-") || strings.Contains(plain.Text, "必須") {
		t.Errorf("2026.8 neither carries prose nor knows Chinese: %q", plain.Text)
	}
	none := one(t, "openclaw@2026.4", "AGENTS.md", text, Options{FileLimit: 480})
	if strings.Contains(none.Text, "Policy digest") {
		t.Errorf("2026.4 has no digest: %q", none.Text)
	}
	if tiny := one(t, "openclaw@2026.9", "AGENTS.md", text, Options{FileLimit: 40}); tiny.Text != "#\n[...truncated, read AGENTS.md for full" {
		t.Errorf("tiny: %q", tiny.Text)
	}
}

func TestTotalIsTakenInOrder(t *testing.T) {
	l := preset(t, "openclaw@2026.9")
	files := []File{
		{Name: "AGENTS.md", Data: []byte(strings.Repeat("a", 300))},
		{Name: "SOUL.md", Data: []byte(strings.Repeat("s", 300))},
		{Name: "MEMORY.md", Data: []byte("line 1\nline 2\n")},
	}
	r := Inject(l, files, Options{Root: "/w", TotalLimit: 700})
	var got []string
	for _, f := range r.Files {
		got = append(got, fmt.Sprintf("%s %v %q %d", f.Name, f.Shown, f.Reason, f.Size))
	}
	want := []string{
		`AGENTS.md true "" 300`,
		`SOUL.md true "" 300`,
		`IDENTITY.md true "missing" 37`,
		`USER.md false "missing" 0`,
		`BOOTSTRAP.md true "missing" 38`,
		`MEMORY.md false "starved" 0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	memory, _ := r.File("MEMORY.md")
	starved := memory.Starve && memory.Lost == 13 && cmp.Diff([]Span{{1, 2}}, memory.Lines) == ""
	if !starved || !r.Loss() || r.Used != 675 || !r.NearTotal {
		t.Errorf("memory %+v, used %d", memory, r.Used)
	}

	set := Inject(l, files, Options{Root: "/w", TotalLimit: 701, SetUp: true})
	if m, _ := set.File("MEMORY.md"); m.Text != "line 1\nline 2" {
		t.Errorf("without BOOTSTRAP.md there is space for memory: %+v", m)
	}
	if b, _ := set.File("BOOTSTRAP.md"); b.Shown || b.Reason != Done {
		t.Errorf("BOOTSTRAP.md: %+v", b)
	}
	old := Inject(preset(t, "openclaw@2026.2"), files[:2], Options{Root: "/w", FileLimit: 100, TotalLimit: 300})
	a, _ := old.File("AGENTS.md")
	if s, _ := old.File("SOUL.md"); s.Size != 300-a.Size || s.Size > 110 || !strings.HasSuffix(s.Text, "…") {
		t.Errorf("the old cut is clamped to what is left of the total: %d %q", s.Size, s.Text)
	}
}

func TestSessionsAndKinds(t *testing.T) {
	l := preset(t, "openclaw@2026.9")
	var files []File
	for _, f := range l.Show.Files {
		files = append(files, File{Name: f.Name, Data: []byte("text of " + f.Name)})
	}
	tests := []struct {
		session string
		want    []string
	}{
		{"", []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"}},
		{"subagent", []string{"AGENTS.md"}},
		{"cron", []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"}},
		{"group", []string{"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md"}},
	}
	for _, tt := range tests {
		r := Inject(l, files, Options{Session: tt.session})
		var got []string
		for _, f := range r.Files {
			if f.Shown {
				got = append(got, f.Name)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.session, diff)
		}
		if r.Loss() {
			t.Errorf("%s: a file that a session must not get counts as lost", tt.session)
		}
	}

	kinds := []File{
		{Name: "AGENTS.md", Data: []byte("x"), Kind: Hardlink},
		{Name: "SOUL.md", Kind: Folder},
		{Name: "IDENTITY.md", Data: []byte("y"), Kind: Symlink},
		{Name: "USER.md", Broken: "permission denied"},
		{Name: "BOOTSTRAP.md", Missing: true},
		{Name: "MEMORY.md", Data: make([]byte, 2<<20+1)},
	}
	want := map[string]string{
		"AGENTS.md":    "[UNREADABLE: path must not be hardlinked]",
		"SOUL.md":      "[UNREADABLE: path does not have the required file type]",
		"IDENTITY.md":  "[UNREADABLE: symlink path component not allowed]",
		"USER.md":      "[UNREADABLE: permission denied]",
		"BOOTSTRAP.md": "[MISSING] Expected at: /w/BOOTSTRAP.md",
		"MEMORY.md":    "[UNREADABLE: File exceeds 2097152 bytes]",
	}
	r := Inject(l, kinds, Options{Root: "/w"})
	for _, f := range r.Files {
		if f.Text != want[f.Name] {
			t.Errorf("%s: got %q, want %q", f.Name, f.Text, want[f.Name])
		}
	}
	if !r.Loss() {
		t.Error("an unreadable file is a loss")
	}
	old, _ := Inject(preset(t, "openclaw@2026.4"), kinds[5:], Options{Root: "/w"}).File("MEMORY.md")
	if old.Text != "[MISSING] Expected at: /w/MEMORY.md" || old.Reason != Unreadable {
		t.Errorf("before 2026.8 a file too large counted as missing: %+v", old)
	}
	linked, _ := Inject(preset(t, "zeroclaw"), kinds[2:3], Options{}).File("IDENTITY.md")
	if linked.Text != "y" {
		t.Errorf("zeroclaw follows links: %+v", linked)
	}
}

func TestChains(t *testing.T) {
	files := []File{
		{Name: "AGENTS.md", Data: []byte("root")},
		{Name: "AGENTS.override.md", Data: []byte("mine")},
		{Name: "a/AGENTS.md", Data: []byte("deeper")},
		{Name: "a/b/AGENTS.md", Data: []byte("deepest")},
		{Name: "c/AGENTS.md", Data: []byte("aside")},
		{Name: "memories/memory_summary.md", Data: []byte("summary")},
	}
	shown := func(r Result) []string {
		var out []string
		for _, f := range r.Files {
			if f.Shown {
				out = append(out, f.Name+"="+f.Text)
			}
		}
		return out
	}
	r := Inject(preset(t, "codex"), files, Options{Cwd: "a/b", TotalLimit: 12})
	want := []string{"AGENTS.override.md=mine", "a/AGENTS.md=deeper", "a/b/AGENTS.md=de", "memories/memory_summary.md=summary"}
	if diff := cmp.Diff(want, shown(r)); diff != "" {
		t.Error(diff)
	}
	if f, _ := r.File("AGENTS.md"); f.Reason != Replaced {
		t.Errorf("AGENTS.md: %+v", f)
	}
	names := Names(preset(t, "codex"), nil, "a")
	wantNames := []string{"AGENTS.override.md", "AGENTS.md", "a/AGENTS.override.md", "a/AGENTS.md", "memories/memory_summary.md"}
	if diff := cmp.Diff(wantNames, names); diff != "" {
		t.Error(diff)
	}
	letta := Inject(preset(t, "letta"),
		[]File{{Name: "system/z.md", Data: []byte("z")}, {Name: "system/a/b.md", Data: []byte("b")}, {Name: "x.md"}}, Options{})
	if diff := cmp.Diff([]string{"system/a/b.md=b", "system/z.md=z"}, shown(letta)); diff != "" {
		t.Error(diff)
	}
}

func TestLostLines(t *testing.T) {
	var b strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&b, "line %02d\n", i)
	}
	in := one(t, "openclaw@2026.2", "SOUL.md", b.String(), Options{FileLimit: 200})
	// 140 characters are 17 lines and a half, the last 40 are 5 lines.
	if diff := cmp.Diff([]Span{{18, 95}}, in.Lines); diff != "" {
		t.Error(diff)
	}
	digest := one(t, "openclaw@2026.9", "AGENTS.md", b.String()+"- rule\n"+strings.Repeat("tail\n", 100), Options{FileLimit: 400})
	for _, s := range digest.Lines {
		if s.From <= 101 && s.To >= 101 {
			t.Errorf("line 101 is in the digest, so it is not lost: %v", digest.Lines)
		}
	}
	claude := one(t, "claude-code", "MEMORY.md", "---\na: b\n---\n"+strings.Repeat("x\n", 201), Options{})
	if diff := cmp.Diff([]Span{{204, 204}}, claude.Lines); diff != "" {
		t.Error(diff)
	}
	whole := one(t, "openclaw@2026.9", "SOUL.md", "a\n\n", Options{})
	if whole.Lines != nil || whole.Lost != 0 || cmp.Diff([]Range{{0, 1}}, whole.Intact) != "" {
		t.Errorf("%+v", whole)
	}
}

func TestBrokenUTF8(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a\xffb", "a\uFFFDb"},
		{"a\xe2\x82b", "a\uFFFDb"},
		{"\xf0\x9f\x98", "\uFFFD"},
		{"\xf0\x9f\x98\x80", "😀"},
		{"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"\xc0\xaf", "\uFFFD\uFFFD"},
		{"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"\uFFFD ok", "\uFFFD ok"},
	}
	for _, tt := range tests {
		src := read([]byte(tt.in))
		if src.text != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, src.text, tt.want)
		}
		for _, g := range src.segs {
			if tt.in[g.raw:g.raw+g.n] != src.text[g.at:g.at+g.n] {
				t.Errorf("%q: segment %+v is not where it says", tt.in, g)
			}
		}
	}
}

func TestUnits(t *testing.T) {
	s := "aä漢😀e\u0301"
	for u, want := range map[layout.Unit]int{layout.UTF16: 7, layout.Runes: 6, layout.Bytes: 13} {
		if got := count(s, u); got != want {
			t.Errorf("%s: got %d, want %d", u, got, want)
		}
		for n := range want + 2 {
			h, e := s[:head(s, n, u)], s[tail(s, n, u):]
			if count(h, u) > n || count(e, u) > n || !utf8.ValidString(h) || !utf8.ValidString(e) {
				t.Errorf("%s %d: head %q tail %q", u, n, h, e)
			}
		}
	}
}
