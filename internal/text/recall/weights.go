package recall

// The parameters of the ranking. They were fitted on conversations kept as notes, by the likelihood of the entries with
// the answer, and checked on other conversations. Small changes to them matter little.

// BM25F within a unit and within a file.
const (
	unitK1, unitB = 0.65, 0.4
	fileK1, fileB = 1.2, 0.72
	titleCount    = 1.5 // a word of the unit's title counts as so many of its body
)

// Shares of a query's weight.
const (
	weakShare    = 0.5  // words that frame a question
	properGain   = 1.3  // names say what a question is about
	nameShare    = 0.35 // names that title units: the title already tells
	dateShare    = 0.15 // words of a date: the date itself counts
	synonymGain  = 0.4  // of a word that may mean the same
	typoGain     = 0.7
	compoundGain = 0.5
	unknownUnits = 3 // rarity given to a word known only through others
)

// How much of a neighbour's words a unit is read with, and how much more when a question comes before: answers follow.
const (
	reach       = 4
	listShare   = 0.3  // of that between the items of a list, which speak of many things
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
	partOwn:     1.5,
	partContext: 8.6,
	partFile:    1.75,
	partAnswers: 2.35,
	partAsked:   1.9,
	partEndsQ:   -0.65,
	partNamed:   0.7,
	partSelf:    0.55,
	partLength:  0.8,
	partProper:  0.45,
	partTime:    2.2,
	partDate:    4.2,
	partPhrase:  3.0,
	partRecency: 1.0,
	partTier:    1,
	partTagged:  0.5,
}

// Length counts up to fullLength times the average, and proper names up to fullProper.
const (
	fullLength = 3.0
	fullProper = 5
)

// tierPrior is the score of a file's tier: the closer to the model, the higher.
var tierPrior = map[Tier]float64{Hot: 2, Buffer: 0.15, Warm: 0.5, Cold: 0, Archive: -0.1, History: -0.2}

// candidates is how many files are read in full for one query without strict clauses.
const candidates = 64
