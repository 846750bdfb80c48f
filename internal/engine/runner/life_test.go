package runner

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// life writes what an agent writes, reproducibly for a seed.
type life struct {
	*home
	r     *rand.Rand
	n     int               // facts so far; each has a unique number
	lines []string          // every line ever written, in order
	facts map[string]string // tagged facts by their number: the tag
	said  []string          // tagged entries, to be repeated later
	tasks []int             // open
	log   string            // today's log
	own   map[string]int    // how often the agent itself wrote a fact to the hot file
}

var (
	subjects = strings.Fields("proxy mirror registry database scheduler cache parser importer backup dashboard queue gateway")
	verbs    = strings.Fields("needs keeps drops rewrites moves checks restarts ignores merges splits verifies delays")
	objects  = strings.Fields("certificates indexes sessions reports snapshots manifests headers locks tickets uploads aliases quotas")
	reasons  = strings.Fields("latency audits capacity ownership rollbacks outages migrations contracts holidays reviews drills budgets")
)

func (l *life) pick(list []string) string { return list[l.r.IntN(len(list))] }

// fact returns a sentence with a unique number.
func (l *life) fact() (text, id string) {
	l.n++
	id = fmt.Sprintf("k%04d", l.n)
	return fmt.Sprintf("the %s %s %s because of %s %s", l.pick(subjects), l.pick(verbs), l.pick(objects), l.pick(reasons), id), id
}

// put writes lines to a file as an agent does: an append, with no lock of ours.
func (l *life) put(file string, lines ...string) {
	for _, line := range lines {
		l.add(file, line+"\n")
		l.lines = append(l.lines, line)
	}
}

// morning begins the day's log.
func (l *life) morning() {
	day := l.now.Format(time.DateOnly)
	l.log = l.cfg.Layout.Path(layout.Daily, day)
	if l.read(l.log) == "" {
		l.put(l.log, "# "+day, "")
	}
}

// work is one entry of the day's log.
func (l *life) work() {
	stamp := l.now.Format("15:04")
	switch text, id := l.fact(); l.r.IntN(12) {
	case 0, 1, 2:
		tag := l.pick(note.Tags())
		l.facts[id] = tag
		l.said = append(l.said, fmt.Sprintf("[%s] %s", tag, text))
		l.put(l.log, fmt.Sprintf("- %s [%s] %s", stamp, tag, text))
	case 3: // the same again, in another case
		if len(l.said) > 0 {
			l.put(l.log, fmt.Sprintf("- %s %s!", stamp, l.said[l.r.IntN(len(l.said))]))
		}
	case 4:
		l.tasks = append(l.tasks, l.n)
		l.put(l.log, fmt.Sprintf("- [ ] task %d: %s", l.n, text))
	case 5: // a task is done, or done and opened again
		if len(l.tasks) > 0 {
			i := l.r.IntN(len(l.tasks))
			l.put(l.log, fmt.Sprintf("- [x] task %d ✅ %s", l.tasks[i], l.now.Format(time.DateOnly)))
			if l.r.IntN(4) > 0 {
				l.tasks = append(l.tasks[:i], l.tasks[i+1:]...)
			}
		}
	case 6: // a contradiction
		l.put(l.log, fmt.Sprintf("- %s - the %s listens on port %d", stamp, l.pick(subjects), 3000+l.r.IntN(50)))
	default:
		l.put(l.log, fmt.Sprintf("- %s - looked at it: %s", stamp, text))
	}
}

// buffer writes to the working buffer; now and then the agent dies in the middle of a line.
func (l *life) buffer() {
	file := l.cfg.Layout.Path(layout.Buffer, "")
	stamp := l.now.Format(time.RFC3339)
	b := note.ParseBuffer([]byte(l.read(file)), l.cfg.Location)
	if !b.Valid {
		l.put(file, "# Working Buffer", "created: "+stamp, "last_active: "+stamp, "")
		b = note.ParseBuffer([]byte(l.read(file)), l.cfg.Location)
	}
	text, err := note.Apply(b.Text, []note.Edit{b.Heartbeat(l.now)})
	must(l.t, err)
	l.write(file, string(text))
	for range 1 + l.r.IntN(4) {
		text, id := l.fact()
		if l.r.IntN(3) == 0 {
			l.facts[id] = "lesson"
			l.put(file, fmt.Sprintf("- %s [lesson] %s", l.now.Format("2006-01-02 15:04"), text))
		} else {
			l.put(file, fmt.Sprintf("- %s - half a thought: %s", l.now.Format("2006-01-02 15:04"), text))
		}
	}
	if l.r.IntN(15) == 0 {
		l.add(file, "- and then the")
		l.lines = append(l.lines, "- and then the")
	}
}

// finish ends a line that a crash left open, as the next session does before it writes.
func (l *life) finish() {
	file := l.cfg.Layout.Path(layout.Buffer, "")
	if text := l.read(file); text != "" && !strings.HasSuffix(text, "\n") {
		l.add(file, "\n")
	}
}

// remember writes to the hot file directly, as agents do.
func (l *life) remember() {
	hot := l.cfg.Layout.Path(layout.Hot, "")
	text, id := l.fact()
	day := l.now.Format(time.DateOnly)
	switch l.r.IntN(6) {
	case 0:
		l.put(hot, fmt.Sprintf("- %s (%s)", text, day))
	case 1:
		l.put(hot, fmt.Sprintf("- [x] did: %s ✅ %s", text, day))
	case 2:
		l.facts[id] = "human"
		l.put(hot, fmt.Sprintf("- %s [human] %s", l.now.Format("2006-01-02 15:04"), text))
	case 3:
		l.put(hot, "- "+text)
	case 4:
		l.put(hot, fmt.Sprintf("- as of %s the %s now listens on port %d (%s)", day, l.pick(subjects), 3000+l.r.IntN(50), day))
	default:
		if len(l.said) > 0 {
			again := l.said[l.r.IntN(len(l.said))]
			l.own[numbers(again)[0]]++
			l.put(hot, "- "+again)
		}
	}
}
