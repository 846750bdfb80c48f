package claim

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The readers of values: each turns what a pattern matched into one canonical form, or into nothing if it is none.

func plainValue(_ analysis, m []string) (string, []string) {
	v := strings.ToLower(strings.TrimRight(m[len(m)-1], "/."))
	if v == "" {
		return "", nil
	}
	return "", []string{v}
}

func number(_ analysis, m []string) (string, []string) {
	n, ok := parseNumber(m[1])
	if !ok {
		return "", nil
	}
	return "", []string{canonical(n)}
}

// fraction reads "a third of" as the share it is.
func fraction(_ analysis, m []string) (string, []string) {
	words := strings.Fields(strings.ToLower(m[1]))
	share := map[string]float64{"half": 50, "third": 33, "thirds": 67, "quarter": 25, "quarters": 75}[words[len(words)-1]]
	return "", []string{canonical(share)}
}

// hostName reads web.example.org:8080, but not the name of a file.
func hostName(a analysis, m []string) (string, []string) {
	host, _, _ := strings.Cut(m[0], ":")
	if slices.Contains(fileEnds, path.Ext(host)) {
		return "", nil
	}
	return plainValue(a, m)
}

// fileEnds are the ends of names that look like hosts.
var fileEnds = []string{".gz", ".md", ".json", ".yml", ".yaml", ".txt", ".conf", ".sh", ".py", ".go", ".js", ".ts", ".sql", ".html", ".csv", ".pdf", ".toml", ".service"}

// measure reads a number with its unit: "512 MB", "22 °C".
func measure(_ analysis, m []string) (string, []string) {
	n, ok := parseNumber(m[1])
	if !ok {
		return "", nil
	}
	unit := strings.ReplaceAll(strings.ToLower(m[2]), "ib", "b")
	if scale, ok := map[string]float64{"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}[unit]; ok {
		return inUnit + "bytes", []string{canonical(n * scale)}
	}
	return inUnit + strings.TrimSuffix(unit, "s"), []string{canonical(n)}
}

// inUnit begins the attribute of a number with a unit.
const inUnit = "in "

// rate reads "60 requests per minute" and "120/min".
func rate(_ analysis, m []string) (string, []string) {
	unit, ok := words().units[strings.ToLower(m[2])]
	if !ok && len(m[2]) == 1 { // as in "215/h"
		_, ok = seconds[m[2]]
		unit = m[2]
	}
	n, isNumber := parseNumber(m[1])
	if !ok || !isNumber {
		return "", nil
	}
	return "per " + unit, []string{canonical(n)}
}

// each reads how many there are for each of something: "6 per performance", "8 a show".
func each(a analysis, m []string) (string, []string) {
	of := lower(m[0][strings.LastIndexByte(m[0], ' ')+1:])
	if _, unit := words().units[of]; unit || a.filler(of) || isYear(m[1]) {
		return "", nil
	}
	return "", []string{m[1]}
}

// code reads what follows "number" or "code" and is not a plain count.
func code(_ analysis, m []string) (string, []string) {
	if v := strings.TrimSuffix(m[1], "#"); v == m[1] && (strings.Trim(v, "0123456789") == "" || v[0] == '0') {
		return "", nil
	}
	return "", []string{strings.ToLower(m[1])}
}

// codeNamed reads a code such as WG-2210 in a sentence that says that it is one.
func codeNamed(a analysis, m []string) (string, []string) {
	if !slices.ContainsFunc(a.words, func(w word) bool { return slices.Contains(codeWords, w.low) }) {
		return "", nil
	}
	return "", []string{strings.ToLower(m[1])}
}

var codeWords = []string{"code", "number", "nummer", "nr", "no", "id", "account", "konto", "reference", "ref", "key", "kennung", "numéro", "número", "código"}

func isoDate(_ analysis, m []string) (string, []string) { return "", []string{m[2] + "-" + m[3]} }

func dayMonth(_ analysis, m []string) (string, []string) {
	n, ok := words().months[strings.ToLower(m[2])]
	return "", monthValue(n, m[1], ok)
}

func monthDay(a analysis, m []string) (string, []string) {
	_, rest, _ := strings.Cut(a.text, m[0])
	if _, unit := words().units[lower(firstWord(strings.TrimPrefix(rest, " ")))]; unit && m[3] == "" { // "from April 4 h instead of 8 h"
		return "", nil
	}
	n, ok := words().months[strings.ToLower(m[1])]
	return "", monthValue(n, m[2], ok && capital(m[1]))
}

func slashDate(_ analysis, m []string) (string, []string) {
	return "", []string{fmt.Sprintf("%02s-%02s", m[1], m[2])}
}

// monthly reads a day of any month: "payroll goes out on the 28th".
func monthly(_ analysis, m []string) (string, []string) { return "day of the month", []string{m[1]} }

func dotDate(a analysis, m []string) (string, []string) {
	d, _ := parseNumber(m[1])
	n, _ := parseNumber(m[2])
	if d < 1 || d > 31 || n < 1 || n > 12 || m[3] == "" && a.versioned(m[0]) {
		return "", nil
	}
	return "", []string{fmt.Sprintf("%02d-%02d", int(n), int(d))}
}

// versioned reports whether a number stands right behind a name in an English sentence: "back on Debian 8.4." gives a version.
func (a analysis) versioned(number string) bool {
	at := strings.Index(a.text, number)
	i := slices.IndexFunc(a.words, func(w word) bool { return w.end+1 == at })
	return i >= 0 && a.words[i].name && words().weekdays[a.words[i].low] == 0 && (len(a.langs) == 0 || a.langs[0] == words().languages["en"])
}

func monthValue(month int, day string, ok bool) []string {
	d, _ := parseNumber(day)
	if !ok || d < 1 || d > 31 {
		return nil
	}
	return []string{fmt.Sprintf("%02d-%02d", month, int(d))}
}

func clock(_ analysis, m []string) (string, []string) {
	h, _ := parseNumber(m[1])
	half := 0.0
	if len(m) > 2 && m[2] != "" {
		if m[2] == "半" {
			half = 30
		} else {
			half, _ = parseNumber(m[2])
		}
	}
	if len(m) > 3 {
		switch strings.ToLower(strings.ReplaceAll(m[3], ".", "")) {
		case "pm":
			if h < 12 {
				h += 12
			}
		case "am":
			if h == 12 {
				h = 0
			}
		}
	}
	if h > 24 || half > 59 {
		return "", nil
	}
	return "", []string{canonical(h*60 + half)}
}

// clockSpan reads "8 to 4pm" and "2-4 pm": the first time is in the same half of the day if it can be.
func clockSpan(a analysis, m []string) (string, []string) {
	from, _ := parseNumber(m[1])
	to, _ := parseNumber(m[3])
	half := m[5]
	if strings.EqualFold(half, "pm") && from > to || from == 12 {
		half = ""
	}
	_, first := clock(a, []string{"", m[1], m[2], half})
	_, last := clock(a, []string{"", m[3], m[4], m[5]})
	if len(first) == 0 || len(last) == 0 {
		return "", nil
	}
	return "", []string{first[0] + spanMark + last[0]}
}

// hoursSpan reads "from 6 to 14" in a sentence about hours. Elsewhere it may be a number that grew.
func hoursSpan(a analysis, m []string) (string, []string) {
	if m[5] == "" && followed(a, m[0]) || !slices.ContainsFunc(a.words, func(w word) bool { return slices.Contains(hourWords, w.low) }) {
		return "", nil
	}
	m[5] = strings.TrimSpace(m[5])
	return clockSpan(a, m)
}

var hourWords = []string{
	"open", "opens", "opened", "hours", "shift", "shifts", "works", "quiet", "visiting", "o'clock", "geöffnet", "offen", "uhr", "dienst", "schicht", "arbeitet",
	"ouvert", "ouverte", "horaires", "abierto", "abierta", "horario",
}

func clockWord(_ analysis, m []string) (string, []string) {
	h, ok := parseNumber(m[1])
	if !ok {
		return "", nil
	}
	return "", []string{canonical(h*60 + 30)}
}

func phone(_ analysis, m []string) (string, []string) {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, m[0])
	if len(digits) < 7 || len(digits) > 15 {
		return "", nil
	}
	return "", []string{digits}
}

func money(_ analysis, m []string) (string, []string) {
	n, ok := parseNumber(m[1])
	if !ok {
		return "", nil
	}
	currency := map[string]string{"€": "eur", "$": "usd", "£": "gbp", "¥": "jpy", "円": "jpy"}[m[2]]
	if m[2] == "" {
		currency = "money"
	}
	if currency == "" {
		currency = words().money[strings.ToLower(m[2])]
	}
	if currency == "" {
		return "", nil
	}
	return currency, []string{canonical(n)}
}

// moneyAfter reads an amount behind its currency: "NZD 300".
func moneyAfter(_ analysis, m []string) (string, []string) {
	currency := words().money[strings.ToLower(m[1])]
	n, ok := parseNumber(m[2])
	if !ok || currency == "" {
		return "", nil
	}
	return currency, []string{canonical(n)}
}

// seconds of the units of time.
var seconds = map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "mo": 30 * 86400, "y": 365 * 86400}

// halfOf reads half a unit of time: "half an hour".
func halfOf(_ analysis, m []string) (string, []string) {
	unit, ok := words().units[strings.ToLower(m[1])]
	if !ok {
		return "", nil
	}
	return "", []string{canonical(seconds[unit] / 2)}
}

func duration(_ analysis, m []string) (string, []string) {
	unit, ok := words().units[strings.ToLower(m[2])]
	if low := lower(m[1]); !ok || low == "a" || low == "an" { // "forty times a day"
		return "", nil
	}
	n, ok := parseNumber(m[1])
	if !ok || n == 0 {
		return "", nil
	}
	return "", []string{canonical(n * seconds[unit])}
}

// every reads how often something comes: "every second month", "the first Sunday of the month".
func every(a analysis, m []string) (string, []string) {
	unit, ok := words().units[strings.ToLower(m[2])]
	if !ok && words().weekdays[lower(m[2])] != 0 { // "every second Monday"
		unit, ok = "w", true
	}
	if !ok || m[1] == "" && !ofPeriod(a) {
		return "", nil
	}
	n := map[string]string{"": "1", "other": "2", "second": "2", "zweite": "2", "zweiten": "2", "third": "3", "dritte": "3", "dritten": "3", "fourth": "4", "vierte": "4", "vierten": "4"}[strings.ToLower(m[1])]
	return "", []string{cmp.Or(n, m[1]) + unit}
}

// percentSpan reads "45 to 55 %".
func percentSpan(_ analysis, m []string) (string, []string) {
	from, ok1 := parseNumber(m[1])
	to, ok2 := parseNumber(m[2])
	if !ok1 || !ok2 {
		return "", nil
	}
	return "", []string{canonical(from) + spanMark + canonical(to)}
}

// ofPeriod reports whether a sentence names a day of a longer time: "the first Sunday of the month", "the last working day".
func ofPeriod(a analysis) bool {
	for i := range a.words[:max(0, len(a.words)-1)] {
		next := a.words[i+1].low
		if slices.Contains(ordinals, a.words[i].low) && (words().weekdays[next] != 0 || slices.Contains([]string{"day", "working", "workday", "business", "week", "weekend", "of", "in", "tag", "werktag", "arbeitstag", "woche", "im", "jour", "día", "du", "del"}, next)) {
			return true
		}
	}
	return false
}

func version(_ analysis, m []string) (string, []string) { return "", []string{m[1]} }

// shift reads when somebody works: "night shifts", "Frühdienst", "works nights".
func shift(a analysis, m []string) (string, []string) {
	_, rest, _ := strings.Cut(a.text, m[0])
	if slices.Contains([]string{"starts", "begins", "ends", "runs", "in", "is", "beginnt", "endet", "commence", "empieza"}, firstWord(strings.TrimLeft(rest, " "))) {
		return "", nil // "the night shift starts at 1:30"
	}
	v := strings.TrimSuffix(strings.ToLower(m[1]), "s")
	if same, ok := map[string]string{"früh": "early", "tag": "day", "spät": "late", "nacht": "night"}[v]; ok {
		v = same
	}
	return "shift", []string{v}
}

// numbered reads "Debian 12" and "level 3": the word in front says what the number is of.
func numbered(a analysis, m []string) (string, []string) {
	low := lower(m[1])
	w := words()
	if a.filler(low) || w.months[low] != 0 || w.weekdays[low] != 0 {
		return "", nil
	}
	if _, ok := w.numbers[low]; ok {
		return "", nil
	}
	if isYear(m[2]) || !strings.Contains(m[2], ".") && followed(a, m[0]) || w.ids[stem(low)] { // a number that tells things apart is no value
		return "", nil
	}
	if w.allAttr[Number][stem(low)] || w.allAttr[Phone][stem(low)] && len(m[2]) >= 3 { // "code 12", "phone 4471"
		return "", []string{m[2]}
	}
	return stem(low), []string{m[2]}
}

// followed reports whether a word follows the number that makes it a count.
func followed(a analysis, match string) bool {
	_, rest, _ := strings.Cut(a.text, match)
	rest, ok := strings.CutPrefix(rest, " ")
	if !ok {
		return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "-")
	}
	next := lower(firstWord(rest))
	if r, _ := utf8.DecodeRuneInString(next); packed(r) != 0 {
		return false
	}
	return next != "" && !a.filler(next)
}

func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") }

// counted reads "412 berths" and "ten children".
func counted(a analysis, m []string) (string, []string) {
	n, ok := parseNumber(m[1])
	if !ok || slices.Contains(indefinite, lower(m[1])) || isYear(m[1]) {
		return "", nil
	}
	w := words()
	things := m[2:]
	if plural(m[3]) && !plural(m[2]) && !a.filler(lower(m[2])) && n != 1 && !slices.ContainsFunc(a.langs, func(l *language) bool { return len(l.phrases["present"][lower(m[3])]) > 0 }) { // "6 gunicorn workers"
		things = []string{m[3], m[2]}
	}
	for _, t := range things {
		low := lower(t)
		if first, _ := utf8.DecodeRuneInString(low); low == "" || packed(first) != 0 || a.filler(low) || w.months[low] != 0 || w.weekdays[low] != 0 {
			return "", nil
		}
		if slices.Contains(times, low) { // "3 times"
			return times[0], []string{canonical(n)}
		}
		if a.weak(stem(low)) {
			continue
		}
		return stem(low), []string{canonical(n)}
	}
	return "", nil
}

// times are the words for how many times something may happen.
var times = []string{"times", "tries", "attempts", "mal", "versuche", "fois", "veces"}

func plural(w string) bool { return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") }

// counter reads a number with the counting word behind it, as in Japanese.
func counter(_ analysis, m []string) (string, []string) { return m[2], []string{m[1]} }

func portLike(a analysis, m []string) (string, []string) {
	if isYear(m[1]) || !a.has("where") && !a.has("changed") && !strings.Contains(strings.ToLower(a.text), "listen") {
		return "", nil
	}
	return "", []string{m[1]}
}

// labelWord reads a number in words behind a label: "languages: nine".
func labelWord(_ analysis, m []string) (string, []string) {
	n, ok := words().numbers[strings.ToLower(m[1])]
	if !ok {
		return "", nil
	}
	return "", []string{canonical(n)}
}

func bare(_ analysis, m []string) (string, []string) {
	if isYear(m[1]) || path.Ext(m[1]) == "." {
		return "", nil
	}
	n, ok := parseNumber(m[1])
	if !ok {
		return "", nil
	}
	return "", []string{canonical(n)}
}
