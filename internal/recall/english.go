package recall

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// irregular lists base forms with the forms no stemmer derives from them, one family a line.
const irregular = `
arise arose arisen
awake awoke awoken
be am is are was were been being
bear bore borne
beat beaten
become became
begin began begun
bend bent
bet
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
do did done does
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown flies
forbid forbade forbidden
forecast
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grind ground
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lead led
learn learnt
leave left
lend lent
lie lay lain lying
light lit
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
pay paid
prove proven
ride rode ridden
ring rang rung
rise rose risen
run ran
say said says
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
strike struck stricken
strive strove striven
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
wind wound
withdraw withdrew withdrawn
write wrote written
child children
foot feet
goose geese
knife knives
leaf leaves
life lives
man men
mouse mice
person people
shelf shelves
tooth teeth
wife wives
wolf wolves
woman women
half halves
analysis analyses
criterion criteria
index indices
matrix matrices
2 two
3 three
4 four
5 five
6 six
7 seven
8 eight
9 nine
10 ten
11 eleven
12 twelve
20 twenty
30 thirty
40 forty
50 fifty
100 hundred
1000 thousand
`

// englishLemmas maps each irregular form to the term of its base.
func englishLemmas() map[string]string {
	m := make(map[string]string, 400)
	for line := range strings.Lines(irregular) {
		forms := strings.Fields(line)
		if len(forms) == 0 {
			continue
		}
		base := english.Stem(forms[0], true)
		for _, f := range forms {
			if _, taken := m[f]; !taken {
				m[f] = base
			}
		}
	}
	return m
}

// stopWords carry grammar, not topic. They are indexed, for phrases need them, but rank only when a query has nothing else.
const stopWords = `
a an the this that these those such same own other another any some each every either neither both all most few several
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones someone somebody something anyone anybody anything everyone
everybody everything nobody nothing none who whom whose which what when where why how whether whatever whenever wherever
and or but nor so yet if then else than as because since while until unless although though however therefore
of in on at by for with about against between among into through during before after above below to from up down out off
over under again further onto upon within without across along around behind beside besides beyond toward towards via per
be am is are was were been being do does did doing done have has had having can could may might must shall should will
would ought let lets get gets got getting
not no only very too just also even ever never always still already here there now more less much many quite rather really
yes ok okay please
ll ve re don isn aren wasn weren doesn didn hasn haven hadn won wouldn couldn shouldn cannot
`

func englishStop(w string) bool { return englishStops[w] }

var englishStops = wordSet(stopWords)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
