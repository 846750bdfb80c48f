package layout

// Unit is what a harness counts in its limits.
type Unit string

// The units.
const (
	UTF16 Unit = "utf16" // JavaScript string length
	Runes Unit = "runes" // Unicode code points
	Bytes Unit = "bytes"
)

// Show is what a harness shows the model at a session's start: which files, in which order, and how it cuts them.
type Show struct {
	Unit     Unit                `yaml:"unit"`
	File     Limit               `yaml:"file"`      // for each file
	Total    int                 `yaml:"total"`     // for all files together, 0 is no limit
	Least    int                 `yaml:"least"`     // if less than this is left of Total, no further file is shown
	Clamp    string              `yaml:"clamp"`     // ends a text that was cut by the rest of Total
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

// Trim is what is removed from a text before it is counted.
type Trim string

// The trims.
const (
	TrimNone Trim = ""
	TrimEnd  Trim = "end"  // white space at the end
	TrimBoth Trim = "both" // white space at both ends
)

// Limit is the maximum size of a file.
type Limit struct {
	Max   int     `yaml:"max"`   // 0 is no limit
	Share float64 `yaml:"share"` // of the context window, at four characters a token, if that is more than Max; 0 is not used
	Most  int     `yaml:"most"`  // upper bound of a share
	Lines int     `yaml:"lines"` // in addition, 0 is no limit
	Bytes int     `yaml:"bytes"` // in addition, 0 is no limit
}

// At returns the limit for a context window of so many tokens; 0 is unknown.
func (l Limit) At(window int) int {
	if l.Share == 0 || window <= 0 {
		return l.Max
	}
	return max(l.Max, min(int(float64(window*4)*l.Share), l.Most))
}

// UnmarshalYAML also accepts a plain number.
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
	Chain     bool   `yaml:"chain"`     // searched in every folder from the workspace down to the working folder
	Unless    string `yaml:"unless"`    // not shown if this file is beside it
	Cap       int    `yaml:"cap"`       // fixed cap below the file limit, 0 is none
	Limit     *Limit `yaml:"limit"`     // instead of Show.File
	Cut       *Cut   `yaml:"cut"`       // instead of Show.Cut
	Delimiter string `yaml:"delimiter"` // separates entries: they are trimmed, empty ones and repetitions dropped
	Lead      string `yaml:"lead"`      // put before the text and counted with it, with {name}
	Frame     string `yaml:"frame"`     // put around the text: {text}, {used}, {limit}, {percent}, {over}
	Warning   string `yaml:"warning"`   // {over} if the text is above its limit
	Outside   bool   `yaml:"outside"`   // not counted against Total
	Import    string `yaml:"import"`    // beside rules it is shown only if they have this word, with {path}
	Loop      bool   `yaml:"loop"`      // work to do at intervals, which is no standing rule
}

// UnmarshalYAML also accepts a plain name.
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
	Halves  bool    `yaml:"halves"`  // a character of two UTF-16 units may be split; each half then shows as U+FFFD
	Joint   string  `yaml:"joint"`   // between head, marker and tail
	Marker  string  `yaml:"marker"`  // with {name}, {path}, {head}, {tail}, {len}, {limit}, {lost}; {len:,} groups digits
	Compact string  `yaml:"compact"` // shorter marker, without joints, if the full one would leave less than Floor
	Floor   int     `yaml:"floor"`
	Over    Over    `yaml:"over"`
	Ignore  bool    `yaml:"ignore"` // front matter and block comments are neither counted nor shown
	Digest  *Digest `yaml:"digest"` // for a file whose middle is replaced by its rules
}

// Over is the tolerance above a soft limit: a text is cut only above Times the limit and above Least, and then to that size.
type Over struct {
	Times int `yaml:"times"`
	Least int `yaml:"least"`
}

// Digest is a cut that keeps the rules of the removed part.
type Digest struct {
	File    string   `yaml:"file"`    // the file it applies to, ignoring case
	Head    float64  `yaml:"head"`    // shares of the limit
	Rules   float64  `yaml:"rules"`   //
	Tail    float64  `yaml:"tail"`    //
	Line    int      `yaml:"line"`    // longest line of the digest
	Words   []string `yaml:"words"`   // whole words that make a line a rule
	Urgent  []string `yaml:"urgent"`  // whole words that make it an urgent rule, taken first
	Marks   []string `yaml:"marks"`   // like Words, but also inside words
	Alarms  []string `yaml:"alarms"`  // like Urgent, but also inside words
	Carry   bool     `yaml:"carry"`   // a rule includes the prose line directly above it; code fences are not rules
	Notice  string   `yaml:"notice"`  // after the head, with {name}
	Title   string   `yaml:"title"`   // above the rules
	Omitted string   `yaml:"omitted"` // below the rules, with {count} of the omitted ones
	Marker  string   `yaml:"marker"`  // before the tail, with {head}, {rules}, {tail}, {len}
}
