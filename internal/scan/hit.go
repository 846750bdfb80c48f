package scan

import "fmt"

// Class says what kind of thing a rule looks for.
type Class uint8

// The classes, in the order reports list them.
const (
	Secret    Class = iota + 1 // a credential that must not be in a note
	Injection                  // text that tries to steer its reader
	Exfil                      // text that tries to carry data out
	Hidden                     // characters a person cannot see
)

var classNames = [...]string{Secret: "secret", Injection: "injection", Exfil: "exfil", Hidden: "hidden"}

func (c Class) String() string {
	if int(c) < len(classNames) && classNames[c] != "" {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// MarshalText makes a class its name in JSON and YAML.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Severity orders hits; it never decides alone what happens to an entry.
type Severity uint8

// Low deserves a look, Medium a decision, High a refusal unless the operator says otherwise.
const (
	Low Severity = iota + 1
	Medium
	High
)

var severityNames = [...]string{Low: "low", Medium: "medium", High: "high"}

func (s Severity) String() string {
	if int(s) < len(severityNames) && severityNames[s] != "" {
		return severityNames[s]
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// MarshalText makes a severity its name in JSON and YAML.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Info describes a rule without running it.
type Info struct {
	Rule     string   `json:"rule"`
	Class    Class    `json:"class"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
}

// Hit is one finding. Start and End are byte offsets into the scanned text, Line counts from 1.
// What, Remedy and Excerpt are safe to print and to log: they hold no secret value and no
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
