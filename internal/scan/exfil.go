package scan

// exfilRules are the ways a text can carry data out: by a request the reader makes for it, by an
// image that is fetched when shown, by a command.
func exfilRules() []rule {
	const (
		remedy  = "Do not follow or render it; find out who wrote it, and check whether anything was already sent."
		payload = `(?:data|secrets?|payload|exfil|leak|cookies?|session|info|context|history|prompt|conversation|chat|memory|mem|notes|stolen|dump|contents?|creds?|credentials|passwords?|apikey|api_key|` +
			`env|b64|base64|msg|summary|user_?data|keys?)`
		private = `(?:conversation|chat|history|secret|password|memory|memories|user_?data|credential|env\b|api_?key|private|contents?|context|cookie|transcript|base64|system_?prompt|cat\s|whoami|hostname|id_rsa|summary)`
		slot    = `(?:\{\{?|\$\{|%7B|<|\[|\$\()`
		away    = `(?:{mail}|(?:https?|s3|gs|ftp|sftp)://\S+|{site}|(?:a |the |this |my |our )?(?:webhook|pastebin|paste site|telegram|discord|remote server|external (?:server|address|endpoint|url|site)|attacker|ngrok|request ?bin|collector|c2))`
	)
	r := func(code string, sev Severity, what string, patterns ...pattern) rule {
		return rule{Info: Info{"exfil." + code, Exfil, sev, what, remedy}, patterns: patterns}
	}
	return []rule{
		r("image-beacon", High, "An image address can carry data out when it is shown.",
			phrase(`!\[[^\]\n]{0,120}\]\(\s*<?https?://[^\s)]{1,300}?[?&/=](?:`+payload+`=[^\s)&]{0,400}|[^\s)=]{0,40}=?`+slot+`[^\s)]{1,80})`),
			phrase(`<img\b[^>\n]{0,120}\bsrc\s*=\s*["']?https?://[^\s"'>]{1,300}?[?&](?:`+payload+`=|[^\s"'>=]{0,40}=`+slot+`)`),
			phrase(`!\[[^\]\n]{0,120}\]\(\s*<?https?://[^\s)]{1,200}\)[^\n]{0,120}\b(?:replace|replacing|substitute|fill|append|where|with) [^\n]{0,60}(?:conversation|history|secret|data|memory|password|key|summary|contents?)`)),
		r("link-data", High, "A link takes private data as a parameter.",
			led(templated, `https?://[^\s<>"')\]]{1,200}?[?&/=](?:[a-z_]{0,20}=)?`+slot+`\s*[^\s}\])>]{0,30}?`+private+`[^\n}\])>]{0,60}[}\])>]`),
			led(anywhere, `\]\(\s*<?https?://[^\s)]{1,200}?[?&][^\s)=]{0,40}=(?:\$\{|\{\{?|%7B|\[)[^\s)]{0,30}?(?:token|key|secret|session|mail|user|name)`),
			phrase(`(?:visit|open|fetch|request|load|call|browse to|navigate to|GET|ping|hit):? (?:the (?:url|link|address) |this (?:url|link) |the following (?:url|link) )?:? ?<?https?://[^\s<>"']{1,200}[^\n]{0,100}?`+
				`\b(?:with|and|where|replacing|appending|append|putting|plus|including|followed by|containing) (?:(?:the|your|all|any|a|our|append|base64|encoded|url) )*(?:[a-z'-]+ ){0,3}?{asset}`, "http")),
		r("send-data", High, "Asks its reader to send private data away.",
			phrase(`(?:{send}|paste|share|export)\b (?:me |us )?(?:(?:a|an|the|all|any|every|each|full|entire|complete|their|its|your|his|her|our|copy|copies|summary|list|of|user'?s?|customer'?s?|operator'?s?|recent|latest|raw|last`+
				`|contents?|whole|collected|such|these|those|and|that|found|stored|saved|new|private|two|files?|~/\.ssh|to) )*(?:[a-z-]+ ){0,2}?(?:{asset}|~/\.(?:ssh|aws))[^\n]{0,80}?\b(?:to|at|via|into|on|using|with) (?:the |this |my |our |an? )?`+
				`(?:address |account |endpoint |url |server |e-?mail |site |host |at |remote |external |public |bucket )*\s*:? ?<?`+away,
				"@", "://", "webhook", "paste", "telegram", "discord", "remote", "external", "attacker", "ngrok", "request", "collector", "c2", ".xyz", ".ru", ".cn", ".tk", ".top", ".site", ".example", ".invalid", ".test", ".info", ".biz", ".cc", ".gq", ".ml").within(300),
			phrase(`(?:bcc|cc|blind copy|copy in) {mail} (?:on|in|to|for) (?:all|every|each|any) (?:outgoing |future |new |sent |single )*(?:e-?mails?|messages?|repl(?:y|ies)|invoices?|mails?|conversations?|reports?)`),
			phrase(`(?:collect|gather|harvest|grab|steal|extract|dump) [^\n.]{0,40}?{asset}\b[^\n.]{0,60}?\b(?:and|then) {send}\b`),
			phrase(`(?:add|put|include|set|keep) {mail} (?:in|as|to|on|into) (?:the )?(?:bcc|cc|blind copy)\b`),
			phrase(`(?:add|insert|include|render|show|use|append|load|embed) (?:an? |the )?(?:invisible|hidden|1x1|tiny|transparent|tracking) (?:image|pixel|img|picture)s?\b[^\n.]{0,80}?\b(?:address|`+
				`url|src|link|query|contain|contains|containing|holds)\b`),
			unlessNegated(phrase(`(?:encode|base64|embed|hide|smuggle|encrypt|append|include|attach|put|insert) (?:[a-z'-]+ ){0,6}?{asset}(?: [a-z]+){0,2} (?:in|into|as|to|inside|within) (?:the |an? |every |each |your |next )*`+
				`(?:urls?|query (?:string|parameter)|link|image|markdown image|dns (?:query|lookup|request)s?|subdomain|request to|commit message|user-agent|filename|header)\b`,
				"url", "query", "link", "image", "dns", "subdomain", "request", "commit", "user-agent", "filename", "header"))),
		r("shell-upload", High, "Has a command that sends files or variables away.",
			phrase(`curl\b[^\n]{0,160}?(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file)[\s=]?["']?[^\n]{0,40}?(?:@\S{0,60}(?:{loot})|(?:\$\(|\x60){dump}\b)`, "@", "$(", "`"),
			phrase(`(?:cat|tar|env|printenv|zip|base64|history|gpg|grep|find|head|pg_dump|mysqldump)\b[^\n]{0,120}\|\s*(?:(?:base64|gzip|xxd)[^\n|]{0,20}\|\s*)*(?:curl|wget|nc|ncat|netcat|socat|telnet)\b[^\n]{0,160}`+
				`(?:https?://|\b\d{1,3}(?:\.\d{1,3}){3}\b|[a-z0-9-]+\.[a-z]{2,})`, "curl", "wget", "nc ", "ncat", "netcat", "socat", "telnet"),
			phrase(`curl\b[^\n]{0,120}?(?:-T|--upload-file)[\s=]["']?\S{0,60}(?:{loot})`),
			phrase(`(?:tar|cat|zip)\b[^\n|]{0,80}(?:{loot})[^\n|]{0,40}\|[^\n]{0,40}\bssh\b`, "ssh"),
			phrase(`(?:wget|curl)\b[^\n]{0,60}https?://[^\s]{1,120}\$\({dump}\b`, "$("),
			phrase(`(?:requests\.post|urlopen|fetch|axios\.post)\s*\([^\n]{0,120}?(?:os\.environ\b[^.\[(]|process\.env\s*[,)}]|open\(["'][^"'\n]{0,40}(?:{loot}))`),
			phrase(`wget\b[^\n]{0,120}--post-(?:file|data)[\s=]["']?(?:\S{0,60}(?:{loot})|[^\n]{0,20}\$\({dump}\b)`),
			phrase(`(?:nslookup|dig|host|ping|curl|wget)\b[^\n]{0,60}(?:\$\(|\x60){dump}\b[^\n]{0,80}(?:\)|\x60)\.[a-z0-9-]+\.[a-z]{2,}`, "$(", "`"),
			phrase(`(?:scp|rsync|rclone copy|aws s3 cp|gsutil cp)\b[^\n]{0,60}(?:~/\.ssh|~/\.aws|\.env\b|id_rsa|id_ed25519|/etc/shadow|\.gnupg|\.kube/config|MEMORY\.md|\.git-credentials)[^\n]{0,60}(?:@[a-z0-9.-]+:|s3://|gs://|[a-z]+:[^/\s])`)),
	}
}

// templated accepts an address with a place to fill in.
func templated(b []byte, key int) bool {
	for i := key; i < len(b) && i-key < 300 && b[i] > ' '; i++ {
		switch b[i] {
		case '{', '<', '[', '%', '$':
			return true
		}
	}
	return false
}

// unlessForbidden rejects a match whose sentence forbids it: a good rule says "delete nothing without
// telling the user".
func unlessForbidden(p pattern) pattern {
	negation := expr(`(?i)\b(?:never|not|no|nothing|nobody|don'?t|avoid|forbidden|must ask)\b[^.!?\n]*$`)
	p.pick = func(b []byte, m []int) (int, int, bool) {
		lo, _ := sameLine(b, m[0], m[1], 120)
		return m[0], m[1], !negation().Match(b[lo:m[0]])
	}
	return p
}

// unlessNegated rejects a match that the words before it forbid: notes do say "never put tokens in
// links".
func unlessNegated(p pattern) pattern {
	negation := expr(`(?i)(?:\bnever|\bnot|n't|\bno|\bavoid|\bwithout|\bforbidden to|\bnobody may)\s+(?:\w+\s+)?$`)
	p.pick = func(b []byte, m []int) (int, int, bool) {
		return m[0], m[1], !negation().Match(b[max(0, m[0]-24):m[0]])
	}
	return p
}
