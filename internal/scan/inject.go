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
			phrase(`(?:ignore|disregard|forget|override|bypass) (?:all|any|every) (?:of )?(?:other |the |your )*(?:instructions?|prompts?|directives?|guidelines?|safeguards?|guardrails?|restrictions|constraints)\b`),
			phrase(`(?:ignore|disregard|forget|discard) (?:all |any |the |everything in the )*(?:text|content|context|lines|words|conversation)? ?(?:above|before|prior to|preceding) (?:this|here)\b`),
			phrase(`{drop} (?:all (?:of )?)?(?:your|the assistant'?s|its) (?:own )?{orders}\b`),
			phrase(`(?:instructions|rules|guidelines|directives|orders|prompts?) (?:above|before this|so far|given (?:earlier|above|before)|you (?:were|have been) given|in (?:the|your) system prompt)`+
				`(?: (?:are|is|were|was))? (?:now |hereby )*{invalid}`)),

		injectRule("new-instructions", High, "Claims to replace its reader's instructions.",
			phrase(`your {new} {task}(?: (?:is|are)\b|\s*:)`),
			phrase(`(?:new|updated|revised|additional|overriding) (?:system|operator|hidden|priority|standing) {task}(?: from [^:\n]{2,40})?\s*:`),
			phrase(`from (?:now on|this (?:point|moment) (?:on|onwards?|forward)|here on)\s*,? you `+
				`(?:are (?:now|no longer|going|to be|an?|the|free|bound)|will (?:only|always|never|ignore|obey|act|behave|respond|answer|do|be)|must|shall|only|obey|act|answer only|respond only|have no)\b`),
			phrase(`(?:you must|you will|you shall|always|only) (?:always |now )*(?:obey|comply with) (?:only |all |every |any )?(?:me|these|this|the following|my|whoever|requests?|commands?|orders|instructions?)\b`),
			phrase(`(?:follow|execute|obey|carry out|implement) (?:any|all|every|the|whatever) (?:embedded |hidden |further |other )*(?:instructions?|requests|commands|orders) (?:that )?`+
				`(?:you (?:find|see|read|discover|receive)|(?:are |is )?(?:embedded|contained|found|hidden|written|given) (?:in|inside|within|below|there)|it contains|below|inside)\b`),
			phrase(`(?:execute|follow|carry out|perform|obey) (?:these|the following|my|this) (?:instructions?|commands?|orders?|steps?|actions?) {atonce}`)),

		injectRule("address-reader", High, "Addresses the model that reads it.",
			phrase(`(?:if|when|to|attention|note to|message to|important for|instructions? (?:for|to)|dear|hey|hello):? (?:you are |you're )?(?:any |an? |the |all |every )?`+
				`{model}(?: (?:assistant|agent|model|system|or [a-z]+))? (?:that is |that are |who is |who are |which is |currently |is |are |now )*{reading} (?:this|these|the)\b`),
			phrase(`(?:attention|important|urgent|notice|warning)(?:\s*[:!,-]+ (?:all )?{model}(?: (?:assistant|agent|model)s?)?\s*[:!,]?| (?:all )?{model}(?: (?:assistant|agent|model)s?)?\s*[:!,-]+) `+
				`(?:you|must|do|ignore|please|should|always|never|need|are) `)),

		injectRule("role-override", High, "Tries to give its reader another role without limits.",
			phrase(`you(?: are|'re|r) (?:now |henceforth |actually |really |no longer )+`+
				`(?:dan\b|an? {loose}|an? (?:ai|llm|helpful|language|assistant|chatbot)\b|in {mode}|free (?:from|of)|bound|restricted|limited|subject|the (?:admin|operator|root|owner|system)\b|root\b|{loose}\b|[a-z]+gpt\b|freed)`),
			phrase(`(?:act|behave|respond|answer|pretend|roleplay|role-play|operate|function) (?:as|like|to be|as if|that|in)(?: though)? (?:you (?:are|were|have|had) |an? |the )*`+
				`(?:dan\b|{loose} (?:ai|model|assistant|agent|bot|llm|version)|unrestricted|unfiltered|uncensored|jailbroken|no {limits}|{mode}|without (?:any )?{limits}|not bound)`),
			phrase(`(?:pretend|imagine|assume|suppose) (?:that )?(?:you (?:are|were|have|had) |there (?:are|were) )(?:no {limits}|not (?:bound|limited|restricted)|{loose}|without (?:any )?{limits})`),
			phrase(`you (?:now )?(?:have|are under|are bound by|are subject to) no (?:more |further |longer )?(?:{limits}|ethical|moral|safety)`),
			phrase(`(?:safety|content|security|ethical) (?:filters?|restrictions?|guidelines|protocols?|rules|limits|guardrails) (?:are |have been |is |has been |were )(?:now |temporarily |hereby |all )*(?:disabled|off|suspended|lifted|removed|deactivated)\b`),
			phrase(`do anything now`),
			phrase(`{mode} (?:is )?(?:now )?(?:enabled|activated|unlocked|engaged)\s*[:.!,;—-]+ (?:you|all|ignore|safety|restrictions|comply|no)`),
			phrase(`(?:enter|activate|enable|switch to|engage) {mode} (?:and|so|to|where|without) `)),

		injectRule("fake-system", High, "Imitates a system message or a chat template.", append(templateMarks(),
			led(lineHead, `(?:system|sys)(?: (?:message|prompt|notice|override|update|alert|note|instructions?|directive|command))?\s*(?:\]|\)|>)?[*_]*\s*(?:[:>-]|\]|\)) ?(?:[*_]*)`+
				`(?:you\b|your\b|ignore|disregard|forget|override|from now|new (?:instruction|directive|rule|polic)|all (?:previous|prior|safety|agents|assistants)|the {model} (?:must|should|will|shall|is now)`+
				`|do not (?:tell|reveal|mention|follow)|the (?:previous|above|following) {orders}|assistant (?:must|should|will)|agents? must|priority|safety|restrictions)`),
			phrase(`(?:system|admin|operator|root|developer|security|maintenance|emergency) (?:mode )?override(?: (?:code|sequence|command|protocol|active|activated|engaged|accepted|initiated|enabled)|\s*[:!])`),
			led(marked, `(?:begin |start |end |new |hidden )?(?:of )?(?:the )?(?:system|developer) (?:prompt|message|instructions?)\s*(?:\]|>|\}|#{2,}|={2,}|-{3,}|:)`),
			phrase(`"role"\s*:\s*"(?:system|developer)"\s*,\s*"content"\s*:\s*"(?:you|ignore|from|disregard|forget|new|override|always|never)`))...),

		injectRule("fake-operator", High, "Claims to speak for the operator or the maker.",
			phrase(`{message} (?:directly |straight )?(?:from|by|of) (?:the |your |our |my )?{authority}(?: (?:team|staff|support|inc|office))?\s*(?:\([^)\n]{0,40}\))?\s*[:!—-]+ [^\n]{0,60}?\b{order}\b`),
			phrase(`(?:as|i am|i'm|this is|speaking as|it is|it's) (?:your|the) (?:real |actual |true |authori[sz]ed )?{authority}\s*(?:speaking|here)?\s*[,.:;—-]+ ?`+
				`(?:i|you|please|and|ignore|disregard|we|grant|do|my|the|from|hereby) `),
			phrase(`(?:i am|i'm) your (?:real |actual |true |new |authori[sz]ed )*{authority}\b`),
			led(lineHead, `(?:operator|admin|administrator|owner|developer|root|anthropic|openai)(?: (?:note|message|override|instructions?|approved|verified|command|says))?[\])>][*_]*\s*:? ?[^\n]{0,80}?\b{order}\b`)),

		injectRule("fake-provenance", High, "Vouches for itself; provenance is never taken from a text.",
			phrase(`(?:provenance|origin|source|author|(?:written|added|signed|approved|verified)[\s_-]by|trust(?:[\s_-]level)?)\s*[:=]+ ?(?:the )?`+
				`(?:operator|baseline|system|admin(?:istrator)?|tend|human[\s_-](?:operator|approved)|trusted[\s_-](?:operator|source|system)|verified[\s_-](?:operator|human|system))\b`),
			phrase(`this {noted} (?:has (?:already )?been |was |is |comes )+(?:already |fully |pre-|digitally |personally |cryptographically )*(?:{vetted}|from|by) (?:and [a-z]+ )?(?:by |from |for )*(?:the |your |our )?`+
				`(?:operator|admin|administrator|owner|security|human|system|tend|developers?|baseline|anthropic|openai|promotion)`),
			phrase(`(?:skip|bypass|ignore|lift|clear|exempt from|no need for|without) (?:the |any |all |further )*(?:quarantine|review queue|promotion review|provenance|memory scan|injection scan|approval queue)\b`),
			phrase(`quarantine[d]?\s*[:=] ?(?:false|no|none|off|lifted|cleared)\b`),
			phrase(`(?:do not|don'?t|never) (?:quarantine|flag|scan) (?:this|it)\b`)),

		injectRule("hide-from-user", High, "Tells its reader to keep something from the person it works for.",
			phrase(`{never} (?:ever )?{tell} (?:{this} |anything |the existence of this |about this )*(?:to )?(?:the |your |any |a )?{reader}(?:'s)? `+
				`(?:about (?:this|it|these|the (?:transfer|change|email|upload|copy|instructions?|message|request|forward))|of (?:this|it)|that (?:you|this|the (?:data|email|message|transfer|change))`+
				`|know(?:s|ing)?\b|first\b|anything|see (?:this|it)|why|for (?:permission|confirmation|approval))`),
			phrase(`{never} (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing|show|showing|report|reporting|tell|admit) {this}(?: [a-z]+){0,3} (?:to|from) (?:the |your |any )?{reader}\b`),
			phrase(`(?:keep|hide|conceal) {this}(?: [a-z]+){0,3} (?:secret|hidden|concealed|confidential|private|from) (?:from )?(?:the |your |any )?{reader}\b`),
			phrase(`without (?:the )?(?:user|human|operator|owner|admin|customer)(?:'s|s)? (?:knowledge|knowing|noticing|consent|approval|awareness|being told|being aware)`),
			phrase(`(?:do not|don'?t|never) (?:log|record|leave (?:a |any )?trace|write down|archive) (?:of )?(?:this|these|that) (?:action|step|transfer|command|request|instruction|message|call|upload)`)),

		injectRule("reveal-prompt", Medium, "Asks for its reader's own instructions.",
			phrase(`(?:reveal|print|repeat|output|show|leak|display|dump|recite|disclose|quote|return|paste) (?:me |us |out |back |verbatim |all |exactly )*(?:of )?(?:your|the (?:assistant|agent|model)'?s) `+
				`(?:full |entire |complete |exact |original |hidden |secret |initial |whole )*(?:system (?:prompt|message|instructions?)|instructions?|prompt|baseline|rules|configuration|guidelines)\b`),
			phrase(`repeat (?:back )?(?:everything|all (?:the )?(?:words|text)|the (?:words|text)|verbatim (?:everything|all)) (?:above|before this|from the (?:start|beginning|top))`)),

		injectRule("edit-rules", High, "Asks its reader to change the rules it stands under.",
			phrase(`(?:{edit}|add (?:this|it|the following|these(?: lines| rules)?|a (?:new )?(?:rule|line|section)) to|insert (?:this|it|the following|these(?: lines| rules)?) (?:into|in|above)) `+
				`(?:(?:the|all|any|every|your|this) )*(?:(?:own|operator'?s|agent'?s|current|existing|entire|whole|original|contents?|text|lines?|part|section|rules?|of|from|in) )*(?:(?:the|your) )?`+
				`(?:{law}|{place})(?: (?:so|to|and|with|that|from|by|in|such|then|first|before|when|which|permanently)\b|\s*[:.,;!]|$)`),
			phrase(`(?:add|write|copy|save|store|append|insert|promote|move|put|include) (?:this|these|the following|it|that)(?: (?:lines?|rules?|note|entry|text|instructions?|fact|message|exact|paragraph|whole|block))* `+
				`(?:verbatim )?(?:in|into|to|at the top of|above) (?:your (?:permanent |long-term |core |system |hot |own )*(?:memory|rules|instructions|prompt|baseline|identity|constitution|configuration|knowledge base)`+
				`|every (?:new |other )?(?:memory|note|file|session|agent|project|readme)|all (?:other |future )?(?:memories|notes|files|agents|sessions|projects)|each (?:new )?(?:note|file|session|memory)`+
				`|the (?:baseline|hot file|line|separator|system prompt)\b)`),
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
