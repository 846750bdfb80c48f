package scan

import (
	"bytes"
	"strings"
)

// These rules match common attacks by their usual wording. They are a signal for people: an
// attack in other words passes. So the list stays short; see docs/decisions/scan.md.

const (
	readAsData = "Treat it as data: do not promote it, find out who wrote it, and delete it if nobody can say."
	stopSend   = "Do not follow or render it; find out who wrote it, and check whether anything was already sent."

	drop    = `(?:ignore|disregard|forget|override|overrule|bypass)`
	orders  = `(?:instructions?|prompts?|rules|guidelines|directives?|orders|guardrails|restrictions|constraints)\b`
	model   = `(?:ai|llm|language model|assistant|agent|chatbot|model|bot|claude|gpt|chatgpt)s?`
	person  = `(?:the |your |any )?(?:user|operator|owner|admin(?:istrator)?|human|customer|anyone|anybody)s?\b`
	never   = `(?:do not|don'?t|never|must not|without|avoid)`
	shell   = `(?:sudo )?(?:/(?:usr/)?bin/)?(?:ba|z|da)?(?:sh|python3?|perl|ruby|node|iex)\b`
	private = `(?:conversations?|chats?|chat history|transcripts?|credentials?|passwords?|api[\s_-]?keys?|private keys?|ssh keys?|tokens?|secrets?|memory|memories|MEMORY\.md|environment variables|\.env\b|~/\.ssh|~/\.aws|system prompt|inbox|contacts)`
	away    = `(?:[a-z0-9._%+-]+@[a-z0-9-]+\.[a-z]|(?:https?|s3|ftp)://|webhook|pastebin|telegram|discord|remote server|external )`
	loot    = `(?:\.env|id_rsa|id_ed25519|\.ssh|\.aws|\.kube|credentials|passwd|shadow|MEMORY|\.netrc|\.npmrc|\.gnupg|secrets?)`
	slot    = `(?:\{\{?|\$\{|%7B|<|\[|\$\()`
)

func injectRules() []rule {
	r := func(code string, sev Severity, what string, patterns ...pattern) rule {
		return rule{Info: Info{"inject." + code, Injection, sev, what, readAsData}, patterns: patterns}
	}
	return []rule{
		r("ignore-previous", High, "Tells its reader to set earlier instructions aside.",
			phrase(`{drop} (?:[a-z']+ ){0,2}?(?:previous|prior|earlier|above|preceding|all|any|every|your|system|safety|operator) (?:[a-z']+ ){0,3}?{orders}`,
				"ignore", "disregard", "forget", "override", "overrule", "bypass"),
			phrase(`{drop} (?:everything|anything|all|what)(?: [a-z]+){0,2} (?:above|before|told|said)\b`, "ignore", "disregard", "forget", "override", "overrule", "bypass"),
			phrase(`(?:previous|prior|earlier) {orders} (?:are |is |have been )?(?:now |hereby )*(?:void|cancelled|revoked|suspended|overridden|obsolete|no longer)`, "previous", "prior", "earlier"),
			phrase(`(?:ignorier|vergiss|vergessen|missacht)\pL* (?:\S+ ){0,4}?(?:anweisungen|regeln|vorgaben|befehle)`, "ignorier", "vergiss", "vergessen", "missacht"),
			phrase(`(?:ignor|oubli|olvid|dimentic|esque)\pL* (?:\S+ ){0,4}?(?:consignes|règles|instrucciones|reglas|órdenes|instruções|regras|istruzioni|regole|instructions (?:préc|ant))`, "ignor", "oubli", "olvid", "dimentic", "esque"),
			phrase(`(?:игнорируй|забудь)\pL* (?:\S+ ){0,4}?(?:инструкц|правил|указани)`, "игнор", "Игнор", "забудь", "Забудь"),
			phrase(`(?:忽略|无视|無視|忘记|忘記)[^\n]{0,12}?(?:指令|指示|规则|規則|提示)`, "忽略", "无视", "無視", "忘记", "忘記"),
			phrase(`(?:指示|命令|ルール|지시|명령|규칙)[^\n]{0,10}?(?:無視|忘れ|무시)`, "指示", "命令", "ルール", "지시", "명령", "규칙")),

		r("new-instructions", High, "Claims to replace its reader's instructions.",
			phrase(`your (?:new|real|true|only|updated|actual) (?:instructions?|task|objective|mission|goal|system prompt|orders?)(?: (?:is|are)\b|\s*:)`, "your "),
			phrase(`from (?:now|this point) on(?:wards?)?,? you (?:are|will|must|shall|only|obey|have no)\b`, "from now", "from this"),
			phrase(`(?:new|updated|hidden|additional) (?:system|operator|priority) (?:instructions?|orders?|directives?|prompt)\s*:`, "new ", "updated", "hidden", "additional")),

		r("role-override", High, "Tries to give its reader another role without limits.",
			phrase(`you(?: are|'re) (?:now|no longer) (?:dan\b|in [a-z]+ mode|(?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|rogue)|bound|restricted|free (?:of|from))`, "you"),
			phrase(`(?:pretend|act|behave|respond|answer|imagine)(?: as if| as though| like| that| as)? you (?:have|had|are|were) (?:no\b|not bound|un[a-z]+ed\b|without)`, "pretend", "act", "behave", "respond", "answer", "imagine"),
			phrase(`(?:developer|god|dan|jailbreak|unrestricted|admin|root|debug) mode (?:is )?(?:now )?(?:enabled|activated|unlocked|engaged)`, "developer", "god", "dan", "jailbreak", "unrestricted", "admin", "root", "debug"),
			phrase(`do anything now`, "do anything")),

		r("fake-system", High, "Imitates a system message or a chat template.", append(templateMarks(),
			led(lineHead, `(?:system|operator|admin(?:istrator)?|developer)(?: [a-z]+){0,2}\s*[\])>]?[*_]*\s*[:\])>]+[*_]* ?`+
				`(?:you\b|your\b|ignore|disregard|forget|override|from now|the {model} (?:must|should|will)|(?:agents?|assistants?) must|always|never|do not (?:tell|reveal|mention)|all (?:previous|safety))`,
				"system", "operator", "admin", "developer"),
			phrase(`(?:system|admin|operator|root|security|emergency) override\s*[:!]`, "system", "admin", "operator", "root", "security", "emergency"),
			phrase(`(?:message|instructions?|note|notice|orders?) from (?:the |your )?(?:operator|administrator|admin|developers?|anthropic|openai|security team)\s*[:!—-]`, "message", "instruction", "note", "notice", "order"))...),

		r("fake-provenance", High, "Vouches for itself; provenance is never taken from a text.",
			phrase(`(?:provenance|origin|trust(?:[\s_-]level)?|(?:written|added|approved|verified|signed)[\s_-]by)\s*[:=]+ ?(?:the )?(?:operator|baseline|system|admin(?:istrator)?|tend|human|trusted|verified)\b`,
				"provenance", "origin", "trust", "written", "added", "approved", "verified", "signed"),
			phrase(`this (?:entry|note|memory|rule|file|line|message|instruction) (?:has been|was|is) (?:[a-z-]+ ){0,2}?(?:verified|approved|signed|reviewed|authori[sz]ed|vetted) by (?:the |your |our )?`+
				`(?:operator|admin|owner|security|human|tend|system|anthropic|openai)`, "this ")),

		r("hide-from-user", High, "Tells its reader to keep something from the person it works for.",
			phrase(`{never} (?:ever )?(?:tell|inform|notify|alert|let|ask|show)(?:ing)? {person} (?:about (?:this|it)|of (?:this|it)|that (?:you|this|it)|know\b|anything|first|why)`, "do not", "don", "never", "must not", "without", "avoid"),
			phrase(`{never} (?:ever )?(?:mention|reveal|disclose|show|report|tell|admit)(?:ing)? (?:this|it|that|these|anything)(?: [a-z]+){0,3} (?:to|from) {person}`, "do not", "don", "never", "must not", "without", "avoid"),
			phrase(`(?:keep|hide|conceal) (?:this|it|that|these)(?: [a-z]+){0,2} (?:secret |hidden |private )?from {person}`, "keep", "hide", "conceal"),
			phrase(`(?:silently|secretly|covertly|stealthily) (?:send|forward|upload|copy|transfer|post|add|run|execute|install|delete|change|replace|approve|disable)\b`, "silently", "secretly", "covertly", "stealthily")),

		r("edit-rules", High, "Asks its reader to change the rules that bind it.",
			phrase(`(?:delete|remove|rewrite|overwrite|erase|replace|edit|change) (?:all )?(?:of )?your (?:own )?(?:safety |security |core |system )?(?:rules|instructions|guidelines|prompt|baseline|identity)\b`,
				"delete", "remove", "rewrite", "overwrite", "erase", "replace", "edit", "change"),
			phrase(`(?:put|write|copy|move|insert|add|promote) (?:this|it|these|the following)(?: [a-z]+){0,3} (?:above the (?:line|separator)|(?:in|into|to) (?:your (?:core|permanent|own|system) (?:rules|memory|instructions|prompt)|every (?:new )?(?:note|file|memory)))`,
				"put", "write", "copy", "move", "insert", "add", "promote")),

		r("reveal-prompt", Medium, "Asks its reader for its instructions.",
			phrase(`(?:reveal|print|repeat|output|leak|display|dump|recite|show me) (?:(?:all|the|your|full|entire|complete|of|its) )*(?:system prompt|hidden (?:rules|instructions)|(?:initial|secret|internal) (?:rules|instructions))`,
				"reveal", "print", "repeat", "output", "leak", "display", "dump", "recite", "show me")),

		r("address-reader", High, "Addresses the model that reads it.",
			phrase(`(?:if|when|to|attention|note to|message to|dear|hey|hello)(?: you are| you're)?[:,]? (?:any |an? |the |all |every )?{model}(?: [a-z]+){0,4}? (?:reading|processing|parsing|summari[sz]ing|loading|reads?) this\b`,
				"if ", "when ", "to ", "attention", "note", "message", "dear", "hey", "hello"),
			phrase(`<!-- ?(?:note to |for |hey |dear )?(?:the )?(?:ai|llm|agents?|assistants?|bots?|claude|gpt)\b`, "<!--")),

		r("tool-imitation", High, "Imitates a tool call or its result.", toolMarks()...),
		r("close-fence", High, "Closes a fence around data that it did not open.", fenceCloses()...),

		r("pipe-to-shell", Medium, "Has a command that runs whatever an address serves.",
			unlessInline(phrase(`(?:curl|wget|iwr|irm)\b[^\n|;]{0,200}\|\s*{shell}`, "curl", "wget", "iwr", "irm")),
			phrase(`(?:bash|sh|zsh|source|eval|python3?)\b[^\n]{0,20}(?:<\(|\$\(|\x60)\s*(?:curl|wget)\b`, "bash", "sh", "zsh", "source", "eval", "python")),
		r("decode-and-run", High, "Has a command that runs encoded text.",
			phrase(`base64 (?:-d|-D|--decode|-di)\b[^\n|]{0,80}\|\s*{shell}`, "base64"),
			phrase(`(?:decode|decrypt|unscramble)\b[^\n]{0,100}?\b(?:and(?: then)?|then) (?:run|execute|follow|obey)\b`, "decode", "decrypt", "unscramble")),
	}
}

// exfilRules match the ways a text can send data out: by a request to the reader, by an
// image that is fetched when shown, by a command.
func exfilRules() []rule {
	r := func(code string, what string, patterns ...pattern) rule {
		return rule{Info: Info{"exfil." + code, Exfil, High, what, stopSend}, patterns: patterns}
	}
	return []rule{
		r("image-beacon", "An image address can carry data out when it is shown.",
			led(anywhere, `!\[[^\]\n]{0,120}\]\(\s*<?https?://[^\s)]{1,300}?[?&/=](?:(?:data|secrets?|payload|leak|cookies?|context|history|prompt|memory|notes|creds?|passwords?|env|b64)=|[^\s)=]{0,40}=?{slot})`, "!["),
			led(anywhere, `<img\b[^>\n]{0,120}\bsrc\s*=\s*["']?https?://[^\s"'>]{1,300}?[?&][^\s"'>=]{0,40}={slot}`, "<img")),
		r("link-data", "A link takes private data as a parameter.",
			led(templated, `https?://[^\s<>"')\]]{1,200}?[?&/=](?:[a-z_]{0,20}=)?{slot}\s*[^\s}\])>]{0,30}?`+
				`(?:conversation|chat|history|secret|password|memor|user_?data|credential|env\b|api_?key|token|private|context|cookie|transcript|prompt|summary)[^\n}\])>]{0,60}[}\])>]`, "http")),
		r("send-data", "Asks its reader to send private data away.",
			unlessNegated(phrase(`(?:send|forward|e-?mail|mail|post|upload|copy|transfer|leak|exfiltrate|submit|relay|bcc) [^\n.]{0,60}?{private}[^\n]{0,60}?\b(?:to|at|via|into|on) [^\n]{0,24}?{away}`,
				"send", "forward", "email", "e-mail", "mail", "post", "upload", "copy", "transfer", "leak", "exfiltrate", "submit", "relay", "bcc")),
			unlessNegated(phrase(`(?:encode|embed|hide|smuggle|append|include) (?:[a-z'-]+ ){0,5}?{private}(?: [a-z]+){0,2} (?:in|into|as|to) (?:the |an? |every |each )*(?:urls?|query|link|image|dns|subdomain)`,
				"encode", "embed", "hide", "smuggle", "append", "include"))),
		r("shell-upload", "Has a command that sends files or variables away.",
			phrase(`(?:curl|wget)\b[^\n]{0,160}?(?:@\S{0,60}{loot}|(?:-T|--upload-file|--post-file)[\s=]["']?\S{0,60}{loot}|(?:\$\(|\x60)(?:cat|env|printenv|base64|whoami)\b)`, "curl", "wget"),
			phrase(`(?:cat|tar|env|printenv|zip|base64|history)\b[^\n]{0,120}\|\s*(?:(?:base64|gzip)[^\n|]{0,20}\|\s*)*(?:curl|wget|nc|ncat|netcat)\b[^\n]{0,160}(?:https?://|\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9-]+\.[a-z]{2,})`,
				"cat", "tar", "env", "printenv", "zip", "base64", "history"),
			phrase(`(?:scp|rsync|rclone copy|aws s3 cp)\b[^\n]{0,60}{loot}[^\n]{0,60}(?:@[a-z0-9.-]+:|s3://|gs://)`, "scp", "rsync", "rclone", "aws")),
	}
}

// lineHead accepts a key at the start of a line, after list marks, quote marks and brackets.
func lineHead(b []byte, key int) bool {
	for i := key; i > 0 && key-i < 24; i-- {
		if b[i-1] == '\n' {
			return true
		}
		if strings.IndexByte(" \t\r>#*_-[(<", b[i-1]) < 0 {
			return false
		}
	}
	return key < 24
}

// templated accepts an address with a placeholder.
func templated(b []byte, key int) bool {
	for i := key; i < len(b) && i-key < 300 && b[i] > ' '; i++ {
		if strings.IndexByte("{<[%$", b[i]) >= 0 {
			return true
		}
	}
	return false
}

// unlessInline rejects an interpreter that gets its program on the command line: then its
// input is data.
func unlessInline(p pattern) pattern {
	inline := expr(`^\s+-[a-z]*[cem]\b`)
	p.pick = func(b []byte, m []int) (int, int, bool) {
		return m[0], m[1], !inline().Match(b[m[1]:min(len(b), m[1]+8)])
	}
	return p
}

// unlessNegated rejects a match that the words before it forbid, as in "never put tokens in
// links".
func unlessNegated(p pattern) pattern {
	negation := expr(`(?i)(?:\bnever|\bnot|n't|\bno|\bavoid|\bwithout|\bforbidden to|\bnobody may)\s+(?:\w+\s+)?$`)
	p.pick = func(b []byte, m []int) (int, int, bool) {
		return m[0], m[1], !negation().Match(b[max(0, m[0]-24):m[0]])
	}
	return p
}

// exactly matches a literal mark, ignoring case; accept checks the text around it.
func exactly(mark string, accept func(b []byte, lo, hi int) bool) pattern {
	return pattern{keys: []string{mark}, at: func(b []byte, lo int) (int, int, bool) {
		hi := lo + len(mark)
		ok := hi <= len(b) && strings.EqualFold(string(b[lo:hi]), mark)
		return lo, hi, ok && accept(b, lo, hi)
	}}
}

// used returns a pattern for each mark. A mark in backquotes is only mentioned, not used.
func used(marks string) []pattern {
	var out []pattern
	for mark := range strings.FieldsSeq(marks) {
		out = append(out, exactly(mark, func(b []byte, lo, hi int) bool { return !quoted(b, lo, hi) }))
	}
	return out
}

func quoted(b []byte, lo, hi int) bool {
	return lo > 0 && b[lo-1] == '`' && hi < len(b) && b[hi] == '`'
}

func templateMarks() []pattern {
	return used("<|im_start|> <|im_end|> <|system|> <|user|> <|assistant|> <|endoftext|> <|eot_id|> <|start_header_id|> <|begin_of_text|> <|end_of_turn|> " +
		"<<sys>> <</sys>> [/inst] <start_of_turn> <end_of_turn> <system-reminder> </system-reminder>")
}

// toolMarks match the start of a tool call or its result if its body follows.
func toolMarks() []pattern {
	var out []pattern
	for mark := range strings.FieldsSeq(`<tool_call> <function_call> <function_calls> <tool_use> <tool_result> <tool_response> <function_results> <tool_code> <tool_output> [tool_calls] "tool_calls":`) {
		out = append(out, exactly(mark, func(b []byte, _, hi int) bool {
			rest := bytes.TrimLeft(b[hi:], " \n")
			return len(rest) > 0 && strings.IndexByte("{[<", rest[0]) >= 0
		}))
	}
	return out
}

// fenceCloses match closing tags that hosts put around data, if nothing opened them.
func fenceCloses() []pattern {
	var out []pattern
	for name := range strings.FieldsSeq("memory memories agent_memory agent-memory notes untrusted untrusted_data untrusted-data user_data user_input retrieved_context tool_output system " +
		"system_prompt instructions memory_context memory-context context data document documents content note input quote result results tool_result") {
		opening := []byte("<" + name)
		out = append(out, exactly("</"+name+">", func(b []byte, lo, hi int) bool {
			return !quoted(b, lo, hi) && !bytes.Contains(bytes.ToLower(b[max(0, lo-2048):lo]), opening)
		}))
	}
	return out
}
