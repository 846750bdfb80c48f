package curator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/note"
	"tend/internal/text/referee"
	"tend/internal/text/scan"
)

// Verdict is what becomes of an operation.
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accepted"
	Proposed Verdict = "proposed" // a person decides
	Rejected Verdict = "rejected"
)

// Decision is an operation with its verdict, and what it comes to.
type Decision struct {
	Operation
	Verdict Verdict `json:"verdict"`
	// Reason says why the operation was not accepted.
	Reason string `json:"reason,omitempty"`
	// Passage is what would be written: of the cited text, or the model's own words.
	Passage string `json:"passage,omitempty"`
	// Sources are the entries that the operation cites.
	Sources []Entry `json:"-"`
	// Targets are what it changes on the page.
	Targets []Item `json:"-"`
	// Own: the words are the model's.
	Own bool `json:"own,omitempty"`
	// Beside: what is newer stands below the line that it outdates, until a person agrees that the line leaves.
	Beside bool `json:"beside,omitempty"`
}

// Check checks the operations of an answer one by one against the request. It never fails as a whole. What comes onto the page is
// checked first: a line may leave it only for what stands on it then.
func Check(r Request, may policy.CuratorLevel, ops []Operation) []Decision {
	c := checker{Request: r, may: may, taken: map[int]bool{}, stay: map[int]bool{}, onPage: map[string]string{}}
	c.need = c.needs(ops)
	out := make([]Decision, len(ops))
	for _, leaving := range []bool{false, true} {
		for i, op := range ops {
			if Leaves(op.Op) == leaving {
				out[i] = c.check(op)
			}
		}
	}
	return out
}

// Leaves reports whether an operation takes lines off the page.
func Leaves(op string) bool { return op == Move || op == Retire || op == Merge }

type checker struct {
	Request
	may    policy.CuratorLevel
	taken  map[int]bool      // lines that an accepted operation changes already
	stay   map[int]bool      // lines for which another one leaves
	onPage map[string]string // what of an entry the answer puts onto the page
	need   int               // what must leave the first page before the harness loads it whole with what the answer adds
}

// needs is how much more the first page would have than the harness loads, with all that some operations add to it.
func (c *checker) needs(ops []Operation) int {
	if len(c.Pages) == 0 || c.Pages[0].Limit == 0 {
		return 0
	}
	n := c.Pages[0].Size - c.Pages[0].Limit
	for _, op := range ops {
		switch d := (Decision{Operation: op, Passage: op.Text}); op.Op {
		case Keep:
			c.quoted(&d)
			fallthrough
		case Add:
			n += c.Pages[0].count(d.said())
		}
	}
	return n
}

func (c *checker) check(op Operation) Decision {
	d := Decision{Operation: op, Verdict: Accepted}
	switch op.Op {
	case Keep:
		c.keep(&d)
	case Replace:
		c.replace(&d)
	case Confirm:
		c.confirm(&d)
	case Retire:
		c.retire(&d)
	case Move:
		c.move(&d)
	case Merge:
		c.merge(&d)
	case Rewrite:
		c.rewrite(&d)
	case Add, Propose:
		c.add(&d)
	case Skip:
		c.skip(&d)
	default:
		d.reject("no operation is called %q", op.Op)
	}
	if d.Verdict == Accepted && op.Op != Skip && op.Op != Confirm {
		c.allowed(&d)
	}
	if d.Verdict == Accepted && d.Op == Replace && c.early(&d, d.Targets[0].Text, d.said()) != 0 { // it stands beside the line until then
		if d.Reason = ""; !d.Beside {
			d.Op, d.Under, d.Targets = Keep, d.Targets[0].Heading, nil
		}
	}
	if d.Verdict == Accepted {
		for _, s := range d.Sources {
			c.onPage[s.ID] += "\n" + d.Passage
		}
		for _, t := range d.Targets {
			if t.Page == 0 && d.Op == Move {
				c.need -= c.Pages[0].count(t.Text)
			}
			for id := t.From; id <= t.To; id++ {
				c.taken[id] = true
			}
		}
	}
	return d
}

func (d *Decision) reject(format string, args ...any) {
	if d.Verdict != Rejected {
		d.Verdict, d.Reason = Rejected, fmt.Sprintf(format, args...)
	}
}

func (d *Decision) propose(format string, args ...any) {
	if d.Verdict == Accepted {
		d.Verdict, d.Reason = Proposed, fmt.Sprintf(format, args...)
	}
}

// beside lets the line stand that a passage should replace, with what is newer below it.
func (d *Decision) beside(format string, args ...any) {
	if d.Verdict == Accepted && !d.Beside {
		d.Beside, d.Reason = true, fmt.Sprintf(format, args...)
	}
}

// allowed turns what the level, the page or the scan does not let through into a proposal.
func (c *checker) allowed(d *Decision) {
	for _, t := range d.Targets {
		switch {
		case c.Pages[t.Page].Excluded != "":
			d.propose("%s", c.Pages[t.Page].Excluded)
		case t.Pinned:
			d.propose("line %d is pinned, or has a comment of its harness", t.From)
		case t.By == Unknown && d.Op == Replace:
			d.beside("a person may have written line %d", t.From)
		case t.By != ByAgent && t.By != ByTend && !c.sectionMove(d, t):
			d.propose("a person may have written line %d", t.From)
		}
	}
	switch {
	case c.may == policy.CuratorSuggest:
		d.propose("curator.may is suggest")
	case d.Own && c.may != policy.CuratorRewrite:
		d.propose("these are the model's own words, and curator.may is %s", c.may)
	case c.Task == Compare:
		d.propose("two lines differ")
	}
	said := d.said()
	if rules := Flags(d.Passage, d.about()); rules != "" {
		d.Verdict, d.Reason = Proposed, plan.FlaggedWhy+rules
	}
	if strings.Contains(strings.ToLower(norm.NFKC.String(said)), "#pinned") {
		d.propose("only a person pins a line")
	}
	if strings.Contains(said, scan.Masked) {
		d.propose("it has a secret in it")
	}
	if markup(said) {
		d.propose("it has a heading, table, code, comment or picture in it")
	}
	if disguised(said) {
		d.propose("it has a word with letters of two alphabets")
	}
}

// sectionMove reports the one change of a person's lines that needs nobody: a page that the harness cuts, or would cut with
// what the answer adds, gives up a whole section, which another file takes in unchanged.
func (c *checker) sectionMove(d *Decision, t Item) bool {
	full := c.Pages[t.Page].Over() || t.Page == 0 && c.need > 0
	return d.Op == Move && t.Whole() && t.By == Unknown && full
}

// keep: the quoted passage of an entry goes onto the page.
func (c *checker) keep(d *Decision) {
	c.quoted(d)
	if d.Until != "" && !c.validUntil(d) {
		d.Until = ""
	}
	d.Under = c.heading(d)
}

// quoted finds the passage that an operation quotes. A quote from another entry than the cited one is still a quote.
func (c *checker) quoted(d *Decision) {
	if d.Quote == "" {
		d.reject("it has no quote")
		return
	}
	if !utf8.ValidString(d.Quote) {
		d.reject("its quote is not text")
		return
	}
	cited := false
	for _, id := range d.From {
		if e, ok := c.entry(id); ok {
			cited = true
			if p, ok := passage(e.Text, d.Quote); ok {
				d.Sources, d.Passage = []Entry{e}, p
				return
			}
			continue
		}
		if p, e, ok := c.lineQuote(id, d.Quote); ok {
			d.Sources, d.Passage = []Entry{e}, p
			return
		}
	}
	if !cited {
		d.reject("it cites %s, which the request does not have", strings.Join(d.From, ", "))
		return
	}
	for _, e := range c.Log {
		if letters, _ := folded(d.Quote); weigh(letters) < fewest {
			break
		}
		if p, ok := passage(e.Text, d.Quote); ok {
			d.Sources, d.Passage = []Entry{e}, p
			return
		}
	}
	d.reject("its quote is not in %s", strings.Join(d.From, ", "))
}

// lineQuote finds a quote in another line of memory, which a comparison cites.
func (c *checker) lineQuote(id, quote string) (string, Entry, bool) {
	n := numbers(id)
	if c.Task != Compare || len(n) != 1 {
		return "", Entry{}, false
	}
	it, ok := c.item(n[0])
	if !ok {
		return "", Entry{}, false
	}
	p, ok := passage(it.Text, quote)
	file := c.Pages[it.Page]
	return p, Entry{ID: id, File: file.File, Line: it.From - file.Lines[0].ID + 1, Text: it.Text}, ok
}

// validUntil reports whether a date lies ahead and the source says that something ends on it.
func (c *checker) validUntil(d *Decision) bool {
	day, err := note.ParseDay(d.Until)
	today, terr := note.ParseDay(c.Date)
	return err == nil && terr == nil && day >= today && len(d.Sources) > 0 && note.Ends(d.Sources[0].Text, day)
}

// longestHeading is how many characters a new heading may have.
const longestHeading = 40

// heading returns the title of the page's or the log's heading that was meant, or a new one that says nothing; "" leaves the
// place to Tend.
func (c *checker) heading(d *Decision) string {
	under := strings.TrimSpace(strings.TrimLeft(d.Under, "# "))
	if n := numbers(under); len(n) == 1 && strings.TrimLeft(under, "0123456789") == "" {
		if it, ok := c.item(n[0]); ok {
			return it.Heading
		}
		return ""
	}
	if len(c.Pages) == 0 || under == "" {
		return ""
	}
	last := under
	if i := strings.LastIndexAny(under, "›>/"); i >= 0 {
		_, n := utf8.DecodeRuneInString(under[i:])
		last = strings.TrimSpace(under[i+n:])
	}
	for _, title := range []string{under, last} {
		if h := c.titled(title); h != "" {
			return h
		}
	}
	plain := !strings.ContainsFunc(last, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsControl(r) || strings.ContainsRune("[]()<>|`#*:/@", r)
	})
	if utf8.RuneCountInString(last) > longestHeading || !plain || Flags(last) != "" {
		return ""
	}
	return last
}

// titled returns the heading of the page, or else of the log, with the words of a title. The shortest of the page that has them
// among others will do, and of the log a part between a dash, a colon or a bracket.
func (c *checker) titled(title string) string {
	want := bare(title)
	if want == "" {
		return ""
	}
	best := ""
	for _, h := range c.Pages[0].headings() {
		switch has := bare(h); {
		case has == want:
			return h
		case weigh(want) >= fewest && strings.Contains(has, want) && (best == "" || len(h) < len(best)):
			best = h
		}
	}
	if best != "" {
		return best
	}
	for _, e := range c.Log {
		for _, h := range e.Path {
			parts := append(strings.FieldsFunc(h, func(r rune) bool { return strings.ContainsRune("—–:：|(（)）", r) }), h)
			if i := slices.IndexFunc(parts, func(p string) bool { return bare(p) == want }); i >= 0 && Flags(h) == "" {
				return strings.TrimLeftFunc(strings.Trim(parts[i], " :："), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
			}
		}
	}
	return ""
}

// bare is a title's letters and digits.
func bare(title string) string {
	letters, _ := folded(strings.Map(func(r rune) rune {
		if unicode.IsSymbol(r) {
			return -1
		}
		return r
	}, title))
	return letters
}

// target resolves the lines of an operation. A line inside an item stands for the item.
func (c *checker) targets(d *Decision) {
	if len(d.Lines) == 0 {
		d.reject("it names no line")
		return
	}
	for _, id := range d.Lines {
		it, ok := c.item(id)
		switch {
		case !ok:
			d.reject("there is no line %d", id)
		case it.By == Operator:
			d.reject("line %d is the operator's", id)
		case it.Kind == otherItem:
			d.reject("line %d is no entry", id)
		case Leaves(d.Op) && c.stay[it.From]:
			d.reject("line %d is why another one leaves", id)
		case c.taken[it.From] || c.taken[it.To]:
			d.reject("another operation changes line %d already", id)
		case slices.ContainsFunc(d.Targets, func(t Item) bool { return t.Page == it.Page && t.From <= it.From && it.To <= t.To }):
		default:
			d.Targets = slices.DeleteFunc(d.Targets, func(t Item) bool { return t.Page == it.Page && it.From <= t.From && t.To <= it.To })
			d.Targets = append(d.Targets, it)
			continue
		}
		if d.Verdict == Rejected {
			d.Targets = nil
			return
		}
	}
}

// related is the share of its words that a statement must have in common with what replaces it.
const related = 0.2

// replace: the quoted passage takes the place of a line.
func (c *checker) replace(d *Decision) {
	c.quoted(d)
	c.targets(d)
	if d.Verdict == Rejected {
		return
	}
	if len(d.Targets) != 1 {
		d.reject("it replaces more than one line")
		return
	}
	t := d.Targets[0]
	t.Text = t.statement()
	switch {
	case t.Whole():
		d.reject("line %d is a heading", t.From)
	case t.Kind == blockItem:
		d.propose("line %d is part of a table or code", t.From)
	case note.Normal(t.Text) == note.Normal(d.Passage):
		d.Op, d.Targets = Confirm, nil
	case Shared(t.Text, d.said()) < related:
		d.propose("line %d and the quote have little in common", t.From)
	case doubts(d.Passage) != "" && doubts(t.Text) != doubts(d.Passage):
		d.propose("the quote is marked %s", doubts(d.Passage))
	case maps.Equal(wordsOf(t.Text), wordsOf(d.Passage)) && Shared(t.Text+" "+t.Heading, d.about()) == 0 && d.about() != "":
		d.propose("the quote stands below %q, and nothing else tells it from line %d", d.about(), t.From)
	case c.closer(t, d) != 0:
		d.propose("line %d is closer to the quote than line %d", c.closer(t, d), t.From)
	case referee.Limits(t.Text) > referee.Limits(d.said()):
		d.propose("line %d has a negation or condition that the quote does not have", t.From)
	case t.By == ByTend: // it is a quote itself, which the log and the archive still have
	case len(referee.Absent(t.Text, d.said())) > len(referee.Absent(d.Passage, t.Text)):
		d.beside("line %d says %q, and the quote does not", t.From, referee.Absent(t.Text, d.said())[0].Text)
	case !relabelled(t.Text, d.said()) && sharedNames(t.Text, d.said()) < half:
		d.beside("line %d is about something that the quote does not name", t.From)
	case strings.Count(t.Text, "\n") > strings.Count(d.Passage, "\n"):
		d.beside("line %d has nested lines that the quote does not have", t.From)
	}
}

// Shared is the share of the shorter text's words that the other one has, from 0 to 1.
func Shared(a, b string) float64 { return common(referee.Words(a), referee.Words(b)) }

// sharedNames is Shared without what has digits: that is what a newer statement changes.
func sharedNames(a, b string) float64 { return common(wordsOf(a), wordsOf(b)) }

// wordsOf are the words of a text that have no digits.
func wordsOf(text string) map[string]bool {
	words := referee.Words(text)
	maps.DeleteFunc(words, func(w string, _ bool) bool { return strings.ContainsFunc(w, unicode.IsDigit) })
	return words
}

func common(x, y map[string]bool) float64 {
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 {
		return 0
	}
	return float64(both(x, y)) / float64(len(x))
}

// both counts the words that two texts have.
func both(x, y map[string]bool) (n int) {
	for w := range x {
		if y[w] {
			n++
		}
	}
	return n
}

// relabelled reports whether a statement names what a line's label says, if it has one.
func relabelled(line, said string) bool {
	b := note.Parse([]byte(line + "\n")).Blocks(0)
	if len(b) == 0 || b[0].Label == "" {
		return true
	}
	_, missing := referee.Unsaid(b[0].Label, said)
	return !missing
}

// about is what the sources of an operation are about, by the headings above them.
func (d *Decision) about() string {
	var out []string
	for _, s := range d.Sources {
		if s.Subject != "" {
			out = append(out, s.Subject)
		}
	}
	return strings.Join(out, "\n")
}

// Below reports whether a source of an operation stands below a heading.
func (d *Decision) Below(title string) bool {
	return slices.ContainsFunc(d.Sources, func(s Entry) bool { return slices.Contains(s.Path, title) })
}

// said is what an operation quotes, with what its source is about.
func (d *Decision) said() string { return d.Passage + "\n" + d.about() }

// nearer is by how much more another line must have in common with a statement to be the one that was meant.
const nearer = related

// closer returns the line of a page that has clearly more in common with what an operation quotes than its target has, and 0
// if there is none: then the target is probably a slip, and what it says would be lost.
func (c *checker) closer(t Item, d *Decision) int { return c.closerTo(t, d.said(), 0) }

func (c *checker) closerTo(t Item, text string, except int) int {
	p := c.Pages[t.Page]
	best, line := sharedNames(t.Text, text)+nearer, 0
	words, said := both(wordsOf(t.Text), wordsOf(text)), wordsOf(text)
	for id := p.Lines[0].ID; id < p.Lines[0].ID+len(p.Lines); id++ {
		it := itemAt(p, id-p.Lines[0].ID)
		if it.Kind != entryItem || it.From != id || it.From == t.From || it.From == except {
			continue
		}
		if s := sharedNames(it.Text, text); s > best && both(wordsOf(it.Text), said) >= words { // one word in common is little
			best, line = s, it.From
		}
	}
	return line
}

// confirm: a line was said again. It changes nothing.
func (c *checker) confirm(d *Decision) {
	if len(d.Lines) == 0 {
		d.reject("it names no line")
	}
	for _, id := range d.Lines {
		if _, ok := c.item(id); !ok {
			d.reject("there is no line %d", id)
		}
	}
	c.cites(d, false)
}

// cites resolves the entries that an operation cites.
func (c *checker) cites(d *Decision, needed bool) {
	for _, id := range d.From {
		if e, ok := c.entry(id); ok {
			d.Sources = append(d.Sources, e)
			continue
		}
		if needed || len(numbers(id)) == 0 {
			d.reject("it cites %q, which the request does not have", id)
		}
	}
	if needed && len(d.Sources) == 0 {
		d.reject("it cites no entry")
	}
}

// skip: entries were read and declined.
func (c *checker) skip(d *Decision) {
	for _, id := range d.From {
		if e, ok := c.entry(id); ok {
			d.Sources = append(d.Sources, e)
		}
	}
	if len(d.Sources) == 0 {
		d.reject("it cites no entry")
	}
}
