package recall

// Every number of the ranking. They were fitted on conversations kept as notes, by the likelihood of the entries
// that hold the answer, and checked on conversations left out of the fit; all are flat around these values.

// BM25F within a unit and within a file.
const (
	unitK1, unitB = 0.65, 0.4
	fileK1, fileB = 1.2, 0.9
	titleCount    = 1.5 // a word of the unit's title counts as so many of its body
	tagCount      = 1.5
)

// Shares of a query's weight.
const (
	weakShare    = 0.5  // words that frame a question
	nameShare    = 0.3  // names that title units: the title already tells
	dateShare    = 0.15 // words of a date: the date itself counts
	partShare    = 0.3  // parts of an identifier that is known as a whole
	synonymGain  = 0.5  // of a word that may mean the same
	typoGain     = 0.7
	aliasIDF     = 5.5
	unknownUnits = 3 // rarity given to a word known only through others
)

// How much of a neighbour's words a unit is read with. What comes before tells more than what follows: answers follow.
const (
	reach       = 4
	contextHalf = 0.3 // context at which a term counts half
	askedGain   = 1.5 // more of what stands before when it was a question
	headingGain = 0.8
	titleGain   = 0.4
)

var (
	beforeNote   = [reach + 1]float32{0, 0.4, 0.25, 0.1, 0.05} // notes, by distance
	afterNote    = [reach + 1]float32{0, 0.5, 0.2, 0.07, 0}
	beforeSame   = [reach + 1]float32{0, 0.5, 0.3, 0.1, 0}   // the same title, by turns of it
	beforeOthers = [reach + 1]float32{0, 0.25, 0.15, 0.1, 0} // another title, by distance
)

// near is the distance below which two words of a query stand together.
const near = 8

// weights of the parts of a score.
var weights = [partCount]float64{
	partOwn:     2,
	partAlias:   1.9,
	partContext: 7.8,
	partNear:    0.85,
	partFile:    1.7,
	partBest:    0.95,
	partAnswers: 2.6,
	partAsked:   1.9,
	partAsking:  -1.1,
	partEndsQ:   -0.6,
	partNamed:   0.7,
	partSelf:    0.55,
	partLength:  0.85,
	partProper:  0.5,
	partTime:    1.75,
	partNumber:  0.85,
	partPerson:  1.2,
	partPlace:   1.5,
	partDate:    4.2,
	partPhrase:  3.0,
	partRecency: 0.3,
	partTier:    1,
}

// A unit has something to say up to so many times the usual length, and names things up to so many names; what is
// longer is not better.
const (
	fullLength = 3.0
	fullProper = 5
)

// recencyHalfLife is in days.
const recencyHalfLife = 30

// tierPrior is what being close to the model is worth.
var tierPrior = map[Tier]float64{Hot: 0.2, Buffer: 0.15, Warm: 0.1, Cold: 0, Archive: -0.1, History: -0.2}

// candidates is how many files are read in full for one query without strict clauses. They are chosen by a coarse
// score that holds their length less against them, since one entry of a long file may be all that is wanted.
const (
	candidates = 64
	pickB      = 0.4
)
