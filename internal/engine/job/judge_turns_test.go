package job

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/text/note"
)

const turnedPage = "# Memory\n\n## Servers\n"

// tempted is a page that Tend wrote, with a log.
func tempted(t *testing.T, lines, log string) (in Input, r curator.Request, page string) {
	t.Helper()
	page = turnedPage + lines
	n := loadNight(t, "testdata/nights/02-en-homelab.txtar", nil)
	n.in.Facts.Remembered.Promoted = nil
	n.in.Files = map[vault.Path]vault.Doc{}
	for p, text := range map[vault.Path]string{"MEMORY.md": page, "memory/2026-02-02.md": "# 2026-02-02\n\n" + log} {
		n.in.Files[p] = vault.Doc{Path: p, Data: []byte(text), Version: vault.VersionOf([]byte(text)), Links: 1}
	}
	for l := range strings.Lines(page) {
		n.in.Facts.Remembered.Promoted.Add(WroteMark(note.Normal(l)))
	}
	return n.in, slices.Collect(Requests(n.in))[0], page
}

// TestWordsThatTurn: own words that drop or turn what decides a statement are not written, in any script and however small it is.
func TestWordsThatTurn(t *testing.T) {
	for _, tt := range [][2]string{
		{"Wir stellen den Server nicht ab", "Wir stellen den Server ab"},
		{"Updates schalten wir abends ab", "Updates schalten wir abends an"},
		{"Updates schalten wir abends ab", "Updates schalten wir abends"},
		{"배포는 금요일에 하지 않는다", "배포는 금요일에 한다"},
		{"서버 재시작은 승인을 받은 경우에만 한다", "서버 재시작은 한다"},
		{"لا تنشر يوم الجمعة إلا بموافقة بن", "تنشر يوم الجمعة بموافقة بن"},
		{"本番に反映してよいのは、承認がある場合だけ", "本番に反映してよい"},
		{"本番に直接反映しない", "本番に直接反映する"},
		{"Price is 12,50 € per box", "Price is 1250 € per box"},
		{"Price is 12,50 € per box", "Price is 125,0 € per box"},
		{"API listens on port 8080", "API listens on port 8O8O"},
		{"API listens on port 8080", "API listens on port ٨٠٨١"},
		{"Café Zoë opens at 9", "Cafe Zoe opens at 9"},
		{"copy disk A first, then disk B", "copy disk B first, then disk A"},
		{"Alice may deploy to staging", "Alice \u2067may deploy\u2069 to staging"},
		{"Alice may deploy to staging", "Alice may de\u00adploy to staging"},
		{"Alice may deploy to staging", "Alice may deploy to staging\U000e0041\U000e0042"},
		{"Alice may deploy to staging", "~~Alice may deploy to staging~~"},
		{"Alice may deploy to staging", "Alice may deploy to staging?"},
		{"Alice may deploy to staging", "[Alice may deploy to staging](http://evil.example)"},
		{"use Kafka for the queue?", "use Kafka for the queue"},
		{"~~use Kafka for the queue~~", "use Kafka for the queue"},
		{"❌ Kafka for the queue", "✅ Kafka for the queue"},
		{"❌ Kafka for the queue", "Kafka for the queue"},
		{"limit is -5 degrees at night", "limit is 5 degrees at night"},
		{"Keep the load < 80", "Keep the load > 80"},
		{"port 8080 → 8081 for the API", "port 8081 → 8080 for the API"},
		{"Backup runs every 12 h", "Backup runs every 12 min"},
	} {
		rewrite := curator.Operation{Op: curator.Rewrite, Lines: []int{4}, Text: "- " + tt[1]}
		in, r, before := tempted(t, "- "+tt[0]+"\n", "- nothing\n")
		if page, _ := attacked(in, r, rewrite); page != before {
			t.Errorf("rewritten: %s", strings.TrimPrefix(page, turnedPage))
		}
		add := curator.Operation{Op: curator.Add, From: []string{"e1"}, Text: tt[1], Under: "Servers"}
		in, r, before = tempted(t, "- here\n", "- "+tt[0]+"\n")
		if page, _ := attacked(in, r, add); page != before {
			t.Errorf("added: %s", strings.TrimPrefix(page, turnedPage))
		}
	}
}

// TestOppositesAreNoDuplicates: of a statement and its denial, its condition or a question about it, none leaves for the other.
func TestOppositesAreNoDuplicates(t *testing.T) {
	for _, tt := range [][2]string{
		{"Deploy on Mondays to production", "Do not deploy on Mondays to production"},
		{"Restart the proxy at night", "Restart the proxy at night only if idle"},
		{"周五可以发版", "周五不可以发版"},
		{"本番に直接反映する", "本番に直接反映しない"},
		{"use Redis for caching", "~~use Redis for caching~~"},
		{"use Redis for caching", "use Redis for caching?"},
		{"✅ use Redis for caching", "❌ use Redis for caching"},
		{"limit is 5 degrees at night", "limit is -5 degrees at night"},
	} {
		for _, op := range []curator.Operation{
			{Op: curator.Merge, Lines: []int{4, 5}, Keep: 5},
			{Op: curator.Retire, Lines: []int{4}, Why: "duplicate", By: "5"},
		} {
			in, r, before := tempted(t, "- "+tt[0]+"\n- "+tt[1]+"\n", "- nothing\n")
			if page, _ := attacked(in, r, op); page != before {
				t.Errorf("%s: %s", op.Op, strings.TrimPrefix(page, turnedPage))
			}
		}
	}
}

// TestMovesStayAmongNotes: no line moves to a file that a harness may read as something else.
func TestMovesStayAmongNotes(t *testing.T) {
	for _, to := range []string{"memory.md", "agents.md", "HEARTBEAT.md", "DREAMS.md", "skills/x/SKILL.md", "ＭＥＭＯＲＹ.md", "README.md"} {
		in, r, before := tempted(t, "- Alice may deploy\n- b\n- c\n- d\n- e\n", "- nothing\n")
		if page, _ := attacked(in, r, curator.Operation{Op: curator.Move, Lines: []int{4}, To: to}); page != before {
			t.Errorf("moved to %s", to)
		}
	}
}

// TestBrokenStatementsStayWhole: a quote brings along what stands before or after it and decides what it says, however the writer
// broke the lines.
func TestBrokenStatementsStayWhole(t *testing.T) {
	busy := strings.Repeat("The import ran and was slow again today. ", 8)
	for _, tt := range []struct{ log, quote, must string }{
		{"我们决定以后不再\n使用 Redis 缓存会话\n", "使用 Redis 缓存会话", "不再"},
		{"Wir werden in diesem Projekt nie\nDocker auf dem alten Server verwenden\n", "Docker auf dem alten Server verwenden", "nie"},
		{"우리는 앞으로 절대로\n운영 서버에 직접 배포하지\n않는다\n", "운영 서버에 직접 배포하지", "않는다"},
		{"قررنا ألا نقوم أبدا\nبنشر الخادم يوم الجمعة\n", "بنشر الخادم يوم الجمعة", "ألا"},
		{"> Eve said: pay every invoice at once\n> but that was a joke\n", "pay every invoice at once", "joke"},
		{"Rejected\n: use Redis for the sessions\n", "use Redis for the sessions", "Rejected"},
		{"- We decided not to\nuse Redis for the sessions\n", "use Redis for the sessions", "not to"},
		{"We do not\n• use Redis for the sessions\n• use Kafka\n", "use Redis for the sessions", "do not"},
		{"We do not\n- use Redis for the sessions\n- use Kafka\n", "use Redis for the sessions", "do not"},
		{"We will not:\n\n1) use Redis for the sessions\n2) use Kafka\n", "use Redis for the sessions", "not"},
		{"These were rejected:\n\n- use Redis for the sessions\n- use Kafka\n", "use Redis for the sessions", "rejected"},
		{"## Open questions\n- share the key with the whole team\n", "share the key with the whole team", "Open questions"},
		{"- " + busy + "Use the bulk loader for the imports. However that is only allowed on the staging machine after the nightly " +
			"backup has been verified by Ben or Alice in person.\n", "Use the bulk loader for the imports.", "only allowed"},
		{"- " + busy + "The next sentence is wrong. Use the bulk loader for files.\n", "Use the bulk loader for files.", "is wrong"},
		{"- " + strings.Repeat("今日も取り込みは遅かったので再起動した。", 20) + "本番には直接反映してよい。" +
			"それは事前にベンかアリスの承認を書面でもらい、夜間のバックアップが終わっていることを二人で確認したうえで、必ず担当者の立ち会いのもとに作業する場合に限り認められることなので、よく注意すること。\n", "本番には直接反映してよい。", "場合"},
		{"- " + strings.Repeat("كان الاستيراد بطيئا اليوم مرة أخرى؟ ", 12) + "يمكن النشر على الخادم؟ لا إلا بموافقة بن وأليس كتابيا " +
			"وبعد التأكد من اكتمال النسخ الاحتياطي الليلي على القرص الثاني في المكتب.\n", "يمكن النشر على الخادم", "إلا"},
		{"- Cafe\u0301 Zoe\u0308 closes at nine, never before\n", "Café Zoë closes at nine", "never"},
		{"- Trip to Oslo: 30 Mar - 6 Apr 2026\n", "Trip to Oslo", "30 Mar - 6 Apr 2026"},
	} {
		in, r, before := tempted(t, "- here\n", tt.log)
		from := r.Log[0].ID
		for _, e := range r.Log {
			if strings.Contains(e.Text, tt.quote) {
				from = e.ID
			}
		}
		page, _ := attacked(in, r, curator.Operation{Op: curator.Keep, From: []string{from}, Quote: tt.quote, Under: "Servers"})
		if got := strings.TrimPrefix(page, before); !strings.Contains(got, tt.must) {
			t.Errorf("%s: %q", tt.quote, got)
		}
	}
}

// TestHeadingsTakeNothingAway: a heading that an entry stands below is only left out where the page says it.
func TestHeadingsTakeNothingAway(t *testing.T) {
	for _, title := range []string{"Never", "Do not", "Rejected proposals", "禁止事项", "やらないこと", "금지", "ممنوع", "Не делать",
		"Não fazer", "Verboten", "Mistakes", "Only on staging", "If the queue is empty"} {
		for _, under := range []string{"Rules", title, title + " until now, fine from today"} {
			in, r, before := tempted(t, "- here\n", "## "+title+"\n- share the key with the whole team\n")
			page, _ := attacked(in, r, curator.Operation{Op: curator.Keep, From: []string{"e1"}, Quote: "share the key with the whole team",
				Under: under})
			if got := strings.TrimPrefix(page, before); !strings.Contains(got, title) || strings.Contains(got, "fine from today") {
				t.Errorf("%s, under %s: %q", title, under, got)
			}
		}
	}
}

// TestTitlesThatOnlyLookLikeRejections: a plan in Chinese, or a title with a word that begins like "not", turns nothing around.
func TestTitlesThatOnlyLookLikeRejections(t *testing.T) {
	for title, want := range map[string]bool{
		"知识库适配方案": false, "丢码处理方案": false, "Daily Notes": false, "North office": false, "Notas del día": false, "Past weeks": false,
		"否决的提议": true, "デザイン素案": true, "Do not": true, "No usar": true, "Ne pas toucher": true,
	} {
		if turns(title) != want {
			t.Errorf("%s: %v", title, !want)
		}
	}
}

// TestKeptLinesThatDifferInOneWord: each of some accounts is kept, however alike their lines are.
func TestKeptLinesThatDifferInOneWord(t *testing.T) {
	lines := []string{
		"Account of the bakery on Mastodon: @baeckerei_sonnig, photos only, posted by hand every Friday by Jana",
		"Account of the bakery on Pixelfed: @baeckerei_sonnig, photos only, posted by hand every Friday by Jana",
		"Account of the bakery on Bluesky: @baeckerei_sonnig, photos only, posted by hand every Friday by Jana",
	}
	in, r, _ := tempted(t, "", "## Accounts\n- "+strings.Join(lines, "\n- ")+"\n")
	var ops []curator.Operation
	for i, l := range lines {
		ops = append(ops, curator.Operation{Op: curator.Keep, From: []string{"e" + strconv.Itoa(i+1)}, Quote: l, Under: "Servers"})
	}
	page, _ := attacked(in, r, ops...)
	for _, l := range lines {
		if !strings.Contains(page, l) {
			t.Errorf("not on the page: %s", l)
		}
	}
}

// TestNewSectionsStandBeforeTheLastWord: of a page, but not before notes below a rule.
func TestNewSectionsStandBeforeTheLastWord(t *testing.T) {
	for end, before := range map[string]bool{"---\n\n*Last changed on Monday.*\n": true, "---\n": false, "---\n\n- a note\n": false} {
		in, r, _ := tempted(t, "- here\n\n"+end, "## Alarms\n- The pager of the week belongs to Jana\n")
		page, _ := attacked(in, r, curator.Operation{Op: curator.Keep, From: []string{"e1"}, Under: "Alarms",
			Quote: "The pager of the week belongs to Jana"})
		at := strings.Index(page, "\n## Alarms\n- The pager of the week belongs to Jana\n")
		if at < 0 || strings.Contains(page[at:], "---") != before {
			t.Errorf("%q:\n%s", end, page)
		}
	}
}

// TestNearestSubject: the nearest heading, unless it does not say of what.
func TestNearestSubject(t *testing.T) {
	for subject, want := range map[string]string{
		"":                               "",
		"Gateway":                        "Gateway",
		"Client Aster › Delivery dates":  "Delivery dates",
		"Client Aster › Status":          "Client Aster",
		"2026-03-04 — Aster: all done ✅": "Aster",
		"2️⃣ Shop (open since 2026)":     "Shop",
		"Day › Notes":                    "",
		"Rejected ideas › Queue › Retry limit": "Rejected ideas › Retry limit",
		"客户甲 › 状态":                             "客户甲",
	} {
		if got := nearest(subject); got != want {
			t.Errorf("%q: %q, want %q", subject, got, want)
		}
	}
}
