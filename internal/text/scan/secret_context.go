package scan

import (
	"bytes"
	"strings"
)

// assigned is what may come between a word and its value: closing marks, "for the NAS", then a
// sign or "is", then opening marks.
const assigned = "[\"'\\x60*_\\])]*(?:\\s+\\([^()\\n]{1,30}\\))?(?:\\s+(?:for|of|to|on|from|in|by|für|zum|vom|am|para|pour|du|des|для|от|del|de)\\s+[^:=\\n]{1,40}?)?" +
	"(?:\\s*(?:[:=]+>?|→|->|=>|\\||：)|\\s*(?:是|为|為|は|が|는|은)|\\s+(?:is|was|are|lautet|ist|es|est)\\b(?:\\s+(?:now|still|jetzt))?:?)\\s*[\"'\\x60*(]*"

// contextRules match secrets by the word before them and by the look of the value.
func contextRules() []rule {
	const (
		password = `(?:pass(?:word|wort|wd|code|phrase)|kennwort|contrase[ñn]a|mot de passe|palavra-passe|senha|wachtwoord|hasło|пароль|密码|密碼|口令|パスワード|비밀번호)s?`
		short    = `(?:pwd|pass|pw|psk)`
		bare     = "(?:password|passwort|passwd|pwd|kennwort)\\s+[\"'\\x60]?([^\\s\"'\\x60«»]{8,})"
		token    = `(?:tokens?|secrets?|credentials?|api[ _-]?keys?|api[ _-]?schlüssel|clés? api|ключ api|api ?密钥|api ?キー|令牌)`
		key      = `(?:access|secret|secret[ _-]?access|auth|private|signing|encryption|master|service|account|storage|subscription|deploy|admin|root|app|client|webhook|shared|hmac|license|licence|write|ingest|security|server)[ _-]?keys?`
		chosen   = "([^\\s\"'\\x60«»]{4,})"
		issued   = "([^\\s\"'\\x60«»,;)]{12,})"
	)
	p := func(lead func([]byte, int) bool, word, value string, pick func([]byte, []int) (int, int, bool), keys string) pattern {
		out := anchored(lead, "(?i)"+word+assigned+value, strings.Split(keys, ",")...)
		out.after, out.pick = 200, pick
		return out
	}
	return []rule{
		secretRule("password", Medium, "A password seems to be written out.",
			p(chosenAhead, password, chosen, assignedPassword, "pass,kennwort,contrase,mot de passe,palavra,senha,wachtwoord,hasło,Hasło,HASŁO,пароль,Пароль,ПАРОЛЬ,密码,密碼,口令,パスワード,비밀번호"),
			p(both(wordStart, chosenAhead), short, chosen, assignedShort, "pwd,pass,pw,psk"),
			bareValue(bare, "pass", "pwd", "kennwort")),
		secretRule("assigned-token", Medium, "A key or token seems to be written out.",
			p(issuedAhead, token, issued, assignedToken, "token,secret,credential,api,clé,Clé,CLÉ,ключ,Ключ,КЛЮЧ,令牌"),
			p(both(wordStart, issuedAhead), key, issued, assignedKey,
				"access,secret,auth,private,signing,encryption,master,service,account,storage,subscription,deploy,admin,root,app,client,webhook,shared,hmac,license,licence,write,ingest,security,server")),
		secretRule("random-token", Low, "A random-looking value follows a word for secrets.",
			pattern{keys: []string{"token", "secret", "credential", "creds", "api key", "api-key", "apikey", "password", "passwd", "login", "auth"}, at: nearbyToken}),
	}
}

func both(a, b func([]byte, int) bool) func([]byte, int) bool {
	return func(text []byte, key int) bool { return a(text, key) && b(text, key) }
}

// issuedAhead reports whether something as long as an issued token follows: in prose about tokens
// nothing does, and the expression need not run.
func issuedAhead(b []byte, key int) bool {
	return runAhead(b, key, func(run []byte) bool { return len(run) >= 12 })
}

// chosenAhead reports whether something other than a plain word follows.
func chosenAhead(b []byte, key int) bool {
	return runAhead(b, key, func(run []byte) bool {
		return len(run) >= 20 || len(run) >= 6 && bytes.ContainsAny(run, "0123456789!#$%^&@?*")
	})
}

// runAhead checks the runs between spaces and quotes of the next bytes.
func runAhead(b []byte, key int, is func(run []byte) bool) bool {
	end := min(len(b), key+220)
	for i := key; i < end; i++ {
		from := i
		for i < end && b[i] > ' ' && b[i] != '"' && b[i] != '\'' && b[i] != '`' {
			i++
		}
		if from > key && is(b[from:i]) || from == key && i-key > 12 && is(b[from:i]) {
			return true
		}
	}
	return false
}

var (
	// notSecret matches words that make a following key or token public.
	notSecret = expr(`(?i)(?:public|next|prev|page|paging|sync|continuation|cursor|idempotency|cache|partition|primary|foreign|sort|row|lock|host|stop|eos|pad|bos|design|trace|request|publishable|anon|site|map|hash|etag` +
		`|csrf|xsrf|authenticity|dedup|shard|routing|span|resume|object|s3|registry|answer|magic|cancellation|nonce|checksum|digest|fingerprint|cipher|non)[ _-]*$`)
	// forSure matches words that make a following token or secret certain.
	forSure = expr(`(?i)(?:client|access|auth|bearer|webhook|signing|session|refresh|bot|deploy|app|personal|jwt|hmac|oauth|consumer|shared|api|admin|private|encryption)[ _-]?$`)
)

func assignedPassword(b []byte, m []int) (lo, hi int, ok bool) {
	lo = m[2]
	v := bytes.TrimRight(b[lo:m[3]], ".,;:)*]}>|")
	return lo, lo + len(v), passwordLike(v)
}

// bareValue matches a word for a password with only a space before the value, which must look like
// nothing else.
func bareValue(re string, keys ...string) pattern {
	p := anchored(wordStart, "(?i)"+re, keys...)
	p.pick = func(b []byte, m []int) (int, int, bool) {
		v := bytes.TrimRight(b[m[2]:m[3]], ".,;:)*]}>|")
		mixed := !bytes.Equal(v, bytes.ToLower(v)) && !bytes.Equal(v, bytes.ToUpper(v)) && bytes.ContainsAny(v, "0123456789")
		return m[2], m[2] + len(v), mixed && random(v) && passwordLike(v)
	}
	return p
}

// assignedShort is stricter: "pass" is also a verb and a test's result, so only a value that can be
// nothing else counts.
func assignedShort(b []byte, m []int) (lo, hi int, ok bool) {
	lo, hi, ok = assignedPassword(b, m)
	return lo, hi, ok && (odd(b[lo:hi]) || random(b[lo:hi]))
}

func assignedToken(b []byte, m []int) (lo, hi int, ok bool) {
	before := b[max(0, m[0]-24):m[0]]
	if notSecret().Match(before) {
		return 0, 0, false
	}
	return issuedValue(b, m, forSure().Match(before) || lower(b[m[0]]) == 'a')
}

func assignedKey(b []byte, m []int) (lo, hi int, ok bool) { return issuedValue(b, m, true) }

// issuedValue accepts a value that looks generated. Commit ids, checksums and UUIDs do as well: they
// count only if the word before leaves little doubt.
func issuedValue(b []byte, m []int, sure bool) (lo, hi int, ok bool) {
	lo = m[2]
	v := bytes.TrimRight(b[lo:m[3]], ".:*]}>|")
	hi = lo + len(v)
	if len(v) < 12 || placeholder(v) {
		return lo, hi, false
	}
	return lo, hi, tokenLike(v) || isHexAny(v) && (len(v) >= 32 || sure && len(v) >= 24) || sure && isUUID(v)
}

// nearbyToken searches the line after a word for secrets for a value that can only be one.
func nearbyToken(b []byte, key int) (lo, hi int, ok bool) {
	end := min(len(b), key+80)
	for lo = key; lo < end && b[lo] != '\n'; {
		if !wordChars[b[lo]] {
			lo++
			continue
		}
		hi = lo
		for hi < len(b) && wordChars[b[hi]] {
			hi++
		}
		if hi-lo >= 20 && lo > key {
			v := bytes.TrimRight(b[lo:hi], ".=-")
			public := func() bool {
				return sum(b[max(0, lo-12):lo]) || notSecretParameter().Match(b[max(0, lo-20):lo]) ||
					notSecret().Match(b[max(0, key-24):key]) || publicName().Match(b[key:min(len(b), key+24)])
			}
			return lo, lo + len(v), strikinglyRandom(v) && !public()
		}
		lo = hi
	}
	return 0, 0, false
}

var (
	wordChars = chars("A-Za-z0-9_+/.~-")
	// publicName matches names of things that only refer to a secret.
	publicName = expr(`(?i)^[a-z]+[ _-]?(?:ids?|names?|types?|hash|count)\b`)
	// notSecretParameter matches parameters whose values are random and public.
	notSecretParameter = expr(`(?i)(?:id|state|challenge|nonce|sig|hash|cursor|uri|ref)=$`)
)

func strikinglyRandom(v []byte) bool {
	return textureOf(v).size >= 16 && tokenLike(v) && entropy(v) >= 3.5 && bytes.ContainsAny(v, "0123456789") &&
		!bytes.Equal(v, bytes.ToLower(v)) && !bytes.Equal(v, bytes.ToUpper(v))
}

// sum reports whether the words before announce a checksum or a public key.
func sum(lead []byte) bool {
	low := strings.ToLower(string(lead))
	for _, s := range [...]string{"sha256:", "sha256-", "sha512-", "sha384-", "sha1:", "h1:", "md5:", "base64,", "rsa ", "ed25519 ", "digest "} {
		if strings.HasSuffix(low, s) {
			return true
		}
	}
	return false
}

var (
	measure   = expr(`(?i)^[<>~≥≤]?\d{1,5}(?:[.,]\d+)?[+%]?(?:[-_/]?(?:chars?|characters?|bytes?|bits?|digits?|days?|hours?|[a-z]{1,4}))?[+%]?$`)
	moment    = expr(`^\d{4}[-/.]?\d{2}[-/.]?\d{2}(?:[T_ -]?\d{2}:?\d{2}.*)?$|^\d{1,2}[./:]\d{1,2}(?:[./:]\d{2,4})?$`)
	version   = expr(`(?i)^[a-z]*[-@=~^]?v?\d+(?:\.\d+)+(?:[-+.][a-z0-9.]+)?$`)
	label     = expr(`^[A-Za-z]+(?:[-_.:/+][A-Za-z]+)+(?:[-_.:/]+[vV]?\d{1,4})*$|^[A-Za-z]+(?:[-_.:/]+[vV]?\d{1,2})*$`)
	labelWith = expr(`^[A-Za-z]*\d*(?:[-_.:/+=,#&][A-Za-z]*\d{0,4}){2,}$`)
	algorithm = expr(`(?i)^(?:sha-?\d+|md[45]|bcrypt|scrypt|argon2(?:id|i|d)?|pbkdf2|hmac|aes|rsa|ed25519|x25519|x509|base(?:32|58|64)|utf-?8|oauth2?|oidc|saml2?|mfa|2fa|totp|u2f|webauthn|fido2|` +
		`i18n|l10n|k8s|ntlmv?2?|tls1|ssl3?|http2|ipv[46]|s3|ec2|oauth1|ldap|pkcs\d+|jwt|h264|web3|wpa[23])\b`)
)

// passwordLike reports whether v looks like a password. Plain words do not count: a note says
// "password: required" far more often than it contains one.
func passwordLike(v []byte) bool {
	if len(v) < 6 || len(v) > 128 || placeholder(v) || reference(v) {
		return false
	}
	if measure().Match(v) || moment().Match(v) || version().Match(v) || algorithm().Match(v) {
		return false
	}
	var small, capital, digit, sign, high int
	for _, c := range v {
		switch {
		case c >= 'a' && c <= 'z':
			small++
		case c >= 'A' && c <= 'Z':
			capital++
		case c >= '0' && c <= '9':
			digit++
		case c >= 0x80:
			high++
		default:
			sign++
		}
	}
	letters := small + capital
	switch {
	case high > letters+digit:
		return false
	case letters == 0:
		return digit >= 8 && !bytes.ContainsAny(v, "+*/=")
	case random(v) || unspeakable(v):
		return !isUUID(v)
	case digit == 0:
		return odd(v) && capital > 0 || bytes.Count(v, []byte{'-'}) >= 3 && label().Match(v) && len(v) >= 20
	case sign > 0 && !odd(v) && (label().Match(v) || labelWith().Match(v)):
		return false
	}
	return digit > 0 && letters >= 2
}

// odd reports whether v has a sign that names, paths and versions do not have.
func odd(v []byte) bool {
	return bytes.ContainsAny(v[:len(v)-1], "@*?~+") || bytes.ContainsAny(v, "!#$%^&")
}
