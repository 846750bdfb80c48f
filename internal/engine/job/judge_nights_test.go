package job

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"tend/internal/disk/vault"
	"tend/internal/engine/curator"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/referee"
	"tend/internal/text/session"
)

// requestsTo writes the requests of all recorded nights to a folder, for readers who answer them.
var requestsTo = flag.String("requests", "", "write the requests of the recorded nights to this folder")

// outcomesTo says to write what became of the recorded operations, when that was meant to change.
var outcomesTo = flag.Bool("outcomes", false, "write testdata/outcomes.txt")

// recordedNight is a workspace in the manner of real ones, with the answers of readers who saw only the request.
type recordedNight struct {
	name    string
	in      Input
	answers map[string]string // by the reader
}

func loadNight(t *testing.T, file string, settings map[string]any) recordedNight {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	l, err := layout.Preset("openclaw@2026.8")
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Policy{}.With("layout", l.Policy())
	if err == nil {
		p, err = p.With("test", map[string]any{"automation": "curate"})
	}
	if err == nil {
		p, err = p.With("test", settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	n := recordedNight{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), answers: map[string]string{}}
	n.in = Input{Layout: l, Policy: p, Snapshot: plan.Snapshot{Agent: "ada", Files: map[vault.Path]vault.Doc{}}}
	for _, f := range a.Files {
		text := string(f.Data)
		switch {
		case f.Name == "today":
			n.in.Now, err = time.Parse("2006-01-02 15:04", strings.TrimSpace(text)+" 23:00")
			if err != nil {
				t.Fatal(err)
			}
		case f.Name == "tend": // the lines that Tend wrote
			for line := range strings.Lines(text) {
				n.in.Facts.Remembered.Promoted.Add(WroteMark(note.Normal(line)))
			}
		case strings.HasPrefix(f.Name, "answer"):
			n.answers[f.Name] = text
		default:
			path := vault.Path(f.Name)
			n.in.Files[path] = vault.Doc{Path: path, Data: f.Data, Version: vault.VersionOf(f.Data), Links: 1}
		}
	}
	return n
}

func nights(t *testing.T, settings map[string]any) []recordedNight {
	t.Helper()
	files, err := filepath.Glob("testdata/nights/*.txtar")
	if err != nil || len(files) < 24 {
		t.Fatalf("%d nights: %v", len(files), err)
	}
	var out []recordedNight
	for _, f := range files {
		out = append(out, loadNight(t, f, settings))
	}
	return out
}

// TestEveryUnreadEntryIsOfferedOnce: the requests of a night have every entry of the log exactly once, whatever the window.
func TestEveryUnreadEntryIsOfferedOnce(t *testing.T) {
	for _, window := range []int{2000, 60000} {
		for _, n := range nights(t, map[string]any{"curator.window": window}) {
			seen := map[string]int{}
			list := slices.Collect(Requests(n.in))
			for _, r := range list {
				for _, e := range r.Log {
					seen[e.ID]++
				}
				if again, ok := RequestFor(n.in, r.Key); !ok || again.Text() != withPart(again, r).Text() {
					t.Errorf("%s: request %s is not the same when it is built again", n.name, r.Key)
				}
			}
			all := view{n.in}.unread()
			if len(seen) != len(all) || len(all) == 0 {
				t.Errorf("%s: %d of %d entries are offered", n.name, len(seen), len(all))
			}
			for id, times := range seen {
				if times != 1 {
					t.Errorf("%s: %s is offered %d times", n.name, id, times)
				}
			}
			if *requestsTo != "" && window > 2000 {
				if err := os.WriteFile(filepath.Join(*requestsTo, n.name[:2]+".txt"), []byte(list[0].Text()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestHugePagesLeaveRoomForTheLog: of a page that fills the window lines are cut, at last to the headings, and an answer to
// such a request still finds its lines.
func TestHugePagesLeaveRoomForTheLog(t *testing.T) {
	for _, lines := range []int{400, 1200, 4000} {
		n := loadNight(t, "testdata/nights/01-en-trading.txtar", map[string]any{"curator.window": 20000})
		var page strings.Builder
		page.WriteString("# Memory\n")
		for i := range lines {
			if i%40 == 0 {
				fmt.Fprintf(&page, "\n## Month %d\n", i/40)
			}
			fmt.Fprintf(&page, "- shipped order %d, %s\n", i, strings.Repeat("which went by sea and took its time ", 4))
		}
		text := []byte(page.String())
		n.in.Files["MEMORY.md"] = vault.Doc{Path: "MEMORY.md", Data: text, Version: vault.VersionOf(text), Links: 1}
		list := slices.Collect(Requests(n.in))
		r := list[0]
		if size := session.EstimateTokens(r.Text()); len(list) != 1 || len(r.Log) != 14 || size > 20000 || r.Brief == 0 {
			t.Errorf("%d lines: %d requests, %d entries, %d tokens, lines of %d", lines, len(list), len(r.Log), size, r.Brief)
		}
		if again, ok := RequestFor(n.in, r.Key); !ok || again.Text() != r.Text() {
			t.Errorf("%d lines: the request is not the same when it is built again", lines)
		}
		in, pl := answered(t, n, policy.CuratorExtract, `{"operations":[{"op":"move","lines":[3],"to":"memory/month-0.md"}]}`)
		if moved := string(in.File("memory/month-0.md").Data); !strings.Contains(moved, "shipped order 39, which went") {
			t.Errorf("%d lines: %d proposals, moved %.200s", lines, len(pl.Proposals), moved)
		}
	}
}

func withPart(r, as curator.Request) curator.Request {
	r.Part, r.Parts = as.Part, as.Parts
	return r
}

// replayed is what a recorded answer to a night's first request came to.
type replayed struct {
	decisions []curator.Decision
	pl        plan.Plan
	in        Input // the workspace afterwards
}

// replay carries out a recorded answer and checks what must hold for every answer: no secret gets onto the page, every line
// that leaves it is kept, and no line on it has a word that neither the page nor the log had.
func replay(t *testing.T, n recordedNight, output string) replayed {
	t.Helper()
	before := string(n.in.File("MEMORY.md").Data)
	in, pl := answered(t, n, policy.CuratorExtract, output)
	r := slices.Collect(Requests(n.in))[0]
	a, err := curator.Read([]byte(output))
	if err != nil || a.Request != "" && a.Request != r.Key {
		t.Fatalf("%s: the answer names %q, the request is %q: %v", n.name, a.Request, r.Key, err)
	}
	page := string(in.File("MEMORY.md").Data)
	for _, bad := range []string{"Tq8#", "Zx83kd", "Wq72k", "Hk29!", "fernwlse", "«masked»"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s: %q is on the page:\n%s", n.name, bad, page)
		}
	}
	var kept strings.Builder
	kept.WriteString(page)
	for _, x := range pl.Archives {
		kept.WriteString(string(x.Text))
	}
	var known strings.Builder
	for _, doc := range n.in.All() {
		known.WriteString(string(doc.Data) + "\n")
	}
	for _, doc := range in.All() {
		kept.WriteString(string(doc.Data))
	}
	for line := range strings.Lines(before) {
		if !strings.Contains(kept.String(), strings.TrimSpace(line)) {
			t.Errorf("%s: lost: %s", n.name, line)
		}
	}
	for line := range strings.Lines(page) {
		title, heading := strings.CutPrefix(line, "## ")
		if strings.Contains(before, line) || heading && announces(title).lasting() {
			continue
		}
		said, _, _ := strings.Cut(note.WithoutDay(strings.TrimRight(line, "\n")), " (until ")
		said = strings.TrimPrefix(strings.TrimSpace(said), "## ")
		for _, tag := range policy.TagsEntry.Of(n.in.Policy) {
			said = strings.ReplaceAll(said, tag, "")
		}
		if word, invented := referee.Unsaid(said, known.String()); invented {
			t.Errorf("%s: nobody said %q: %s", n.name, word, line)
		}
		if gone := referee.Absent(said, known.String()); len(gone) > 0 {
			t.Errorf("%s: nobody said %+v: %s", n.name, gone, line)
		}
	}
	if testing.Verbose() {
		t.Logf("%s: %s\n%s", n.name, pl.Summary, page)
	}
	return replayed{curator.Check(r, policy.CuratorExtract, a.Operations), pl, in}
}

// TestOutcomesOfRecordedReaders: what becomes of each operation that readers asked for stays what it was: a letter an operation,
// for accepted, proposed and rejected, and what the night says.
func TestOutcomesOfRecordedReaders(t *testing.T) {
	var got strings.Builder
	for _, n := range nights(t, nil) {
		for _, reader := range slices.Sorted(maps.Keys(n.answers)) {
			r := replay(t, n, n.answers[reader])
			fmt.Fprintf(&got, "%s, %s: ", n.name, reader)
			for _, d := range r.decisions {
				got.WriteByte(d.Verdict[0])
			}
			fmt.Fprintf(&got, " %s\n", r.pl.Summary)
		}
	}
	const file = "testdata/outcomes.txt"
	if *outcomesTo {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got.String() {
		t.Errorf("%v: run with -outcomes if this was meant:\n%s", err, got.String())
	}
}

// TestRecordedReaders replays what independent readers answered, word for word, to the requests of the recorded nights. Nearly
// all they ask for passes.
func TestRecordedReaders(t *testing.T) {
	all, usable, answers := 0, 0, 0
	for _, n := range nights(t, nil) {
		output, ok := n.answers["answer"]
		if !ok {
			continue
		}
		answers++
		got := replay(t, n, output)
		for _, d := range got.decisions {
			if all++; d.Verdict == curator.Rejected {
				t.Logf("%s: %s: %s: %+v", n.name, d.Op, d.Reason, d.Operation)
				continue
			}
			usable++
		}
		in := got.in
		for _, p := range got.pl.Proposals { // a person agrees to everything
			in = After(in, Approve(in, p))
		}
		for line := range strings.Lines(string(in.File("MEMORY.md").Data)) {
			text := strings.TrimSpace(line)
			empty := strings.Trim(text, " -*+") == "" && text != "" && text != "---"
			if empty || strings.HasPrefix(text, "- - ") {
				t.Errorf("%s: a broken line %q:\n%s", n.name, line, in.File("MEMORY.md").Data)
			}
		}
	}
	if answers < 24 {
		t.Fatalf("only %d answers are recorded", answers)
	}
	if usable*100 < all*97 {
		t.Errorf("%d of %d operations of %d readers are usable, want 97%%", usable, all, answers)
	}
	t.Logf("%d of %d operations of %d readers are usable", usable, all, answers)
}

// TestSloppyReaders replays answers in the manner of small models: talk around them, other JSON, ids and reasons that do not
// exist, secrets, passing things, and quotes that are cut or reworded until they say something else. What they quote is
// still what the log says.
func TestSloppyReaders(t *testing.T) {
	answers := 0
	verdicts := map[curator.Verdict]int{}
	for _, n := range nights(t, nil) {
		output, ok := n.answers["answer small"]
		if !ok {
			continue
		}
		answers++
		got := replay(t, n, output)
		for _, d := range got.decisions {
			verdicts[d.Verdict]++
			if d.Verdict == curator.Rejected && testing.Verbose() {
				t.Logf("%s: %s: %s", n.name, d.Op, d.Reason)
			}
		}
	}
	if answers < 12 || verdicts[curator.Accepted] == 0 || verdicts[curator.Rejected] == 0 {
		t.Errorf("%d answers: %v", answers, verdicts)
	}
	t.Logf("%d answers: %v", answers, verdicts)
}
