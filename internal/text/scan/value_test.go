package scan

import "testing"

func TestPlaceholder(t *testing.T) {
	for v, want := range map[string]bool{
		"changeme": true, "<your-key>": true, "xxxxxxxx": true, "${VAR}": true, "$TOKEN": true, "$(cat f)": true, "{{ x }}": true,
		"********": true, "sk-...": true,
		"password": true, "secret123": true, "your_api_key_value": true, "__TOKEN__": true, "&lt;token>": true, "abcdefgh12": true,
		"hunter2": false, "Tr0ub4dor&3": false, "$ecret!9x": false, "kaffee77": false,
	} {
		if got := placeholder([]byte(v)); got != want {
			t.Errorf("placeholder(%q): got %t, want %t", v, got, want)
		}
	}
}

func TestPasswordLike(t *testing.T) {
	for v, want := range map[string]bool{
		"hunter2": true, "Sommer2024": true, "Tr0ub4dor&3": true, "kaffee-77!": true, "correct-horse-battery-staple": true,
		"8264917350": true, "x9Kq2vLm": true,
		"required": false, "see": false, "bcrypt-hashed": false, "argon2id": false, "2026-10-12": false, "v1.2.3": false, "16+": false,
		"90d": false, "12chars": false,
		"config.db_password": false, "getenv(X)": false, "env:FOO": false, "/run/secrets/x1": false, "DB_PASS_2": false,
		"ops@example.com": false, "prod-db-2": false,
		"secrets.enc.yaml": false, "20261012": false,
	} {
		if got := passwordLike([]byte(v)); got != want {
			t.Errorf("passwordLike(%q): got %t, want %t", v, got, want)
		}
	}
}

func TestTokenLike(t *testing.T) {
	for v, want := range map[string]bool{
		"aB3dE5gH7jK9mN1pQ3": true, "o6PlF_PrHh_q5pViaVTF-HL2": true, "qwrtzpsdfghjklxcvbnm": true,
		"8f3c2b1a9d7e6f504132abcd98765432deadbe01":   false, // a commit
		"0192a8f0-7c3e-7b1a-9c2d-0123456789ab":       false, // a UUID
		"prod-eu-west-1-replica-02":                  false,
		"AbstractAuthenticationTokenFilterFactory":   false,
		"exports/2026/10/12/report.csv":              false,
		"test_password_reset_token_expires_after_24": false,
		"com.example.app.auth.TokenRefresh":          false,
	} {
		if got := tokenLike([]byte(v)); got != want {
			t.Errorf("tokenLike(%q): got %t, want %t", v, got, want)
		}
	}
}
