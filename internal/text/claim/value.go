package claim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// value is a value in a sentence.
type value struct {
	kind    Kind
	attr    string
	text    []string // canonical
	at, end int
	subject *Subject // where the pattern says what the value is about
	bound   bool
}

func expr(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

const num = `(?:\d{1,3}(?:[.,\x{a0}\x{202f}]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)`

const digits = "0123456789"

// patterns are in the order of trust: what a text has been taken for, it is nothing else.
var patterns = []struct {
	kind Kind
	has  string // a match has one of these characters; "" if it need not
	re   func() *finder
	read func(a analysis, m []string) (attr string, vals []string)
}{
	{Address, "/", finding(`https?://[^\s)>\]"'` + "`" + `,;]*[^\s)>\]"'` + "`" + `,;.:!?]`), plainValue},
	{Address, "@", finding(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`), plainValue},
	{Address, digits, finding(`\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b`), plainValue},
	{Address, ".", finding(`\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.){2,}[a-z]{2,}(?::\d+)?\b`), hostName},
	{Date, digits, finding(`\b(\d{4})-(\d\d)-(\d\d)\b`), isoDate},
	{Date, "-", finding(`(?i)\b(?:until|till|to|on|by|due|from|bis|am|ab|zum)\s+(0\d|1[0-2])-([0-3]\d)\b`), slashDate},
	{Path, "/", finding(`(?:^|[\s` + "`" + `"'(=:])((?:~|\.{1,2})?/[\w.@/-]*\w)`), plainValue},
	{Path, "/", finding("`([\\w.@-]+/(?:[\\w.@/-]*\\w)?)/?`"), plainValue},
	{Path, "/", finding(`(?:^|[\s"'(=:])([A-Za-z_][\w@-]*/[\w.@/-]*\.[A-Za-z]\w{0,7})\b`), plainValue},
	{Date, digits, finding(`\b(\d{1,2})(?:\.|st|nd|rd|th)?\s+(?:de\s+|of\s+)?(\p{L}{3,10})\b(?:\s+(?:de\s+)?(\d{4}))?`), dayMonth},
	{Date, digits, finding(`\b(\p{L}{3,10})\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4}))?`), monthDay},
	{Clock, digits, finding(`(?i)\b(\d{1,2})(?:[:.]([0-5]\d))?\s?(?:-|–|to|bis)\s?(\d{1,2})(?:[:.]([0-5]\d))?\s?(am|pm|uhr)\b`), clockSpan},
	{Clock, digits, finding(`(?i)\b(?:from|between|von|zwischen)\s(\d{1,2})()\s(?:to|and|until|bis|und)\s(\d{1,2})()(\s(?:am|pm|uhr)|)\b`), hoursSpan},
	{Clock, digits, finding(`\b(\d{1,2})\.([0-5]\d)\s?((?i:am|pm|a\.m\.|p\.m\.|uhr)\b)`), clock},
	{Clock, digits, finding(`(?i)\b(?:at|by|until|before|after|um)\s+([01]?\d|2[0-3])\.([0-5]\d)\b`), clock},
	{Date, digits, finding(`\b(\d{1,2})\.(\d{1,2})\.(?:(\d{4})\b|\B)`), dotDate},
	{Date, digits, finding(`(?i)\b(?:on|by|to|until|before)\s+the\s+(\d{1,2})(?:st|nd|rd|th)\b`), monthly},
	{Date, "月", finding(`(\d{1,2})月(\d{1,2})日`), slashDate},
	{Clock, digits, finding(`\b([01]?\d|2[0-4])[:h]([0-5]\d)(?:[zZ]\b|\b)\s*((?i:am|pm|a\.m\.|p\.m\.))?`), clock},
	{Clock, digits, finding(`\b(\d{1,2})()\s*((?i:am|pm|uhr|o'clock))\b`), clock},
	{Clock, "時", finding(`(\d{1,2})時(半)?`), clock},
	{Clock, "", finding(`(?i)\bhalf past (\p{L}+)()`), clockWord},
	{Phone, digits, finding(`(?:\+|\b0)\d[\d ()/.-]{5,}\d`), phone},
	{Phone, digits, finding(`\b(?:[6-9]\d\d \d{3} \d{3}|[2-9]\d \d\d \d\d \d\d)\b`), phone}, // "600 555 112", "40 55 71 09"
	{Phone, digits, finding(`(?:\(\d{3}\)\s?|\b\d{3,4}[-. ])\d{3}[-. ]\d{4}\b`), phone},
	{Every, "", finding(`(?i)\b(?:every|jeden?|chaque|cada)\s+(second|other|third|fourth|\d+|zweiten?|dritten?|vierten?)\s+(\p{L}+)`), every},
	{Every, "", finding(`(?i)\b(?:of|in|a|per|im|pro|par|al|por)\s+()(?:the\s+|each\s+|every\s+)?(month|quarter|year|monat|quartal|jahr|mois|mes|año)\b`), every},
	{Percent, digits, finding(`(` + num + `)\s?%?\s?(?:-|–|to|bis)\s?(` + num + `)\s?(?:%|percent\b|prozent\b|per cent\b)`), percentSpan},
	{Percent, digits, finding(`(` + num + `)\s?(?:%|percent\b|prozent\b|per cent\b|％)`), number},
	{Percent, "", finding(`(?i)(?:\b(?:is|are|be|to|at|now|pay|pays)|[:=])\s+(half|(?:a|one) third|two thirds|(?:a|one) quarter|three quarters) of\b`), fraction},
	{Money, "€$£¥", finding(`[€$£¥]\s?(` + num + `)()(?:(?:\s(?:per|an?|pro|par|por)\s|\s?/\s?)(\p{L}+))?`), money},
	{Money, digits, finding(`(` + num + `)\s?(€|\$|£|¥|円|(?i:[\p{L}]{2,8}))(?:\s?(?:net|netto|gross|brutto))?(?:(?:\s(?:per|an?|each|pro|par|por)\s|\s?/\s?)(\p{L}+))?`), money},
	{Money, digits, finding(`\b([A-Z]{3})\s?(` + num + `)\b`), moneyAfter},
	{Count, digits, finding(`(` + num + `)[\s-]?(kB|KB|kb|MB|mb|GB|gb|TB|tb|MiB|GiB|TiB|°C|°F|kg|mg|µg|ng|g|lbs?|oz|km/h|m/s|km|cm|mm|µm|ft|mi|mph|[mµ]L|[cdmhµ]l|l|L|gal|[mµn]M|µmol|kWh|kW|W|mAh|V|[kMG]?Hz|rpm|bar|psi|dpi|ha)\b`), measure},
	{Count, digits, finding(`(` + num + `)\s?(?:\p{L}{2,12}\s?)?(?:/|\bper\b|\bpro\b|\bpar\b|\bpor\b)\s?(\p{L}{1,8})\b`), rate},
	{Number, digits, finding(`\b(\d+)\s(?:a|an|per|each)\s\p{L}{3,}\b`), each},
	{Number, digits, finding(`(?i:\b(?:nr|no|nos|number|nummer|code|pin|id|key|kennung|kundennummer|numéro|número)\b)[.:]?\s+(?:(?:is|ist|est|es)\s+)?((?:[A-Z]{1,6}[-/ ]?)?\d[\dA-Z]*(?:[-/][\dA-Z]+)*#?)`), code},
	{Number, "-", finding(`\b([A-Z]{2,6}-\d{2,}[A-Z\d]*)\b`), codeNamed},
	{Number, "-", finding(`\b(\d{3,}-[A-Z]{1,3})\b`), plainValue},
	{Port, digits, finding(`(?i)\b(?:ports?|puerto|tcp|udp)\b\D{0,12}?(\d{2,5})\b`), plainValue},
	{Port, ":", finding(`:(\d{2,5})\b`), plainValue},
	{Port, digits, finding(`(?i)(?:listens?|lauscht|écoute|escucha)(?:\s+\p{L}+)?\s+(?:on|auf|sur|en)\s+(\d{2,5})\b`), plainValue},
	{Duration, "hdmHDM", finding(`(?i)\b(?:half an?|(?:eine )?halbe[ns]?|(?:une )?demi[e-]?|media)[ -](\p{L}{2,8})\b`), halfOf},
	{Duration, "", finding(`(` + num + `|\p{L}+)[\s-]?(\p{L}{1,9})\b`), duration},
	{Number, "", finding(`(?i)\b(early|day|late|night|früh|tag|spät|nacht)[- ]?(?:shifts?|dienste?|schichte?n?)\b`), shift},
	{Number, "", finding(`(?i)\b(?:works?|working|on)\s+(nights|days)\b`), shift},
	{Number, digits, finding(`\bv(\d+(?:\.\d+)+)\b`), version},
	{Number, digits, finding(`(\p{L}[\p{L}\d.+-]*)\s(\d+(?:\.\d+)*)\b`), numbered},
	{Number, digits, finding(`\b(\d+(?:\.\d+){1,3})\b`), version},
	{Count, "枚個本人台部冊回件名箱匹室", finding(`(\d+)(枚|個|本|人|台|部|冊|回|件|名|箱|匹|室)`), counter},
	{Count, "", finding(`(` + num + `|\p{L}+)\s(\p{L}{3,})(?:\s(\p{L}{3,}))?`), counted},
	{Port, digits, finding(`(?i)\b(?:on|to|at|is|auf|from)\s+(\d{4,5})\b`), portLike},
	{Number, ":=", finding(`(?:: | = )(\p{L}+)(?:[.,;)]|$)`), labelWord},
	{Number, digits, finding(`(?i)(?::|=|→|->|=>|\b(?:is|are|to|at|of|now|jetzt|ahora|von|auf|bei|ist|à|a|es|est))\s+(` + num + `)(?:\s|[.,;)]|$)`), bare},
}

// values finds the values of a sentence, in its order. A value of several, such as two weekdays, is one.
func valuesOf(a analysis) []value {
	var out []value
	free := func(at, end int) bool {
		return !slices.ContainsFunc(out, func(v value) bool { return at < v.end && v.at < end })
	}
	numbers := numbersIn(a.text)
	inDigits := strings.ContainsAny(a.text, digits)
	for i := range patterns {
		p := &patterns[i]
		if p.has == digits && !inDigits || p.has != "" && p.has != digits && !strings.ContainsAny(a.text, p.has) {
			continue
		}
		counts := p.has == "" && (p.kind == Duration || p.kind == Count) // what begins with a number, in digits or as a word
		for from := 0; from < len(a.text); {
			if counts {
				i, _ := slices.BinarySearch(numbers, from)
				if i == len(numbers) {
					break
				}
				from = numbers[i]
			}
			m := p.re().find(a.text[from:])
			if m == nil {
				break
			}
			parts := make([]string, len(m)/2)
			for i := range parts {
				if m[2*i] >= 0 {
					parts[i] = a.text[from+m[2*i] : from+m[2*i+1]]
				}
			}
			at, end := from+m[0], from+m[1]
			attr, vals := p.read(a, parts)
			if at > 0 && a.text[at] >= '0' && a.text[at] <= '9' && (a.text[at-1] == '-' && !(p.kind == Clock && at > 1 && a.text[at-2] >= '0' && a.text[at-2] <= '9') || a.text[at-1] < 0x80 && wordByte(a.text[at-1])) {
				vals = nil // the end of a word such as web-1
			}
			if p.kind == Number && end+1 < len(a.text) && a.text[end] == '.' && strings.IndexByte(digits, a.text[end+1]) >= 0 {
				vals = nil // the beginning of one such as 38.4k
			}
			if p.kind == Port && at > 0 && a.text[at] == ':' && strings.IndexByte(digits, a.text[at-1]) >= 0 {
				vals = nil // the minutes of a time
			}
			if len(vals) == 0 || !free(at, end) {
				next := from + m[0] + 1
				for next < len(a.text) && wordByte(a.text[next]) && wordByte(a.text[next-1]) {
					next++
				}
				from = next
				continue
			}
			if (p.kind == Path || p.kind == Port) && len(parts) > 1 {
				at, end = from+m[2], from+m[3]
			}
			if p.kind == Number && len(parts) == 3 { // the word in front says what it is of, and is part of the subject
				at = from + m[4]
			}
			if p.kind == Number && len(parts) == 2 && isNumber(parts[1]) { // without the word or sign before it
				at, end = from+m[2], from+m[3]
			}
			if p.kind == Every && len(m) > 5 && m[4] >= 0 && words().weekdays[lower(parts[2])] != 0 {
				end = from + m[3] // the weekday is a value of its own
			}
			if p.kind == Count || p.kind == Duration {
				end = from + m[3] // what is counted stays
				if p.kind == Duration || strings.HasPrefix(attr, inUnit) {
					end = from + m[1]
				}
			}
			if p.kind == Clock && a.wordRight(at, "since", "seit", "depuis", "desde") { // when it happened
				from = max(end, from+1)
				continue
			}
			bound := p.kind == Clock && a.wordBefore(at, bounds...) || p.kind == Money && a.wordBefore(at, above...)
			out = append(out, value{kind: p.kind, attr: attr, text: vals, bound: bound, at: at, end: end})
			if p.kind == Address {
				if host := vals[0]; strings.Contains(host, ":") {
					if n := portOf(host); n != "" {
						out = append(out, value{kind: Port, text: []string{n}, at: at, end: end})
					}
				}
			}
			from = max(end, from+1)
		}
	}
	out = joinSpans(a, out)
	out = append(out, weekdaysIn(a, free)...)
	names := naming{a, out}.names()
	out = slices.DeleteFunc(out, func(v value) bool {
		return v.kind == Number && v.attr != "" && slices.ContainsFunc(names, func(n value) bool {
			return n.attr == "place" && n.at <= v.at && v.end <= n.end && slices.Contains(n.text, v.text[0])
		})
	})
	out = append(out, names...)
	if label := labelEnd(a.text); slices.ContainsFunc(out, func(v value) bool { return v.at > label && v.kind != Date }) {
		out = slices.DeleteFunc(out, func(v value) bool { return v.kind == Date && v.end <= label }) // "market on May 2: $612"
	}
	slices.SortStableFunc(out, func(x, y value) int { return x.at - y.at })
	return out
}

// joinSpans makes one value of two times that are the ends of a span: "9:00-17:30", "8am to 4pm", "between 8:00 and 11:00".
func joinSpans(a analysis, values []value) []value {
	slices.SortStableFunc(values, func(x, y value) int { return x.at - y.at })
	var out []value
	for _, v := range values {
		if k := len(out) - 1; k >= 0 && v.kind == Clock && out[k].kind == Clock && !isSpan(v.text[0]) && !isSpan(out[k].text[0]) {
			between := strings.ToLower(strings.TrimSpace(a.text[out[k].end:v.at]))
			if slices.Contains(spanMarks, between) || slices.Contains(spans, between) || slices.Contains([]string{"and", "und", "et", "y"}, between) && a.wordBefore(out[k].at, "between", "zwischen", "entre") {
				out[k].text, out[k].end, out[k].bound = []string{out[k].text[0] + spanMark + v.text[0]}, v.end, false
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// spanMark separates the two times of a span in its canonical form.
const spanMark = ".."

var spanMarks = []string{"-", "–", "—"}

func isSpan(v string) bool { return strings.Contains(v, spanMark) }

// numbersIn is where the numbers of a text begin, in digits or as words. Patterns that begin with any word would otherwise
// be tried at each.
func numbersIn(text string) []int {
	var out []int
	begin := -1 // of the word at hand
	for i, r := range text + " " {
		switch letter := unicode.IsLetter(r); {
		case letter && begin < 0:
			begin = i
		case !letter && begin >= 0:
			word := strings.ToLower(text[begin:i])
			if _, ok := words().numbers[word]; ok || slices.Contains(indefinite, word) {
				out = append(out, begin)
			}
			begin = -1
		}
		if '0' <= r && r <= '9' {
			out = append(out, i)
		}
	}
	return out
}

// bounds come before a time that limits something, above before such an amount.
var (
	bounds = []string{"before", "after", "by", "vor", "nach", "avant", "après", "antes", "después"}
	above  = []string{"above", "over", "under", "below", "über", "unter", "dessus", "sobre"}
)

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

func portOf(address string) string {
	rest := address
	if _, after, ok := strings.Cut(address, "://"); ok {
		rest = after
	}
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && isNumber(host[i+1:]) {
		return host[i+1:]
	}
	return ""
}

// sinceWords come before the day on which something begins.
var sinceWords = []string{"from", "since", "ab", "seit", "dès", "depuis", "desde"}

// spanAfter reports whether a day is the first of a span: "from Monday to Friday".
func (a analysis) spanAfter(i int) bool {
	for j := i + 1; j < len(a.words) && j <= i+2; j++ {
		if words().weekdays[a.words[j].low] != 0 {
			return joinsDays(a.text[a.words[i].end:a.words[j].at])
		}
	}
	return false
}

// weekdays joins the days a clause names.
func weekdaysIn(a analysis, free func(at, end int) bool) []value {
	var out []value
	last := 0 // the day before this one
	told := labelEnd(a.text)
	if slices.ContainsFunc(a.words, func(w word) bool { return w.at < told && words().weekdays[w.low] == 0 && !isNumber(w.text) }) {
		told = 0
	}
	for i, t := range a.words {
		n, ok := words().weekdays[t.low]
		if i == 0 && told > 0 {
			continue // "Sat 29: …" says when it was written
		}
		if !ok || !free(t.at, t.end) || len(t.low) <= 4 && !capital(t.text) {
			continue
		}
		if i+1 < len(a.words) && slices.Contains([]string{"off", "free", "frei"}, a.words[i+1].low) && a.text[t.end:a.words[i+1].at] == " " {
			continue // a day without it
		}
		if i > 0 && slices.Contains(sinceWords, a.words[i-1].low) && !a.spanAfter(i) {
			continue // "from Monday they cost 24"
		}
		day := strconv.Itoa(n)
		if i > 0 {
			if k, ok := ordinal[a.words[i-1].low]; ok && (i == 1 || a.words[i-2].low != "every") {
				if k == "5" && (i+1 == len(a.words) || !slices.Contains(genitives, a.words[i+1].low) && !slices.Contains(insides, a.words[i+1].low)) {
					continue // "last Friday" is when it happened
				}
				day = k + "/" + day // "the second Thursday"
			}
		}
		if i > 0 && strings.HasSuffix(t.low, "s") && a.text[a.words[i-1].end:t.at] == " " { // "the course takes six Saturdays"
			if n, ok := parseNumber(a.words[i-1].text); ok && n > 1 {
				out = append(out, value{kind: Count, attr: t.stem, text: []string{canonical(n)}, at: a.words[i-1].at, end: t.end})
				continue
			}
		}
		if k := len(out) - 1; k >= 0 && joinsDays(a.text[out[k].end:t.at]) {
			between := strings.TrimSpace(a.text[out[k].end:t.at])
			if slices.Contains(spans, between) || slices.Contains(spanMarks, between) {
				for d := last; d != n && d != 0; d = d%7 + 1 { // "Monday to Thursday"
					out[k].text = append(out[k].text, strconv.Itoa(d))
				}
			}
			last = n
			out[k].text, out[k].end = compact(append(out[k].text, day)), t.end
			continue
		}
		out, last = append(out, value{kind: Weekday, text: []string{day}, at: t.at, end: t.end}), n
	}
	for _, form := range words().packedDays {
		if i := strings.Index(a.text, form); i >= 0 && free(i, i+len(form)) && len(out) == 0 {
			out = append(out, value{kind: Weekday, text: []string{strconv.Itoa(words().weekdays[form])}, at: i, end: i + len(form)})
		}
	}
	return out
}

// ordinal are the numbers of the weeks of a month.
var ordinal = map[string]string{
	"first": "1", "second": "2", "third": "3", "fourth": "4", "last": "5", "1st": "1", "2nd": "2", "3rd": "3", "4th": "4", "ersten": "1", "erster": "1", "zweiten": "2", "zweiter": "2",
	"dritten": "3", "dritter": "3", "vierten": "4", "letzten": "5", "premier": "1", "deuxième": "2", "troisième": "3", "dernier": "5", "primer": "1", "segundo": "2", "tercer": "3", "último": "5",
}

// joinsDays reports the text between two weekdays that are named together.
func joinsDays(between string) bool {
	switch strings.TrimSpace(strings.Trim(between, ", ")) {
	case "", "and", "or", "to", "und", "oder", "bis", "et", "ou", "à", "y", "o", "a", "&", "/", "-", "–", "through", "till":
		return true
	}
	return false
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.,") == "" && strings.ContainsFunc(s, unicode.IsDigit)
}

// indefinite count one of a unit, "eine Woche", but not of a thing: "a book is dropped" says nothing of how many there are.
var indefinite = []string{"a", "an", "ein", "eine", "einen", "einem", "un", "une", "una"}

// parseNumber reads a number with thousands and decimals in either custom, or a number word.
func parseNumber(s string) (float64, bool) {
	if n, ok := words().numbers[strings.ToLower(s)]; ok {
		return n, true
	}
	if slices.Contains(indefinite, strings.ToLower(s)) {
		return 1, true
	}
	if strings.Trim(s, digits) == "" {
		n, err := strconv.ParseFloat(s, 64)
		return n, err == nil
	}
	s = strings.Map(func(r rune) rune {
		if r == '\u00a0' || r == '\u202f' {
			return -1
		}
		return r
	}, s)
	if grouped().MatchString(s) {
		s = ungrouped(s)
	} else if i := strings.LastIndexAny(s, ".,"); i >= 0 {
		s = ungrouped(s[:i]) + "." + s[i+1:]
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

// ungrouped is a number without the marks between its thousands.
func ungrouped(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, ",", ""), ".", "")
}

var grouped = expr(`^\d{1,3}([.,]\d{3})+$`)

func canonical(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
