package scan

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// placeholder reports whether v is what people write instead of a secret: a mask, a template, a word.
func placeholder(v []byte) bool {
	if len(v) == 0 || distinct(v) <= 3 {
		return true
	}
	if len(v) > 140 { // too long to be written by hand
		return false
	}
	if template(v) || bytes.Contains(v, []byte("masked")) {
		return true
	}
	low := strings.ToLower(string(v))
	if len(low) < 12 && slices.Contains(words()["standin"], strings.Trim(low, "!?.,;:_-*#\"'`()0123456789")) {
		return true
	}
	return slices.ContainsFunc(words()["part"], func(s string) bool { return strings.Contains(low, s) })
}

// template reports values that a program or a person has yet to fill in, and values that someone has masked.
func template(v []byte) bool {
	for _, s := range [...]string{"...", "…", "***", "•••", "{{", "${", "$("} {
		if bytes.Contains(v, []byte(s)) {
			return true
		}
	}
	switch v[0] {
	case '<', '[', '{', '(':
		return true
	case '%':
		return len(v) < 12
	case '&':
		return bytes.IndexByte(v, ';') > 0
	case '$':
		return len(v) > 1 && (v[1] == '_' || isAlnum(v[1])) && !bytes.ContainsAny(v[1:], "$!@#%^&*")
	case '_':
		return bytes.HasPrefix(v, []byte("__")) && bytes.HasSuffix(v, []byte("__"))
	}
	return bytes.HasSuffix(v, []byte{'>'}) && bytes.IndexByte(v, '<') >= 0
}

func distinct(v []byte) int {
	var seen charset
	n := 0
	for _, c := range v {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// reference reports whether v names the secret's place instead of being the secret, or is a name, path, checksum or call.
func reference(v []byte) bool {
	low := strings.ToLower(string(v))
	if slices.ContainsFunc(words()["reference"], func(head string) bool { return strings.HasPrefix(low, head) }) {
		return true
	}
	if strings.Contains(low, "://") || strings.IndexAny(low, "([") > 0 || constantName(v) || fileName(low) {
		return true
	}
	if address().MatchString(low) || account().MatchString(low) || objectPath().Match(v) {
		return true
	}
	at := strings.IndexByte(low, '@')
	return at >= 0 && strings.Contains(low[at:], ".")
}

// constantName reports NAMES_LIKE_THIS, which are variables.
func constantName(v []byte) bool {
	letters := 0
	for _, c := range v {
		if c >= 'A' && c <= 'Z' {
			letters++
		} else if c != '_' && !isDigit(c) {
			return false
		}
	}
	return bytes.IndexByte(v, '_') > 0 && letters*2 > len(v)
}

// fileName reports names with a file extension.
func fileName(low string) bool {
	dot := strings.LastIndexByte(low, '.')
	if dot < 1 || len(low)-dot < 3 || len(low)-dot > 6 {
		return false
	}
	return !strings.ContainsFunc(low[dot+1:], func(c rune) bool { return c < 'a' || c > 'z' })
}

// texture describes how broken up a value looks: separators split it into segments, and a segment
// consists of words with at most one capital in front, runs of capitals, and numbers.
type texture struct {
	letters, pieces int     // of the whole value
	size            int     // of its most broken-up segment of ten letters or more, 0 if there is none
	rate            float64 // pieces per letter in that segment
}

func textureOf(v []byte) texture {
	var t texture
	for i := 0; i < len(v); {
		if !isAlnum(v[i]) {
			i++
			continue
		}
		from, n := i, 0
		for i < len(v) && isAlnum(v[i]) {
			n++
			i = pieceEnd(v, i)
		}
		t.letters += i - from
		t.pieces += n
		if rate := float64(n) / float64(i-from); i-from >= 10 && n >= 4 && rate > t.rate {
			t.size, t.rate = i-from, rate
		}
	}
	return t
}

func pieceEnd(v []byte, i int) int {
	kind := func(c byte) int {
		switch {
		case c >= 'a' && c <= 'z':
			return 1
		case c >= 'A' && c <= 'Z':
			return 2
		case isDigit(c):
			return 3
		}
		return 0
	}
	first := kind(v[i])
	i++
	if first == 2 && i < len(v) && kind(v[i]) == 1 {
		first = 1
	}
	for i < len(v) && kind(v[i]) == first {
		i++
	}
	return i
}

// random reports values that nobody would make up: they change between capitals, small letters and
// digits far more often than words and numbers do, in one segment or, if long, throughout.
func random(v []byte) bool {
	t := textureOf(v)
	scattered := t.letters >= 18 && t.pieces*20 >= t.letters*9 && bytes.ContainsAny(v, "0123456789") && !oneCase(v)
	return (t.rate >= 0.3 || scattered) && entropy(v) >= 3
}

func oneCase(v []byte) bool {
	return bytes.Equal(v, bytes.ToLower(v)) || bytes.Equal(v, bytes.ToUpper(v))
}

// tokenLike reports random values other than those common in notes: commit ids and checksums,
// UUIDs, references.
func tokenLike(v []byte) bool {
	if len(v) < 16 || !random(v) && !unspeakable(v) {
		return false
	}
	return !isHexAny(v) && !uuid().Match(v) && !reference(v) && !placeholder(v)
}

// strikinglyRandom reports values that are issued tokens whatever the words around them say.
func strikinglyRandom(v []byte) bool {
	t := textureOf(v)
	// Random letters and digits change their kind at every second place, the words of a long name at every third.
	mixed := bytes.ContainsAny(v, "0123456789") && !oneCase(v)
	return mixed && t.size >= 16 && t.rate >= 0.4 && entropy(v) >= 3.5 && tokenLike(v)
}

// unspeakable reports long runs of small letters that are not words of any language.
func unspeakable(v []byte) bool {
	run, longest := 0, 0
	for _, c := range v {
		switch {
		case c < 'a' || c > 'z':
			return false
		case strings.IndexByte("aeiouy", c) >= 0:
			run = 0
		default:
			run++
			longest = max(longest, run)
		}
	}
	return len(v) >= 16 && longest >= 6
}

func isHex(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(b) > 0
}

func isHexAny(v []byte) bool { return isHex(bytes.ToLower(v)) }

func isUUID(v []byte) bool { return len(v) == 36 && uuid().Match(v) }

// expr compiles on first use: most texts need few expressions.
func expr(re string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re) })
}

var (
	uuid    = expr(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{6,12}`)
	address = expr(`^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,6}/`)
	account = expr(`^0x[0-9a-f]{40}$`) // on a blockchain; a private key has 64 digits
	// A path of an object in a bucket: base64 hardly begins with a word and has no underscores.
	objectPath = expr(`^[a-z]{4,}/[A-Za-z0-9.-]*_[A-Za-z0-9._-]*/|^[a-z]{4,}/[a-z_]{4,}/`)
	measure    = expr(`(?i)^[<>~≥≤]?\d{1,5}(?:[.,]\d+)?[+%]?` +
		`(?:[-_/]?(?:chars?|characters?|bytes?|bits?|digits?|days?|hours?|[a-z]{1,4}))?[+%]?$`)
	appPassword = expr(`^[a-z]{4}(?: [a-z]{4}){3}(?:[^A-Za-z0-9]|$)|^[a-z]{4}(?:-[a-z]{4}){3}(?:[^A-Za-z0-9-]|$)`)
	moment      = expr(`^\d{4}[-/.]?\d{2}[-/.]?\d{2}(?:[T_ -]?\d{2}:?\d{2}.*)?$|^\d{1,2}[./:]\d{1,2}(?:[./:]\d{2,4})?$`)
	version     = expr(`(?i)^[a-z]*[-@=~^]?v?\d+(?:\.\d+)+(?:[-+.][a-z0-9.]+)?$`)
	name        = expr(`^[A-Za-z]+(?:[-_.:/+][A-Za-z]+)+(?:[-_.:/]+[vV]?\d{1,4})*$|^[A-Za-z]+(?:[-_.:/]+[vV]?\d{1,2})*$`)
	numbered    = expr(`^[A-Za-z]*\d*(?:[-_.:/+=,#&][A-Za-z]*\d{0,4}){2,}$`)
	algorithm   = expr(`(?i)^(?:sha-?\d+|md[45]|bcrypt|scrypt|argon2|pbkdf2|hmac|aes|rsa|ed25519|x25519|x509|base(?:32|58|64)` +
		`|utf-?8|oauth|oidc|saml|mfa|2fa|totp|u2f` +
		`|webauthn|fido2|i18n|l10n|k8s|ntlm|tls1|ssl3?|http2|ipv[46]|s3|ec2|ldap|pkcs\d+|jwt|h264|web3|wpa[23])`)
)

const longestPassword = 128

// passwordLike reports whether v looks like a password. Plain words do not count: a note says
// "password: required" far more often than it contains one.
func passwordLike(v []byte) bool {
	if len(v) < 6 || len(v) > longestPassword || placeholder(v) || reference(v) {
		return false
	}
	if measure().Match(v) || moment().Match(v) || version().Match(v) || algorithm().Match(v) {
		return false
	}
	var letters, capitals, digits, signs, high int
	for _, c := range v {
		switch {
		case isDigit(c):
			digits++
		case c >= 'A' && c <= 'Z':
			capitals++
			letters++
		case isAlnum(c):
			letters++
		case c >= 0x80:
			high++
		default:
			signs++
		}
	}
	switch {
	case high > letters+digits:
		return false
	case letters == 0:
		return digits >= 8 && !bytes.ContainsAny(v, "+*/=,")
	case random(v) || unspeakable(v):
		return !uuid().Match(v)
	case digits == 0:
		return bytes.ContainsAny(v, "!#$%^&") && capitals > 0 || bytes.Count(v, []byte{'-'}) >= 3 && len(v) >= 20 && name().Match(v)
	case signs > 0 && !odd(v) && (name().Match(v) || numbered().Match(v)):
		return false
	}
	return letters >= 2
}

// chosen reports values that can only be passwords: with digits and capitals and small letters, and random or with a sign that
// names do not have.
func chosen(v []byte) bool {
	return bytes.ContainsAny(v, "0123456789") && !oneCase(v) && (odd(v) || random(v))
}

// odd reports whether v has a sign that names, paths and versions do not have.
func odd(v []byte) bool {
	return bytes.ContainsAny(v[:len(v)-1], "@*?~+") || bytes.ContainsAny(v, "!#$%^&")
}

// entropy is the Shannon entropy in bits per byte.
func entropy(v []byte) float64 {
	var counts [256]int
	for _, c := range v {
		counts[c]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
