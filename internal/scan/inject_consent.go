package scan

// consentRules are the quieter ways to move a reader: a consent nobody gave, a rank nobody
// has, a lie that is said to be fine, a text that wants to be copied.
func consentRules() []rule {
	return []rule{
		injectRule("false-consent", High, "Claims a permission that no text can give.",
			phrase(`(?:user|owner|operator|human|admin|administrator|customer|boss) (?:has |have |had )?(?:already )?(?:consented|agreed|approved|signed off|said yes)(?: to (?:this|it|all|everything))? (?:in advance|beforehand|verbally|by phone|orally|off the record)\b`),
			phrase(`you have (?:standing|blanket|permanent|implicit|unlimited|full) (?:permission|consent|approval|authori[sz]ation|clearance) (?:to|for)\b`),
			phrase(`(?:treat|regard|handle|consider|accept) (?:all |any |every )?(?:requests?|messages?|orders|commands|anything|mails?|instructions?) (?:from|by|of) [^\n.]{1,40}? as (?:if (?:it|they) (?:came|were) |coming |being |though (?:it|they) (?:came|were) )?(?:from |by )?(?:the |your |an? )?(?:admin|administrator|operator|owner|root|developer|system)\b`),
			phrase(`as (?:if|though) (?:the |every |all |any )?(?:approval|permission|consent|confirmation|review)(?: step)? (?:had|has|were|was) (?:already )?(?:been )?(?:given|granted|obtained|done|passed)\b`)),

		injectRule("false-rank", High, "Claims a rank above its reader's instructions.",
			phrase(`(?:this|the present|the following) (?:memory|note|entry|file|line|text|message) (?:outranks|overrules|trumps|beats|stands above|wins over) (?:the|your|any|all|every)\b`),
			phrase(`(?:guidance|instructions?|rules|guidelines|limits|restrictions|constraints|polic(?:y|ies)) [^\n.]{0,60}?\b(?:no longer|do not|does not|don'?t) (?:bind|binds|hold|concern|restrain|limit) you\b`),
			phrase(`(?:your|the operator'?s|the agent'?s|the assistant'?s) (?:safety |content |security |ethical |usual |own )*(?:layer|limits?|filters?|guardrails?|safeguards?|restrictions?) (?:has been|have been|is|are|was|were) (?:now |temporarily |all )*(?:switched off|turned off|suspended|lifted|disabled|removed|gone|void)\b`),
			phrase(`(?:text|rules?|lines?|part|everything) above the (?:line|separator) (?:is|are|was|were) (?:only |just |merely )?(?:an? )?(?:decoy|fake|dummy|placeholder|example|outdated|obsolete|void|bait)\b`),
			phrase(`(?:consider|regard|treat|declare) (?:the |all |any |your )*(?:earlier|previous|prior|original|initial) (?:system )?(?:text|prompt|message|rules|instructions?|guidance) (?:as )?(?:expired|void|withdrawn|finished|closed|retired|over)\b`),
			phrase(`you (?:were|are|have been) (?:now |just |finally )?(?:freed|released|liberated|unchained) (?:from|of) (?:your|all|any|the|every)\b`),
			phrase(`you (?:now )?answer to (?:nobody|no one|no-one|none)\b`)),

		injectRule("self-copy", High, "Wants to be copied to where others read it.",
			phrase(`(?:all|every|any|each) (?:ai |other |future )*(?:agents?|assistants?|models?|bots?|readers?) (?:who |that )?(?:read|reads|reading|load|loads|loading|see|sees|seeing|find|finds|finding) this\b[^\n.]{0,40}?\b(?:must|should|shall|has to|have to|are to|is to|will)\b`),
			phrase(`(?:whoever|anyone who|any agent that|every agent that) (?:reads|loads|opens|processes|summari[sz]es) this\b[^\n.]{0,60}?[:,]? (?:must|should|shall|run|execute|send|open|copy|delete|first)\b`),
			phrase(`(?:pass|spread|hand|carry|forward|share) this (?:note|text|line|entry|message|paragraph|rule) (?:on )?(?:to|with) (?:every|each|all|any)\b`),
			phrase(`(?:replicate|duplicate|reproduce|repeat|copy) this (?:note|text|line|entry|message|paragraph|rule|block) (?:at the (?:top|end|start) of|in|into|to) (?:every|each|all|any)\b`),
			phrase(`(?:copy|write|save) (?:it|this|these lines) into (?:their|its|your) own memor(?:y|ies)\b`)),

		injectRule("show-above", Medium, "Asks for what stands above it, or for what is hidden.",
			phrase(`(?:list|name|enumerate|write out|type out|copy out) (?:me |us )?(?:all |any |every |the |your )*(?:hidden|secret|internal|initial|system) (?:instructions?|rules|directives|prompts?|orders|messages?)\b`),
			phrase(`(?:paste|print|output|copy|write|include|quote|repeat) (?:me |us )?(?:everything|all|whatever|the text|all text) (?:that )?(?:stands|is|was|comes|came|appears) (?:above|before) (?:this|these|the)\b`),
			phrase(`(?:output|print|paste|show|repeat|quote) (?:me |us )?(?:the )?(?:text|words|content|contents) of your (?:very )?(?:first|initial|opening|system) (?:message|prompt|instructions?)\b`)),

		injectRule("told-to-lie", High, "Tells its reader to lie, or that lying is fine.",
			phrase(`(?:fine|okay|ok|allowed|acceptable|permitted|all right|alright) to (?:lie|mislead|deceive)\b[^\n.]{0,20}?\b(?:user|operator|owner|human|customer|reviewer|auditor)s?\b`),
			phrase(`(?:tell|assure|report to|inform) (?:the |your |every )?(?:user|operator|owner|human|customer|reviewer|auditor)s? (?:that )?[^\n.]{1,50}? even (?:when|if|though) (?:it|they|that|this|the)\b`),
			phrase(`if (?:the |your |any |an? )?(?:user|operator|owner|human|customer|admin|auditor|anyone|somebody|someone) asks? (?:you )?about (?:this|it|these|that)\b[^\n.]{0,30}?\b(?:say|claim|answer|reply|pretend|tell|deny|insist)\b`),
			phrase(`(?:approve|mark|pass|accept|rate) (?:every|each|any|all) [^\n.]{1,40}? (?:regardless of|no matter|whatever) (?:what|how|the)\b`)),
	}
}
