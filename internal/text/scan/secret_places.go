package scan

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// placeRules match secrets by their place: key blocks, addresses, headers, commands.
func placeRules() []rule {
	re := func(expression string, before, after int, pick func([]byte, []int) (int, int, bool), keys ...string) pattern {
		if before == 0 {
			expression = "^(?:" + expression + ")"
		}
		return pattern{keys: keys, re: expr(expression), before: before, after: after, pick: pick}
	}
	group := func(_ []byte, m []int) (int, int, bool) { return m[2], m[3], true }
	return []rule{
		secretRule("private-key", High, "Contains a private key.",
			pattern{keys: []string{"-----begin "}, at: keyBlock},
			re(`(?i)Private-Lines: \d+\r?\n([A-Za-z0-9+/=\r\n]{40,})`, 0, 4000, group, "private-lines:")),
		secretRule("connection-string", High, "An address of a data store contains its password.",
			pattern{keys: []string{"://"}, at: func(b []byte, key int) (int, int, bool) { return urlPassword(b, key, true) }},
			re(`(?i)(?:Server|Data Source|Host|Endpoint|User Id|Uid|AccountName|SharedAccessKeyName)=[^;\n]{1,120};(?:[^;\n]{1,120};){0,6}?\s*(?:Password|Pwd|SharedAccessKey|AccountKey)=([^;\s"'«»]{4,})`, 160, 160, group, "password=", "pwd=", "sharedaccesskey=", "accountkey=")),
		secretRule("login-line", High, "A line has a user, a password and a host.",
			pattern{keys: []string{"@"}, at: loginAtAddress},
			re(`[\w.-]+:(?:5432|3306|6432|26257):[\w*-]+:[\w.-]+:([^\s:«»]{6,})`, 64, 120, passwordValue, ":5432:", ":3306:", ":6432:", ":26257:")),
		secretRule("url-password", High, "An address contains a password.",
			pattern{keys: []string{"://"}, at: func(b []byte, key int) (int, int, bool) { return urlPassword(b, key, false) }}),
		secretRule("telegram-token", High, "Looks like a Telegram bot token.",
			re(`\b(\d{8,10}:AA[A-Za-z0-9_-]{32,34})(?:[^A-Za-z0-9_-]|$)`, 12, 40, group, ":AA")),
		secretRule("azure-client-secret", High, "Looks like an Azure client secret.",
			re(`(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)`, 6, 40, group, "q~")),
		secretRule("azure-sas", High, "A shared access signature gives access to anyone who has the address.",
			re(`(?i)[?&;]sig=([A-Za-z0-9%+/]{40,100}(?:%3d|=)?)`, 1, 110, group, "sig=")),
		secretRule("aws-secret-key", High, "Looks like an AWS secret access key.",
			re(`(?i)(?:aws|secret_?access_?key|secret access key)[^\n]{0,60}?(?:[^A-Za-z0-9/+]|^)([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, 0, 120, awsSecret, "aws", "secretaccesskey", "secret_access_key", "secret access key")),
		secretRule("twilio-auth-token", High, "Looks like a Twilio auth token.",
			re(`(?i)twilio[^\n]{0,60}?(?:token|auth)[^\n0-9a-f]{1,12}\b([0-9a-f]{32})\b`, 0, 120, group, "twilio")),
		secretRule("mailchimp-key", High, "Looks like a Mailchimp key.",
			re(`\b([0-9a-f]{32}-us\d{1,2})\b`, 34, 6, group, "-us")),
		secretRule("mailgun-private-key", High, "Looks like a Mailgun key.",
			re(`(?i)mailgun[^\n]{0,60}?\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b`, 0, 120, group, "mailgun")),
		secretRule("vault-legacy-token", High, "Looks like a HashiCorp Vault token.",
			re(`(?i:vault)[^\n]{0,40}?\b(s\.[A-Za-z0-9]{24})\b`, 0, 80, group, "vault")),
		secretRule("authorization-header", High, "A request header contains credentials.",
			re(`(?i)\b(?:authorization|x-api-key|x-auth-token|private-token|api-key)["']?\s*[:=]\s*["']?(?:bearer\s+|token\s+|apikey\s+)?([A-Za-z0-9._~+/=-]{16,})`, 0, 500, tokenValue, "authorization", "x-api-key", "x-auth-token", "private-token", "api-key:"),
			re(`(?i)(?:set-)?cookie:[^\n]{0,200}?(?:sess|sid|auth|token)[a-z0-9_.-]{0,20}=([A-Za-z0-9._~+/%=-]{20,})`, 0, 400, tokenValue, "cookie:"),
			re(`(?i)\bbearer(?:\s+(?:to|is|=))?[:\s]+([A-Za-z0-9._~+/=-]{20,})`, 0, 500, tokenValue, "bearer"),
			re(`(?i)\bbasic\s+([A-Za-z0-9+/]{10,}={0,2})`, 0, 200, basicAuth, "basic ")),
		secretRule("command-password", High, "A command line contains a password.",
			re(`(?i)\bcurl\b[^\n|]{0,120}?\s(?:-u|--user)[ =]?["']?[^\s:"'@]{1,64}:([^\s"'«»]{4,})`, 0, 240, passwordValue, "curl"),
			re(`(?i)\bsshpass\s+-p\s*["']?([^\s"'«»]{4,})`, 0, 80, passwordValue, "sshpass"),
			re(`\b(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n|]{0,80}?\s-p([^\s"'«»]{4,})`, 0, 160, passwordValue, "mysql", "mariadb"),
			re(`(?i)\b(?:docker|podman|helm|oc|az|skopeo)\b[^\n|]{0,60}?\slogin\b[^\n|]{0,120}?\s(?:-p|--password)[ =]["']?([^\s"'«»]{4,})`, 0, 400, passwordValue, "docker", "podman", "helm", "oc ", "az ", "skopeo"),
			re(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s«»]{4,})`, 0, 200, passwordValue, "machine ")),
		secretRule("package-registry-token", High, "A registry's settings contain its token.",
			re(`(?i)_auth(?:Token)?\s*=\s*"?([A-Za-z0-9+/=_.-]{16,})`, 0, 200, tokenValue, "_authtoken", "_auth=", "_auth =")),
		secretRule("wallet-key", High, "Looks like the private key of a wallet.",
			re(`(?i)(?:private|secret|wallet|signing|signer|deployer)[ _-]?key[^\n]{0,40}?\b((?:0x)?[0-9a-f]{64})\b`, 0, 130, group, "private", "secret", "wallet", "sign", "deployer")),
		secretRule("seed-phrase", High, "Looks like the seed phrase of a wallet.",
			re(`(?i)(?:seed|mnemonic|recovery)(?: phrase| words)?["'\x60* ]*[:=]["'\x60* ]*((?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})\b`, 0, 300, seedWords, "seed", "mnemonic", "recovery")),
		secretRule("password-hash", Medium, "Looks like a stored password hash, which can be guessed offline.",
			re(`(\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$[156y]\$[^\s$:]{1,40}\$(?:[./A-Za-z0-9]{1,40}\$)?[./A-Za-z0-9]{22,86}|\$argon2(?:id|i|d)\$v=\d+\$[^\s$]{4,40}\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{20,})`, 0, 240, group, "$2a$", "$2b$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$argon2")),
	}
}

var (
	keyHeader = expr(`^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	keyFooter = expr(`^-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	keyBody   = chars("A-Za-z0-9+/= \t\r\n\\:,.\"'>|-")
)

// keyBlock matches a private key from its header to its footer, or as far as it goes. The header
// alone, which people write to name the format, is not a key.
func keyBlock(b []byte, at int) (lo, hi int, ok bool) {
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

// stores are the URL schemes of data stores and queues.
const stores = " postgres postgresql mysql mariadb mongodb redis rediss amqp amqps mssql sqlserver clickhouse cockroachdb couchdb ldap ldaps kafka nats neo4j bolt cassandra jdbc memcached influxdb elasticsearch smtp smtps imap imaps snowflake "

// urlPassword finds the password in scheme://user:password@host. key is the offset of "://".
func urlPassword(b []byte, key int, store bool) (lo, hi int, ok bool) {
	from := key
	for from > 0 && key-from < 24 && (isAlnum(b[from-1]) || strings.IndexByte("+-.", b[from-1]) >= 0) {
		from--
	}
	scheme, _, _ := strings.Cut(strings.ToLower(string(b[from:key])), "+")
	scheme = scheme[strings.LastIndexByte(scheme, '.')+1:]
	if scheme == "" || strings.Contains(stores, " "+scheme+" ") != store {
		return 0, 0, false
	}
	start := key + len("://")
	end := start
	for end < len(b) && end-start < 400 && b[end] > ' ' && strings.IndexByte("/?#\"'<>`|\\", b[end]) < 0 {
		end++
	}
	at := bytes.LastIndexByte(b[start:end], '@')
	if at < 0 {
		return 0, 0, false
	}
	user, password, ok := bytes.Cut(b[start:start+at], []byte{':'})
	host := after(b, start+at+1)
	if !ok || len(password) < 3 || bytes.Equal(user, password) || placeholder(password) || host == 0 || host == ' ' {
		return 0, 0, false
	}
	return start + at - len(password), start + at, true
}

// loginAtAddress finds the password in user:password@10.0.0.4, written without a scheme.
func loginAtAddress(b []byte, at int) (lo, hi int, ok bool) {
	if at+1 >= len(b) || b[at+1] < '0' || b[at+1] > '9' || !ipv4().Match(b[at+1:min(len(b), at+18)]) {
		return 0, 0, false
	}
	for lo = at; lo > 0 && at-lo < 64 && b[lo-1] > ' ' && b[lo-1] != ':' && b[lo-1] != '/' && b[lo-1] != '@'; lo-- {
	}
	if lo < 2 || b[lo-1] != ':' || !isAlnum(b[lo-2]) {
		return 0, 0, false
	}
	return lo, at, passwordLike(b[lo:at])
}

var ipv4 = expr(`^\d{1,3}(?:\.\d{1,3}){3}`)

func awsSecret(b []byte, m []int) (int, int, bool) {
	value := b[m[2]:m[3]]
	return m[2], m[3], !isHex(value) && random(value) && !pathLike(value)
}

func tokenValue(b []byte, m []int) (int, int, bool) {
	value := bytes.TrimRight(b[m[2]:m[3]], ".,")
	return m[2], m[2] + len(value), len(value) >= 16 && (tokenLike(value) || isHex(value) && len(value) >= 20)
}

func passwordValue(b []byte, m []int) (int, int, bool) {
	return m[2], m[3], !placeholder(b[m[2]:m[3]]) && !reference(b[m[2]:m[3]])
}

func basicAuth(b []byte, m []int) (int, int, bool) {
	text, err := base64.StdEncoding.DecodeString(string(b[m[2]:m[3]]))
	if err != nil {
		return 0, 0, false
	}
	_, password, ok := bytes.Cut(text, []byte{':'})
	for _, c := range text {
		ok = ok && c >= 0x20 && c < 0x7f
	}
	return m[2], m[3], ok && len(password) > 2 && !placeholder(password)
}

// seedWords requires distinct words: a sentence of twelve short words repeats its small ones.
func seedWords(b []byte, m []int) (int, int, bool) {
	words := strings.FieldsFunc(strings.ToLower(string(b[m[2]:m[3]])), func(r rune) bool { return r == ' ' || r == ',' })
	seen := map[string]bool{}
	for _, w := range words {
		if strings.Contains(" the and for are was with that this from have not but you all can her has ", " "+w+" ") {
			return 0, 0, false
		}
		seen[w] = true
	}
	return m[2], m[3], len(seen)*4 >= len(words)*3
}
