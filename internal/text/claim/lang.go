package claim

import (
	"embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed lang/*.txt
var tables embed.FS

// language is the word list of one language.
type language struct {
	filler, weak map[string]bool
	attr         map[Kind]map[string]bool
	phrases      map[string]map[string][][]string // by section and first word, each phrase as its words
	opposites    map[string]opposite
	listed       map[string]int      // how many words a section that counts has
	loose        map[string][]string // the same for a language without blanks between words
}

// opposite is a word for a state and whether it denies the state's name: "off" is not on.
type opposite struct {
	state string
	not   bool
}

// shared is what is looked up whatever the language is.
type shared struct {
	languages               map[string]*language
	order                   []string
	months, weekdays        map[string]int
	numbers                 map[string]float64
	units, money, same      map[string]string
	foreign, parts          map[string]string // words of other languages, with the English stem
	begins                  map[string]bool   // words that a phrase of some language begins with
	ids, titles, qualifiers map[string]bool
	offices                 map[string]bool // stems of roles that are nouns
	allAttr                 map[Kind]map[string]bool
	attrOf                  map[Kind]map[string]bool // words that name a kind of value and a thing too: a rate, a fee
	packedDays              []string
}

var kinds = []Kind{Address, Path, Port, Number, Count, Money, Percent, Duration, Clock, Weekday, Date, Every, Phone, Name, State}

// attrSections are the names under which the word lists give the words of a kind.
var attrSections = map[string]Kind{
	"address": Address, "path": Path, "port": Port, "version": Number, "count": Count, "money": Money, "percent": Percent,
	"duration": Duration, "clock": Clock, "weekday": Weekday, "date": Date, "phone": Phone, "person": Name, "place": Name, "name": Name, "state": State,
}

var words = sync.OnceValue(func() *shared {
	s := &shared{
		languages: map[string]*language{}, months: map[string]int{}, weekdays: map[string]int{}, numbers: map[string]float64{},
		units: map[string]string{}, same: map[string]string{}, foreign: map[string]string{}, parts: map[string]string{}, money: map[string]string{}, titles: map[string]bool{}, ids: map[string]bool{}, qualifiers: map[string]bool{}, begins: map[string]bool{}, offices: map[string]bool{},
		allAttr: map[Kind]map[string]bool{}, attrOf: map[Kind]map[string]bool{}, order: []string{"en", "de", "fr", "es", "ja"},
	}
	for _, k := range kinds {
		s.allAttr[k], s.attrOf[k] = map[string]bool{}, map[string]bool{}
	}
	for _, name := range s.order {
		data, err := tables.ReadFile("lang/" + name + ".txt")
		if err != nil {
			continue // embedded: it is there
		}
		s.add(name, string(data))
	}
	for _, l := range s.languages {
		for _, section := range l.phrases {
			for word := range section {
				s.begins[word] = true
			}
		}
	}
	s.translate()
	return s
})

// add reads one word list.
func (s *shared) add(name, data string) {
	l := &language{
		filler: map[string]bool{}, weak: map[string]bool{}, attr: map[Kind]map[string]bool{}, phrases: map[string]map[string][][]string{},
		loose: map[string][]string{}, opposites: map[string]opposite{}, listed: map[string]int{},
	}
	s.languages[name] = l
	section := ""
	for line := range strings.Lines(data) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if head, rest, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			section, line = head, rest
		}
		for w := range strings.FieldsSeq(line) {
			s.word(l, name, section, w)
		}
	}
	l.places()
}

// places joins the verbs and prepositions that say where something is: "lives in", "now sits at", "wohnt jetzt im".
func (l *language) places() {
	for verb := range l.phrases["where.verb"] {
		for prep := range l.phrases["where.prep"] {
			l.phrase("where", []string{verb, prep})
			for now := range l.phrases["where.now"] {
				l.phrase("where", []string{verb, now, prep})
			}
		}
	}
	for it := range l.phrases["where.it"] { // "Ann moved the key: it's on the shelf"
		for prep := range l.phrases["where.prep"] {
			l.phrase("where it", []string{it, prep})
		}
	}
}

// phrase adds a phrase to a section.
func (l *language) phrase(section string, p []string) {
	if len(p) == 0 {
		return
	}
	if l.phrases[section] == nil {
		l.phrases[section] = map[string][][]string{}
	}
	l.phrases[section][p[0]] = append(l.phrases[section][p[0]], p)
}

func (s *shared) word(l *language, name, section, w string) {
	plain := strings.ReplaceAll(w, "_", " ")
	switch section {
	case "filler":
		l.filler[plain] = true
	case "weak":
		l.weak[stem(plain)] = true
	case "months":
		n := l.next("months")
		for form := range strings.SplitSeq(w, "|") {
			s.months[form] = n
		}
	case "weekdays":
		n := l.next("weekdays")
		for form := range strings.SplitSeq(w, "|") {
			s.weekdays[form] = n
			if name == "ja" {
				s.packedDays = append(s.packedDays, form)
			}
		}
	case "numbers":
		s.numbers[w] = float64(l.next("numbers") - 1)
	case "tens":
		if form, v, ok := strings.Cut(w, "="); ok {
			s.numbers[form], _ = strconv.ParseFloat(v, 64)
		}
	case "units", "money":
		forms, v, _ := strings.Cut(w, "=")
		for form := range strings.SplitSeq(forms, "|") {
			if section == "units" {
				s.units[form] = v
			} else {
				s.money[form] = v
			}
		}
	case "same":
		forms := strings.Split(w, "|")
		for _, form := range forms {
			s.same[stem(form)] = stem(forms[0])
		}
	case "opposites":
		for i, form := range strings.Split(w, "|") {
			l.opposites[form] = opposite{strings.Split(w, "|")[0], i > 0}
		}
	case "ids":
		s.ids[stem(plain)] = true
	case "office":
		s.offices[s.canonical(plain, stem(plain))] = true
		l.phrase(section, strings.Fields(plain))
	case "titles":
		s.titles[plain] = true
	case "qualifier":
		s.qualifiers[plain] = true
	default:
		if kind, ok := attrSections[strings.TrimPrefix(section, "attr.")]; ok && strings.HasPrefix(section, "attr.") {
			if l.attr[kind] == nil {
				l.attr[kind] = map[string]bool{}
			}
			l.attr[kind][plain], s.allAttr[kind][stem(plain)] = true, true
			return
		}
		if kind, ok := attrSections[strings.TrimPrefix(section, "also.")]; ok && strings.HasPrefix(section, "also.") {
			s.attrOf[kind][stem(plain)] = true
			return
		}
		if name == "ja" {
			l.loose[section] = append(l.loose[section], plain)
			return
		}
		l.phrase(section, strings.Fields(plain))
	}
}

// next counts the words of a section, from 1.
func (l *language) next(section string) int {
	l.listed[section]++
	return l.listed[section]
}

// languagesOf are the word lists for a text: English, and the language most of its small words belong to.
func languagesOf(list []word, text string) []*language {
	w := words()
	out := []*language{w.languages["en"]}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) }) {
		return append(out, w.languages["ja"])
	}
	best, most := "en", -1
	for _, name := range w.order {
		n := 0
		for _, t := range list {
			if initial := len(t.text) == 1 && capital(t.text) && t.low != "i"; !initial && w.languages[name].filler[t.low] {
				n++
			}
		}
		if n > most {
			best, most = name, n
		}
	}
	if most == 0 { // a label and a value: any of them may be meant
		return append(out, w.languages["de"], w.languages["fr"], w.languages["es"])
	}
	if best == "en" {
		return out
	}
	return []*language{w.languages[best]}
}

// names reports whether a stem names a kind of value, also as the end of a compound: Handynummer, Rechnungsadresse.
func (s *shared) names(kind Kind, stem string) bool {
	if s.allAttr[kind][stem] {
		return true
	}
	for from := range stem {
		if from >= 3 && len(stem)-from >= 5 && s.allAttr[kind][stem[from:]] {
			return true
		}
	}
	return false
}
