package scan

import (
	"strings"
	"testing"
)

// Values as issuers and people make them, assembled so that none is in the source.
var (
	issuedKey = "kQ7vLm2XpR" + "9tB4nW8sYd3HjF6gZc1"
	hexKey    = "9b1f0c7de2a84" + "35fb6d0a1c9e7f25384"
	person    = "Kessel" + "77!berg"
	room      = "0192a8f0-7c3e-4b1a-" + "9c2d-5b7e18c04f3a"
)

func TestSecretsAfterALabel(t *testing.T) {
	for _, line := range []string{
		"password: PERSON", "Password = \"PERSON\"", "- **Password:** PERSON (since May)", "| password | PERSON |",
		"DB_PASSWORD='PERSON'", "the wifi password is PERSON",
		"Passwort für das NAS: PERSON", "contraseña: PERSON", "Senha do painel: PERSON", "mot de passe : PERSON", "пароль: PERSON",
		"Пароль от сервера — PERSON",
		"密码：PERSON", "登录 ops，密码 PERSON", "新密码是 PERSON", "パスワード: PERSON", "비밀번호: PERSON", "smtp pass: PERSON", "login ops/PERSON",
		"credentials for the NAS: ops / PERSON", "SSH: root / PERSON", "- 10.0.0.5, root / `PERSON`", "Root credentials: PERSON",
		"пароль теперь `PERSON`", "邮箱授权码：PERSON", "SMTP 授权码: `qwztmfodxbnrdole`",

		"api_key: ISSUED", "X_CONSUMER_KEY=ISSUED", "export MAP_API_KEY=\"ISSUED\"", "- **API Key:** `ISSUED`", "- Key: shop_sk_ISSUED",
		"| **App Secret** | ISSUED |",
		"Мой API ключ: ISSUED", "API ключ для карты: `ISSUED`", "токен: `ISSUED`", "密钥: `ISSUED`", "- 第二密钥：ISSUED", "API密钥: ISSUED",
		"令牌：ISSUED", "APIキー: ISSUED",
		"Clave: ISSUED", "chave da API: ISSUED", "API-Schlüssel: ISSUED", "clé API : ISSUED", "토큰: ISSUED",
		"Authorization: Bearer ISSUED", "-H \"X-Api-Key: ISSUED\"",
		"{\\\"token\\\": \\\"ISSUED\\\"}", "the API key in use (ISSUED) ends in May", "- **密钥**: 在用 (ISSUED)",

		"app password: `qwzt mfod xbnr dole`", "Passwort fürs Postfach: qwzt-mfod-xbnr-dole", "the app password `qwzt mfod xbnr dole` works",
		"ts.set_token('HEX')",
		"Chat webhook: https://open.feishu.cn/open-apis/bot/v2/hook/ROOM",
		"client = Client(api_key(\"ISSUED\"))", "- Weather API: `HEX`", "| Search (main) | MapAPI: `HEX` | ok |",

		"token: HEX", "API key: HEX", "Gateway token `HEX`", "Signing Secret: HEX", "ключ API: HEX", "APP_SECRET=HEX",
	} {
		text := strings.NewReplacer("PERSON", person, "ISSUED", issuedKey, "HEX", hexKey, "ROOM", room).Replace(line)
		hits := Text([]byte(text), Options{Classes: []Class{Secret}})
		if len(hits) != 1 {
			t.Errorf("%s: %d hits, want one", line, len(hits))
			continue
		}
		for _, v := range []string{person, issuedKey, hexKey, room, "mfod"} {
			if masked := string(Mask([]byte(text))); strings.Contains(masked, v) {
				t.Errorf("%s: masked as %s", line, masked)
			}
		}
	}
}

func TestNoSecretsAfterALabel(t *testing.T) {
	for _, line := range []string{
		"password: required", "password: see the vault", "password: $DB_PASSWORD", "password: <your password>",
		"password: myPassword123", "passwords are hashed with bcrypt",
		"password reset: src/auth/reset_v2.ts", "| model | pass@1 | pass@2 |", "Pass: 12 of 14", "password policy: 12+ characters, 90d",
		"password = user[1]",
		"token usage: 128K-256K", "token_count: 48123", "token: sk-...", "API key: gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"API_KEY=YOUR_API_KEY_HERE", "api_key: os.environ[\"KEY\"]",
		"doc_token: `ISSUED`", "文档 Token: ISSUED", "file_key: ISSUED", "Public key: ISSUED", "открытый ключ: ISSUED",
		"next page token: ISSUED", "cache key: HEX",
		"session key: agent:main:0192a8f0-7c3e-4b1a-9c2d-0123456789ab", "Key finding: commit HEX",
		"SSH key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIISSUED", "token hash: sha256:HEX",
		"OPENAI_API_KEY = sk-proj-Ab12...", "Key: large-model-v2.7-fast is faster",
		"API key page: https://maps.example.com/keys/ISSUED", "VOICE_ID=ISSUED # not the API key",
		"from transformers import AutoTokenizer, AutoModelForSeq2SeqLM",
		"Credentials page: `https://ci.example.com/login/credentials/ISSUED`",
		"payout_token: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf',", // an account's address: a key has 64 digits
		`failed: {"message":"the limit of tokens was reached"},"request_id":"rq_7Hk2Vb9QpLx4Zt3MnWs8"}`,
		"uploadKey: `exports/run_kQ7vLm2XpR9tB/weekly/job_4nW8sYd3HjF6/report`",
		"password: they must have four words", "app password: `xxxx xxxx xxxx xxxx`",
		"orders API: `0192a8f0-7c3e-4b1a-9c2d-0123456789ab`", "get_token('staging-deploy')",
		"API of the shop, deployed from commit: HEX",
		"[https://video.example.com/watch?v=7xSsh2Qk9Lw](https://video.example.com/watch?v=7xSsh2Qk9Lw)",
		"speech: api_key = your-key-here, speakerId: \"ISSUED\"",
	} {
		text := strings.NewReplacer("ISSUED", issuedKey, "HEX", hexKey).Replace(line)
		for _, h := range Text([]byte(text), Options{Classes: []Class{Secret}}) {
			t.Errorf("%s: %s", line, h)
		}
	}
}

func TestSecretsAreCountedByLine(t *testing.T) {
	text := "- `X_CONSUMER_KEY=" + issuedKey + "`\n- `X_CONSUMER_SECRET=" + issuedKey + "b`\n- `X_ACCESS_TOKEN=" + issuedKey + "c`\n"
	hits := Text([]byte(text), Options{})
	if len(hits) != 3 || hits[0].Line != 1 || hits[1].Line != 2 || hits[2].Line != 3 {
		t.Errorf("got %v, want one in each of three lines", hits)
	}
}
