package search

import "time"

// Tier says how close to the model a file lives. It is a weak prior of the ranking and a filter of the query language.
type Tier string

// The tiers, from what is loaded at every start to what is only kept.
const (
	Hot     Tier = "hot"
	Warm    Tier = "warm"
	Cold    Tier = "cold"
	Buffer  Tier = "buffer"
	Archive Tier = "archive"
	History Tier = "history"
)

// Tiers lists every tier in order of closeness.
func Tiers() []Tier { return []Tier{Hot, Buffer, Warm, Cold, Archive, History} }

// Doc is one file as the index sees it: units in the order of the text.
type Doc struct {
	Path  string
	Title string
	Tier  Tier
	Date  time.Time // zero when the file has no date of its own
	Units []Unit
}

// Unit is what a search finds: one entry, or a section that has no entries.
type Unit struct {
	Tags     []string // without the leading mark
	Headings []string // the path of headings above, outermost first
	Body     string
	Line     int // first line in the file, from 1
	EndLine  int // last line, inclusive
	Date     time.Time
	Code     bool // it is part of a code block: output or a script, which states nothing
}

// Problem names a file that could not be searched, and why.
type Problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}
