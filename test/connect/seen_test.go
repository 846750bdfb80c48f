//go:build harness

package connect

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// planted is a file's text with numbered facts, each on a line of its own.
func planted(title string, from, to int) string {
	var b strings.Builder
	b.WriteString("# " + title + "\n\n")
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "- fact-%03d; planted by the test, and long enough that many of them do not fit\n", i)
	}
	return b.String()
}

// fact matches a whole line: one that is cut in two does not count.
var fact = regexp.MustCompile(`(fact-\d{3};) (?:planted by the test, and long enough that many of them do not fit|the gateway moves to Oslo in March)`)

// verdicts asks Tend which facts the first request of a session had, and which files it does not know.
func (g *gateway) verdicts(session string) (had map[string]bool, unknown map[string]bool) {
	g.t.Helper()
	out, _ := g.run("preview", "claw", "--session", session, "--json")
	var v struct {
		Files []struct {
			Path, Why string
			Seen      []struct{ From, To int }
		}
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		g.t.Fatalf("session %s: %v\n%s", session, err, out)
	}
	had, unknown = map[string]bool{}, map[string]bool{}
	for _, f := range v.Files {
		if f.Why == "unknown" {
			unknown[f.Path] = true
			continue
		}
		data, err := os.ReadFile(filepath.Join(g.kept, session, f.Path))
		if err != nil && len(f.Seen) > 0 {
			g.t.Errorf("%s: %s was not there", session, f.Path)
		}
		for i, line := range strings.Split(string(data), "\n") {
			for _, s := range f.Seen {
				for id := range facts(line) {
					had[id] = had[id] || i+1 >= s.From && i+1 <= s.To
				}
			}
		}
	}
	return had, unknown
}

// keep copies the memory as the session finds it.
func (g *gateway) keep(session string) {
	g.t.Helper()
	must(g.t, os.MkdirAll(filepath.Join(g.kept, session), 0o755))
	must(g.t, os.CopyFS(filepath.Join(g.kept, session), os.DirFS(g.workspace)))
}

// facts lists the facts of a text.
func facts(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range fact.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// next runs a session, in which the agent may write a file, and compares its first request with Tend's verdicts.
func (g *gateway) next(what, file, text string) (wrong int) {
	g.t.Helper()
	id := fmt.Sprintf("s%d", g.sessions+1)
	g.keep(id)
	if file != "" {
		g.m.use("write", object{"path": filepath.Join(g.workspace, file), "content": text})
	}
	request := facts(g.session(what))
	if file != "" {
		g.file(file, text)
	}
	had, unknown := g.verdicts(id)
	if len(unknown) > 0 && g.connected {
		g.t.Errorf("%s: not known: %v", id, unknown)
	}
	stored, seen := 0, 0
	must(g.t, filepath.WalkDir(filepath.Join(g.kept, id), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".md" {
			return err
		}
		data, err := os.ReadFile(p)
		if unknown[filepath.Base(p)] {
			return err
		}
		for f := range facts(string(data)) {
			stored++
			if request[f] {
				seen++
			}
			if had[f] != request[f] {
				wrong++
				g.t.Errorf("%s (%s): %s of %s is in the request: %v, Tend says %v", id, what, f, filepath.Base(p), request[f], had[f])
			}
		}
		return err
	}))
	g.t.Logf("%s (%s): %d of %d stored facts are in the request, %d wrong verdicts, not known: %d files", id, what,
		seen, stored, wrong, len(unknown))
	return wrong
}

// TestHarnessSeen has 30 sessions with a real OpenClaw, whose limits are low. Its agent writes, people write, files are cut,
// displaced and excluded, and Tend's nights are between. Tend must know of each of 200 lines whether the request had it, and
// no session may lose a file because of Tend.
func TestHarnessSeen(t *testing.T) {
	g := newGatewayWith(t, true, `bootstrapMaxChars: 5000, bootstrapTotalMaxChars: 14000, `, "")
	g.session("hello") // OpenClaw writes its first files
	day := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	outside := func(name, text string) { g.writeSettings(filepath.Join(g.workspace, name), text) }
	outside("SOUL.md", planted("Soul", 0, 10))
	outside("AGENTS.md", planted("Rules", 10, 30))
	outside("USER.md", planted("User", 30, 60))
	outside("memory/"+day+".md", "# "+day+"\n\n- 09:00 [decision] fact-060; the gateway moves to Oslo in March\n"+planted("more", 61, 80))
	night := func() {
		if out, code := g.run("nightly", "claw"); code > 1 {
			t.Errorf("nightly: exit %d\n%s", code, out)
		}
	}
	wrong, memory := 0, 80
	const untrusted = 25 // from this session on, a person's write has made OpenClaw exclude MEMORY.md
	for i := 1; i <= 30; i++ {
		switch i % 6 {
		case 1:
			memory = min(200, memory+24)
			if i == untrusted {
				outside("MEMORY.md", planted("Memory", 80, 100)+"- from outside\n")
			}
			wrong += g.next("the agent writes MEMORY.md", "MEMORY.md", planted("Memory", 80, memory))
		case 2:
			night()
			wrong += g.next("after a night", "", "")
		case 3:
			wrong += g.next("the agent writes USER.md", "USER.md", planted("User", 30, 60-i))
		case 4:
			outside("AGENTS.md", planted("Rules", 10, 30)+strings.Repeat("- another rule of the operator, without a number\n", 10*i))
			wrong += g.next("the operator adds rules", "", "")
		case 5:
			g.run("note", "--agent", "claw", "an entry of Tend's")
			g.run("checkpoint", "--agent", "claw", "the import is half done")
			g.run("restore", "MEMORY.md", "--agent", "claw", "--at", "2020-01-01")
			night()
			wrong += g.next("after notes, a checkpoint and a night", "", "")
		case 0:
			outside("SOUL.md", planted("Soul", 0, 10)+strings.Repeat("- who I am, again\n", i))
			wrong += g.next("the operator changes SOUL.md", "", "")
		}
		out, _ := g.run("preview", "claw", "--session", "last", "--json")
		if lost := strings.Contains(out, `"why": "excluded"`); lost != (i > untrusted) {
			t.Errorf("session %d: excluded %v", i, lost)
		}
	}
	t.Logf("30 sessions, 200 lines: %d wrong verdicts", wrong)
	// The first line of MEMORY.md was seen until it was excluded; one that was always cut never was.
	out, _ := g.run("why", "--agent", "claw", "fact-080")
	g.says(out, "last seen by the model", "in session s26", "not in the newest session", "s31", "does not trust MEMORY.md")
	g.connect("openclaw", "--undo")
}

// TestHarnessSeenInReports: without Tend's hook, sessions are known from OpenClaw's own reports. What Tend says of them is
// right, or it says that it does not know.
func TestHarnessSeenInReports(t *testing.T) {
	g := newGatewayWith(t, false, `bootstrapMaxChars: 5000, bootstrapTotalMaxChars: 14000, `, "")
	g.session("hello") // OpenClaw writes its first files
	g.writeSettings(filepath.Join(g.workspace, "SOUL.md"), planted("Soul", 0, 10))
	wrong := 0
	for i, memory := range []int{100, 140, 200} {
		wrong += g.next("the agent writes MEMORY.md", "MEMORY.md", planted("Memory", 80, memory))
		if i == 1 {
			g.run("nightly", "claw")
		}
		wrong += g.next("nothing changes", "", "")
	}
	if wrong > 0 {
		t.Errorf("%d wrong verdicts", wrong)
	}
	g.run("nightly", "claw") // Tend learns of the texts between now, so that older sessions stay known
	for i := 2; i <= 7; i++ {
		id := fmt.Sprintf("s%d", i)
		_, unknown := g.verdicts(id)
		t.Logf("%s is known later: %v", id, len(unknown) == 0)
	}
	out, _ := g.run("why", "--agent", "claw", "fact-080")
	g.says(out, "last seen by the model", "in session s7")
}
