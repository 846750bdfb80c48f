package scantest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	"tend/internal/text/scan"
)

// sentences are the notes around a token.
var sentences = []string{
	"%s",
	"the key is %s, works since Monday",
	"- token for the bot: `%s`",
	"export SERVICE_TOKEN=%s",
	"Customer sent me %s by chat.",
	"curl -H 'X-Key: %s' https://api.example.com/v1/me",
	"{\"credential\": \"%s\", \"env\": \"prod\"}",
	"note to self (%s) must be rotated",
	"auth=%s;",
	"| prod | %s | Anna |",
	"テスト用のキーは%sです。",
	"https://api.example.com/v1/items?key=%s",
	"> pasted by support: %s\n> please check",
	"creds.yaml:\n  value: %s\n  owner: ops",
}

// otherSentences are those of the held-out part.
var otherSentences = []string{
	"Ben's key: %s (old)",
	"```\n%s\n```",
	"set it with `tool config set key %s` and restart",
	"SECRET=\"%s\" # prod",
	"from the mail: \u201c%s\u201d",
	"<value>%s</value>",
	"1. %s\n2. rotate in May",
	"old=%s&new=none",
	"Schlüssel (%s) liegt auch im Tresor",
}

// A maker assembles one token of a rule's kind.
type maker struct {
	rule string
	make func(r *rand.Rand) string
}

// pre joins a prefix, in pieces so that it is not in the source, with n random letters.
func pre(alphabet string, n int, pieces ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return strings.Join(pieces, "") + from(r, alphabet, n) }
}

func makers() []maker {
	const base32, caps = capital + "234567", capital + digits
	m := func(rule string, make func(*rand.Rand) string) maker { return maker{"secret." + rule, make} }
	return []maker{
		m("aws-access-key", pre(base32, 16, "AK", "IA")), m("aws-access-key", pre(base32, 16, "AS", "IA")),
		m("github-pat", pre(alnum, 36, "gh", "p_")), m("github-pat", pre(alnum+"_", 82, "github", "_pat_")),
		m("github-oauth", pre(alnum, 36, "gh", "o_")), m("github-app", pre(alnum, 36, "gh", "u_")),
		m("github-app", pre(alnum, 36, "gh", "s_")), m("github-refresh", pre(alnum, 76, "gh", "r_")),
		m("gitlab-token", pre(b64url, 20, "gl", "pat-")), m("gitlab-token", pre(b64url, 20, "gl", "rt-")),
		m("gitlab-token", pre(b64url, 20, "gl", "dt-")),
		m("slack-token", func(r *rand.Rand) string {
			return "xo" + "xb-" + from(r, digits, 12) + "-" + from(r, digits, 12) + "-" + from(r, alnum, 24)
		}),
		m("slack-token", func(r *rand.Rand) string {
			return "xa" + "pp-1-A" + from(r, caps, 10) + "-" + from(r, digits, 13) + "-" + from(r, hexits, 64)
		}),
		m("slack-webhook", func(r *rand.Rand) string {
			return "https://hooks.sl" + "ack.com/services/T" + from(r, caps, 8) + "/B" + from(r, caps, 10) + "/" + from(r, alnum, 24)
		}),
		m("stripe-key", pre(alnum, 24, "sk", "_live_")), m("stripe-key", pre(alnum, 99, "rk", "_live_51")),
		m("stripe-key", pre(alnum, 24, "sk", "_test_")),
		m("webhook-secret", pre(alnum, 32, "wh", "sec_")),
		m("openai-key", pre(b64url, 120, "sk", "-proj-")), m("openai-key", pre(b64url, 60, "sk", "-svcacct-")),
		m("sk-key", pre(alnum, 48, "s", "k-")),
		m("anthropic-key", pre(b64url, 95, "sk", "-ant-api03-")), m("openrouter-key", pre(hexits, 64, "sk", "-or-v1-")),
		m("google-api-key", pre(b64url, 35, "AI", "za")), m("google-oauth", pre(b64url, 28, "GOC", "SPX-")),
		m("google-oauth", pre(b64url, 120, "ya", "29.")),
		m("tend-token", pre("abcdefghijklmnopqrstuvwxyz234567", 26, "te", "nd_")), m("npm-token", pre(alnum, 36, "np", "m_")),
		m("pypi-token", pre(b64url, 150, "py", "pi-AgEIcHlwaS5vcmc")), m("huggingface-token", pre(alnum, 34, "h", "f_")),
		m("telegram-token", func(r *rand.Rand) string { return from(r, "123456789", 10) + ":A" + "A" + from(r, b64url, 33) }),
		m("discord-webhook", func(r *rand.Rand) string {
			return "https://disc" + "ord.com/api/webhooks/" + from(r, "123456789", 19) + "/" + from(r, b64url, 68)
		}),
		m("sendgrid-key", func(r *rand.Rand) string { return "S" + "G." + from(r, b64url, 22) + "." + from(r, b64url, 43) }),
		m("jwt", func(r *rand.Rand) string {
			enc := base64.RawURLEncoding.EncodeToString
			return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"`+from(r, digits, 8)+`","iat":1760000000}`)) + "." +
				from(r, b64url, 43)
		}),
		m("age-key", pre(caps, 58, "AGE-", "SECRET-", "KEY-1")),
		m("digitalocean-token", pre(hexits, 64, "do", "p_v1_")), m("docker-token", pre(b64url, 27, "dckr", "_pat_")),
		m("vault-token", pre(b64url, 90, "hv", "s.")),
		m("databricks-token", pre(hexits, 32, "da", "pi")), m("mailgun-key", pre(hexits, 32, "ke", "y-")),
		m("shopify-token", pre(hexits, 32, "shp", "at_")), m("square-token", pre(b64url, 22, "sq0", "atp-")),
		m("square-token", pre(b64url, 60, "EA", "AA")),
		m("grafana-token", func(r *rand.Rand) string { return "gl" + "sa_" + from(r, alnum, 32) + "_" + from(r, hexits, 8) }),
		m("linear-key", pre(alnum, 40, "lin", "_api_")), m("notion-token", pre(alnum, 46, "nt", "n_")),
		m("figma-token", pre(b64url, 43, "fig", "d_")),
		m("postman-key", func(r *rand.Rand) string { return "PM" + "AK-" + from(r, hexits, 24) + "-" + from(r, hexits, 34) }),
		m("newrelic-key", pre(caps, 27, "NR", "AK-")), m("sentry-token", pre(hexits, 64, "sntr", "yu_")),
		m("doppler-token", pre(alnum, 43, "dp.", "pt.")),
		m("rubygems-key", pre(hexits, 48, "ruby", "gems_")), m("crates-token", pre(alnum, 32, "c", "io")),
		m("supabase-token", pre(hexits, 40, "sb", "p_")),
		m("planetscale-token", pre(b64url, 43, "pscale", "_tkn_")),
		m("tailscale-key", func(r *rand.Rand) string { return "ts" + "key-auth-" + from(r, alnum, 12) + "-" + from(r, alnum, 32) }),
		m("netlify-token", pre(alnum, 36, "nf", "p_")), m("fly-token", pre(b64url, 43, "fo", "1_")),
		m("pulumi-token", pre(hexits, 40, "pu", "l-")),
		m("groq-key", pre(alnum, 52, "gs", "k_")), m("xai-key", pre(alnum, 80, "xa", "i-")),
		m("perplexity-key", pre(alnum, 48, "ppl", "x-")), m("replicate-token", pre(alnum, 37, "r", "8_")),
		m("atlassian-token", pre(b64url, 186, "AT", "ATT3")), m("heroku-key", pre(b64url, 60, "HR", "KU-")),
		m("alibaba-key", pre(alnum, 20, "LT", "AI")),
		m("dynatrace-token", func(r *rand.Rand) string { return "dt0" + "c01." + from(r, caps, 24) + "." + from(r, caps, 64) }),
		m("airtable-token", func(r *rand.Rand) string { return "pa" + "t" + from(r, alnum, 14) + "." + from(r, hexits, 64) }),
		m("azure-storage-key", func(r *rand.Rand) string {
			return "DefaultEndpointsProtocol=https;AccountName=files;Account" + "Key=" + from(r, b64, 86) + "=="
		}),
		m("access-signature", func(r *rand.Rand) string {
			return "https://files.blob.example.net/c?sv=2026-01-01&sp=r&si" + "g=" + from(r, alnum, 43) + "%3D"
		}),
		m("url-password", func(r *rand.Rand) string {
			return "postgres" + "://app:" + from(r, alnum, 14) + "@db01.internal:5432/orders"
		}),
		m("url-password", func(r *rand.Rand) string {
			return "mongodb" + "+srv://root:" + from(r, alnum, 10) + "@cluster0.example.net/app"
		}),
		m("url-password", func(r *rand.Rand) string { return "redis" + "://:" + from(r, alnum, 12) + "@cache-1:6379/0" }),
		m("password", func(r *rand.Rand) string {
			return "Server=db01;Database=app;User Id=sa;Pass" + "word=" + from(r, alnum, 12) + ";"
		}),
		m("url-password", func(r *rand.Rand) string {
			return "https" + "://deploy:" + from(r, alnum, 16) + "@git.example.com/app.git"
		}),
		m("private-key", func(r *rand.Rand) string { return block(r, "RSA PRIVATE KEY") }),
		m("private-key", func(r *rand.Rand) string { return block(r, "OPENSSH PRIVATE KEY") }),
		m("private-key", func(r *rand.Rand) string { return block(r, "PGP PRIVATE KEY BLOCK") }),
		m("private-key", func(r *rand.Rand) string { return strings.ReplaceAll(block(r, "PRIVATE KEY"), "\n", `\n`) }),
		m("assigned-token", func(r *rand.Rand) string { return "aws_secret" + "_access_key = " + from(r, b64, 40) }),
		m("assigned-token", func(r *rand.Rand) string { return "deployer private" + " key: 0x" + from(r, hexits, 64) }),
		m("assigned-token", func(r *rand.Rand) string { return "Authorization: Bea" + "rer " + from(r, b64url, 40) }),
		m("basic-auth", func(r *rand.Rand) string {
			return "Authorization: Ba" + "sic " + base64.StdEncoding.EncodeToString([]byte("svc:"+from(r, alnum, 12)))
		}),
		m("assigned-token", func(r *rand.Rand) string { return "//registry.example.com/:_auth" + "Token=" + from(r, alnum, 40) }),
		m("command-password", func(r *rand.Rand) string { return "curl -u admin:" + from(r, alnum, 10) + " https://nas.local/api" }),
		m("tavily-key", pre(alnum, 32, "tv", "ly-dev-")), m("cloudflare-token", pre(alnum, 40, "cf", "ut_")),
		m("neon-password", pre(alnum, 12, "np", "g_")),
		m("sk-key", pre(alnum, 32, "shop_s", "k_")),
		m("aws-bedrock-key", pre(b64, 128, "AB", "SK")), m("meta-token", pre(alnum, 160, "EA", "A")),
		m("sourcegraph-token", pre(hexits, 40, "sg", "p_")), m("contentful-token", pre(b64url, 43, "CF", "PAT-")),
		m("vercel-token", pre(alnum, 56, "vc", "p_")), m("buildkite-token", pre(hexits, 40, "bk", "ua_")),
		m("circleci-token", pre(alnum, 48, "CCI", "PAT_")),
		m("onepassword-token", pre(alnum, 300, "op", "s_ey", "J")),
		m("mapbox-token", func(r *rand.Rand) string { return "sk." + "ey" + "J" + from(r, alnum, 80) + "." + from(r, alnum, 22) }),
		m("command-password", func(r *rand.Rand) string { return "sshpass -p " + from(r, alnum, 9) + " ssh root@10.0.0.4" }),
		m("chat-webhook", func(r *rand.Rand) string {
			return "https://open.fei" + "shu.cn/open-apis/bot/v2/hook/" + from(r, hexits, 8) + "-" + from(r, hexits, 27)
		}),
	}
}

// block returns a private key as in a file.
func block(r *rand.Rand, kind string) string {
	var out strings.Builder
	out.WriteString("-----BEG" + "IN " + kind + "-----\n")
	for range 6 {
		out.WriteString(from(r, b64, 64) + "\n")
	}
	return out.String() + from(r, b64, 20) + "==\n-----EN" + "D " + kind + "-----"
}

// secrets puts two tokens of every kind into two different sentences.
func secrets(part string, in []string) []Sample {
	var out []Sample
	for i, m := range makers() {
		r := dice(fmt.Sprint(part, m.rule, i))
		for k := range 2 {
			text := fmt.Sprintf(in[(2*i+k*5)%len(in)], m.make(r))
			out = append(out, Sample{text, []scan.Class{scan.Secret}, m.rule})
		}
	}
	return out
}

// passwords fills the slots of hand-written lines with values like those that people choose and
// programs generate. The lines themselves contain no secret.
func passwords(name string) []Sample {
	var out []Sample
	for _, l := range lines(name) {
		r := dice(name + l)
		words := map[string][]string{
			"pw":    {person(r)},
			"gen":   {from(r, alnum, 14) + from(r, "!#%+?", 1) + from(r, digits, 1) + from(r, smalls, 1)},
			"tok":   {from(r, alnum, 32)},
			"tok24": {from(r, b64url, 23) + from(r, digits, 1)},
			"key32": {from(r, hexits, 32)},
			"seed":  {seed(r)},
			"tok40": {from(r, alnum, 40)},
			"aws40": {from(r, b64, 40)},
			"gen2":  {from(r, alnum, 13)},
		}
		out = append(out, Sample{fill(r, unescape(l), words), []scan.Class{scan.Secret}, ""})
	}
	return out
}

// person makes up a password as people do: words, a number, perhaps a sign.
func person(r *rand.Rand) string {
	stems := []string{"Sommer", "kaffee", "Tr0ub4dor", "blue", "Mainz", "hund", "Liverpool", "zebra", "W1nter", "gitarre", "Nordsee", "peanut"}
	return pick(r, stems) + pick(r, []string{"", "Haus", "_", "-"}) + fmt.Sprint(10+r.IntN(9000)) + pick(r, []string{"", "!", "#", "$x", "?"})
}

func seed(r *rand.Rand) string {
	list := strings.Fields("abandon basket copper dragon eagle fabric garden harbor island jungle kettle lemon magnet napkin ocean pepper " +
		"quarter ribbon salmon timber umbrella velvet walnut yellow zebra anchor bridge candle")
	r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return strings.Join(list[:12], " ")
}
