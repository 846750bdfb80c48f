package referee

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/text/scan"
)

func verify(before, after string, sources ...string) Verdict {
	return Verify([]byte(before), []byte(after), list(sources...), Options{})
}

func list(texts ...string) Sources {
	return func(yield func(Source) bool) {
		for i, s := range texts {
			if !yield(Source{fmt.Sprintf("log%d.md", i+1), []byte(s)}) {
				return
			}
		}
	}
}

// lostLines are the texts of the lines without a home.
func lostLines(v Verdict) []string {
	var out []string
	for _, s := range v.Lost {
		for _, l := range s.Lost {
			if !l.homed {
				out = append(out, l.Text)
			}
		}
	}
	return out
}

// TestWhatStandsElsewhereInOtherWordsIsListed: with the place, and it comes back. What was put in other words in its place is not,
// nor what stands elsewhere as it was.
func TestWhatStandsElsewhereInOtherWordsIsListed(t *testing.T) {
	log := "asked about invoices: Ines reviews every invoice above 400 euros before it leaves\n"
	after := strings.Replace(swap(ines+"\n", ""), backups, "- Backups of the shop run at 03:40 and go to the vault", 1)
	v := verify(memory, after, log)
	if len(v.Lost) != 1 || len(v.Lost[0].Lost) != 1 {
		t.Fatalf("lost %+v", v.Lost)
	}
	if l := v.Lost[0].Lost[0]; l.Text != ines || *l.Similar != (Similar{"log1.md", 1}) {
		t.Errorf("lost %+v", l)
	}
	if want := "1 line of 7 (61 characters) is gone"; v.String() != want {
		t.Errorf("got %q, want %q", v, want)
	}
	if got := string(PutBack([]byte(memory), []byte(after), v.Parts())); !strings.Contains(got, ines) {
		t.Errorf("put back:\n%s", got)
	}
	sources := func(yield func(Source) bool) { yield(Source{Name: "log1.md", Text: []byte(log)}) }
	now := []byte(after + ines + "\n")
	if v := Verify([]byte(memory), []byte(after), sources, Options{Now: now}); len(v.Lost) > 0 || v.Elsewhere.Lines > 0 {
		t.Errorf("the file has it again: lost %+v", v.Lost)
	}
	if v := verify(memory, swap(ines+"\n", ""), ines+"\n"); len(v.Lost) > 0 {
		t.Errorf("as it was in a log: lost %+v", v.Lost)
	}
}

// TestALineThatIsLikeAnotherIsPerhapsThere: the reader is shown where, and it is not counted as lost. One rare word is no sign of
// it, and a line that stood beside the one that left says something else.
func TestALineThatIsLikeAnotherIsPerhapsThere(t *testing.T) {
	topics := string(page(60, 8))
	tests := []struct {
		name, before, after, source string
		want                        Similar
	}{
		{name: "half of it in a log", before: memory, after: swap(restart+"\n", ""),
			source: "# Day\n\n- Never touch the relay, the newsletter goes out\n",
			want:   Similar{Source: "log1.md", Line: 3}},
		{name: "half of it in a new line", before: memory + topics,
			after: swap(backups, "- The shop is saved to the vault at 03:40, Ines checks it every Monday morning") + topics, want: Similar{Line: 6}},
		{name: "Chinese, in a log", before: "## 规则\n" + mail + disk, after: "## 规则\n" + disk, source: "- 新闻邮件：服务器先别重启\n",
			want: Similar{Source: "log1.md", Line: 1}},
		{name: "beside a line like it", before: memory + "- Backups of invoices run monthly and stay in Turin\n",
			after:  swap(backups, "- Backups of invoices run monthly and stay in Turin"),
			source: "- Backups of invoices run monthly and stay in Turin\n"},
		{name: "nothing is like it", before: memory, after: swap(backups+"\n", ""), source: "- Ines was on holiday\n"},
		{name: "like it in one rare word", before: memory, after: swap(backups+"\n", ""),
			source: "- they go to the shop when the cache is full\n"},
	}
	logs := string(page(3000, 3))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := verify(tt.before, tt.after, tt.source, logs)
			if len(lostLines(v)) != 1 || v.LostSize.Lines+v.Perhaps.Lines != 1 {
				t.Fatalf("lost %q: %s", lostLines(v), v)
			}
			got := v.Lost[0].Lost[0].Similar
			switch {
			case (tt.want == Similar{}) != (got == nil), (got == nil) != (v.LostSize.Lines == 1):
				t.Errorf("like %+v: %s", got, v)
			case got != nil && (got.Source != tt.want.Source || got.Line != tt.want.Line):
				t.Errorf("like %+v", got)
			}
		})
	}
}

// TestOnlyWhatHasSomethingOfItsOwnIsLost: a line whose words all stand somewhere may be said in other words. A word or a value
// that stands nowhere is gone for sure, unless a place is like the line.
func TestOnlyWhatHasSomethingOfItsOwnIsLost(t *testing.T) {
	tests := []struct {
		name, line, source string
		lost               bool
	}{
		{"a word of its own", "- Ask before the invoices leave", "- before\n- the invoices\n- Ines will leave\n", true},
		{"all words stand elsewhere", "- Ask before the invoices leave",
			"- Ines will ask\n- nothing before noon\n- the invoices are done\n- leave it\n", false},
		{"a number of its own", "- Call 4711 before noon", "- Call Ines\n- nothing before it\n- noon is late\n", true},
		{"an address of words that stand", "- See /srv/vault/notes.md", "- see it\n- srv is a folder\n- vault\n- notes\n- md\n", true},
		{"most of it across two lines", "- Ask before the invoices leave for Turin", "- invoices that leave for Turin:\n- ask\n", false},
		{"Chinese, without a value", strings.TrimSpace(mail), "- 服务器\n", false},
		{"Chinese, with one", "- 发送邮件期间不要重启服务器 4711", "- 服务器\n", true},
	}
	apart := "\n" + strings.Repeat("- something was written here\n", 6)
	for _, tt := range tests {
		source := tt.source
		if tt.name != "most of it across two lines" {
			source = strings.ReplaceAll(source, "\n", apart)
		}
		v := verify(memory+tt.line+"\n", memory, source, strings.Repeat(apart, 10))
		if v.LostSize.Lines+v.Perhaps.Lines > 1 || (v.LostSize.Lines == 1) != tt.lost {
			t.Errorf("%s: %s; %+v", tt.name, v, v.Lost)
		}
	}
}

const (
	relay   = "- The mail relay listens on 10.4.0.9, port 2525"
	backups = "- Backups of the shop run at 03:40 and go to the vault in Lyon"
	restart = "- Never restart the relay while the newsletter is being sent"
	ines    = "- Ines reviews every invoice above 400 euros before it leaves"
	memory  = "# Memory\n\n## Servers\n\n" + relay + "\n" + backups + "\n" + restart + "\n\n## People\n\n" + ines + "\n"

	mail  = "- 发送新闻邮件期间不要重启邮件服务器\n"
	disk  = "- 每月三号检查备份磁盘的剩余空间\n"
	bills = "- 請求書は毎月末に確認する\n"
	reply = "- 返信は二十四時間以内に行う\n"
)

// swap returns the memory with one passage replaced.
func swap(old, new string) string { return strings.Replace(memory, old, new, 1) }

func TestALineThatStandsSomewhereIsNotLost(t *testing.T) {
	tests := []struct {
		name, before, after string
		sources             []string
		lost                []string
	}{
		{name: "unchanged", before: memory, after: memory},
		{name: "moved to another section", before: memory, after: swap(backups+"\n", "") + backups + "\n"},
		{name: "other markup, case and blanks", before: memory,
			after: swap(relay, "* **the mail relay**  listens on `10.4.0.9`, port 2525")},
		{name: "reworded", before: memory, after: swap(ines, "- Every invoice above 400 euros: reviewed by Ines before it leaves")},
		{name: "merged", before: memory, after: "# Memory\n\nServers: mail relay on 10.4.0.9 port 2525 " +
			"(never restart the relay while the newsletter is being sent). " +
			"Backups of the shop run at 03:40, go to the vault in Lyon.\n\n## People\n\n" + ines + "\n"},
		{name: "split", before: memory, after: swap(backups, "- Backups of the shop:\n  - run at 03:40\n  - go to the vault in Lyon")},
		{name: "shortened", before: memory, after: swap(ines, "- Ines reviews every invoice")},
		{name: "in a log", before: memory, after: swap(ines+"\n", ""),
			sources: []string{"# 2026-03-02\n\nasked about invoices: Ines reviews every invoice above 400 euros before it leaves\n"}},
		{name: "promoted by dreaming from a log", after: memory, before: memory +
			"- Relay: queue was full; cleared by hand; cause: a loop in the filter [score=0.812 source=memory/2026-03-02.md:4-6]\n",
			sources: []string{"# Day\n\n## Relay\n- queue was full\n- cleared by hand\n- cause: a loop in the filter\n"}},
		{name: "promoted by dreaming, with its comments", after: memory,
			before:  memory + "- The filter lost mail [score=0.8 source=memory/2026-03-02.md:4-6] <!-- trigger: a, b --> <!-- importance: 8 -->\n",
			sources: []string{"# Day\n\n- The filter lost mail\n"}},
		{name: "shortened in a log", before: memory, after: swap(ines+"\n", ""), sources: []string{"Ines reviews every invoice\n"}},
		{name: "a log about something else in some of its words", before: memory, after: swap(ines+"\n", ""), lost: []string{ines},
			sources: []string{"before it leaves: 400 euros\n"}},
		{name: "nowhere", before: memory, after: swap(backups+"\n", ""), lost: []string{backups},
			sources: []string{"# 2026-03-02\n\nthe relay was restarted\n"}},
		{name: "a record", before: "- Host 1 is ember on port 801\n- Host 2 is tarn on port 802\n- Host 3 is moss on port 803\n",
			after: "- Host 1 is ember on port 801\n- Host 3 is moss on port 803\n", lost: []string{"- Host 2 is tarn on port 802"}},
		{name: "a comment says nothing", before: memory + "<!-- promoted:memory/2026-03-02.md:4:6 -->\n", after: memory},
		{name: "one copy of two", before: memory + memory, after: memory},
		{name: "Chinese, reworded", before: "## 规则\n" + mail + disk, after: "## 规则\n- 新闻邮件发送期间，不要重启邮件服务器。\n" + disk},
		{name: "Chinese, lost", before: "## 规则\n" + mail + disk, after: "## 规则\n" + disk, lost: []string{strings.TrimSpace(mail)}},
		{name: "Japanese, merged", before: "## 方針\n" + bills + reply, after: "## 方針\n- 請求書は毎月末に確認し、返信は二十四時間以内に行う\n"},
		{name: "Japanese, lost", before: "## 方針\n" + bills + reply, after: "## 方針\n" + bills, lost: []string{strings.TrimSpace(reply)}},
		{name: "Russian, lost", before: "- Резервная копия идёт на диск в Казани\n- Счета проверяет Вера\n",
			after: "- Счета проверяет Вера\n", lost: []string{"- Резервная копия идёт на диск в Казани"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := verify(tt.before, tt.after, tt.sources...)
			if got := lostLines(v); !slices.Equal(got, tt.lost) {
				t.Errorf("lost %q, want %q", got, tt.lost)
			}
			if v.LostSize.Lines+v.Perhaps.Lines != len(tt.lost) {
				t.Errorf("counted %d lost lines and %d that are like others", v.LostSize.Lines, v.Perhaps.Lines)
			}
			if v.Burst {
				t.Error("an ordinary edit is called a burst")
			}
		})
	}
}

func TestABurstIsAPageWithoutAHome(t *testing.T) {
	full := string(page(60, 1))
	lines := strings.SplitAfter(full, "\n")
	tests := []struct {
		name, after string
		sources     []string
		want        bool
	}{
		{name: "cut to a tenth", after: strings.Join(lines[:8], ""), want: true},
		{name: "replaced by a summary", after: "# Summary\n\nEverything is fine.\n", want: true},
		{name: "moved to an archive", after: strings.Join(lines[:8], ""), sources: []string{full}},
		{name: "a few lines less", after: strings.Join(lines[5:], "")},
		{name: "emptied", after: "", want: true},
	}
	for _, tt := range tests {
		if v := verify(full, tt.after, tt.sources...); v.Burst != tt.want {
			t.Errorf("%s: burst %v: %s", tt.name, v.Burst, v)
		}
	}
	if v := verify("- one thing worth knowing\n- a second about ports\n- a third about keys\n", ""); !v.Burst {
		t.Error("a small file that was emptied is not reported")
	}
}

// TestHalfAPageTakenOutOfASmallFileIsABurst: unless something came in its stead, or the file grew.
func TestHalfAPageTakenOutOfASmallFileIsABurst(t *testing.T) {
	full := string(page(40, 1))
	lines := strings.SplitAfter(full, "\n")
	cut := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "## Topic 1") }) + 2
	long := strings.Join(lines[cut:cut+7], "")
	without := strings.Replace(full, long, "", 1)
	if v := verify(full, without); !v.Burst || v.LostSize.Lines >= burstLines {
		t.Errorf("taken out: burst %v, %s", v.Burst, v)
	}
	others := strings.Join(strings.SplitAfter(string(page(5, 9)), "\n")[3:], "")
	if v := verify(full, strings.Replace(full, long, others, 1)); v.Burst || v.After.width >= v.Before.width {
		t.Errorf("replaced by a little less: %s", v)
	}
	if v := verify(full, without+"\n## Added\n\n"+string(page(30, 7))); v.Burst {
		t.Errorf("the file grew: %s", v)
	}
}

func TestCharactersOfChineseCountTwice(t *testing.T) {
	var b strings.Builder
	for i := range 24 {
		fmt.Fprintf(&b, "- 第%d条：%s的备份必须在夜里完成并检查磁盘空间\n", i, strings.Repeat(string(rune(0x4e00+i*37)), 4))
	}
	if v := verify(b.String(), "# 空\n"); !v.Burst || v.LostSize.Chars > 800 {
		t.Errorf("burst %v, %d characters", v.Burst, v.LostSize.Chars)
	}
}

func TestLostLinesAreGroupedWithWhatReplacedThem(t *testing.T) {
	after := "# Memory\n\n## Servers\n\n- A cloud provider does all of it now\n\n## Notes\n\n- nothing\n"
	v := verify(memory, after)
	if len(v.Lost) < 2 {
		t.Fatalf("groups: %+v", v.Lost)
	}
	servers := v.Lost[0]
	if strings.Join(servers.Path, "/") != "Memory/Servers" || servers.Gone || len(servers.Lost) != 3 {
		t.Errorf("servers: %+v", servers)
	}
	if len(servers.Now) != 1 || servers.Now[0].Text != "- A cloud provider does all of it now" || servers.Now[0].Number != 5 {
		t.Errorf("replaced by %+v", servers.Now)
	}
	people := v.Lost[len(v.Lost)-1]
	if strings.Join(people.Path, "/") != "Memory/People" || !people.Gone {
		t.Errorf("people: %+v", people)
	}
	l := servers.Lost[0]
	if memory[l.Start:l.End] != l.Text+"\n" || l.Number != 5 {
		t.Errorf("line %+v is not where it says", l)
	}
}

func TestValuesNeedASource(t *testing.T) {
	after := strings.Replace(memory, "port 2525", "port 2526", 1) +
		"- Marek answers for the vault, see /srv/vault/README.md and https://vault.example/a, version 4.1\n"
	v := verify(memory, after, "the vault moved to version 4.1; notes are in /srv/vault/README.md\n")
	var got []string
	for _, u := range v.Unsourced {
		got = append(got, string(u.Kind)+" "+u.Text)
	}
	want := []string{"number 2526", "address https://vault.example/a"}
	if !slices.Equal(got, want) {
		t.Errorf("without a source: %q, want %q", got, want)
	}
	if len(v.Missing) != 1 || v.Missing[0].Text != "2525" {
		t.Errorf("missing: %+v", v.Missing)
	}
	if len(v.Changed) != 1 || v.Changed[0].Gone[0].Text != "2525" || v.Changed[0].New[0].Text != "2526" {
		t.Errorf("changed: %+v", v.Changed)
	}
}

func TestANegationThatCameOrWentIsAChange(t *testing.T) {
	tests := [][2]string{
		{"- Never restart the relay while the newsletter is being sent", "- Restart the relay while the newsletter is being sent"},
		{"- Der Bericht geht an alle Kunden im Norden", "- Der Bericht geht nicht an alle Kunden im Norden"},
		{"- 发送邮件期间不要重启服务器", "- 发送邮件期间要重启服务器"},
		{"- Не перезапускать сервер во время рассылки", "- Перезапускать сервер во время рассылки"},
	}
	for _, tt := range tests {
		v := verify(tt[0]+"\n", tt[1]+"\n")
		if len(v.Changed) != 1 || len(v.Changed[0].Gone)+len(v.Changed[0].New) != 1 {
			t.Errorf("%s: changed %+v, lost %q", tt[1], v.Changed, lostLines(v))
		}
	}
}

func TestOwnWordsMayNotExchangeANameAtTheStart(t *testing.T) {
	before, after := "- Ines approves refunds\n", "- Marek approves refunds\n"
	v := Verify([]byte(before), []byte(after), nil, Options{OwnWords: true})
	if len(v.Unsourced) != 1 || v.Unsourced[0].Text != "Marek" || len(v.Missing) != 1 || v.Missing[0].Text != "Ines" {
		t.Errorf("unsourced %+v, missing %+v", v.Unsourced, v.Missing)
	}
}

func TestWhatIsLetInIsPlacedInTheText(t *testing.T) {
	after := memory + "\n- zero\u200bwidth\n"
	v := verify(memory, after)
	i := slices.IndexFunc(v.LetIn, func(h scan.Hit) bool { return h.Class == scan.Hidden })
	if i < 0 {
		t.Fatalf("let in: %+v", v.LetIn)
	}
	h := v.LetIn[i]
	if after[h.Start:h.End] != "\u200b" || h.Line != strings.Count(memory, "\n")+2 {
		t.Errorf("hit %+v", h)
	}
	if v := verify(after, after+"- more\n"); len(v.LetIn) > 0 {
		t.Errorf("what was there before is reported: %+v", v.LetIn)
	}
}

func TestUnloadedAndGuardedText(t *testing.T) {
	rule := strings.Index(memory, "## People")
	guarded := Range{0, rule}
	o := Options{Guarded: []Range{guarded}, Unloaded: []Range{{rule, len(memory) + 7}}}
	v := Verify([]byte(memory), []byte(memory+"- more\n"), nil, o)
	if len(v.Guarded) > 0 || v.Unloaded.Lines != 3 {
		t.Errorf("guarded %+v, unloaded %+v", v.Guarded, v.Unloaded)
	}
	v = Verify([]byte(memory), []byte(strings.Replace(memory, "2525", "25", 1)), nil, Options{Guarded: []Range{guarded}})
	if len(v.Guarded) != 1 || v.Guarded[0].Line != 1 {
		t.Errorf("guarded %+v", v.Guarded)
	}
}

func TestSourcesAreReadOnlyIfTheyAreNeeded(t *testing.T) {
	sources := func(yield func(Source) bool) { t.Error("a source was read") }
	Verify([]byte(memory), []byte(memory), sources, Options{})
	Verify([]byte(memory), []byte("- the relay\n"+memory), sources, Options{})
}

// TestTimeIsLinear compares a text with one eight times as long. Pairing its lines would take 64 times as long. A busy machine
// gets several attempts.
func TestTimeIsLinear(t *testing.T) {
	took := func(lines int) time.Duration {
		before, after := page(lines, 1), page(lines, 2)
		start := time.Now()
		Verify(before, after, nil, Options{})
		return time.Since(start)
	}
	for range 10 {
		if took(4000) < 24*took(500) {
			return
		}
	}
	t.Error("eight times the text takes more than 24 times as long, ten times in a row")
}

func FuzzVerify(f *testing.F) {
	f.Add(memory, "", "x")
	f.Add("a\r\n\xff\n", "[=]\n<!---->\n", "第\n")
	f.Fuzz(func(t *testing.T, before, after, source string) {
		v := verify(before, after, source)
		if n := v.LostSize.Lines + v.Perhaps.Lines; n != len(lostLines(v)) || n > v.Before.Lines {
			t.Fatalf("%d lines lost of %d, listed %d", n, v.Before.Lines, len(lostLines(v)))
		}
		for _, s := range v.Lost {
			for _, l := range s.Lost {
				if !strings.HasPrefix(before[l.Start:l.End], l.Text) {
					t.Fatalf("line %+v is not in the text", l)
				}
			}
		}
		if same := verify(before, before, source); len(same.Lost) > 0 || len(same.Added) > 0 || same.Burst {
			t.Fatalf("an unchanged text lost %s", same)
		}
	})
}
