package layout

// Unit is what a harness counts when it limits a text.
type Unit string

// The units.
const (
	UTF16 Unit = "utf16" // JavaScript string length
	Runes Unit = "runes" // Unicode code points
	Bytes Unit = "bytes"
)

// Show is what a harness puts before the model at a session's start: which files, in which order, and how it cuts them.
type Show struct {
	Unit     Unit                `yaml:"unit"`
	File     Limit               `yaml:"file"`      // for each file
	Total    int                 `yaml:"total"`     // for all files together, 0 is no limit
	Least    int                 `yaml:"least"`     // with less than this left of Total, no further file is shown
	Clamp    string              `yaml:"clamp"`     // ends a text that outgrew what is left of Total
	Near     float64             `yaml:"near"`      // share of a limit from which a file counts as near it
	MaxBytes int                 `yaml:"max_bytes"` // larger files are not read, 0 is no limit
	Trim     Trim                `yaml:"trim"`
	Missing  string              `yaml:"missing"` // shown for a required file that does not exist, with {name} and {path}
	Broken   string              `yaml:"broken"`  // shown for one that cannot be read, with {reason}; "" counts it as missing
	Refuses  map[string]string   `yaml:"refuses"` // kinds of file it will not read (symlink, hardlink, folder, large) and the reason it gives
	Cut      Cut                 `yaml:"cut"`
	Files    []Shown             `yaml:"files"`
	Sessions map[string][]string `yaml:"sessions"` // session kind -> the files it gets; other kinds get all
}

// Trim is what is taken off a text before it is counted.
type Trim string

// The trims.
const (
	TrimNone Trim = ""
	TrimEnd  Trim = "end"  // white space at the end
	TrimBoth Trim = "both" // white space at both ends
)

// Limit is the most a file may have.
type Limit struct {
	Max   int     `yaml:"max"`   // 0 is no limit
	Share float64 `yaml:"share"` // of the context window, at four characters a token, when that is more than Max; 0 is not used
	Most  int     `yaml:"most"`  // upper bound of a share
	Lines int     `yaml:"lines"` // as well, 0 is no limit
	Bytes int     `yaml:"bytes"` // as well, 0 is no limit
}

// Of is the limit for a context window of that many tokens; 0 is unknown.
func (l Limit) Of(window int) int {
	if l.Share == 0 || window <= 0 {
		return l.Max
	}
	return max(l.Max, min(int(float64(window*4)*l.Share), l.Most))
}

// UnmarshalYAML lets a limit be written as a plain number.
func (l *Limit) UnmarshalYAML(decode func(any) error) error {
	if err := decode(&l.Max); err == nil {
		return nil
	}
	type plain Limit
	return decode((*plain)(l))
}

// Shown is one file the harness shows.
type Shown struct {
	Name      string `yaml:"name"`      // path in the workspace; with * all that match, by name
	Optional  bool   `yaml:"optional"`  // nothing is shown if it is missing
	Fresh     bool   `yaml:"fresh"`     // shown only until the workspace is set up
	Chain     bool   `yaml:"chain"`     // looked for in every folder from the workspace down to the working folder
	Unless    string `yaml:"unless"`    // not shown when this file is beside it
	Cap       int    `yaml:"cap"`       // fixed cap below the file limit, 0 is none
	Limit     *Limit `yaml:"limit"`     // instead of Show.File
	Cut       *Cut   `yaml:"cut"`       // instead of Show.Cut
	Delimiter string `yaml:"delimiter"` // the text is entries between this: each trimmed, empty and repeated ones dropped
	Lead      string `yaml:"lead"`      // put before the text and counted with it, with {name}
	Frame     string `yaml:"frame"`     // put round what is shown: {text}, {used}, {limit}, {percent}, {over}
	Warning   string `yaml:"warning"`   // {over} when the text is above its limit
	Outside   bool   `yaml:"outside"`   // not counted against Total
}

// UnmarshalYAML lets a file be written as its name alone.
func (s *Shown) UnmarshalYAML(decode func(any) error) error {
	if err := decode(&s.Name); err == nil {
		return nil
	}
	type plain Shown
	return decode((*plain)(s))
}

// CutKind is how a harness shortens a text that is too long.
type CutKind string

// The kinds of cut.
const (
	CutNone     CutKind = "none"      // all of it is shown
	CutHeadTail CutKind = "head-tail" // head and tail are kept, with a marker between
	CutHead     CutKind = "head"      // the head is kept, a marker follows
	CutLines    CutKind = "lines"     // whole lines from the top are kept
)

// Cut is a harness's way to shorten a text.
type Cut struct {
	Kind    CutKind `yaml:"kind"`
	Head    float64 `yaml:"head"`    // share of the limit kept at the start
	Tail    float64 `yaml:"tail"`    // share of the limit kept at the end
	Inside  bool    `yaml:"inside"`  // the marker counts against the limit; otherwise the result may be over it
	Halves  bool    `yaml:"halves"`  // a character of two UTF-16 units may be cut in two, each half then shows as U+FFFD
	Joint   string  `yaml:"joint"`   // between head, marker and tail
	Marker  string  `yaml:"marker"`  // with {name}, {path}, {head}, {tail}, {len}, {limit}, {lost}; {len:,} groups digits
	Compact string  `yaml:"compact"` // shorter marker, without joints, for when the full one would leave less than Floor
	Floor   int     `yaml:"floor"`
	Over    Over    `yaml:"over"`
	Ignore  bool    `yaml:"ignore"` // front matter and block comments are neither counted nor shown
	Digest  *Digest `yaml:"digest"` // for a file whose middle is summed up by its rules
}

// Over is the room above a soft limit: a text is cut only above Times the limit and above Least, and then to that size.
type Over struct {
	Times int `yaml:"times"`
	Least int `yaml:"least"`
}

// Digest is the form of cut that keeps a file's rules from the part that is cut away.
type Digest struct {
	File    string   `yaml:"file"`    // the name it applies to, in any case
	Head    float64  `yaml:"head"`    // shares of the limit
	Rules   float64  `yaml:"rules"`   //
	Tail    float64  `yaml:"tail"`    //
	Line    int      `yaml:"line"`    // longest line of the digest
	Words   []string `yaml:"words"`   // whole words that make a line a rule
	Urgent  []string `yaml:"urgent"`  // whole words that make it a rule which is taken first
	Marks   []string `yaml:"marks"`   // as Words, but found within words too
	Alarms  []string `yaml:"alarms"`  // as Urgent, but found within words too
	Carry   bool     `yaml:"carry"`   // a rule takes along the prose line directly above it; code fences are no rules
	Notice  string   `yaml:"notice"`  // after the head, with {name}
	Title   string   `yaml:"title"`   // above the rules
	Omitted string   `yaml:"omitted"` // below the rules, with {count} of those left out
	Marker  string   `yaml:"marker"`  // before the tail, with {head}, {rules}, {tail}, {len}
}
