package recall

// Snippet is the part of an entry that shows why it was found.
type Snippet struct {
	Text    string
	Line    int    // of its first line in the file
	Matches []Span // bytes of Text that match the query
}

// Span is a run of bytes, end exclusive.
type Span struct{ Start, End int }

func (ix *Index) addSnippets(ans *Answer, pl *plan, src Source) {}
