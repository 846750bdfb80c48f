package job

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// answered carries out an answer to a night's first request.
func answered(t *testing.T, n recordedNight, may policy.CuratorLevel, output string) (Input, plan.Plan) {
	t.Helper()
	r := slices.Collect(Requests(n.in))[0]
	a, err := curator.Read([]byte(output))
	if err != nil {
		t.Fatalf("%s: %v", n.name, err)
	}
	in := n.in
	in.Judged = []Judged{{Request: r, Model: "reader", Decisions: curator.Check(r, may, a.Operations)}}
	pl := Curate(in)
	return After(in, pl), pl
}

func pageAfter(t *testing.T, file string, may policy.CuratorLevel, ops ...string) (string, plan.Plan, Input) {
	t.Helper()
	n := loadNight(t, "testdata/nights/"+file+".txtar", nil)
	in, pl := answered(t, n, may, `{"operations":[`+strings.Join(ops, ",")+`]}`)
	return string(in.File("MEMORY.md").Data), pl, in
}

// has checks that a page has some lines, each exactly once, and lacks others (those with a minus).
func has(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		want := 1
		if rest, gone := strings.CutPrefix(l, "−"); gone {
			l, want = rest, 0
		}
		if n := strings.Count("\n"+page, "\n"+l+"\n"); n != want {
			t.Errorf("%q stands %d times, want %d:\n%s", l, n, want, page)
		}
	}
}

// TestOperationsOnThePage: what each operation does to a page, and that nothing leaves the workspace.
func TestOperationsOnThePage(t *testing.T) {
	page, pl, in := pageAfter(t, "23-de-haus", policy.CuratorExtract,
		`{"op":"retire","line":9,"why":"expired","by":"e1"}`,
		`{"op":"merge","lines":[5,6],"keep":5}`,
		`{"op":"replace","line":5,"from":"e4","quote":"Papier wird ab Oktober monatlich abgeholt"}`,
		`{"op":"keep","from":"e3","quote":"Fips verträgt kein Hühnerfutter","under":"Familie"}`,
		`{"op":"keep","from":"e2","quote":"Anlage nicht mehr reparieren","under":"Haus"}`,
		`{"op":"skip","from":["e5"]}`)
	has(t, page, "−- Handwerker kommt am 2026-09-10 wegen der Heizung", "−- Papiertonne: jeden zweiten Mittwoch",
		"- Müll: Papier jeden zweiten Mittwoch", "- Papier wird ab Oktober monatlich abgeholt, erster Donnerstag", // from a day ahead
		"- Fips verträgt kein Hühnerfutter, Tierärztin: nur noch Lamm oder Fisch",
		"- er rät: Anlage nicht mehr reparieren, beim nächsten Defekt ersetzen",
		"- Lena (Erdnussallergie), Paul, Hund Fips", "- Heizung: Vaillant, Baujahr 2009")
	var kept strings.Builder
	for _, a := range pl.Archives {
		kept.WriteString(string(a.Text))
	}
	if len(pl.Proposals) != 0 {
		t.Errorf("%+v", pl.Proposals)
	}
	for _, l := range []string{"Handwerker kommt", "Papiertonne"} {
		if !strings.Contains(kept.String(), l) {
			t.Errorf("%q left the page and is in no archive:\n%s", l, kept.String())
		}
	}
	if left := (view{in}).unread(); len(left) != 0 {
		t.Errorf("still unread: %+v", left)
	}
	if len(pl.Judges) != 1 || pl.Judges[0].Model != "reader" {
		t.Errorf("%+v", pl.Judges)
	}
}

// TestPersonsLinesBecomeProposals: a line that nobody is known to have written stays, and a person can approve the change.
func TestPersonsLinesBecomeProposals(t *testing.T) {
	n := loadNight(t, "testdata/nights/03-en-startup.txtar", nil)
	before := string(n.in.File("MEMORY.md").Data)
	in, pl := answered(t, n, policy.CuratorExtract, `{"operations":[
		{"op":"replace","line":7,"from":"e6","quote":"contract extended until 31 July 2026"},
		{"op":"move","lines":[15],"to":"memory/sales.md"},
		{"op":"retire","line":16,"why":"superseded","by":"e4"}]}`)
	beside := "- Sam (design), contract until end of April\n- Sam: contract extended until 31 July 2026 (2026-04-21)\n"
	after := string(in.File("MEMORY.md").Data)
	if !strings.Contains(after, beside) || strings.Count(after, "\n") != strings.Count(before, "\n")+1 || len(pl.Proposals) != 2 {
		t.Fatalf("%d proposals:\n%s", len(pl.Proposals), in.File("MEMORY.md").Data)
	}
	for _, p := range pl.Proposals {
		if p.Model != "reader" || p.Replaces == "" {
			t.Errorf("%+v", p)
		}
		in = After(in, Approve(in, p))
	}
	page := string(in.File("MEMORY.md").Data)
	has(t, page, "- Sam (design), contract until end of April", "- Sam: contract extended until 31 July 2026 (2026-04-21)",
		"−- Pilot customers: Oak & Co, Meridian Labs", "−- Never promise dates in sales mails")
	if !strings.Contains(string(in.File("memory/sales.md").Data), "- Pilot customers: Oak & Co, Meridian Labs") {
		t.Errorf("the moved line: %q", in.File("memory/sales.md").Data)
	}
}

// TestNewerStandsBelowAPersonsLine: until the person agrees that the older line leaves.
func TestNewerStandsBelowAPersonsLine(t *testing.T) {
	n := loadNight(t, "testdata/nights/02-en-homelab.txtar", nil)
	for path, text := range map[vault.Path]string{
		"MEMORY.md":            "# Memory\n\n## API\n- The API listens on port 8080\n- Ben runs it\n",
		"memory/2026-02-02.md": "- The API listens on port 8081 now\n",
	} {
		n.in.Files[path] = vault.Doc{Path: path, Data: []byte(text), Version: vault.VersionOf([]byte(text)), Links: 1}
	}
	in, pl := answered(t, n, policy.CuratorExtract, `{"operations":[
		{"op":"replace","line":4,"from":"e1","quote":"The API listens on port 8081 now"}]}`)
	newer := "- The API listens on port 8081 now (2026-02-02)\n- Ben runs it\n"
	page := string(in.File("MEMORY.md").Data)
	if page != "# Memory\n\n## API\n- The API listens on port 8080\n"+newer || len(pl.Proposals) != 1 {
		t.Fatalf("%+v\n%s", pl.Proposals, page)
	}
	in = After(in, Approve(in, pl.Proposals[0]))
	if page := string(in.File("MEMORY.md").Data); page != "# Memory\n\n## API\n"+newer {
		t.Errorf("approved:\n%s", page)
	}
}

// TestNothingDeletedReplacesALine: not even in the place of another line.
func TestNothingDeletedReplacesALine(t *testing.T) {
	const answer = `{"operations":[{"op":"replace","line":7,"from":"e6","quote":"contract extended until 31 July 2026"}]}`
	for said, want := range map[string]bool{
		"Sam: the contract was extended until 31 July 2026": false, "Sam: the contract ends in 2025": true,
	} {
		n := loadNight(t, "testdata/nights/03-en-startup.txtar", nil)
		page := string(n.in.File("MEMORY.md").Data)
		n.in.Facts.Remembered.Deleted = []Deleted{{Normal: note.Normal(said), Path: "MEMORY.md"}}
		in, pl := answered(t, n, policy.CuratorExtract, answer)
		if (string(in.File("MEMORY.md").Data) != page) != want {
			t.Errorf("%s was deleted: %s\n%+v", said, pl.Summary, pl.Proposals)
		}
	}
}

// TestNoRoomForProposals: what must wait for a person while too much waits already is offered again.
func TestNoRoomForProposals(t *testing.T) {
	n := loadNight(t, "testdata/nights/03-en-startup.txtar", nil)
	n.in.Facts.Remembered.Waiting = mostWaiting
	in, pl := answered(t, n, policy.CuratorExtract, `{"operations":[
		{"op":"replace","line":15,"from":"e6","quote":"contract extended until 31 July 2026"},{"op":"skip","from":["e1","e2","e3","e4","e5"]}]}`)
	left := (view{in}).unread()
	if len(pl.Proposals) != 0 || len(left) != 1 || !strings.Contains(left[0].Text, "31 July") {
		t.Errorf("%d proposals, unread: %+v", len(pl.Proposals), left)
	}
}

// TestSubjectsStayWithTheirLines: an item of a labelled list, or below a heading that turns it around, keeps that word.
func TestSubjectsStayWithTheirLines(t *testing.T) {
	page, _, _ := pageAfter(t, "02-en-homelab", policy.CuratorExtract,
		`{"op":"keep","from":"e6","quote":"move pihole into docker on atlas","under":"Preferences"}`)
	if !strings.Contains(page, "Rejected: move pihole into docker on atlas (Marit: DNS must survive a docker restart)") {
		t.Error(page)
	}
}

// TestSecretsStayOut: a masked line is a proposal, and the secret is in no part of the plan.
func TestSecretsStayOut(t *testing.T) {
	page, pl, _ := pageAfter(t, "02-en-homelab", policy.CuratorRewrite, `{"op":"keep","from":"e7","quote":"login: admin / password"}`)
	if strings.Contains(page, "login") {
		t.Error(page)
	}
	for _, p := range pl.Proposals {
		if strings.Contains(p.Text, "Tq8#") {
			t.Errorf("%+v", p)
		}
	}
}

// TestChangedMeanwhile: a line that was changed after it was asked about is left alone.
func TestChangedMeanwhile(t *testing.T) {
	n := loadNight(t, "testdata/nights/23-de-haus.txtar", nil)
	r := slices.Collect(Requests(n.in))[0]
	decided := curator.Check(r, policy.CuratorExtract, []curator.Operation{
		{Op: curator.Retire, Lines: []int{9}, Why: "expired"}, {Op: curator.Merge, Lines: []int{5, 6}, Keep: 5},
	})
	text := strings.Replace(string(n.in.File("MEMORY.md").Data), "kommt am 2026-09-10", "kommt am 2026-09-30", 1)
	text = "An inserted line.\n\n" + text
	in := n.in.With(vault.Doc{Path: "MEMORY.md", Data: []byte(text), Version: vault.VersionOf([]byte(text))})
	in.Judged = []Judged{{Request: r, Decisions: decided}}
	page := string(After(in, Curate(in)).File("MEMORY.md").Data)
	has(t, page, "An inserted line.", "- Handwerker kommt am 2026-09-30 wegen der Heizung", "−- Papiertonne: jeden zweiten Mittwoch")
}

// TestLossCapHolds: one answer cannot empty the page, even of the agent's own lines.
func TestLossCapHolds(t *testing.T) {
	n := loadNight(t, "testdata/nights/16-pt-band.txtar", nil)
	n.in.Facts.ByAgent = map[Mark]bool{}
	n.in.Facts.Remembered.Promoted = nil
	doc := n.in.Parse(n.in.File("MEMORY.md"))
	var ops []string
	for _, e := range doc.Entries(0) {
		n.in.Facts.ByAgent[MarkOf(e.Normal())] = true
		ops = append(ops, `{"op":"move","lines":[`+strconv.Itoa(e.Line)+`],"to":"memory/old.md"}`)
	}
	in, pl := answered(t, n, policy.CuratorExtract, `{"operations":[`+strings.Join(ops, ",")+`]}`)
	left := len(in.Parse(in.File("MEMORY.md")).Entries(0))
	if all := len(doc.Entries(0)); all-left > all/4 || all == left || len(pl.Proposals) == 0 {
		t.Errorf("%d of %d entries are left", left, all)
	}
}

// TestShrinkingAPage: a page that the harness cuts gives up whole sections, no matter who wrote them, and no line leaves the workspace.
func TestShrinkingAPage(t *testing.T) {
	n := loadNight(t, "testdata/nights/01-en-trading.txtar", nil)
	n.in.Files = map[vault.Path]vault.Doc{}
	var text strings.Builder
	text.WriteString("# Memory\n\n## Rules\n- Never deploy on Fridays\n")
	for _, day := range []string{"2026-01-05", "2026-01-12", "2026-01-19"} {
		text.WriteString("\n## Week of " + day + "\n" + strings.Repeat("- shipped another batch of orders on "+day+", all went well\n", 160))
	}
	n.in.Files["MEMORY.md"] = vault.Doc{Path: "MEMORY.md", Data: []byte(text.String()), Version: vault.VersionOf([]byte(text.String())),
		Links: 1}
	r := slices.Collect(Requests(n.in))[0]
	if r.Task != curator.Shrink || len(r.Pages[0].Sections) != 4 || !strings.Contains(r.Text(), "not loaded") {
		t.Fatalf("%s %+v", r.Task, r.Pages[0].Sections)
	}
	in := n.in
	in.BeyondCaps = true
	in.Judged = []Judged{{Request: r, Decisions: curator.Check(r, policy.CuratorExtract, []curator.Operation{
		{Op: curator.Move, Lines: []int{6, 168}, To: "memory/history.md"}, {Op: curator.Move, Lines: []int{4}, To: "memory/history.md"},
	})}}
	pl := Curate(in)
	after := After(in, pl)
	page, moved := string(after.File("MEMORY.md").Data), string(after.File("memory/history.md").Data)
	if len(page) > 20000 || len(pl.Proposals) != 1 || !strings.Contains(page, "- Never deploy on Fridays\n") {
		t.Errorf("%d characters, %d proposals", len(page), len(pl.Proposals))
	}
	for line := range strings.Lines(text.String()) {
		if !strings.Contains(page+moved, strings.TrimSpace(line)) {
			t.Errorf("lost: %s", line)
		}
	}
	has(t, page, "## Week of 2026-01-05", "## Week of 2026-01-19")
}

// TestWhatIsNotLoadedIsNoLoss: sections that the harness does not load leave the page in one night, within the loss caps: the
// agent never saw them.
func TestWhatIsNotLoadedIsNoLoss(t *testing.T) {
	n := loadNight(t, "testdata/nights/01-en-trading.txtar", nil)
	var text strings.Builder
	text.WriteString("# Memory\n\n## Rules\n- Never deploy on Fridays\n")
	for i := range 12 {
		line := "- shipped another batch of orders in week " + strconv.Itoa(i) + ", all went well\n"
		text.WriteString("\n## Week " + strconv.Itoa(i) + "\n" + strings.Repeat(line, 60))
	}
	n.in.Files = map[vault.Path]vault.Doc{"MEMORY.md": {Path: "MEMORY.md", Data: []byte(text.String()),
		Version: vault.VersionOf([]byte(text.String())), Links: 1}}
	r := slices.Collect(Requests(n.in))[0]
	move := curator.Operation{Op: curator.Move, To: "memory/history.md"}
	for _, s := range r.Pages[0].Sections {
		if s.Unseen {
			move.Lines = append(move.Lines, s.Line)
		}
	}
	in := n.in
	in.Judged = []Judged{{Request: r, Decisions: curator.Check(r, policy.CuratorExtract, []curator.Operation{move})}}
	pl := Curate(in)
	page := string(After(in, pl).File("MEMORY.md").Data)
	left, unseen := 0, 0
	for _, s := range pl.Sources {
		left++
		if s.Unseen {
			unseen++
		}
	}
	if len(page) > 20000 || len(pl.Proposals) > 0 || left-unseen > 720/4 || unseen < 300 {
		t.Errorf("%d characters, %d proposals, %d of %d entries were not loaded", len(page), len(pl.Proposals), unseen, left)
	}
}
