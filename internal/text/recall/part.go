package recall

// partKind is one reason for a score.
type partKind uint8

const (
	partOwn     partKind = iota // the query's words in the unit
	partContext                 // the query's words in the unit read with its neighbours and headings, synonyms included
	partFile                    // the file is about the query, against the best file
	partAnswers                 // the unit before asks for the query's words
	partAsked                   // the unit before asks the same kind of question
	partEndsQ                   // the unit is a question
	partNamed                   // the unit's title is named in the query
	partSelf                    // and it speaks of itself
	partLength                  // its length
	partProper                  // it names things
	partTime                    // the question asks for a time and the unit has one
	partDate                    // it is from the time the query names
	partPhrase                  // a quoted phrase
	partRecency
	partTier
	partTagged // it has a tag
	partCount
)

var partNames = [partCount]string{
	"term", "context", "file", "answers the question before", "same question before", "is a question", "named title",
	"speaks of itself", "length", "proper names", "has a time", "date", "phrase", "recency", "tier", "tag",
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
