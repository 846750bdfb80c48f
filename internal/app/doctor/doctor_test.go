package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
)

func TestOpenclawDiagnosis(t *testing.T) {
	set := func(inner string) string { return `{"agents":{"defaults":{` + inner + `}}}` }
	for _, tt := range []struct {
		name, text string
		result     Result
		message    string
		remedy     string
	}{
		{"what it does by itself", "{}", Warning, "176,000 of 200,000 tokens, 88 % (window assumed), later than 80 %",
			"reserveTokensFloor to 40000 and memoryFlush.softThresholdTokens to 10000: then it fires at 150,000 (75 %)"},
		{"as it should be", set(`"compaction":{"reserveTokensFloor":40000,"memoryFlush":{"softThresholdTokens":10000}}`), OK,
			"150,000 of 200,000 tokens, 75 %", ""},
		{"at the limit", set(`"compaction":{"reserveTokensFloor":36000}`), OK, "160,000 of 200,000 tokens, 80 %", ""},
		{"a larger window", set(`"contextTokens":1000000`), Warning, "976,000 of 1,000,000 tokens, 98 %, later",
			"to 240000 and memoryFlush.softThresholdTokens to 10000"},
		{"a small window", set(`"contextTokens":16000`), Warning, "take up the whole window of 16,000",
			"to 2000 and memoryFlush.softThresholdTokens to 2000"},
		{"no flush at all", set(`"compaction":{"memoryFlush":{"enabled":false}}`), Warning, "is off", "enabled to true"},
		{"a window of the model's",
			`{"agents":{"defaults":{"model":{"primary":"p/m"},"compaction":{"reserveTokensFloor":40000}}},"models":{"providers":{"p":{"models":[{"id":"m","contextWindow":128000}]}}}}`, OK, "84,000 of 128,000 tokens, 66 %", ""},
		{"JSON5", "{ // the // defaults\n\tagents: {defaults:{\n\t/* a: \"b\" */ compaction:{reserveTokensFloor:40000, mode:'safe\\'guard', " +
			"memoryFlush: {enabled:true,},},},},}", OK, "156,000", ""},
		{"settings in a comment", set(`"compaction":{/*/ "reserveTokensFloor":1, /*/"reserveTokensFloor":40000}`), OK, "156,000", ""},
		{"an address in a string", set(`"url":"http://x//y","compaction":{"reserveTokensFloor":40000}`), OK, "156,000", ""},
		{"a number in quotes", set(`"compaction":{"reserveTokensFloor":"40k"}`), Failed,
			"reserveTokensFloor is a string, but OpenClaw reads a number there", "correct the file"},
		{"no JSON", "{ agents: [ }", Failed, "it is not JSON", "--openclaw-config"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "openclaw.json")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got := openclawDiagnosis(file, policy.Policy{})
			if len(got) != 1 || got[0].Result != tt.result || !strings.Contains(got[0].Message, tt.message) ||
				!strings.Contains(got[0].Remedy, tt.remedy) {
				t.Errorf("got %+v, want %s %q %q", got, tt.result, tt.message, tt.remedy)
			}
			if tt.result == OK && got[0].Remedy != "" {
				t.Errorf("a remedy for nothing: %s", got[0].Remedy)
			}
		})
	}
	if got := openclawDiagnosis(filepath.Join(t.TempDir(), "none"), policy.Policy{}); got[0].Result != Failed {
		t.Errorf("got %+v, want a failure", got)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 176000: "176,000", 1234567: "1,234,567", -24000: "-24,000"} {
		if got := textfmt.Thousands(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestDoctorChecksAreNamed: each row has a unique name, as scripts depend on them.
func TestDoctorChecksAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range checks() {
		if c.name == "" || seen[c.name] || c.look == nil {
			t.Errorf("check %q has no name of its own or nothing to do", c.name)
		}
		seen[c.name] = true
	}
}
