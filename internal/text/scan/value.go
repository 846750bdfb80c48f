package scan

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
)

// Words used in place of a secret, alone or inside the value.
const (
	standIns = " pass password passwd passwort pwd secret token key apikey example test testing dummy foo bar baz foobar user username admin none null nil true false " +
		"yes todo tbd redacted hidden removed masked placeholder undefined empty default string value unset required optional enabled disabled here omitted "
	standInParts = "example changeme change-me change_me placeholder redacted yourkey your-key your_key your-token your_token yoursecret your-secret your_secret " +
		"your-password your_password your-api your_api xxxxx xxxx-xxxx insert- replace_me replace-me replaceme goes-here goes_here _here> notreal not-a-real not_a_real " +
		"dummy sample fake-key fake_key faketoken 123456789 0123456 abcdefgh deadbeef cafebabe asdfasdf keepass 1password bitwarden lastpass"
)

var standInList = sync.OnceValue(func() []string { return strings.Fields(standInParts) })

// placeholder reports whether v is what people write instead of a secret: a mask, a template, a word.
func placeholder(v []byte) bool {
	if distinct(v) <= 3 {
		return true
	}
	if len(v) > 140 { // too long to be written by hand
		return false
	}
	if v[0] == '<' || v[0] == '[' || v[0] == '{' || v[0] == '%' && len(v) < 12 || v[0] == '&' && bytes.IndexByte(v, ';') > 0 || bytes.HasPrefix(v, []byte("__")) && bytes.HasSuffix(v, []byte("__")) || bytes.HasSuffix(v, []byte{'>'}) && bytes.IndexByte(v, '<') >= 0 {
		return true
	}
	if v[0] == '$' && (len(v) > 1 && (v[1] == '{' || v[1] == '(' || v[1] == '_' || isAlnum(v[1])) && !bytes.ContainsAny(v[1:], "$!@#%^&*")) {
		return true
	}
	for _, s := range [...]string{"...", "…", "***", "•••", "{{", "${", "masked"} {
		if bytes.Contains(v, []byte(s)) {
			return true
		}
	}
	low := strings.ToLower(string(v))
	if strings.Contains(standIns, " "+strings.Trim(low, "!?.,;:_-*#\"'`()0123456789")+" ") && len(low) < 12 {
		return true
	}
	return slices.ContainsFunc(standInList(), func(s string) bool { return strings.Contains(low, s) })
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

const references = "env: env. env[ env( $ op:// vault: vault/ vault. arn: file: file( keyring: keychain: bw: ssm: ssm/ sops: ref+ aws-sm: gcp-sm: secrets. secret/ secrets/ vars. " +
	"process.env os.env os.getenv getenv system.getenv config. cfg. settings. self. this. data. kv/ pass/ / ./ ../ ~/ http:// https:// s3:// ssh:// sha256: sha512: sha1: sha256- sha384- sha512- h1: md5: ssh- aaaa base64: data:"

var referenceHeads = sync.OnceValue(func() []string { return strings.Fields(references) })

// reference reports whether v names the secret's place instead of being the secret, or is a name,
// path, checksum or call.
func reference(v []byte) bool {
	low := strings.ToLower(string(v))
	for _, h := range referenceHeads() {
		if strings.HasPrefix(low, h) {
			return true
		}
	}
	if strings.ContainsAny(low, "()") && strings.IndexByte(low, '(') > 0 || strings.Contains(low, "://") {
		return true
	}
	return constantName(v) || fileName(low) || strings.Contains(low, "@") && strings.Contains(low[strings.Index(low, "@"):], ".")
}

// constantName reports NAMES_LIKE_THIS, which are variables.
func constantName(v []byte) bool {
	letters := 0
	for _, c := range v {
		if c >= 'A' && c <= 'Z' {
			letters++
		} else if c != '_' && (c < '0' || c > '9') {
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
		case c >= '0' && c <= '9':
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
	scattered := t.letters >= 18 && t.pieces*20 >= t.letters*9 && bytes.ContainsAny(v, "0123456789") && !bytes.Equal(v, bytes.ToLower(v))
	return (t.rate >= 0.3 || scattered) && entropy(v) >= 3
}

// tokenLike reports random values other than those common in notes: commit ids and checksums,
// UUIDs, references.
func tokenLike(v []byte) bool {
	return len(v) >= 16 && (random(v) || unspeakable(v)) && !isHexAny(v) && !isUUID(v) && !reference(v) && !placeholder(v)
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

func isHexAny(v []byte) bool { return isHex(bytes.ToLower(v)) }

func isUUID(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, c := range v {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !isHexAny(v[i:i+1]) {
			return false
		}
	}
	return true
}

// pathLike reports values that are mostly short words between slashes.
func pathLike(v []byte) bool {
	if bytes.IndexByte(v, '/') < 0 {
		return false
	}
	return textureOf(v).rate < 0.3
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
