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
	phrases      map[string][][]string // by section, each phrase as its words
	loose        map[string][]string   // the same for a language without blanks between words
}

// shared is what is looked up whatever the language is.
type shared struct {
	languages               map[string]*language
	order                   []string
	months, weekdays        map[string]int
	numbers                 map[string]float64
	units, money, same      map[string]string
	ids, titles, qualifiers map[string]bool
	allAttr                 map[Kind]map[string]bool
	attrOf                  map[Kind]map[string]bool // words that name a kind of value and a thing too: a rate, a fee
	packedDays              []string
}

var kinds = []Kind{Address, Path, Port, Number, Count, Money, Percent, Duration, Clock, Weekday, Date, Phone, Name, State}

// attrSections are the names under which the word lists give the words of a kind.
var attrSections = map[string]Kind{
	"address": Address, "path": Path, "port": Port, "version": Number, "count": Count, "money": Money, "percent": Percent,
	"duration": Duration, "clock": Clock, "weekday": Weekday, "date": Date, "phone": Phone, "person": Name, "place": Name, "name": Name, "state": State,
}

var words = sync.OnceValue(func() *shared {
	s := &shared{
		languages: map[string]*language{}, months: map[string]int{}, weekdays: map[string]int{}, numbers: map[string]float64{},
		units: map[string]string{}, same: map[string]string{}, money: map[string]string{}, titles: map[string]bool{}, ids: map[string]bool{}, qualifiers: map[string]bool{},
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
	return s
})

// add reads one word list.
func (s *shared) add(name, data string) {
	l := &language{
		filler: map[string]bool{}, weak: map[string]bool{}, attr: map[Kind]map[string]bool{}, phrases: map[string][][]string{},
		loose: map[string][]string{},
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
}

func (s *shared) word(l *language, name, section, w string) {
	plain := strings.ReplaceAll(w, "_", " ")
	switch section {
	case "filler":
		l.filler[plain] = true
	case "weak":
		l.weak[stem(plain)] = true
	case "months":
		n := 1 + countKey(l, "months")
		for form := range strings.SplitSeq(w, "|") {
			s.months[form] = n
		}
		l.phrases["months"] = append(l.phrases["months"], nil)
	case "weekdays":
		n := 1 + countKey(l, "weekdays")
		for form := range strings.SplitSeq(w, "|") {
			s.weekdays[form] = n
			if name == "ja" {
				s.packedDays = append(s.packedDays, form)
			}
		}
		l.phrases["weekdays"] = append(l.phrases["weekdays"], nil)
	case "numbers":
		s.numbers[w] = float64(countKey(l, "numbers"))
		l.phrases["numbers"] = append(l.phrases["numbers"], nil)
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
	case "ids":
		s.ids[stem(plain)] = true
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
		l.phrases[section] = append(l.phrases[section], strings.Fields(plain))
	}
}

func countKey(l *language, section string) int { return len(l.phrases[section]) }

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
			if w.languages[name].filler[t.low] {
				n++
			}
		}
		if n > most {
			best, most = name, n
		}
	}
	if best == "en" {
		return out
	}
	return []*language{w.languages[best]}
}
