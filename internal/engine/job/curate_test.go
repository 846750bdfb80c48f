package job

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

const today = "memory/2026-11-15.md"

func TestCuratePromotesWhatItsWriterTagged(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		hot   string // MEMORY.md afterwards
		sum   string
	}{
		{
			"a tagged entry, without its time, under its day",
			one("MEMORY.md", hot0, today, "# 2026-11-15\n\n- 14:30 [decision] releases go out on Tuesdays\n- 15:00 had lunch\n"),
			"# Memory\n\n## 2026-11-15\n- [decision] releases go out on Tuesdays\n", "promoted 1 to MEMORY.md",
		},
		{
			"whole, with its nested lines and the headings it stands under",
			one("MEMORY.md", hot0, today, "# 2026-11-15\n\n## 14:30 Gateway\n\n### Restart\n\n- [lesson] never from inside a session\n"+
				"  - it kills the caller\n  - use the shell\n"),
			"# Memory\n\n## 2026-11-15\n- [lesson] Gateway › Restart: never from inside a session\n  - it kills the caller\n  - use the shell\n",
			"promoted 1 to MEMORY.md",
		},
		{
			"the list below a tag as label, without the heading's time",
			one("MEMORY.md", hot0, today,
				"# 2026-11-15\n\n## Reflection 10:53 ICT\n\nLesson:\n- caches hide slow queries\n- measure with cold ones\n"),
			"# Memory\n\n## 2026-11-15\n- [lesson] Reflection:\n  - caches hide slow queries\n  - measure with cold ones\n",
			"promoted 1 to MEMORY.md",
		},
		{"nothing is marked", one("MEMORY.md", hot0, today, "- 15:00 had lunch with the whole team\n"), hot0, "nothing marked to keep"},
		{"no log at all", one("MEMORY.md", hot0), hot0, "nothing new to read"},
		{
			"known already, in other case and with other marks",
			one("MEMORY.md", "- Releases go out on Tuesdays.\n", today, "- [decision] releases go out on tuesdays\n"),
			"- Releases go out on Tuesdays.\n", "1 known already",
		},
		{
			"a tag word in prose is no tag",
			one("MEMORY.md", hot0, today, "- Decision fatigue is real and lessons are many\n"), hot0, "nothing marked to keep",
		},
		{
			"a transcript has no entries",
			one("MEMORY.md", hot0, today,
				"# Session: 2026-11-15 10:00:00 UTC\n\n- **Session Key**: a\n- **Session ID**: b\n\n## Conversation Summary\n\nuser: hello\n"+
					"assistant: [decision] we always use tabs here\nuser: fine\nassistant: good\n"),
			hot0, "nothing marked to keep",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{files: tt.files}.input(t)
			pl := Curate(in)
			if diff := cmp.Diff(tt.hot, text(in, pl, "MEMORY.md")); diff != "" {
				t.Errorf("MEMORY.md (-want +got):\n%s", diff)
			}
			if pl.Summary != tt.sum {
				t.Errorf("summary %q, want %q", pl.Summary, tt.sum)
			}
			if len(pl.Proposals) > 0 {
				t.Errorf("proposed: %+v", pl.Proposals)
			}
			idempotent(t, Curate, in)
		})
	}
}

func TestCurateProposesWhatIsOnlyMarked(t *testing.T) {
	for _, tt := range []struct{ name, log, want string }{
		{"a heading", "## Standing rules\n\n- The mirror lags an hour behind the main host\n",
			"- The mirror lags an hour behind the main host"},
		{"a heading with a remark", "## Key rules (from the outage)\n\n- The mirror lags an hour behind the main host\n",
			"- The mirror lags an hour behind the main host"},
		{"a label", "## 09:00 Sync\n\n**Hard rule:** ask for the schema before writing the importer\n",
			"- Sync: **Hard rule:** ask for the schema before writing the importer"},
		{"a label with its list", "Key rules:\n- caches hide slow queries from us\n- measure with cold ones\n",
			"- Key rules:\n  - caches hide slow queries from us\n  - measure with cold ones"},
		{"an imperative", "- Never restart the gateway from inside a session\n", "- Never restart the gateway from inside a session"},
		{"Chinese", "## 核心规则\n\n- 修改配置之前必须先备份原来的文件\n", "- 修改配置之前必须先备份原来的文件"},
		{"Japanese", "## 重要なルール\n\n- 設定を変更する前に必ずバックアップを取ること\n", "- 設定を変更する前に必ずバックアップを取ること"},
		{"Portuguese", "## Regras gerais\n\n- O servidor precisa de duas cópias em discos separados\n",
			"- O servidor precisa de duas cópias em discos separados"},
		{"Spanish", "- **Preferencia del usuario:** guardamos dos copias en discos separados\n",
			"- [human] **Preferencia del usuario:** guardamos dos copias en discos separados"},
		{"Russian", "## Главные правила\n\n- Храним две копии на разных дисках\n", "- Храним две копии на разных дисках"},
		{"German", "## Wichtige Regeln\n\n- Wir behalten zwei Kopien auf getrennten Platten\n",
			"- Wir behalten zwei Kopien auf getrennten Platten"},
		{"French", "## Règles\n\n- Le serveur a besoin de deux copies séparées\n", "- Le serveur a besoin de deux copies séparées"},
		{"Korean", "## 규칙\n\n- 설정을 바꾸기 전에 항상 백업을 만들어야 한다\n", "- 설정을 바꾸기 전에 항상 백업을 만들어야 한다"},
		{"below a heading for the day's work", "## Rules\n\n### Status of the tests\n\n- all of them pass on the second try today\n", ""},
		{"a rule of a heartbeat", "## Heartbeat 09:00\n\n### Rule\n\n- the queue was empty when the check came by\n", ""},
		{"a heading about a subject", "## Offside rules\n\n- The course has sixteen units that we have not done\n", ""},
		{"a label about a subject", "- **Scoring policy:** no changes since the last review\n", ""},
		{"a heading far above", "## Rules\n\n### Storage\n\n- We keep two copies on separate disks from now on\n", ""},
		{"a decision of the day", "## Decisions made\n\n- We skip the second disk until the new one has come\n", ""},
		{"what was noticed of a person", "## Preferences\n\n- She looked at the second disk for most of the morning\n", ""},
		{"a lesson of the day", "## Key lessons\n\n- The mirror lags an hour behind the main host\n", ""},
		{"a lesson with its label", "- **Durable lesson:** the mirror lags an hour behind the main host\n", ""},
		{"an event", "## Rules\n\n- 07:33 turned the second skill off by its settings\n", ""},
		{"a caption", "## Rules\n\n*written by the evening job of the agent*\n", ""},
		{"another word that begins like one", "- **Правильный ключ:** `groups`, объект в настройках сервера\n", ""},
		{"a status", "## Rules\n\n- ✅ moved the backup to the second disk\n", ""},
		{"a task", "## Rules\n\n- [ ] move the backup to the second disk\n", ""},
		{"a fragment", "## Rules\n\n- two copies\n", ""},
		{"a table", "## Rules\n\n| what | why |\n|---|---|\n| two copies of it | a disk broke last week |\n", ""},
		{"a sentence as heading", "## Why the decision about the second disk took so long today\n\n- nobody knew who owns the second disk\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := night{files: one("MEMORY.md", hot0, today, tt.log)}.input(t)
			pl := Curate(in)
			if !pl.Empty() {
				t.Errorf("written without a person:\n%s", pl.Diff())
			}
			got := ""
			if len(pl.Proposals) > 0 {
				got = pl.Proposals[0].Text
			}
			if got != tt.want || len(pl.Proposals) > 1 {
				t.Errorf("proposed %q, want %q", got, tt.want)
			}
			idempotent(t, Curate, in)
			if len(pl.Proposals) == 1 {
				approved := Approve(after(in, pl), pl.Proposals[0])
				if want := "# Memory\n\n## 2026-11-15\n" + tt.want + "\n"; text(in, approved, "MEMORY.md") != want {
					t.Errorf("approved %q, want %q", text(in, approved, "MEMORY.md"), want)
				}
			}
		})
	}
}

func TestCurateStopsAtTheNightsLimit(t *testing.T) {
	var log strings.Builder
	for i := range 12 {
		fmt.Fprintf(&log, "- [decision] queue %s keeps its messages\n", strings.Repeat("q", i+1))
	}
	in := night{policy: map[string]any{"curate.max_per_night": uint64(5)}, files: one("MEMORY.md", hot0, today, log.String())}.input(t)
	first := Curate(in)
	if first.Summary != "promoted 5 to MEMORY.md; 7 pending" {
		t.Fatalf("summary %q", first.Summary)
	}
	next := after(in, first)
	if again := Curate(next); !again.Empty() {
		t.Errorf("a second run the same night promotes more: %s", again.Summary)
	}
	next.Facts.Remembered.Today, next.Now = 0, next.Now.AddDate(0, 0, 1)
	if later := Curate(next); later.Summary != "promoted 5 to MEMORY.md; 2 pending" {
		t.Errorf("the next night: %q", later.Summary)
	}
}

func TestCurateStopsProposingWhenNobodyReads(t *testing.T) {
	n := night{files: one("MEMORY.md", hot0, today, "## Rules\n\n- The mirror lags an hour behind the main host\n")}
	n.remembered.Waiting = mostWaiting
	if pl := Curate(n.input(t)); len(pl.Proposals) > 0 {
		t.Errorf("one more proposal on top of %d", mostWaiting)
	}
}

func TestCurateReplacesOnlyItsOwnLines(t *testing.T) {
	const older, newer = "- [decision] the cache keeps entries for 60 minutes\n", "- [decision] the cache keeps entries for 30 minutes\n"
	files := one("MEMORY.md", "# Memory\n\n## 2026-11-01\n"+older, today, newer)

	byHand := night{files: files}.input(t)
	pl := Curate(byHand)
	if !pl.Empty() || len(pl.Proposals) != 1 {
		t.Fatalf("a line that Tend did not write was changed, or nothing proposed: %s\n%s", pl.Summary, pl.Diff())
	}
	if got := pl.Proposals[0].Replaces; got != strings.TrimSpace(older) {
		t.Errorf("the proposal replaces %q", got)
	}
	approved := Approve(after(byHand, pl), pl.Proposals[0])
	if got, want := text(byHand, approved, "MEMORY.md"), "# Memory\n\n## 2026-11-01\n"+newer; got != want {
		t.Errorf("approved: %q, want %q", got, want)
	}
	nothingLost(t, byHand, approved)

	ours := night{files: files}
	ours.remembered.Promoted.AddSource(plan.Source{Entry: note.Normal(older)})
	in := ours.input(t)
	pl = Curate(in)
	if got, want := text(in, pl, "MEMORY.md"), "# Memory\n\n## 2026-11-01\n"+newer; got != want {
		t.Errorf("Tend's own line: %q, want %q", got, want)
	}
	if pl.Summary != "replaced 1 in MEMORY.md" || pl.Changes[0].Why != "replace 1 entry" {
		t.Errorf("it says that it did something else: %q, %q", pl.Summary, pl.Changes[0].Why)
	}
	nothingLost(t, in, pl)
}

func TestDaysStayInOrder(t *testing.T) {
	const second, first = "- [decision] releases go out on Tuesdays\n", "- [lesson] the mirror lags an hour behind the main host\n"
	in := night{files: one("MEMORY.md", hot0, "memory/2026-11-14.md", second, "memory/2026-11-12.md", first)}.input(t)
	if got, want := text(in, Curate(in), "MEMORY.md"), "# Memory\n\n## 2026-11-12\n"+first+"\n## 2026-11-14\n"+second; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAnOlderLogReplacesNothing: the first night reads years of logs, the newest first.
func TestAnOlderLogReplacesNothing(t *testing.T) {
	const newer, older = "- [decision] the cache keeps entries for 30 minutes\n", "- [decision] the cache keeps entries for 60 minutes\n"
	in := night{files: one("MEMORY.md", hot0, "memory/2026-11-14.md", newer, "memory/2026-11-12.md", older)}.input(t)
	if got, want := text(in, Curate(in), "MEMORY.md"), "# Memory\n\n## 2026-11-14\n"+newer; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	page := "# Memory\n\n- the cache keeps entries for 30 minutes\n" // written after that log
	in = night{files: one("MEMORY.md", page, "memory/2026-11-12.md", older)}.input(t)
	if pl := Curate(in); len(pl.Proposals) > 0 {
		t.Errorf("an older text is proposed in the place of what the owner wrote since: %+v", pl.Proposals)
	}
}

// TestAPlanStandsBesideTheLine: what holds only from a day ahead replaces nothing.
func TestAPlanStandsBesideTheLine(t *testing.T) {
	const now = "- [decision] the cache of the proxy keeps entries for 60 minutes\n"
	for planned, replaced := range map[string]bool{
		"- [decision] the cache of the proxy from 1 December keeps entries for 30 minutes\n":  false,
		"- [decision] the cache of the proxy since 1 November keeps entries for 30 minutes\n": true,
	} {
		n := night{files: one("MEMORY.md", "# Memory\n\n## 2026-11-01\n"+now, today, planned)}
		n.remembered.Promoted.AddSource(plan.Source{Entry: note.Normal(now)})
		in := n.input(t)
		page := text(in, Curate(in), "MEMORY.md")
		if !strings.Contains(page, planned) || strings.Contains(page, now) == replaced {
			t.Errorf("%s%s", planned, page)
		}
	}
}

// TestCurateWritesNothingIntoIdentityUserOrRules: words in common with a section there are no reason to write into it.
func TestCurateWritesNothingIntoIdentityUserOrRules(t *testing.T) {
	files := one("MEMORY.md", hot0,
		"IDENTITY.md", "# Identity\n\n- Name: Ada\n", "USER.md", "# User\n\n## Likes\n\n- Anna likes short answers in the morning\n",
		"AGENTS.md", "# Rules\n\n## CRITICAL RULES\n\n- Never restart the gateway\n", "SOUL.md", "# Soul\n\n- Calm and exact\n",
		today, "# 2026-11-15\n\n- [human] Anna likes long answers in the evening\n- [identity] the name is Ada, calm and exact as ever\n"+
			"- [decision] restart the gateway only on Sundays\n")
	in := night{files: files}.input(t)
	pl := Curate(in)
	if len(pl.Changes) != 1 || pl.Changes[0].Path != "MEMORY.md" {
		t.Errorf("written elsewhere:\n%s", pl.Diff())
	}
}

// TestAStoppedPlanReadsNoMore: a planner whose caller has left goes through no further logs.
func TestAStoppedPlanReadsNoMore(t *testing.T) {
	in := night{files: one("MEMORY.md", hot0, today, "- [decision] releases go out on Tuesdays\n")}.input(t)
	stop := make(chan struct{})
	close(stop)
	in.Stop = stop
	if pl := Curate(in); pl.Summary != "nothing new to read" {
		t.Errorf("it went on: %s", pl.Summary)
	}
}

func TestCurateNeverMakesTheHarnessCut(t *testing.T) {
	full := "# Memory\n" + strings.Repeat("- a line that the owner wrote and keeps here for a good reason\n", 315)
	in := night{policy: map[string]any{"hot.max_lines": "none"},
		files: one("MEMORY.md", full, today, "- [decision] "+strings.Repeat("the cache keeps entries for thirty minutes ", 8)+"\n")}.input(t)
	pl := Curate(in)
	if !pl.Empty() || codes(pl) != "hot-over" {
		t.Errorf("%s: %s", codes(pl), pl.Summary)
	}
}

func TestADeletionIsAStatement(t *testing.T) {
	for _, tt := range []struct{ name, deleted, said string }{
		{"the same words", "the build server is rebooted every sunday night", "- [decision] The build server is rebooted every Sunday night.\n"},
		{"other words", "the build server is rebooted every sunday night", "- [decision] Every Sunday night the build server gets rebooted\n"},
		{"without its number", "the backup of the mail host runs at 2:30 each night",
			"- [decision] Each night the backup of the mail host runs\n"},
		{"below another heading", "gateway restart never from inside a session",
			"## Work on the new router\n\n- [decision] restart the gateway never from inside a session\n"},
		{"Chinese", "每周日晚上重启构建服务器", "- [decision] 构建服务器每周日晚上都要重启\n"},
		{"Japanese", "ビルドサーバーは毎週日曜の夜に再起動する", "- [decision] 毎週日曜の夜、ビルドサーバーを再起動すること\n"},
		{"Korean", "빌드 서버는 매주 일요일 밤에 재시작한다", "- [decision] 매주 일요일 밤 빌드 서버를 재시작해야 한다\n"},
		{"German", "der server wird jeden sonntag um 3 uhr neu gestartet", "- [decision] Jeden Sonntag starten wir den Server um 3 Uhr neu\n"},
		{"Spanish", "el servidor se reinicia cada domingo por la noche", "- [decision] Cada domingo por la noche reiniciamos el servidor\n"},
		{"Portuguese", "o servidor é reiniciado todo domingo à noite", "- [decision] Todo domingo à noite reiniciamos o servidor\n"},
		{"French", "le serveur redémarre chaque dimanche soir", "- [decision] Chaque dimanche soir on redémarre le serveur\n"},
		{"Russian", "сервер перезагружается каждое воскресенье ночью", "- [decision] Каждое воскресенье ночью мы перезагружаем сервер\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := night{files: one("MEMORY.md", hot0, today, tt.said)}
			if pl := Curate(n.input(t)); pl.Empty() {
				t.Fatalf("not promoted without the deletion: %s", pl.Summary)
			}
			n.remembered.Deleted = []Deleted{{Normal: note.Normal(tt.deleted), Path: "MEMORY.md"}}
			if pl := Curate(n.input(t)); !pl.Empty() || len(pl.Proposals) > 0 || pl.Summary != "1 deleted before" {
				t.Errorf("brought back: %s\n%s", pl.Summary, pl.Diff())
			}
		})
	}
}

// TestAnotherNumberIsAnotherStatement: who deleted a value has nothing against a new one.
func TestAnotherNumberIsAnotherStatement(t *testing.T) {
	n := night{files: one("MEMORY.md", hot0, today, "- [decision] the cache keeps entries for 30 minutes\n")}
	n.remembered.Deleted = []Deleted{{Normal: "the cache keeps entries for 60 minutes", Path: "MEMORY.md"}}
	if pl := Curate(n.input(t)); pl.Summary != "promoted 1 to MEMORY.md" {
		t.Errorf("%s", pl.Summary)
	}
}

func TestDeletionsAreWhatTheOwnerTookOut(t *testing.T) {
	was := "# Memory\n- the build server is rebooted every sunday\n- backups go to the second disk\n- the mirror lags an hour\n"
	recorded := SeenNow(night{files: one("MEMORY.md", was)}.input(t))
	deleted := func(now string, touch func(*Input)) []string {
		in := night{files: one("MEMORY.md", now)}.input(t)
		if touch != nil {
			touch(&in)
		}
		var out []string
		for _, d := range Deletions(in, recorded) {
			out = append(out, d.Normal)
		}
		return out
	}
	without := strings.Replace(was, "- backups go to the second disk\n", "", 1)
	if diff := cmp.Diff([]string{"backups go to the second disk"}, deleted(without, nil)); diff != "" {
		t.Errorf("a line was taken out (-want +got):\n%s", diff)
	}
	if got := deleted(strings.Replace(was, "backups go", "Backups go", 1), nil); got != nil {
		t.Errorf("a line was only written in another way: %q", got)
	}
	if got := deleted("", func(in *Input) { delete(in.Files, "MEMORY.md") }); got != nil {
		t.Errorf("the whole file is gone: %q", got)
	}
	byTend := func(in *Input) {
		in.Facts.Audit.Left = map[vault.Path]Seal{"MEMORY.md": {Version: in.File("MEMORY.md").Version}}
	}
	if got := deleted(without, byTend); got != nil {
		t.Errorf("Tend itself took it out: %q", got)
	}
	back := night{files: one("MEMORY.md", was)}.input(t)
	if got := StillDeleted(back, []Deleted{{Normal: "backups go to the second disk"}}); len(got) > 0 {
		t.Errorf("still deleted although the owner wrote it again: %v", got)
	}
}
