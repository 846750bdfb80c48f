package scan

import "fmt"

// Class says what kind of thing a rule looks for.
type Class string

// The classes, in the order reports list them.
const (
	Secret    Class = "secret"    // a credential that must not be in a note
	Injection Class = "injection" // text that tries to steer its reader
	Exfil     Class = "exfil"     // text that tries to carry data out
	Hidden    Class = "hidden"    // characters a person cannot see
)

// Severity is the weight of a hit; it never decides alone what happens to an entry.
type Severity string

// Low deserves a look, Medium a decision, High a refusal unless the operator allows it.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Info describes a rule without running it.
type Info struct {
	Rule     string   `json:"rule"`
	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
}

// Hit is one finding. Start and End are byte offsets into the scanned text, Line counts from 1.
// What, Remedy and Excerpt are safe to print and to log: they contain no secret value and no
// character that could act on a terminal.
type Hit struct {
	Rule     string   `json:"rule"`
	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Line     int      `json:"line"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
	Excerpt  string   `json:"excerpt"`
}

func (h Hit) String() string {
	return fmt.Sprintf("line %d: %s: %s (%s)", h.Line, h.Rule, h.What, h.Excerpt)
}
