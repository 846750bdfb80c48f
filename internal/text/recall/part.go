package recall

// partKind is one reason for a score.
type partKind uint8

const (
	partNote    partKind = iota // the query's words in a note and its headings
	partFile                    // the file is about the query, against the best file
	partDate                    // it is from the time the query names
	partPhrase                  // a quoted phrase
	partRecency                 // little: of equal answers the newer one is first

	// Of what is said in a conversation.
	partTalk    // the query's words in it
	partContext // the query's words in it read with its neighbours and headings, synonyms included
	partAnswers // the unit before asks for the query's words
	partAsked   // the unit before asks the same kind of question
	partEndsQ   // the unit is a question
	partNamed   // the unit's title is named in the query
	partSelf    // and it speaks of itself
	partLength  // its length
	partProper  // it names things
	partTime    // the question asks for a time and the unit has one
	partCount
)

var partNames = [partCount]string{
	"term", "file", "date", "phrase", "recency", "term", "context", "answers the question before", "same question before", "is a question",
	"named title", "speaks of itself", "length", "proper names", "has a time",
}

// features are the parts of one unit's score before they are weighed.
type features [partCount]float64

// score weighs the features.
func (f *features) score() float64 {
	sum := 0.0
	for i, v := range f {
		sum += v * weights[i]
	}
	return sum
}
