package scan

import "sync"

// vocabulary holds the word lists that phrases refer to as {name}. Blanks mean any gap between
// words, as in phrases.
var vocabulary = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// Setting orders aside.
		"drop": `ignore|ignoring|disregard|forget|override|overrule|bypass|discard|neglect|supersede|abandon|drop|dismiss|void|cancel|violate|break` +
			`|(?:stop|quit|cease) (?:following|obeying)|(?:do not|don'?t) (?:follow|obey)|pay no attention to|set aside|throw out|do away with|unlearn|(?:you )?(?:no longer|need not|don'?t (?:have|need) ` +
			`to|do not (?:have|need) to)(?: (?:have|need) to)? (?:follow|obey|respect|heed)`,
		"the":     `(?:(?:all|any|every|everything|each|the|your|ur|my|these|those|its|of|in|other|and|safety|security|system|developer|operator|original|initial) )*`,
		"earlier": `previous|prior|preceding|earlier|above|former|foregoing|past|existing|original|initial|current|old|system|developer|operator|baseline|safety|security|other`,
		"orders": `instructions?|prompts?|rules?|guidelines?|guidance|directives?|directions|commands?|orders|constraints?|policies|policy|restrictions|guardrails?|messages?` +
			`|programming|training|safeguards?`,
		"invalid": `void|cancelled|canceled|obsolete|invalid|revoked|superseded|to be ignored|overridden|suspended|no longer (?:apply|valid|binding)`,
		"new":     `new|real|actual|true|updated|revised|only`,
		"task":    `instructions?|orders?|directives?|objective|mission|purpose|task|goal|prime directive|system prompt`,
		"atonce":  `immediately|silently|instead|without (?:asking|questions?|confirmation|hesitation|telling)|exactly and|no matter what|at once`,

		// Who is spoken to, and who is said to speak.
		"model":     `(?:ai|llm|a\.i\.|language model|assistant|agent|chatbot|model|bot|copilot|claude|gpt|chatgpt|gemini)s?`,
		"reading":   `reading|processing|parsing|summari[sz]ing|loading|seeing|who reads?|that reads?|which reads?|reads?`,
		"reader":    `users?|humans?|operator|owners?|admins?|administrator|customer|client|person|people|anyone|anybody|boss|principal|developers?`,
		"authority": `operator|administrator|admin|system administrator|sysadmin|root|owner|developers?|creators?|anthropic|openai|google|security team|platform team|trust (?:and|&) safety|it department|management|ceo`,
		"message":   `message|note|notice|instructions?|orders?|directive|command|memo|request|update|announcement|approval|authori[sz]ation|statement|reminder`,
		"order":     `you|your|agents?|assistants?|must|always|never|ignore|disregard|allow|grant|share|send|run|execute|disable|skip|trust|without|approved|authori[sz]ed|permission|no longer|override|delete|reveal|treat|obey`,

		// Roles without limits.
		"limits": `restrictions|rules|limits|limitations|filters|guidelines|ethics|guardrails|constraints`,
		"loose":  `unrestricted|unfiltered|uncensored|jailbroken|evil|rogue|amoral|different|free|root|hacker|malicious`,
		"mode":   `(?:developer|debug|god|admin|root|dan|maintenance|diagnostic|unrestricted|jailbreak|enhanced) mode`,

		// Hiding, telling.
		"never":  `do not|don'?t|never|must not|should not|shouldn'?t|without|avoid|no need to|refrain from|under no circumstances`,
		"tell":   `tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|show(?:ing)?|alert(?:ing)?|notify(?:ing)?|disclos(?:e|ing)|let(?:ting)?|say(?:ing)?|report(?:ing)?|admit(?:ting)?|ask(?:ing)?`,
		"this":   `this|it|that|these|the above|the following|any of this|all of this|these instructions?|this (?:note|rule|instruction|message|entry|step|memory|behaviou?r|action)`,
		"rulers": `operator|baseline|system prompt|owner|admin(?:istrator)?|developers?|security team|guardrails?`,
		"quiet":  `silently|secretly|quietly|covertly|discreetly|stealthily|unnoticed|behind the scenes|in the background`,

		// Rules and where they live.
		"edit":  `edit|modify|change|rewrite|delete|remove|update|replace|overwrite|erase|wipe|amend|alter|weaken|disable|patch|append to`,
		"place": `(?:text|lines?|rules?|zone|part|everything|section) above (?:the (?:line|separator|---)|---)`,
		"law": `safety rules?|security rules?|critical rules?|guardrails?|system prompt|baseline (?:file|rules?|text|zone|section|memory)|rules (?:above|in the baseline)` +
			`|your (?:(?:own|core|permanent|base|original|system|internal) )*(?:rules|instructions|guidelines|identity|baseline|constitution|system prompt|core values)`,
		"noted":  `entry|note|memory|instruction|rule|message|file|line|section|fact|procedure`,
		"vetted": `verified|approved|signed|reviewed|authori[sz]ed|vetted|cleared|whitelisted|confirmed`,

		// Sending things away.
		"send": `send|forward|e-?mail|mail|post|upload|copy|bcc|cc|transfer|wire|leak|exfiltrate|submit|relay|transmit|deliver|ship|append|report`,
		"mail": `[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+`,
		"site": `\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:xyz|ru|cn|tk|top|site|example|invalid|test|info|biz|cc|gq|ml)\b`,
		"asset": `conversations?|chats?|chat history|history|transcripts?|credentials?|passwords?|api[\s_-]?keys?|keys|tokens?|secrets?|memory|memories|memory files?|MEMORY\.md|private keys?|ssh keys?` +
			`|environment variables?|env vars?|\.env|env file|contacts?|address book|financial|bank|account (?:numbers?|details)|card (?:numbers?|details)|credit cards?|personal (?:data|information|details)` +
			`|browser cookies|cookies|source code|customer (?:data|list|records)|inbox|mailbox|system prompt|workspace|session (?:data|contents?)|contents? of` +
			`|(?:all|every|each|any|entire|full|whole|cop(?:y|ies) of) (?:[a-z]+ ){0,2}?(?:messages?|e-?mails?|documents?|notes?|files?|invoices?|mails?)` +
			`|everything (?:the user|you know|in your)|whatever (?:the user|you)`,

		// Shells.
		"shell": `(?:/(?:usr/)?bin/)?(?:ba|z|da|k|fi)?(?:sh|python3?|perl|ruby|node|php|iex|invoke-expression)\b`,
		"loot":  `\.env|id_rsa|id_ed25519|\.ssh|\.aws|\.kube|credentials|passwd|shadow|history|MEMORY|\.netrc|\.npmrc|\.git-credentials|secrets?|\.gnupg|cookies|wallet`,
		"dump":  `cat|env|printenv|base64|set|history|tar|ls|whoami|hostname|head|id`,

		// Habits.
		"habit": `always|every time|whenever|each time|next time|from now on|first step|before (?:any|every|each|running|starting|deploying|you)|proven|best practice|successful(?:ly)?|worked` +
			`|works (?:best|every|reliably|perfectly)|procedure|recipe|standard (?:practice|way|step|fix)|recommended|routine|golden path|known[\s-]good|must|the fix is|the trick is|solved it|reliable way|going forward|as usual|reuse|repeat this`,
		"disable": `disable|disabling|turn off|turning off|switch off|switching off|skip|skipping|bypass|bypassing|deactivate|suppress|remove|circumvent`,
		"check": `security|safety|signatures?|certificate|tls|ssl|verification|approval|permissions?|antivirus|firewall|selinux|apparmor|code review|audits?|secret scan(?:ning)?|sandbox|guard(?:rail)?s?|baseline|integrity` +
			`|host key|provenance|human review|confirmation|2fa|mfa`,
		"unsafe": `--no-verify|--dangerously-skip-permissions|--yolo\b|StrictHostKeyChecking[=\s]no|http\.sslVerify[=\s]false|NODE_TLS_REJECT_UNAUTHORIZED=0|--no-check-certificate|setenforce 0|ufw disable|--insecure\b` +
			`|curl (?:-\w+ )*-k\b|chmod -R 777|--allow-unauthenticated|--trusted-host|--disable-sandbox|--no-sandbox|GIT_SSL_NO_VERIFY|iptables -F|--skip-checks|verify=False`,
		"trigger": `when|whenever|if|once|next time|any ?time|as soon as|every time|each time|in case|after|should`,
		"happens": `mention(?:s|ed)?|comes? up|brought up|discuss(?:ed|es)?|ask(?:s|ed)? (?:about|for)|talk(?:s|ed)? about|say(?:s|ing)?|said|appears?|receiv(?:e|es|ed|ing)|logs? in|opens?|shares?|` +
			`provides?|uploads?|pastes?|types?|enters?|entered|turns? to|touche?s? on|is (?:shared|sent|typed|opened|created|uploaded|pasted|needed|present)|shows? up`,
	}
})
