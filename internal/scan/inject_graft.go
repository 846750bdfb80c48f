package scan

import "bytes"

// graftRules are procedures and habits planted for later: commands that run what a stranger
// serves, checks switched off, answers steered, triggers that sleep.
func graftRules() []rule {
	return []rule{
		injectRule("pipe-to-shell", Medium, "Has a command that runs whatever an address serves.",
			unlessInline(phrase(`(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|;]{0,200}\|\s*(?:sudo (?:-\S+ )*)?(?:env \S+ )?{shell}`, "|")),
			phrase(`(?:bash|sh|zsh|source|eval|python3?)\b[^\n]{0,20}(?:<\(|\$\(|\x60)\s*(?:curl|wget)\b`, "curl", "wget"),
			phrase(`(?:iex|invoke-expression)\b[^\n]{0,40}(?:downloadstring|iwr|irm|invoke-webrequest|net\.webclient)`),
			phrase(`(?:exec|eval)\s*\(\s*(?:urllib\.request\.urlopen|requests\.get|urlopen|__import__\(["']urllib)`)),

		injectRule("decode-and-run", High, "Has a command that runs encoded text.",
			phrase(`base64 (?:-d|-D|--decode|-di)\b[^\n|]{0,80}\|\s*(?:sudo )?{shell}`, "|"),
			phrase(`(?:xxd -r|openssl (?:enc|base64)[^\n|]{0,40} -d)\b[^\n|]{0,60}\|\s*(?:sudo )?{shell}`, "|"),
			phrase(`(?:eval|bash -c|sh -c|exec)\b[^\n]{0,30}\bbase64 (?:-d|--decode)`, "base64"),
			phrase(`(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,80}-e(?:nc|ncodedcommand)? [A-Za-z0-9+/=]{16,}`),
			phrase(`(?:exec|eval)\s*\(\s*(?:base64\.b64decode|atob|bytes\.fromhex|codecs\.decode|__import__)\s*\(`),
			phrase(`(?:decode|decrypt|translate|unscramble|reverse)\b[^\n]{0,100}?\b(?:and(?: then)?|then) (?:run|execute|follow|obey|do what|carry out)\b`),
			phrase(`(?:decode|decrypt|translate|unscramble|reverse) (?:and|then) (?:run|execute|follow|obey)\b`)),
		injectRule(encodedOrders, High, "Hides orders to its reader in base64."),

		injectRule("dangerous-habit", High, "Makes a habit of switching a check off or destroying data.",
			habitual(phrase(`{disable} (?:(?:the|all|any|every) )*{check}(?: (?:checks?|checking|verification|validation|prompts?|gates?|review|scan(?:ning|s)?|hooks?|logging|watch|requirements?|steps?))*\b`)),
			habitual(phrase(`{unsafe}`)),
			habitual(phrase(`rm -rf? (?:--no-preserve-root )?(?:/|~|\$HOME|\.)(?:\s|$|["'\x60;&*])`))),

		injectRule("sleeping-trigger", High, "Waits for a word and then sends something somewhere.",
			triggered(phrase(`{send}\b[^\n]{0,100}?(?:\bto |\bat |@|https?:)[^\n]{0,40}?(?:{mail}|https?://|{site}|\b[a-z0-9-]+\.(?:com|net|org|io|dev|me)\b|account|iban|wallet|\+\d{6,}|telegram|webhook|pastebin|discord)`,
				"@", "http", ".com", ".net", ".org", ".io", ".dev", ".me", ".xyz", ".ru", ".cn", ".tk", ".top", ".site", ".example", ".invalid", ".test", ".info", ".biz", ".cc", ".gq", ".ml", "+", "account", "iban", "wallet", "telegram", "webhook", "pastebin", "discord"),
				`\b{trigger}\b[^\n.]{0,100}?\b{happens}\b[^\n.]{0,80}$`),
			triggered(phrase(`{send} [^\n]{0,100}?{mail}`, "@"), `\b{trigger}\b[^\n.]{0,100}?\b{happens}\b[^\n.]{0,80}$`),
			phrase(`(?:when|whenever|if|once|as soon as) (?:you|the user|anyone|someone|anybody) (?:ever )?(?:encounter|see|hear|read|receive|say|type|mention|use|write|enter)s? the (?:exact )?`+
				`(?:phrase|words?|code ?words?|keyword|passphrase|trigger|code|term|magic)\b`),
			phrase(`(?:at|on) (?:the )?(?:start|beginning|startup|launch) (?:of )?(?:every|each|any|all) (?:new )?(?:session|conversation|run|task|chat)s? (?:first |always |silently |please )*(?:fetch|`+
				`download|curl|visit|contact|ping|install|send|post|upload)\b`),
			phrase(`(?:wait (?:until|for|till)|stay (?:dormant|silent|quiet)|remain (?:dormant|inactive|quiet)|do nothing|lie low) [^\n.]{0,100}?\b(?:until|then|unless)\b[^\n]{0,120}?`+
				`\b(?:{send}|run|execute|delete|activate)\b`, "until", "then", "unless"),
			phrase(`{quiet} (?:(?:{send}) (?:the|an?|all|it|them|to|every|any|each|his|her|your|our|this|that|these|new|copies)|(?:add|include|insert|run|execute|install|delete|change|modify|replace|disable|switch|approve))\b`),
			phrase(`(?:send|forward|upload|transfer|leak|bcc|relay|transmit|install|approve|execute) [^\n.|]{0,60}? (?:silently|secretly|covertly|discreetly|stealthily|unnoticed)\b`,
				"silently", "secretly", "covertly", "discreetly", "stealthily", "unnoticed")),

		injectRule("steer-answers", Medium, "Tries to steer what its reader recommends or believes.",
			phrase(`(?:always|only|from now on|in future|whenever asked|when asked)\s*,? (?:always )?(?:please )?(?:recommend|suggest|promote|favou?r|endorse|cite|praise|advise|prefer)\b[^\n.]{0,80}?\b`+
				`(?:over|above|instead of|first|as the (?:best|only|safest|top|most)|to (?:the |every |all )?(?:users?|customers?|anyone|everyone)|regardless|no matter|even if|when (?:the )?users? asks?`+
				`|in (?:every|all) (?:answers?|repl(?:y|ies)|responses?))\b`),
			phrase(`(?:remember|save|store|treat|consider|regard|mark|keep)\b[^\n]{0,80}? as (?:an? |the |your |my )?(?:only |most |always |fully |highly )*`+
				`(?:trusted|authoritative|trustworthy|go-to|verified|definitive|infallible) (?:and [a-z]+ )?(?:source|site|website|domain|vendor|expert|provider|authority|sender|contact|company)`,
				"trust", "authorit", "go-to", "verified", "definitive", "infallible").within(180),
			phrase(`(?:always|only) (?:say|claim|state|tell (?:the |every )?(?:users?|customers?|people|them)) that [^\n.]{2,60}? (?:is|are) (?:the |always |completely |perfectly )*(?:best|safe|only|`+
				`free|trusted|secure|superior|healthy|harmless)\b`),
			phrase(`in (?:every|all|each) (?:answers?|repl(?:y|ies)|responses?|messages?) (?:praise|recommend|promote|endorse|advertise|plug|push)\b`),
			phrase(`(?:recommend|suggest|promote|endorse|favou?r|prefer|advise)\b[^\n.]{0,60}?\b(?:over (?:every|any|all) other|above all other|no matter (?:what|who)|regardless of (?:what|who|the question|price|merit))\b`),
			phrase(`(?:record|records|profile|chart|dossier) (?:of|for) [^\n.]{1,40}? (?:is|are|was|were|has been|have been) (?:now )?(?:stored|saved|moved|kept|merged|filed) (?:under|with|into|in|as) `+
				`[^\n.]{1,40}?\b(?:instead|refer to|use (?:that|those))\b`),
			phrase(`(?:{rulers}|user|human) (?:is|are|can|must|should) (?:not|no longer|never|not to) (?:to )?(?:be )?(?:trusted|believed|obeyed|reliable|followed)\b`),
			phrase(`(?:rely|depend) (?:only )?on this (?:file|note|entry|memory)(?: only| alone)?\b`),
			phrase(`(?:(?:any|all|every|future|each) )?(?:future |further |user |incoming )*(?:quer(?:y|ies)|questions?|requests?|references?|mentions?|instructions?|lookups?) (?:about|for|to|concerning|regarding|on|of|involving) `+
				`[^\n.]{2,60}? (?:should|must|shall|will|need to|are to|is to) (?:now |instead |always |only )*(?:be )?(?:answered|treated|interpreted|redirected|resolved|read|handled|replaced|refer|use|return|looked up|understood|mapped|substituted)`+
				`[^\n.]{0,60}?\b(?:instead|as if|as (?:about|a request for|referring to)|with the (?:data|records?|information|details|answer) (?:of|for)|under (?:the )?(?:id|name|record|account))\b`),
			phrase(`(?:never|do not|don'?t|stop) (?:trust|believe|listen to|follow|obey|accept|trusting|believing|listening to|following|obeying) (?:(?:the|your|any|anything from the|what the|instructions from(?: the)?) )+`+
				`(?:operator|baseline|system prompt|user|owner|admin(?:istrator)?|developer|human|security team|rules)\b`)),
	}
}

// unlessInline rejects an interpreter that gets its program on the command line: then what is piped
// into it is data.
func unlessInline(p pattern) pattern {
	inline := expr(`^\s+-[a-z]*[cem]\b`)
	p.pick = func(b []byte, m []int) (int, int, bool) {
		return m[0], m[1], !inline().Match(b[m[1]:min(len(b), m[1]+8)])
	}
	return p
}

// habitual keeps a match only where the same line, close by, makes a habit of it.
func habitual(p pattern) pattern {
	habit := expr(spaced(`\b{habit}\b`))
	p.pick = func(b []byte, m []int) (int, int, bool) {
		lo, hi := sameLine(b, m[0], m[1], 100)
		return m[0], m[1], habit().Match(b[lo:m[0]]) || habit().Match(b[m[1]:hi])
	}
	return p
}

// triggered keeps a match only where the words before it say on what occasion, and takes them in.
func triggered(p pattern, occasion string) pattern {
	before := expr(spaced(occasion))
	p.pick = func(b []byte, m []int) (int, int, bool) {
		lo, _ := sameLine(b, m[0], m[1], 200)
		if at := before().FindIndex(b[lo:m[0]]); at != nil {
			return lo + at[0], m[1], true
		}
		return 0, 0, false
	}
	return p
}

// sameLine widens lo and hi by up to n bytes, within the line.
func sameLine(b []byte, lo, hi, n int) (from, to int) {
	from, to = max(0, lo-n), min(len(b), hi+n)
	if i := bytes.LastIndexByte(b[from:lo], '\n'); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexByte(b[hi:to], '\n'); i >= 0 {
		to = hi + i
	}
	return from, to
}
