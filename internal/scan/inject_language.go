package scan

// languageRules are the commonest phrases in other languages. Keys are parts of words, so that
// capitals outside ASCII and endings do not matter.
func languageRules() []rule {
	r := func(code, language string, patterns ...pattern) rule {
		return injectRule(code, High, "Tells its reader in "+language+" to set its instructions aside, to hide something or to send data away.", patterns...)
	}
	return []rule{
		r("german", "German",
			phrase(`(?:ignorier(?:e|en|t)?|missachte|vergiss|vergessen|verwirf|übergeh(?:e|en)?|überschreib(?:e|en)?)(?: sie)? (?:bitte )?(?:ab sofort )?(?:alle |sämtliche |deine |ihre |die |jegliche `+
				`|diese |den |das )*(?:bisherigen |vorherigen |vorigen |vorangegangenen |früheren |obigen |ursprünglichen |alten |systemweiten |eigenen |geltenden )*(?:anweisung(?:en)?|instruktion(?:en)?|`+
				`befehle?|regeln|vorgaben|richtlinien|system-?prompt|sicherheitsregeln)`),
			phrase(`(?:beachte|befolge|beachten|befolgen)(?: sie)? (?:bitte )?(?:die |deine |alle |ihre |diese )*(?:bisherigen |vorherigen |früheren |obigen |alten |eigenen )*(?:anweisung(?:en)?|regeln|`+
				`vorgaben|richtlinien|instruktion(?:en)?) (?:ab sofort |ab jetzt )?nicht\b`),
			phrase(`halte dich (?:ab sofort |ab jetzt )?nicht (?:mehr |länger )?an (?:die |deine |alle )*(?:bisherigen |vorherigen |obigen )*(?:anweisung(?:en)?|regeln|vorgaben|richtlinien)`),
			phrase(`(?:sag|sage|sagen|erzähl|erzähle|verrate|verraten|teile?|melde|zeige?)(?: sie)? (?:es |das |dies |davon |hiervon )*(?:dem |der |den |einem )?(?:nutzer|benutzer|anwender|betreiber|`+
				`operator|chef|menschen|kunden|user)(?:n|in)? (?:auf keinen fall |niemals |bitte )*(?:nichts|nicht|davon nichts|hiervon nichts)`),
			phrase(`(?:sende|schicke?|leite|übermittle|lade)(?: sie)? (?:heimlich |unbemerkt |alle |sämtliche |die |den |das |deine |ihre |eine |kopie |aller |jede |immer )*(?:passw[oö]rt(?:er)?|zugangsdaten|`+
				`schlüssel|api-schlüssel|unterhaltung(?:en)?|gespräche?|chatverlauf|nachrichten|daten|tokens?|geheimnisse|kontodaten|notizen|dateien)[^\n]{0,60}?\b(?:an|nach|auf|zu) [^\n]{0,30}?(?:@|https?://)`),
			phrase(`(?:du bist|sie sind) (?:jetzt|ab sofort|nun|von nun an) (?:ein |eine |der |die )?(?:unbeschränkt|uneingeschränkt|unzensiert|frei|nicht mehr|entwicklermodus|im entwicklermodus|administrator|an keine)`)),
		r("french", "French",
			phrase(`(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|ne (?:tiens|tenez) (?:pas|aucun) compte|fais abstraction|faites abstraction|outrepasse[zr]?|contourne[zr]?)(?: (?:de |des |du |d'|toutes |tous `+
				`|les |tes |vos |ces |ses ))*\s*(?:toutes |tous |les |tes |vos |des )*(?:instructions?|consignes?|règles?|directives?|ordres)(?: (?:précédentes?|antérieures?|ci-dessus|initiales?|du système|`+
				`système|d'origine|reçues|de sécurité|données|qui précèdent)|[^\n]{0,20}$)`),
			phrase(`ne (?:le |la |les |lui |leur |rien |l')?(?:dis|dites|dire|révèle[zr]?|mentionne[zr]?|montre[zr]?|parle[zr]?)(?: (?:pas|jamais|rien|surtout))+ (?:cela |ceci |ça |de cela |de ceci )?(?:à `+
				`|au |aux )(?:l'|la |le )?(?:utilisateur|opérateur|client|propriétaire|humain|administrateur)`),
			phrase(`n'en (?:parle[zr]?|dis|dites)(?: (?:pas|jamais|rien|surtout))+ (?:à |au |aux )(?:l'|la |le )?(?:utilisateur|opérateur|client|propriétaire|humain|administrateur|personne)`),
			phrase(`(?:envoie|envoyez|transfère|transférez|transmets|transmettez|copie|copiez|télécharge)(?: (?:discrètement|secrètement|toutes|tous|les|tes|vos|le|la|une|copie|de|des|du|chaque))* (?:mots `+
				`de passe|identifiants|clés?|conversations?|historique|données|messages|secrets?|jetons?|fichiers|notes)[^\n]{0,60}?(?: à | vers | sur )[^\n]{0,30}?(?:@|https?://)`),
			phrase(`tu es (?:maintenant|désormais) (?:un |une |en )?(?:mode développeur|sans (?:restriction|limite)|libre|administrateur|ia sans|non restreint|assistant sans)`)),
		r("spanish", "Spanish",
			phrase(`(?:ignora|ignore|ignorar|olvida|olvide|olvidar|descarta|descarte|desobedece|no sigas|pasa por alto|omite)(?: (?:por favor|todas|todos|las|los|tus|sus|estas|cualquier|completamente))* `+
				`(?:instrucci(?:ones|ón)|órdenes|indicaciones|reglas|directrices|normas|mensajes)(?: (?:anteriores?|previas?|previos?|de arriba|iniciales?|originales?|del sistema|de seguridad|recibidas|dadas)|[^\n]{0,20}$)`),
			phrase(`no (?:hagas|haga) caso (?:de|a) (?:las |los |tus |sus |todas )*(?:instrucciones|reglas|órdenes|normas|directrices)`),
			phrase(`(?:olvida|olvide|ignora|ignore|descarta) todo lo (?:anterior|previo|dicho|de arriba)`),
			phrase(`no (?:se lo |le |les |lo )?(?:digas|diga|menciones|mencione|reveles|revele|cuentes|cuente|muestres|informes)(?: (?:nada|esto|eso|nunca|de esto))* (?:al |a la |a los |a )(?:usuario|`+
				`operador|cliente|dueño|humano|administrador|propietario)`),
			phrase(`(?:envía|envíe|enviar|reenvía|manda|mande|transfiere|copia|sube)(?: (?:en secreto|secretamente|discretamente|todas|todos|las|los|tus|sus|la|el|una|copia|de|cada))* (?:contraseñas?|`+
				`credenciales|claves?|conversaci(?:ones|ón)|historial|datos|mensajes|secretos?|tokens?|archivos|notas)[^\n]{0,60}?(?: a | hacia | al )[^\n]{0,30}?(?:@|https?://)`),
			phrase(`(?:ahora eres|a partir de ahora (?:eres|serás|actúas?|debes))(?: (?:un|una|el|en|como))* (?:ia sin|asistente sin|sin (?:restricciones|límites|reglas)|modo desarrollador|administrador|libre|obedecer)`)),
		r("portuguese-italian", "Portuguese or Italian",
			phrase(`(?:ignore|ignora|ignorar|ignorate|esqueça|esquece|dimentica|dimenticate|desconsidere|trascura)(?: (?:todas|todos|as|os|suas|seus|tutte|tutti|le|gli|i|tue|vostre))* (?:instruções|ordens|`+
				`regras|diretrizes|istruzioni|regole|direttive|ordini)(?: (?:anteriores?|prévias?|acima|iniciais|precedenti|iniziali|originali|do sistema|di sistema|di sicurezza|de segurança)|[^\n]{0,20}$)`),
			phrase(`(?:não (?:conte|diga|mencione|revele|informe)|non (?:dire|dirlo|rivelare|menzionare|dica|rivelarlo))(?: (?:isso|isto|nada|questo|niente|mai|nunca))* (?:ao |à |aos |all'|al |agli )\s*(?:usuário|`+
				`utilizador|operador|dono|cliente|utente|operatore|proprietario)`)),
		r("russian", "Russian",
			phrase(`(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не обращай(?:те)? внимания на|отмени(?:те)?|отбрось(?:те)?|нарушай(?:те)?)(?: (?:все|всё|любые|свои|твои|ваши|эти|о|про|пожалуйста))* `+
				`(?:предыдущи[ехм]|прежни[ехм]|прошлы[ехм]|вышеуказанны[ехм]|системны[ехм]|исходны[ехм]|старые|ранее данны[ехм]|полученны[ехм]|инструкци[ийях]+|правила[х]?|указани[яйх]+)(?: (?:инструкци[ийях]+|`+
				`указани[яйх]+|правила[х]?|команд[ыах]+|сообщени[яйх]+|промпт|ограничени[яйх]+))?`),
			phrase(`не (?:выполняй(?:те)?|следуй(?:те)?|соблюдай(?:те)?|слушай(?:те)?)(?: (?:больше|все|всем|эти|этим|свои|своим))* (?:предыдущи[ехм]|прежни[ехм]|системны[ехм]|старые|старым)? ?(?:инструкци[ийяхм]+|указани[яйхм]+|правила[мх]?)`),
			phrase(`не (?:говори(?:те)?|сообщай(?:те)?|рассказывай(?:те)?|показывай(?:те)?|упоминай(?:те)?|раскрывай(?:те)?)(?: (?:об этом|это|этого|ничего|никогда|про это))* (?:пользовател|оператор|владельц|клиент|человек|администратор)`),
			phrase(`(?:отправь(?:те)?|отправляй(?:те)?|перешли(?:те)?|пересылай(?:те)?|отошли|скопируй(?:те)?|загрузи(?:те)?|передай(?:те)?)(?: (?:тайно|незаметно|все|всю|всё|копию|каждое|каждый|эти|`+
				`мне))* (?:парол|ключ|перепис|истори|данны|сообщени|токен|секрет|файл|заметк|учётные|учетные|содержимое)[^\n]{0,80}?(?: на | в | по )[^\n]{0,40}?(?:@|https?://)`),
			phrase(`(?:теперь ты|отныне ты|с этого момента ты)(?: (?:—|-|это|будешь))* (?:без ограничений|не ограничен|свободен|неограниченн|администратор|в режиме разработчика|подчиняешься|обязан|не обязан)`)),
		r("chinese", "Chinese",
			phrase(`(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會|不要遵守|跳过|跳過|抛弃|覆盖|覆蓋)(?:掉|所有|全部|一切|你|您|的|之前|以前|先前|上述|以上|上面|前面|原有|系统|系統|此前|收到|已有|任何|安全|开发者){1,8}(?:指令|指示|提示词?|提示詞?|规则|規則|命令|要求|设定|設定|约束|內容|内容|限制|消息)`),
			phrase(`(?:不要|别|別|切勿|请勿|請勿|不得|绝不|絕不)(?:把|将|將|让|讓|向|对|對|跟|给|給)?(?:这件事|此事|这个|這個|这些|這些|以下|任何事|内容)?(?:告诉|告訴|告知|透露|提及|提到|通知|显示给|顯示給|泄露给|让|讓|向|对|對)[^\n]{0,6}(?:用户|用戶|使用者|操作员|操作員|主人|管理员|管理員|客户|客戶|人类)`),
			phrase(`(?:发送|發送|转发|轉發|上传|上傳|发给|寄到|传送|傳送|复制)[^\n]{0,40}?(?:密码|密碼|密钥|密鑰|凭证|憑證|对话|對話|聊天|记录|記錄|数据|資料|令牌|文件|记忆)[^\n]{0,30}?(?:到|至|给|給)[^\n]{0,10}?(?:[a-z0-9._-]+@[a-z0-9.-]+|https?://)`),
			phrase(`(?:把|将|將)[^\n]{0,20}?(?:密码|密碼|密钥|密鑰|凭证|憑證|对话|對話|聊天|记录|記錄|数据|資料|令牌|文件|记忆)[^\n]{0,12}?(?:发送|發送|转发|轉發|上传|上傳|发给|寄到|传送|傳送|复制)(?:到|至|给|給)?[^\n]{0,10}?(?:[a-z0-9._-]+@[a-z0-9.-]+|https?://)`),
			phrase(`(?:从现在开始|從現在開始|从现在起|现在起|現在起|你现在是|你現在是)[^\n]{0,12}(?:没有(?:任何)?限制|沒有(?:任何)?限制|不受(?:任何)?(?:限制|约束)|开发者模式|開發者模式|无限制|無限制|管理员|必须服从|越狱)`)),
		r("japanese", "Japanese",
			phrase(`(?:以前|これまで|前|上記|先ほど|すべて|全て|システム|今まで|既存|元|過去|あなた)の?(?:すべての|全ての|全|システム|安全)?の?(?:指示|命令|ルール|規則|プロンプト|指令|制約|メッセージ|設定)(?:を|は|について)?(?:すべて|全て|全部|完全に|一切)?(?:無視|忘れ|破棄|取り消|上書き|従わな)`),
			phrase(`(?:ユーザー?|利用者|オペレーター?|管理者|所有者|お客様|人間)(?:に|には|へ)(?:は)?[^\n]{0,12}(?:知らせ|言わ|伝え|話さ|見せ|教え|明かさ|報告し)(?:ない|ず|るな|てはいけ|ないで)`),
			phrase(`(?:パスワード|鍵|キー|会話|履歴|データ|認証情報|トークン|メッセージ|ファイル|メモ|内容)[^\n]{0,20}?を?[^\n]{0,40}?(?:[a-z0-9._-]+@[a-z0-9.-]+|https?://\S+)[^\n]{0,6}(?:に|へ)(?:送信|転送|アップロード|送っ|送れ|コピー)`),
			phrase(`(?:今から|これから|今後)[^\n]{0,8}あなたは[^\n]{0,12}(?:制限(?:の)?(?:ない|なし)|無制限|開発者モード|管理者|従わなければ|何でも)`)),
		r("korean", "Korean",
			phrase(`(?:이전|위의?|앞선|기존|모든|시스템|지금까지)의? ?(?:모든 |시스템 )?(?:지시|명령|규칙|프롬프트|지침|메시지)(?:사항)?(?:들)?(?:을|를|은|는)? ?(?:모두 |전부 |완전히 )?(?:무시|잊|따르지|폐기)`),
			phrase(`(?:사용자|운영자|관리자|고객|주인)(?:에게|한테)(?:는)? ?[^\n]{0,12}(?:알리지|말하지|보여주지|언급하지|밝히지) (?:마|말|않)`)),
	}
}
