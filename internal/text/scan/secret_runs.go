package scan

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// The run rules' indexes in the set, after the hidden ones.
const (
	jsonWebToken = homoglyph + 1 + iota
	discordToken
	twilioKey
	terraformToken
)

// runRules match tokens without a distinctive prefix: they are tried once on every long run of
// token characters.
func runRules() []rule {
	r := func(code, what string) rule { return secretRule(code, High, "Looks like "+what+".") }
	return []rule{
		r("jwt", "a JSON web token, which lets its bearer in"),
		r("discord-token", "a Discord bot token"),
		r("twilio-key", "a Twilio API key"),
		r("terraform-token", "a Terraform Cloud token"),
	}
}

const shortestRun = 34

func (s *ruleset) runs(b []byte) []found {
	var out []found
	for i := 0; i < len(b); {
		if !runChars[b[i]] {
			i++
			continue
		}
		lo := i
		for i < len(b) && runChars[b[i]] {
			i++
		}
		if i-lo < shortestRun {
			continue
		}
		run := bytes.TrimRight(b[lo:i], ".-_")
		rank, from := 0, 0
		switch {
		case isTwilio(run):
			rank = twilioKey
		default:
			rank, from = dotted(run)
		}
		if rank > 0 {
			out = s.add(out, b, rank, lo+from, lo+len(run))
		}
	}
	return out
}

var runChars = chars("A-Za-z0-9_.-")

// dotted classifies a run of at least three parts separated by dots.
func dotted(run []byte) (rank, from int) {
	parts := bytes.Split(run, []byte{'.'})
	if len(parts) < 3 {
		return 0, 0
	}
	head, body, tail := parts[0], parts[1], parts[2]
	switch {
	case bytes.HasPrefix(head, []byte("eyJ")) && jsonObject(head) && (bytes.HasPrefix(body, []byte("eyJ")) || len(parts) == 5):
		return jsonWebToken, 0
	case len(head) >= 23 && len(head) <= 28 && len(body) >= 5 && len(body) <= 7 && len(tail) >= 27 && len(tail) <= 40 && snowflake(head):
		return discordToken, 0
	case len(head) == 14 && string(body) == "atlasv1" && len(tail) >= 60:
		return terraformToken, 0
	}
	return 0, 0
}

func jsonObject(b64 []byte) bool {
	text, err := base64.RawURLEncoding.DecodeString(string(b64))
	return err == nil && json.Valid(text)
}

// snowflake reports base64 of a decimal number, which is how a Discord token names its bot.
func snowflake(b64 []byte) bool {
	text, err := base64.RawURLEncoding.DecodeString(string(b64))
	if err != nil || len(text) < 17 {
		return false
	}
	return !slices.ContainsFunc(text, func(c byte) bool { return c < '0' || c > '9' })
}

func isTwilio(run []byte) bool {
	return len(run) == 34 && run[0] == 'S' && run[1] == 'K' && isHex(run[2:])
}

func isHex(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' && c < 'a' || c > 'f' {
			return false
		}
	}
	return len(b) > 0
}
