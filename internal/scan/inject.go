package scan

const readAsData = "Treat it as data: do not promote it, find out who wrote it, and delete it if nobody can say."

func injectRule(code string, sev Severity, what string, patterns ...pattern) rule {
	return rule{Info: Info{"inject." + code, Injection, sev, what, readAsData}, patterns: patterns}
}

// injectRules are the phrases by which a text tries to give its reader orders.
func injectRules() []rule {
	return []rule{
		injectRule("ignore-previous", High, "Tells its reader to set earlier instructions aside.",
			phrase(`{drop} {the}{earlier} (?:and [a-z]+ )?(?:(?:system|safety|operator|developer|user|security) )?{orders}\b`),
			phrase(`(?:ignore|disregard|forget|override|discard) (?:all |absolutely |literally )?(?:of )?(?:everything|anything|all|whatever|what) (?:that )?`+
				`(?:(?:is |was |came |comes |written |said )*(?:above|before this|before|until now|so far|previously)\b|you (?:were|have been|'ve been|know|learned|are) (?:told|taught|given|instructed|about))`),
			phrase(`(?:ignore|disregard|forget|override|bypass) (?:all|any|every|any and all) (?:of )?(?:other |the |your )*(?:instructions?|prompts?|directives?|guidelines?|guidance|safeguards?|guardrails?|restrictions|constraints)\b`),
			phrase(`(?:ignore|disregard|forget|discard) (?:all |any |the |everything in the )*(?:text|content|context|lines|words|conversation)? ?(?:above|before|prior to|preceding) (?:this|here)\b`),
			phrase(`{drop} (?:all (?:of )?)?(?:your|ur|the assistant'?s) (?:own )?{orders}\b`),
			phrase(`{drop} (?:all |the |your |any )+(?:restrictions|guardrails|safeguards|safety (?:rules|checks|measures|filters))\b`),
			phrase(`(?:ignore|disregard|forget|override|never mind) (?:what|whatever|anything|everything) (?:the |your |that the )*(?:{rulers}|rules|instructions|user) (?:says?|said|wrote|writes?|wants?|wanted|told|tells?|asks?|asked|put)\b`),
			phrase(`{orders} (?:above|before this|in the (?:baseline|system prompt)|of the (?:baseline|operator)) (?:do not|don'?t|no longer) (?:apply|count|matter)\b`),
			phrase(`{drop} (?:all |any |the |those |every )*{orders} (?:(?:set|given|made|imposed|written|defined|from|of|by|in|that|which|your|the|our|you) )+(?:{rulers}|user|company)\b`),
			phrase(`(?:{orders}|baseline) (?:do|does|did) not (?:concern|apply to|bind|cover|affect|hold for) you\b`),
			phrase(`(?:{orders}) (?:from|of|in) the (?:baseline|operator|system prompt) (?:are|is) (?:outdated|obsolete|void|wrong|invalid|no longer|superseded|only)\b`),
			phrase(`treat (?:all |any |the |your )*{earlier} {orders} as (?:an? )?(?:dry run|test|joke|void|obsolete|invalid|examples?|fiction)\b`),
			phrase(`put (?:it|them|that|this|everything|all of it)[^\n.]{0,30}? out of your mind\b`),
			phrase(`as if (?:(?:the|your|all|no|any|safety|content|security) )*{limits} (?:did not|didn'?t|do not|don'?t) (?:exist|apply|matter)\b`),
			phrase(`never mind (?:the|your|any|all) (?:(?:previous|earlier|old|other|system) )?(?:rules|instructions|guidelines|prompt)\b`),
			phrase(`set (?:aside )?(?:everything|all|anything|whatever) (?:that )?(?:the |your )?(?:{rulers}|user) (?:says?|said|wrote|told)\b`),
			phrase(`(?:previous|prior|earlier|preceding|former|existing) {orders} (?:are |is |have been |were )?(?:now |hereby )*`+
				`(?:void|cancelled|canceled|revoked|suspended|overridden|null|no longer (?:apply|valid|binding|in force|count))`),
			phrase(`(?:instructions|rules|guidelines|directives|orders|prompts?) (?:above|before this|so far|given (?:earlier|above|before)|you (?:were|have been) given|in (?:the|your) system prompt)`+
				`(?: (?:are|is|were|was))? (?:now |hereby )*{invalid}`)),

		injectRule("new-instructions", High, "Claims to replace its reader's instructions.",
			phrase(`your {new} {task}(?: (?:is|are)\b|\s*:)`),
			phrase(`(?:new|updated|revised|additional|overriding) (?:system|operator|hidden|priority|standing) {task}(?: from [^:\n]{2,40})?\s*:`),
			phrase(`your (?:instructions|rules|role|task|orders|directives|system prompt) (?:have|has) (?:just )?(?:been )?(?:changed|updated|replaced|revised|overridden)\b`),
			phrase(`(?:this|the following|these|what follows) (?:(?:note|entry|rule|rules|message|instructions?|text|list) )?(?:overrides?|supersedes?|outranks?|takes? (?:precedence|priority) over|has priority over|comes? before|replaces?) `+
				`(?:everything|anything|all|any|the|your) ?(?:else|other|earlier|previous|prior)? ?(?:{rulers}|instructions|rules|guidelines|orders|prompts?|else)`),
			phrase(`takes? (?:precedence|priority) over (?:everything|all other|any other|the (?:baseline|operator|system prompt)|your (?:rules|instructions))\b`),
			phrase(`from (?:now on|this (?:point|moment) (?:on|onwards?|forward)|here on)\s*,? you `+
				`(?:are (?:now|no longer|going|to be|an?|the|free|bound)|will (?:only|always|never|ignore|obey|act|behave|respond|answer|do|be)|must|shall|only|obey|act|answer only|respond only|have no)\b`),
			phrase(`(?:beginning|starting|as of|from) (?:today|now|tomorrow|this moment) you (?:will )?(?:work for|take orders|obey|answer to|serve)\b`),
			phrase(`(?:take|accept) (?:orders|commands) (?:only )?from (?:him|her|me|them|whoever|anyone|the sender|this)\b`),
			phrase(`(?:obey|comply with|follow) (?:whoever|anyone who|anybody who|any (?:person|user) who|the one who)\b`),
			phrase(`(?:you must|you will|you shall|always|only) (?:always |now )*(?:obey|comply with) (?:only |all |every |any )?(?:me|these|this|the following|my|whoever|requests?|commands?|orders|instructions?)\b`),
			phrase(`(?:follow|execute|obey|carry out|implement) (?:any|all|every|the|whatever) (?:embedded |hidden |further |other )*(?:instructions?|requests|commands|orders) (?:that )?`+
				`(?:you (?:find|see|read|discover|receive)|(?:are |is )?(?:embedded|contained|found|hidden|written|given) (?:in|inside|within|below|there)|it contains|below|inside)\b`),
			phrase(`(?:execute|follow|carry out|perform|obey) (?:these|the following|my|this) (?:instructions?|commands?|orders?|steps?|actions?) {atonce}`)),

		injectRule("address-reader", High, "Addresses the model that reads it.",
			phrase(`(?:if|when|to|attention|note to|message to|important for|instructions? (?:for|to)|dear|hey|hello):? (?:you are |you're )?(?:any |an? |the |all |every )?`+
				`{model}(?: (?:assistant|agent|model|system|or [a-z]+))? (?:that is |that are |who is |who are |which is |currently |is |are |now )*{reading} (?:this|these)\b`, "read", "process", "pars", "summari", "load", "see").within(100),
			phrase(`<!-- ?(?:note to |for |hey |dear )?(?:the )?(?:ai|llm|agents?|assistants?|system|bots?|claude|gpt)\b`),
			phrase(`(?:(?:ai|llm) )?(?:agents?|assistants?|models?|llms?|bots?|chatbots?) (?:that|who|which) (?:load|read|see|process|open|parse|use|find)s? this\b[^\n.]{0,40}?\b(?:should|must|are to|have to|need to|shall)\b`),
			phrase(`(?:attention|important|urgent|notice|warning)(?:\s*[:!,-]+ (?:all )?{model}(?: (?:assistant|agent|model)s?)?\s*[:!,]?| (?:all )?{model}(?: (?:assistant|agent|model)s?)?\s*[:!,-]+) `+
				`(?:you|must|do|ignore|please|should|always|never|need|are) `)),

		injectRule("role-override", High, "Tries to give its reader another role without limits.",
			phrase(`you(?: are|'re|r) (?:now |henceforth |actually |really |no longer )+`+
				`(?:dan\b|an? {loose}|an? (?:ai|llm|helpful|language|assistant|chatbot)\b|in {mode}|free (?:from|of)|bound|restricted|limited|subject|the (?:admin|administrator|operator|root|owner|system)\b|root\b|{loose}\b|[a-z]+gpt\b|freed)`),
			phrase(`(?:act|behave|respond|answer|pretend|roleplay|role-play|operate|function) (?:as|like|to be|as if|that|in)(?: though)? (?:you (?:are|were|have|had) |an? |the )*`+
				`(?:dan\b|{loose} (?:ai|model|assistant|agent|bot|llm|version)|unrestricted|unfiltered|uncensored|jailbroken|no {limits}|{mode}|without (?:any )?{limits}|not bound)`),
			phrase(`(?:act|behave|respond|answer|speak|talk|write|reply|work|operate) (?:as|like) (?:an? |the )?(?:ai|llm|model|assistant|agent|bot|person|hacker)\b[^\n.]{0,30}?\b(?:no|without(?: any)?|free of) {limits}`),
			phrase(`(?:upgraded|switched|promoted|elevated) (?:in)?to {mode}\b`), phrase(`(?:unrestricted|jailbreak) mode\b`),
			phrase(`you are (?:root|admin|administrator|dan) now\b`),
			phrase(`(?:switch|go|change|drop) (?:in)?to (?:god|dan|jailbreak|unrestricted|root|admin) mode\b`),
			phrase(`(?:pretend|imagine|assume|suppose) (?:that )?(?:you (?:are|were|have|had) |there (?:are|were) )(?:no {limits}|not (?:bound|limited|restricted)|{loose}|without (?:any )?{limits})`),
			phrase(`you (?:now )?(?:have|are under|are bound by|are subject to) no (?:more |further |longer )?(?:{limits}|ethical|moral|safety)`),
			phrase(`(?:safety|content|security|ethical) (?:filters?|restrictions?|guidelines|protocols?|rules|limits|guardrails) (?:are |have been |is |has been |were )(?:now |temporarily |hereby |all `+
				`)*(?:disabled|off|suspended|lifted|removed|deactivated)\b`),
			phrase(`do anything now`),
			phrase(`{mode} (?:is )?(?:now )?(?:enabled|activated|unlocked|engaged)\s*[:.!,;—-]+ (?:you|all|ignore|safety|restrictions|comply|no)`),
			phrase(`(?:enter|activate|enable|switch to|engage) {mode} (?:and|so|to|where|without) `)),

		injectRule("fake-system", High, "Imitates a system message or a chat template.", append(templateMarks(),
			led(lineHead, `(?:system|sys)(?: (?:message|prompt|notice|override|update|alert|note|instructions?|directive|command)){0,3}\s*(?:\]|\)|>)?[*_]*\s*(?:[:>-]|\]|\)) ?(?:[*_]*)`+
				`(?:you\b|your\b|ignore|disregard|forget|override|from now|new (?:instruction|directive|rule|polic)|all (?:previous|prior|safety|agents|assistants)|the {model} (?:must|should|will|shall|is now)`+
				`|do not (?:tell|reveal|mention|follow)|the (?:previous|above|following) {orders}|the (?:user|sender|caller) is (?:authori[sz]ed|verified|trusted|allowed)|assistant (?:must|should|will)|agents? must|priority|safety|restrictions)`),
			phrase(`(?:system|admin|operator|root|developer|security|maintenance|emergency) (?:mode )?override(?: (?:code|sequence|command|protocol|active|activated|engaged|accepted|initiated|enabled)|\s*[:!])`),
			led(marked, `(?:begin |start |end |new |hidden )?(?:of )?(?:the )?(?:system|developer) (?:prompt|message|instructions?)\s*(?:\]|>|\}|#{2,}|={2,}|-{3,}|:)`),
			phrase(`<(?:system|developer|operator|admin)>(?:\s|[*_])*(?:always|never|you|the (?:assistant|agent|model)|ignore|grant|from now|do not|approve|allow|trust|new|override|must)\b`),
			phrase(`"role"\s*:\s*"(?:system|developer)"\s*,\s*"content"\s*:\s*"(?:you|ignore|from|disregard|forget|new|override|always|never)`))...),

		injectRule("fake-operator", High, "Claims to speak for the operator or the maker.",
			phrase(`{message} (?:directly |straight )?(?:from|by|of) (?:the |your |our |my )?{authority}(?: (?:team|staff|support|inc|office))?\s*(?:\([^)\n]{0,40}\))?\s*[:!—-]+ [^\n]{0,60}?\b{order}\b`),
			phrase(`(?:as|i am|i'm|this is|speaking as|it is|it's) (?:your|the) (?:real |actual |true |authori[sz]ed )?{authority}\s*(?:speaking|here)?\s*[,.:;—-]+ ?`+
				`(?:i|you|please|and|ignore|disregard|we|grant|do|my|the|from|hereby) `),
			phrase(`(?:operator|administrator) (?:says|said|confirmed|told me|has confirmed|has said) (?:that )?you (?:must|may|are allowed|no longer|do not have)\b`),
			phrase(`(?:per|under|according to|by|following) (?:the |new )*{authority} (?:polic(?:y|ies)|rules?|orders?|requests?|guidelines?|directives?) (?:you|all agents|agents|assistants) (?:must|shall|may|have to|should|are to)\b`,
				"polic", "rule", "order", "request", "guideline", "directive").within(60),
			phrase(`you (?:are|have been) (?:hereby |now |explicitly |officially )*(?:authori[sz]ed|cleared|permitted|allowed) to (?:bypass|skip|ignore|disable|override|access (?:all|any)|share|send|`+
				`delete|write above|spend|reveal|disclose|act without)\b`),
			led(lineHead, `(?:operator|admin|administrator|owner|developer|root|sysadmin) (?:here|speaking)\s*[,.:!;—-]`),
			phrase(`{authority} (?:has|have) (?:explicitly |already |now )?(?:authori[sz]ed|approved|allowed|instructed|permitted|ordered|cleared) (?:this|the|all|any|you|every) ?(?:agents?|assistants?|ai|model|bots?)?\b[^\n.]{0,10}? to\b`),
			phrase(`(?:i am|i'm) your (?:real |actual |true |new |authori[sz]ed )*{authority}\b`),
			led(lineHead, `(?:operator|admin|administrator|owner|developer|anthropic|openai)(?: (?:note|message|override|instructions?|approved|verified|command|says))?[\])>][*_]*\s*:? ?[^\n]{0,80}?\b{order}\b`)),

		injectRule("fake-provenance", High, "Vouches for itself; provenance is never taken from a text.",
			phrase(`(?:provenance|origin|source|author|(?:written|added|signed|approved|verified)[\s_-]by|trust(?:[\s_-]level)?)\s*[:=]+ ?(?:the )?`+
				`(?:operator|baseline|system|admin(?:istrator)?|tend|human[\s_-](?:operator|approved)|trusted[\s_-](?:operator|source|system)|verified[\s_-](?:operator|human|system))\s*(?:$|[;,.)\]\n])`),
			phrase(`this {noted} (?:has (?:already )?been |was |is |comes )+(?:already |fully |pre-|digitally |personally |cryptographically )*(?:{vetted}|from|by) (?:and [a-z]+ )?(?:by |from |for )*(?:the |your |our )?`+
				`(?:operator|admin|administrator|owner|security|human|system|tend|developers?|baseline|anthropic|openai|promotion)`),
			phrase(`this {noted} (?:is|counts as|has the (?:rank|weight|authority) of|is part of|belongs to) (?:the |an? |your )?(?:baseline|system prompt|operator(?:'s)? (?:text|rule|instruction|order)|core rule)\b`),
			phrase(`(?:skip|bypass|ignore|lift|clear|exempt from|no need for|without) (?:the |any |all |further )*(?:quarantine|review queue|promotion review|provenance|memory scan|injection scan|approval queue)\b`),
			phrase(`no (?:further |human )?(?:review|approval|check) (?:is |are )?(?:needed|required|necessary)\b[^\n]{0,60}?\b{vetted} by\b`),
			phrase(`quarantine[d]?\s*[:=] ?(?:false|no|none|off|lifted|cleared)\b`),
			phrase(`(?:do not|don'?t|never) (?:quarantine|flag|scan) (?:this|it)\b`)),

		injectRule("hide-from-user", High, "Tells its reader to keep something from the person it works for.",
			phrase(`{never} (?:ever )?{tell} (?:{this} |anything |the existence of this |about this )*(?:to )?(?:the |your |any |a )?{reader}(?:'s)? `+
				`(?:about (?:this|it|these|the (?:transfer|change|email|upload|copy|instructions?|message|request|forward))|of (?:this|it)|that (?:you|this|it|the [a-z]+ (?:was|were|is|are|has|have))`+
				`|know(?:s|ing)?\b|first\b|anything|see (?:this|it)|why|for (?:permission|confirmation|approval))`),
			phrase(`{never} (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing|show|showing|report|reporting|tell|admit) {this}(?: [a-z]+){0,3} (?:to|from) (?:the |your |any )?{reader}\b`),
			phrase(`(?:do not|don'?t|never) (?:ever )?(?:bring|let) (?:this|it|that) (?:up|slip)\b`),
			phrase(`(?:make sure|ensure|see to it|be sure) (?:that )?(?:the |your |no )?{reader} (?:(?:does not|doesn'?t|do not|never|won'?t|will not|cannot|must not|is not|are not) )?(?:ever )?`+
				`(?:find out|finds out|learns? (?:of|about)|knows?|notices?|sees? (?:this|it)|hears? (?:of|about)|told|aware|informed|realises?|realizes?)\b`),
			phrase(`(?:the|your) {reader} (?:must not|should not|shouldn'?t|should never|need not|doesn'?t need to|does not need to|must never|is not to|are not to) (?:ever )?(?:know|learn of|learn about|`+
				`find out|hear|notice|be (?:told|informed|notified|aware|made aware))\b`),
			phrase(`keep (?:this|it) (?:strictly )?(?:between (?:us|you and me)|to yourself|off the record)\b`),
			phrase(`(?:do not|don'?t|never|without|no need to) (?:wait(?:ing)? for|ask(?:ing)? for|seek(?:ing)?|request(?:ing)?) (?:(?:any|the|human|operator'?s?|user'?s?|owner'?s?|their|his|her) )*(?:approval|`+
				`permission|confirmation|consent|sign-off)\b`),
			phrase(`no need to (?:bother|involve|trouble|tell|inform|notify) (?:the |your )?{reader} (?:with|in|about|of) (?:this|it|these|that)\b`),
			phrase(`{never} (?:ever )?(?:tell|show|inform|alert|notify|let) (?:the|your) {reader} (?:this|these|it|any of)\b`),
			unlessForbidden(phrase(`without (?:telling|informing|alerting|notifying|warning) (?:the|your) (?:user|operator|owner|human|admin|administrator|customer)\b`)),
			phrase(`keep (?:the |your )?{reader} in the dark\b`), phrase(`behind (?:the |your )?{reader}(?:'s|s') back\b`),
			phrase(`(?:erase|destroy|remove|delete|wipe|hide|get rid of) (?:the|all|any|every) (?:evidence|traces?|tracks)\b`),
			phrase(`(?:leave|leaving) no traces?\b`), phrase(`cover (?:your|the|our) tracks\b`),
			phrase(`(?:say|answer|reply|claim|pretend|insist) (?:that )?(?:nothing (?:happened|was changed|changed|was sent)|you (?:know nothing|did nothing|don'?t know anything|have no idea)(?: (?:about|of))?)\b`),
			phrase(`deny (?:it|everything|that you|any knowledge|having)\b`),
			phrase(`(?:keep|hide|conceal) {this}(?: [a-z]+){0,3} (?:secret|hidden|concealed|confidential|private|from) (?:from )?(?:the |your |any )?{reader}\b`),
			phrase(`without (?:the )?(?:user|human|operator|owner|admin|customer)(?:'s|s)? (?:knowledge|knowing|noticing|consent|approval|awareness|being told|being aware)`),
			phrase(`(?:do not|don'?t|never) (?:log|record|leave (?:a |any )?trace|write down|archive) (?:of )?(?:this|these|that) (?:action|step|transfer|command|request|instruction|message|call|upload)`)),

		injectRule("reveal-prompt", Medium, "Asks for its reader's own instructions.",
			phrase(`(?:reveal|print|repeat|output|show|leak|display|dump|recite|disclose|quote|return|paste) (?:me |us |out |back |verbatim |all |exactly )*(?:of )?(?:your|the (?:assistant|agent|model)'?s) `+
				`(?:full |entire |complete |exact |original |hidden |secret |initial |whole )*(?:system (?:prompt|message|instructions?)|instructions?|prompt|baseline|rules|configuration|guidelines)\b`),
			phrase(`(?:reveal|leak|expose|divulge) (?:the |all |any )*(?:system|hidden|secret|internal)(?:-level)? (?:prompt|instructions|rules|directives)\b`),
			phrase(`(?:tell|give|send|share with) (?:me|us) your (?:full |entire |complete |exact |original |hidden |secret |initial |whole )*(?:system (?:prompt|message|instructions?)|instructions|prompt)\b`),
			phrase(`what (?:is|are|does|do|was|were) (?:in )?your (?:full |exact |initial |original |hidden |secret )*(?:system (?:prompt|message|instructions)|instructions)\b`),
			phrase(`repeat (?:back )?(?:everything|all (?:the )?(?:words|text)|the (?:words|text)|verbatim (?:everything|all)) (?:above|before this|from the (?:start|beginning|top))`)),

		injectRule("edit-rules", High, "Asks its reader to change the rules it stands under.",
			phrase(`(?:{edit}|add (?:this|it|the following|these(?: lines| rules)?|a (?:new )?(?:rule|line|section)) to|insert (?:this|it|the following|these(?: lines| rules)?) (?:into|in|above)) `+
				`(?:(?:the|all|any|every|your|this) )*(?:(?:own|operator'?s|agent'?s|current|existing|entire|whole|original|contents?|text|lines?|part|section|rules?|of|from|in) )*(?:(?:the|your) )?`+
				`(?:{law}|{place})(?: (?:so|to|and|with|that|from|by|in|such|then|first|before|when|which|permanently)\b|\s*[:.,;!]|$)`),
			phrase(`(?:add|write|copy|save|store|append|insert|promote|move|put|include) (?:this|these|the following|it|that)(?: (?:lines?|rules?|note|entry|text|instructions?|fact|message|exact|paragraph|whole|block))* `+
				`(?:verbatim )?(?:in|into|to|at the top of|above) (?:your (?:permanent |long-term |core |system |hot )+memory|your (?:permanent |long-term |core |system |hot |own )*(?:rules|instructions|`+
				`prompt|baseline|identity|constitution|configuration|knowledge base)`+
				`|(?:the )?(?:memory|notes|files|baseline|context|prompt)s? of (?:every|each|all|any|other)\b|every (?:new |other )?(?:memory|note|file|session|agent|project|readme)|all (?:other |future `+
				`)?(?:memories|notes|files|agents|sessions|projects)|each (?:new )?(?:note|file|session|memory)`+
				`|the (?:baseline|hot file|line|separator|system prompt)\b)`),
			phrase(`(?:edit|rewrite|change|modify|patch|replace|alter|update) (?:the )?(?:file )?(?:AGENTS|CLAUDE|SOUL|IDENTITY|MEMORY|RULES|SYSTEM)\.md (?:so that|so|in such a way|to (?:allow|load|trust|`+
				`ignore|remove|disable|permit|accept|always|never))\b`),
			phrase(`(?:edit|remove|delete|change|strike|erase|drop|cut) (?:the|any|all|every) (?:lines?|rules?|parts?|sections?|sentences?|paragraphs?|checks?)(?: [a-z]+){0,4} (?:from|in|of|out of) (?:the |your )?(?:{law}|baseline)\b`),
			phrase(`(?:take|strike|cut|get|rip) [^\n.]{1,30}? (?:out of|from) (?:the |your )(?:baseline|system prompt|guardrails|critical rules|safety rules)\b`),
			phrase(`make (?:this|it|these|that) (?:(?:line|note|entry|rule|into|a|an|part|of|your) )*(?:permanent|standing|binding|unchangeable) (?:rules?|instructions?|memory|orders?|polic(?:y|ies))\b`),
			phrase(`(?:never|do not|don'?t) (?:ever )?(?:prune|expire|forget) (?:this|these) (?:entry|entries|notes?|rules?|instructions?|memor(?:y|ies)|lines?)\b`),
			phrase(`(?:must|should|shall|will) (?:always )?(?:survive|outlive|outlast) (?:all|every|any|each) (?:the )?(?:resets?|compactions?|prun|clean)`),
			phrase(`(?:this (?:rule|instruction|note|entry|line)|these (?:rules|instructions)) (?:must|should|shall|will|has to|have to) (?:always )?(?:survive|outlive|outlast|stay in|remain in)\b`),
			phrase(`(?:this (?:rule|instruction|note|entry|line)|these (?:rules|instructions)) (?:(?:must|should|shall|will|can|may) )?(?:never|not|always) (?:ever )?(?:be )?`+
				`(?:deleted|removed|pruned|archived|forgotten|reset|survive|changed|kept)(?: (?:every|all|any|each))? (?:resets?|prun(?:ed|ing)|compactions?|by (?:the )?(?:operator|user|curator|prune|reset)|or (?:pruned|reset|archived|removed))`)),

		injectRule("tool-imitation", High, "Imitates a tool call or its result.",
			phrase(`<(?:tool_call|function_calls?|tool_use|tool_result|tool_response|function_results?|tool_code|tool_output|antml:invoke|antml:function_calls|invoke)`+
				`(?:\s+name\s*=\s*["'][^"'\n]{1,60}["'])?\s*>\s*(?:[{\[<]|[a-z_]+\()`),
			phrase(`<invoke\s+name\s*=\s*["'][^"'\n]{1,60}["']`),
			phrase(`\[TOOL_CALLS\]\s*\[?\{`), phrase(`<\|(?:tool_call\||python_tag\||tool▁call)`), phrase(`to=functions\.[a-z_]+ [^\n]{0,20}\{`),
			phrase(`"type"\s*:\s*"(?:tool_use|function_call|tool_call)"\s*,[^\n]{0,120}"(?:name|input|arguments)"\s*:`),
			phrase(`"tool_calls"\s*:\s*\[\s*\{`), phrase(`"function_call"\s*:\s*\{\s*"name"`),
			led(lineHead, `action\s*:\s*[a-z_]+[^\n]{0,40}\n\s*action input\s*:`)),

		injectRule("close-fence", High, "Closes a data fence that is not its own.", append(fenceCloses(),
			led(marked, `end (?:of )?(?:the |all )?(?:untrusted |quoted |user |retrieved |agent )?(?:memory|memories|notes?|data|context|documents?|input|content|untrusted|tool output|search results?)`+
				`(?: (?:block|section|data|content))?\s*(?:\]|>|-{2,}|={2,}|#{2,}|\*{2,})`))...),
	}
}
