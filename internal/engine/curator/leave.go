package curator

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tend/internal/text/note"
	"tend/internal/text/referee"
)

// retire: a line leaves the page. The reason must show in the text; otherwise a person decides.
func (c *checker) retire(d *Decision) {
	c.targets(d)
	if d.Verdict == Rejected {
		return
	}
	by, stays := c.evidence(d)
	for _, t := range d.Targets {
		t.Text = t.statement()
		c.stays(d, t, by)
		if why := c.rules(d, t, by, stays); why != "" {
			d.propose("%s", why)
		}
		switch d.Why {
		case "expired":
			if !c.expired(t.Text, by) {
				d.propose("nothing shows that line %d holds no more", t.From)
			}
		case "done":
			if !ticked(t.Text) && (Shared(t.Text, by) < related || doubts(t.Text) == "" && !ticked(by)) {
				d.propose("nothing shows that line %d is done", t.From)
			}
		case "superseded":
			if Shared(t.Text, by) < related {
				d.propose("nothing shows what replaces line %d", t.From)
			} else if stays == 0 && Shared(t.Text, c.onPage[d.By]) < related {
				d.propose("what replaces line %d does not come onto the page", t.From)
			}
		case "duplicate":
			if stays == 0 || !same(t.Text, by) {
				d.propose("nothing shows that line %d is said elsewhere", t.From)
			}
		default:
			d.propose("it gives no reason")
		}
	}
	c.stay[stays] = c.stay[stays] || d.Verdict == Accepted
}

// rules says why a line may not leave the page for a reason that the text only suggests: it rules something out, or another
// line is the one that is meant.
func (c *checker) rules(d *Decision, t Item, by string, stays int) string {
	if ticked(t.Text) {
		return ""
	}
	over := d.Why == "done" || d.Why == "superseded"
	forbids := slices.ContainsFunc(referee.Values(t.Text), func(v referee.Value) bool { return v.Kind == referee.Negation })
	switch {
	case over && referee.Limits(t.Text) > 0, d.Why == "expired" && forbids:
		return fmt.Sprintf("line %d has a negation or condition", t.From)
	case over && by != "":
		if near := c.closerTo(t, by, stays); near != 0 {
			return fmt.Sprintf("line %d is closer to the reason than line %d", near, t.From)
		}
	}
	return ""
}

// early returns the day ahead from which a text holds that takes a line off the page, zero if there is none.
func (c *checker) early(d *Decision, line, text string) note.Day {
	today, _ := note.ParseDay(c.Date)
	wrote := today
	for _, s := range d.Sources {
		wrote, _ = note.ParseDay(s.Day)
		text += "\n" + strings.Join(s.Path, "\n")
	}
	return Early(line, text, wrote, today)
}

// stays turns an operation into a proposal that takes a line off the page for what holds only from a day ahead.
func (c *checker) stays(d *Decision, line Item, text string) {
	if day := c.early(d, line.Text, text); day != 0 {
		d.propose("the reason for line %d speaks of %s, which lies ahead", line.From, day)
	}
}

// Early returns the day ahead that a text names, zero if the text may take the place of a line today: it names none or only
// until when it holds, or it says another time for all that the line has planned.
func Early(line, text string, wrote, today note.Day) note.Day {
	day := note.Ahead(text, wrote, today)
	ends := func(e note.Entry) bool { return e.Until() == day }
	if day == 0 || slices.ContainsFunc(note.Parse([]byte(text+"\n")).Entries(0), ends) {
		return 0
	}
	_, other := referee.Unsaid(note.WithoutDates(line), note.WithoutDates(text))
	if note.Ahead(line, today, today) != 0 && !other {
		return 0
	}
	return day
}

// same reports whether a line says nothing that another text does not say, in the same order, and that text neither denies,
// limits, strikes nor asks it.
func same(line, text string) bool {
	return len(referee.Absent(line, text)) == 0 && Shared(line, text) >= alike && referee.SameOrder(line, text) &&
		referee.Limits(line) == referee.Limits(text) && signs(line) == signs(text)
}

// signs lists what turns a statement around without a word: a stroke through it, a question mark, a minus, a symbol.
func signs(text string) string {
	var b strings.Builder
	last := ' '
	for i, r := range text {
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		minus := strings.ContainsRune("-−–", r) && unicode.IsDigit(next) && !unicode.IsLetter(last) && !unicode.IsDigit(last)
		switch {
		case strings.ContainsRune("?？¿؟~<>", r), r >= 0x80 && unicode.IsSymbol(r):
			b.WriteRune(r)
		case minus:
			b.WriteByte('-')
		}
		last = r
	}
	return b.String()
}

// alike is the share of the words of two lines that say the same.
const alike = 0.6

// evidence is the text that an operation gives as its reason: an entry, or another line, which is returned, too.
func (c *checker) evidence(d *Decision) (text string, line int) {
	if e, ok := c.entry(d.By); ok {
		d.Sources = append(d.Sources, e)
		return e.Text, 0
	}
	n := numbers(d.By)
	if len(n) != 1 {
		return "", 0
	}
	it, ok := c.item(n[0])
	leaves := slices.ContainsFunc(d.Targets, func(t Item) bool { return t.Page == it.Page && t.From <= it.From && it.To <= t.To })
	if !ok || leaves || c.taken[it.From] {
		return "", 0 // a line that leaves is no reason
	}
	return it.Text, it.From
}

// lately is how many days ago a date may be that an entry of the log shows to be over: an older one is history.
const lately = 60

// expired reports whether a line says until when it holds and that is over, or names a day that was lately and of which the
// given reason tells, too. That a date lies in the past alone says nothing: "contract signed on 2025-03-01".
func (c *checker) expired(line, by string) bool {
	today, err := note.ParseDay(c.Date)
	if err != nil {
		return false
	}
	entries := note.Parse([]byte(line + "\n")).Entries(0)
	if len(entries) == 1 && entries[0].Expired(today) {
		return true
	}
	last := note.LastDay(line)
	return last != 0 && last < today && last >= today.AddDays(-lately) && Shared(line, by) >= related
}

// ticked reports a task that is marked as done.
func ticked(text string) bool {
	t := strings.ToLower(strings.TrimLeft(text, " \t-*+"))
	return strings.HasPrefix(t, "[x]") || strings.HasPrefix(t, "✅") || strings.HasPrefix(t, "~~")
}

// move: whole entries or sections go to another file.
func (c *checker) move(d *Decision) {
	c.targets(d)
	to := d.To
	if to == "" {
		to = d.File
	}
	clean := strings.TrimPrefix(to, "./")
	switch {
	case d.Verdict == Rejected:
	case !memoryFile(clean):
		d.reject("%q is no file of memory", to)
	case slices.ContainsFunc(d.Targets, func(t Item) bool { return c.Pages[t.Page].File == clean }):
		d.reject("the line stands in %s already", clean)
	case slices.ContainsFunc(d.Targets, func(t Item) bool { return t.Kind == nestedItem || t.Kind == blockItem }):
		d.propose("only whole entries and sections move")
	}
	for _, t := range d.Targets {
		if !t.Whole() && !c.Pages[t.Page].Over() && referee.Limits(t.Text) > 0 {
			d.propose("line %d has a negation or condition, and the page has room for it", t.From)
		}
	}
	d.To = clean
}

// memoryFile reports the name of a markdown file inside the workspace, in no hidden folder.
func memoryFile(name string) bool {
	if path.Clean(name) != name || path.IsAbs(name) || !strings.HasSuffix(name, ".md") {
		return false
	}
	hidden := strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
	return !hidden && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`\:*?"<>|`, r) })
}

// merge: of several lines that say the same, one stays.
func (c *checker) merge(d *Decision) {
	stays, ok := c.item(d.Keep)
	if !ok {
		d.reject("it does not say which line stays")
		return
	}
	if c.taken[stays.From] {
		d.reject("another operation changes line %d already", d.Keep)
		return
	}
	d.Lines = slices.DeleteFunc(slices.Clone(d.Lines), func(id int) bool { return id >= stays.From && id <= stays.To })
	c.targets(d)
	for _, t := range d.Targets {
		c.stays(d, t, stays.Text)
		if gone := referee.Absent(t.Text, stays.Text); len(gone) > 0 {
			d.propose("line %d does not have %q", stays.From, gone[0].Text)
		} else if !same(t.Text, stays.Text) {
			d.propose("lines %d and %d do not say the same", stays.From, t.From)
		}
	}
	c.stay[stays.From] = c.stay[stays.From] || d.Verdict == Accepted
}
