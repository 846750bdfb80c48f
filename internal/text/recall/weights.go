package recall

// The parameters of the ranking. Notes are ranked by BM25F with its usual parameters. What only counts in a conversation
// was fitted on conversations, by the likelihood of the entries with the answer, and checked on others.

// BM25F within a note, within what a speaker says, and within a file.
const (
	noteK1, noteB = 1.2, 0.75
	talkK1, talkB = 0.65, 0.4
	fileK1, fileB = 1.2, 0.72
	titleCount    = 1.5  // a word of the unit's title counts as so many of its body
	headingCount  = 0.5  // and one of the headings above it
	fileCount     = 0.25 // and one of the file's title
	nearCount     = 0.3  // of two words that follow each other in the query and in the unit
	nearby        = 3    // words that lie between them at most, plus one
)

// Shares of a query's weight.
const (
	weakShare    = 0.5  // words that frame a question
	properGain   = 1.3  // names say what a question is about
	nameShare    = 0.35 // names that title units: the title already tells
	dateShare    = 0.15 // words of a date: the date itself counts
	gramShare    = 0.5  // pairs of characters: each character is in two of them
	synonymGain  = 0.4  // of a word that may mean the same
	typoGain     = 0.7
	unknownUnits = 3 // rarity given to a word known only through others
)

// How much of a neighbour's words is read with what a speaker says, and how much more when a question comes before:
// answers follow.
const (
	reach       = 4
	strayShare  = 0.3  // of that if one of the two is not said by somebody
	contextHalf = 0.35 // context at which a term counts half
	askedGain   = 1.5  // more of the unit before if it is a question
	headingGain = 0.8  // of a word in the headings above or the file's title
)

var (
	before = [reach + 1]float32{0, 0.28, 0.3, 0.15, 0.15} // by distance
	after  = [reach + 1]float32{0, 0.38, 0.17, 0.07, 0}
)

// weights of the parts of a score.
var weights = [partCount]float64{
	partNote:    10,
	partFile:    1.75,
	partDate:    4.2,
	partPhrase:  3.0,
	partRecency: 0.3,
	partTalk:    1.5,
	partContext: 8.6,
	partAnswers: 2.35,
	partAsked:   1.9,
	partEndsQ:   -0.65,
	partNamed:   0.7,
	partSelf:    0.55,
	partLength:  0.8,
	partProper:  0.45,
	partTime:    2.2,
}

// noteFile is how much the file counts for a note, compared with what somebody says: notes are shorter than a
// conversation about their subject.
const noteFile = 0.5

// Length counts up to fullLength times the average, and proper names up to fullProper.
const (
	fullLength = 3.0
	fullProper = 5
)

// candidates is how many files are read in full for one query without strict clauses.
const candidates = 64
