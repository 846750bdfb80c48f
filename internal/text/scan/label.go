package scan

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Values are judged by the words before them: "API key for the map: …", "пароль: …", "X_CONSUMER_KEY=…".

// How far a value may be from its label, and how much of a value is judged.
const (
	longestQualifier = 60
	longestJudged    = 160
	nearby           = 100
)

// labelledPassword accepts what looks like a password and is assigned to the word, or follows it and can be nothing else.
func labelledPassword(b []byte, _, end int) (lo, hi int, ok bool) {
	if lo, ok = assigned(b, end); ok {
		if hi = appPasswordEnd(b, lo); hi > lo {
			return lo, hi, true
		}
		hi = passwordEnd(b, lo)
		if passwordLike(b[lo:hi]) {
			return lo, hi, true
		}
	}
	return barePassword(b, end)
}

// appPasswordEnd is the end of four groups of four small letters at lo, as Google and Apple issue for programs, lo if there are
// none. Four words of a sentence have a vowel each.
func appPasswordEnd(b []byte, lo int) int {
	m := appPassword().Find(b[lo:min(len(b), lo+20)])
	if m == nil || placeholder(m[:19]) {
		return lo
	}
	for group := range bytes.SplitSeq(m[:19], m[4:5]) {
		if !bytes.ContainsAny(group, "aeiouy") {
			return lo + 19
		}
	}
	return lo
}

// barePassword accepts a password that only blanks, a closing mark or one or two words separate from the label.
func barePassword(b []byte, end int) (lo, hi int, ok bool) {
	i := labelEnd(b, end)
	for range 3 {
		if lo = skip(b, i, " \t\"'`*_"); lo >= len(b) || b[lo] == '\n' || lo-end > longestQualifier {
			return 0, 0, false
		}
		if hi = passwordEnd(b, lo); hi-lo >= 8 && chosen(b[lo:hi]) && passwordLike(b[lo:hi]) {
			return lo, hi, true
		}
		if i = max(hi, lo+1); strings.IndexByte(".,;:!?)", b[i-1]) >= 0 {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// login accepts the password in "login ops/…", "root / …" and "credentials for db1: root / …", which comes after a name, and in
// "root credentials: …". It can be nothing else.
func login(b []byte, at, end int) (lo, hi int, ok bool) {
	if at > 0 && isAlnum(b[at]) && isAlnum(b[at-1]) {
		return 0, 0, false // letters of an id
	}
	if lo, ok = assigned(b, end); ok {
		if hi = passwordEnd(b, lo); hi-lo >= 8 && chosen(b[lo:hi]) && passwordLike(b[lo:hi]) {
			return lo, hi, true
		}
	}
	limit := min(len(b), end+longestQualifier)
	for i := end; i < limit && b[i] != '\n'; i++ {
		if b[i] != '/' || !afterName(b, i) {
			continue
		}
		lo = skip(b, i+1, " `")
		if hi = passwordEnd(b, lo); hi-lo >= 8 && chosen(b[lo:hi]) && passwordLike(b[lo:hi]) {
			return lo, hi, true
		}
	}
	return 0, 0, false
}

// afterName reports whether a plain name, and no path, ends at i.
func afterName(b []byte, i int) bool {
	if i > 0 && b[i-1] == ' ' {
		i--
	}
	from := i
	for from > 0 && i-from < 32 && nameChars[b[from-1]] {
		from--
	}
	return from < i && (from == 0 || strings.IndexByte(" `\"'(", b[from-1]) >= 0)
}

// labelledShort is stricter: "pass" is also a verb and a test's result, so only a value that can be nothing else counts.
func labelledShort(b []byte, at, end int) (lo, hi int, ok bool) {
	if at > 0 && isAlnum(b[at-1]) || end < len(b) && isAlnum(b[end]) {
		return 0, 0, false
	}
	if lo, ok = assigned(b, end); !ok {
		return 0, 0, false
	}
	hi = passwordEnd(b, lo)
	v := b[lo:hi]
	return lo, hi, passwordLike(v) && (odd(v) || random(v))
}

// labelledToken accepts an issued value that is assigned to a word for tokens.
func labelledToken(b []byte, at, end int) (lo, hi int, ok bool) {
	lo, hi, ok = assignedToken(b, end, lower(b[at]) == 'a' || isSure(b, at))
	return lo, hi, ok && (lower(b[at]) == 's' || !isPublic(b, at)) // a secret is never public
}

// labelledKey accepts an issued value that is assigned to a word for keys. The word means many things, so the value must look generated
// unless the words before leave no doubt.
func labelledKey(b []byte, at, end int) (lo, hi int, ok bool) {
	if end < len(b) && isAlnum(b[end]) && lower(b[end]) != 's' {
		return 0, 0, false
	}
	sure := isSure(b, at) || bytes.Contains(bytes.ToLower(b[end:min(len(b), end+12)]), []byte("api")) // "clé API", "ключ API"
	lo, hi, ok = assignedToken(b, end, sure)
	return lo, hi, ok && (sure || !isHexAny(b[lo:hi])) && !isPublic(b, at)
}

// labelledService accepts a key that directly follows the name of the service: "Weather API: …".
func labelledService(b []byte, at, end int) (lo, hi int, ok bool) {
	if end < len(b) && isAlnum(b[end]) {
		return 0, 0, false
	}
	lo, hi, ok = assignedToken(b, end, false)
	return lo, hi, ok && lo-end <= 8
}

// assignedToken accepts a value that looks generated. Commit ids, checksums and UUIDs do as well: they count only if the words
// before leave little doubt.
func assignedToken(b []byte, end int, sure bool) (lo, hi int, ok bool) {
	if lo, ok = assigned(b, end); !ok {
		if lo, ok = argument(b, end); !ok {
			return 0, 0, false
		}
	}
	hi = tokenEnd(b, lo)
	v := b[lo:hi]
	if len(v) < 12 || placeholder(v) || abbreviated(b, hi) || announcesPublic(b[max(0, lo-12):lo]) {
		return 0, 0, false
	}
	least := 32 // digits of a number that is a token and no commit
	if sure {
		least = 24
	}
	ok = tokenLike(v) || isHexAny(v) && len(v) >= least || sure && isUUID(v)
	for ok && hi < len(b) && tokenChars[b[hi]] {
		hi++ // what was judged is only the beginning
	}
	return lo, hi, ok
}

// nearLabel searches the line after a word for secrets for a value that can only be one.
func nearLabel(b []byte, at, end int) (lo, hi int, ok bool) {
	limit := min(len(b), end+nearby)
	for end < limit && tokenChars[b[end]] {
		end++ // the label is part of a path or a name
	}
	for i := end; i < limit && b[i] != '\n' && !bytes.HasSuffix(b[:i+1], []byte(`"}`)); i++ {
		if !tokenChars[b[i]] {
			continue
		}
		for lo = i; i < len(b) && i-lo < longestJudged && tokenChars[b[i]]; i++ {
		}
		v := bytes.TrimRight(b[lo:i], ".=-")
		hi = lo + len(v)
		if sign := bytes.LastIndexByte(v, '='); sign > 0 {
			lo, v = lo+sign+1, v[sign+1:]
		}
		if len(v) < 20 || !strikinglyRandom(v) {
			continue
		}
		return lo, hi, !abbreviated(b, hi) && !announcesPublic(b[max(0, lo-12):lo]) && !isPublic(b, at) && !isProperty(b, end)
	}
	return 0, 0, false
}

// isPublic reports whether the word before the label makes it public.
func isPublic(b []byte, at int) bool { return endsWith(b[max(0, at-24):at], words()["public"]) }

// isSure reports whether the word before the label leaves no doubt.
func isSure(b []byte, at int) bool { return endsWith(b[max(0, at-24):at], words()["sure"]) }

// endsWith reports whether the last word of lead is one of the list.
func endsWith(lead []byte, list []string) bool {
	low := strings.TrimRight(strings.ToLower(string(lead)), " _-\"'`*")
	last := low[len(strings.TrimRightFunc(low, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })):]
	for _, w := range list {
		if strings.HasPrefix(last, w) { // a stem
			return true
		}
		if head, ok := strings.CutSuffix(low, w); ok && (head == "" || !isAlnum(head[len(head)-1]) || w[0] >= utf8.RuneSelf) {
			return true
		}
	}
	return false
}

// isProperty reports whether the label goes on with a word for what is not the secret itself, as in token_id.
func isProperty(b []byte, end int) bool {
	low := strings.ToLower(string(b[end:min(len(b), end+16)]))
	low = strings.TrimLeft(strings.TrimPrefix(low, "s"), " _-")
	word := low
	if i := strings.IndexFunc(low, func(r rune) bool { return r < 'a' || r > 'z' }); i >= 0 {
		word = low[:i]
	}
	return slices.Contains(words()["property"], word)
}

// assigned returns where the value of a label begins: after a sign of assignment that stands in the same sentence, with at most
// a short qualifier before it.
func assigned(b []byte, end int) (lo int, ok bool) {
	if isProperty(b, end) {
		return 0, false
	}
	i := labelEnd(b, end)
	if i < len(b) && b[i] < utf8.RuneSelf && strings.IndexByte(" \t\"'`*)]:=|-/\\", b[i]) < 0 {
		return 0, false // part of something else, as in pass@1
	}
	if bytes.HasPrefix(b[i:], []byte(" `")) {
		return i + 2, i+2 < len(b)
	}
	for limit := min(len(b), i+longestQualifier); i < limit; {
		r, n := utf8.DecodeRune(b[i:limit])
		if sign := signAt(b, i, r); sign > 0 {
			lo = skip(b, i+sign, " \t\"'`*(\\:=>|~")
			return afterScheme(b, lo), lo < len(b) && b[lo] > ' '
		}
		if r == '\n' || endsSentence(b, i, r, n) {
			return 0, false
		}
		i += n
	}
	return 0, false
}

// argument returns where the text in set_token('…') begins.
func argument(b []byte, end int) (lo int, ok bool) {
	i := labelEnd(b, end)
	ok = bytes.HasPrefix(b[i:], []byte("('")) || bytes.HasPrefix(b[i:], []byte(`("`))
	return i + 2, ok && i+2 < len(b)
}

// signAt is the length of the sign of assignment at i, 0 if there is none.
func signAt(b []byte, i int, r rune) int {
	switch r {
	case ':':
		if i > 0 && i+1 < len(b) && isDigit(b[i-1]) && isDigit(b[i+1]) || bytes.HasPrefix(b[i:], []byte("://")) {
			return 0
		}
		return 1
	case '=':
		return 1
	case '|':
		if row := bytes.TrimLeft(lineBefore(b, i), " \t"); len(row) > 0 && row[0] == '|' {
			return 1
		}
	case '：', '＝', '→', '是', '为', '為', 'は', 'が', '는', '은', '이', '｜':
		return utf8.RuneLen(r)
	case ' ':
		for _, link := range [...]string{" is ", " was ", " ist ", " lautet ", " es ", " est ", " é ", " -> ", " — "} {
			if bytes.HasPrefix(b[i:], []byte(link)) {
				return len(link)
			}
		}
	}
	return 0
}

func endsSentence(b []byte, i int, r rune, n int) bool {
	switch r {
	case '。', '，', '；', '！', '？':
		return true
	case '}':
		return i > 0 && b[i-1] == '"' // of JSON
	case '.', ',', ';', '!', '?':
		return i+n >= len(b) || b[i+n] <= ' '
	}
	return false
}

// labelEnd skips the rest of the word or identifier that the label is part of.
func labelEnd(b []byte, end int) int {
	for limit := min(len(b), end+24); end < limit; {
		r, n := utf8.DecodeRune(b[end:limit])
		if !unicode.In(r, unicode.Latin, unicode.Cyrillic) && (r > unicode.MaxASCII || !isAlnum(byte(r)) && r != '_') {
			break
		}
		end += n
	}
	return end
}

// afterScheme skips the name of an authorization scheme before its token.
func afterScheme(b []byte, i int) int {
	for _, scheme := range [...]string{"bearer ", "token ", "basic "} {
		if len(b)-i > len(scheme) && strings.EqualFold(string(b[i:i+len(scheme)]), scheme) {
			return skip(b, i+len(scheme), " \"'`")
		}
	}
	return i
}

// skip returns the first offset from i on whose byte is not in set.
func skip(b []byte, i int, set string) int {
	for limit := min(len(b), i+16); i < limit && strings.IndexByte(set, b[i]) >= 0; i++ {
	}
	return i
}

var tokenChars = chars("A-Za-z0-9_+/=.~-")

// tokenEnd is the end of the value at lo that an issuer made: ASCII without quotes and punctuation of sentences.
func tokenEnd(b []byte, lo int) int {
	hi := lo
	for hi < len(b) && hi-lo < longestJudged && b[hi] > ' ' && b[hi] < 0x7f && strings.IndexByte("\"'`,;()<>\\&|", b[hi]) < 0 {
		hi++
	}
	return lo + len(bytes.TrimRight(b[lo:hi], ".:*]}>"))
}

// passwordEnd is the end of the value at lo that a person may have made up: up to a blank, a quote or a sign of another script.
func passwordEnd(b []byte, lo int) int {
	hi := lo
	for hi < len(b) && hi-lo <= longestPassword && b[hi] > ' ' && strings.IndexByte("\"'`", b[hi]) < 0 {
		r, n := utf8.DecodeRune(b[hi:])
		if r >= 0x2000 || r == '«' || r == '»' || bytes.HasPrefix(b[hi:], []byte("</")) || bytes.HasPrefix(b[hi:], []byte("<br")) {
			break
		}
		hi += n
	}
	return lo + len(bytes.TrimRight(b[lo:min(hi, len(b))], ".,;:)*]}>|\\"))
}

// announcesPublic reports whether the words before a value announce a checksum, a public key or a parameter that everybody sees.
func announcesPublic(lead []byte) bool {
	name := strings.TrimRight(string(lead), " \"'`*")
	for _, id := range [...]string{"Id:", "ID:", "_id:", " id:"} {
		if strings.HasSuffix(name, id) {
			return true
		}
	}
	low := strings.ToLower(string(lead))
	for _, s := range [...]string{
		"sha256:", "sha256-", "sha512-", "sha384-", "sha1:", "h1:", "md5:", "base64,", "rsa ", "ed25519 ", "digest ",
		"id=", "state=", "challenge=", "nonce=", "hash=", "cursor=", "uri=", "ref=", "/d/", "docx/", "wiki/", "://",
	} {
		if strings.HasSuffix(low, s) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
