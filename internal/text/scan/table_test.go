package scan

import (
	"strings"
	"testing"
)

var tableValues = strings.NewReplacer("PERSON", person, "ISSUED", issuedKey, "HEX", hexKey)

func TestSecretsBelowAHeader(t *testing.T) {
	for _, table := range []string{
		"| Host | User | Password |\n|---|---|---|\n| nas | ops | PERSON |\n",
		"| Сервер | Пароль |\r\n|:--|--:|\r\n| склад | `PERSON` |\r\n",
		"| 系统 | 密码 |\n| - | - |\n| 仓库 | **PERSON** |\n",
		"> | Dienst | Passwort |\n> |---|---|\n> | Drucker | PERSON |\n",
		"Equipo | Contraseña\n---|---\nlavandería | PERSON\n",
		"| Service | API Key |\n|---|---|\n| weather | HEX |\n",
		"| Bot | App ID | App Secret | Since |\n|---|---|---|---|\n| one | cli_04 | `ISSUED` | May |\n| two | cli_05 | | |\n",
		"| Dienst | Token |\n|---|---|\n| a \\| b | none |\n| c \\| d | ISSUED |\n",
		"| Host | Password |\n|---|---|\n| old | none |\n| - | - |\n| nas | PERSON |\n", // a row of dashes is no second header
		"| Where | Credentials |\n|---|---|\n| NAS | ops / PERSON |\n",
		"| Setting | Value |\n|---|---|\n| Password | PERSON |\n", // its own row has the label
	} {
		text := tableValues.Replace(table)
		hits := Text([]byte(text), Options{Classes: []Class{Secret}})
		if len(hits) != 1 {
			t.Errorf("%s: %d hits, want one", table, len(hits))
			continue
		}
		h := hits[0]
		if got := text[h.Start:h.End]; got != person && got != issuedKey && got != hexKey {
			t.Errorf("%s: found %q", table, got)
		}
		if line := strings.Count(text[:strings.Index(text, text[h.Start:h.End])], "\n") + 1; h.Line != line {
			t.Errorf("%s: line %d, want %d", table, h.Line, line)
		}
		for _, v := range []string{person, issuedKey, hexKey} {
			if masked := string(Mask([]byte(text))); strings.Contains(masked, v) || strings.Contains(h.Excerpt, v) {
				t.Errorf("%s: masked as %s, shown as %s", table, masked, h.Excerpt)
			}
		}
	}
}

func TestNoSecretsBelowAHeader(t *testing.T) {
	for _, table := range []string{
		"| Key | Meaning |\n|---|---|\n| Ctrl+Shift+F5 | reload |\n| Alt+Enter | full screen |\n| F12 | tools |\n",
		"| Key | Meaning |\n|---|---|\n| memory.search.topK2 | how many |\n| HEX | a commit |\n",
		"| Table | Foreign key | Primary key |\n|---|---|---|\n| orders | ISSUED | HEX |\n",
		"| Run | Token count | Tokens |\n|---|---|---|\n| 4 | ISSUED | 128K-256K |\n",
		"| Account | Password |\n|---|---|\n| shop | in the vault |\n| mail | $MAIL_PASSWORD |\n| bank | <ask> |\n" +
			"| nas | ******** |\n| web | myPassword123 |\n",
		"| Password | Changed |\n|---|---|\n| required | 2026-11-18 |\n| 12+ characters | PERSON |\n", // another column
		"| Handle | 账号 |\n|---|---|\n| one | @Lantern_Bay44 |\n",                                      // names of accounts
		"| Host | Password |\n|---|---|\n| nas | - |\n\nPERSON | the model of the boat\n",             // after the table
		"| Host | Password |\n| nas | PERSON |\n",                                                     // no table without dashes
		"| Host | Note |\n|---|---|\n| new | password |\n| - | - |\n| nas | PERSON |\n",
		"The passwords:\n|---|\n| PERSON |\n",
		"Password | Host\n\n---|---\nPERSON | nas\n", // nor with a gap
	} {
		for _, h := range Text([]byte(tableValues.Replace(table)), Options{Classes: []Class{Secret}}) {
			t.Errorf("%s: %s", table, h)
		}
	}
}
