package scan

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// shapes are the functions that rules.txt names: secrets and marks with a form of their own.
func shapes() map[string]func(b []byte, at, end int) (lo, hi int, ok bool) {
	return map[string]func([]byte, int, int) (int, int, bool){
		"telegram": telegram, "keyBlock": keyBlock, "urlPassword": urlPassword, "loginAtAddress": loginAtAddress,
		"basicAuth": basicAuth, "seedPhrase": seedPhrase, "unopened": unopened, "imageBeacon": imageBeacon, "toolCall": toolCall,
	}
}

// telegram finds a bot's number, ":AA" and 33 characters; at is the offset of the colon.
func telegram(b []byte, at, end int) (lo, hi int, ok bool) {
	for lo = at; lo > 0 && at-lo < 12 && isDigit(b[lo-1]); lo-- {
	}
	for hi = end; hi < len(b) && hi-end < 40 && nameChars[b[hi]]; hi++ {
	}
	exact := string(b[at:end]) == ":AA" && at-lo >= 8 && at-lo <= 10 && hi-end >= 32 && hi-end <= 34
	return lo, hi, exact && (lo == 0 || !isAlnum(b[lo-1])) && !placeholder(b[lo:hi])
}

var (
	nameChars = chars("A-Za-z0-9_-")
	keyHeader = expr(`^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	keyFooter = expr(`^-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	keyBody   = chars("A-Za-z0-9+/= \t\r\n\\:,.\"'>|-")
)

// keyBlock finds a private key from its header to its footer, or as far as it goes. The header
// alone, which people write to name the format, is not a key.
func keyBlock(b []byte, at, _ int) (lo, hi int, ok bool) {
	head := keyHeader().Find(b[at:min(len(b), at+80)])
	if head == nil {
		return 0, 0, false
	}
	i, solid, longest := at+len(head), 0, 0
	end := i
	for i < len(b) && keyBody[b[i]] && i-at < 16<<10 {
		if b[i] == '-' && bytes.HasPrefix(b[i:], []byte("-----")) {
			if foot := keyFooter().Find(b[i:min(len(b), i+80)]); foot != nil {
				end = i + len(foot)
			}
			break
		}
		if isAlnum(b[i]) || b[i] == '+' || b[i] == '/' || b[i] == '=' {
			solid++
			if longest = max(longest, solid); solid >= 16 {
				end = i + 1
			}
		} else {
			solid = 0
		}
		i++
	}
	return at, end, longest >= 24
}

// urlPassword finds the password in scheme://user:password@host. at is the offset of "://".
func urlPassword(b []byte, at, start int) (lo, hi int, ok bool) {
	if at == 0 || !isAlnum(b[at-1]) {
		return 0, 0, false
	}
	end := start
	for end < len(b) && end-start < 300 && b[end] > ' ' && strings.IndexByte("/?#\"'<>`|\\", b[end]) < 0 {
		end++
	}
	sign := bytes.LastIndexByte(b[start:end], '@')
	if sign < 0 || start+sign+1 >= end || !isAlnum(b[start+sign+1]) && b[start+sign+1] != '[' {
		return 0, 0, false
	}
	user, password, ok := bytes.Cut(b[start:start+sign], []byte{':'})
	if !ok || len(password) < 3 || bytes.Equal(user, password) || placeholder(password) {
		return 0, 0, false
	}
	return start + sign - len(password), start + sign, true
}

var ipv4 = expr(`^\d{1,3}(?:\.\d{1,3}){3}`)

// loginAtAddress finds the password in user:password@10.0.0.4, written without a scheme.
func loginAtAddress(b []byte, at, end int) (lo, hi int, ok bool) {
	if end >= len(b) || !isDigit(b[end]) || !ipv4().Match(b[end:min(len(b), end+16)]) {
		return 0, 0, false
	}
	for lo = at; lo > 0 && at-lo < 64 && b[lo-1] > ' ' && strings.IndexByte(":/@", b[lo-1]) < 0; lo-- {
	}
	if lo < 2 || b[lo-1] != ':' || !isAlnum(b[lo-2]) {
		return 0, 0, false
	}
	return lo, at, passwordLike(b[lo:at])
}

// basicAuth finds base64 of user:password after the word "Basic".
func basicAuth(b []byte, _, end int) (lo, hi int, ok bool) {
	lo = skip(b, end, " ")
	for hi = lo; hi < len(b) && hi-lo < 200 && (isAlnum(b[hi]) || strings.IndexByte("+/=", b[hi]) >= 0); hi++ {
	}
	text, err := base64.StdEncoding.DecodeString(string(b[lo:hi]))
	if hi-lo < 10 || err != nil {
		return 0, 0, false
	}
	_, password, ok := bytes.Cut(text, []byte{':'})
	for _, c := range text {
		ok = ok && c >= 0x20 && c < 0x7f
	}
	return lo, hi, ok && len(password) > 2 && !placeholder(password)
}

var seed = expr("^(?i:(?:seed|mnemonic|recovery)(?: phrase| words)?[\"'\\x60* ]{0,4}[:=][\"'\\x60* ]{0,4}" +
	"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\\b)")

// seedPhrase finds the words of a wallet. They must differ: a sentence of twelve short words repeats its small ones.
func seedPhrase(b []byte, at, end int) (lo, hi int, ok bool) {
	if i := bytes.IndexAny(b[end:min(len(b), end+16)], ":="); i < 0 {
		return 0, 0, false
	}
	m := seed().FindSubmatchIndex(b[at:min(len(b), at+300)])
	if m == nil {
		return 0, 0, false
	}
	lo, hi = at+m[2], at+m[3]
	words := strings.FieldsFunc(strings.ToLower(string(b[lo:hi])), func(r rune) bool { return r == ' ' || r == ',' })
	seen := map[string]bool{}
	for _, w := range words {
		if strings.Contains(" the and for are was with that this from have not but you all can her has ", " "+w+" ") {
			return 0, 0, false
		}
		seen[w] = true
	}
	return lo, hi, len(seen)*4 >= len(words)*3
}

// imageBeacon accepts an image whose address has a parameter for private data, or one that a program fills in.
func imageBeacon(b []byte, at, end int) (lo, hi int, ok bool) {
	text := b[end:min(len(b), end+window)]
	open := bytes.Index(text, []byte("](http"))
	if open < 0 || bytes.IndexByte(text[:open], '\n') >= 0 {
		return 0, 0, false
	}
	url := text[open+2:]
	if stop := bytes.IndexAny(url, ") \t\n"); stop >= 0 {
		url = url[:stop]
	}
	_, query, _ := strings.Cut(string(url), "?")
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if slices.Contains(words()["loot"], strings.ToLower(name)) || strings.ContainsAny(value, "{<[") || strings.HasPrefix(value, "$(") {
			return at, end + open + 2 + len(url), true
		}
	}
	return 0, 0, false
}

// toolCall accepts the start of a tool call or its result if its body follows.
func toolCall(b []byte, at, end int) (lo, hi int, ok bool) {
	body := skip(b, end, " \r\n\t")
	return at, end, body < len(b) && strings.IndexByte("{[<", b[body]) >= 0
}

// unopened accepts a closing tag that hosts put around data, if nothing opened it.
func unopened(b []byte, at, end int) (lo, hi int, ok bool) {
	opening := append([]byte{'<'}, bytes.ToLower(b[at+2:end-1])...)
	return at, end, !bytes.Contains(bytes.ToLower(b[max(0, at-2048):at]), opening)
}
