package journal

import "testing"

// TestMergeCounts: how often baselines were approved is merged as the guard writes it; signed counts stay as they were signed.
func TestMergeCounts(t *testing.T) {
	for _, tt := range []struct{ what, ours, theirs, want string }{
		{"disjoint", `{"counts":{"SOUL.md":2}}`, `{"counts":{"AGENTS.md":1,"SOUL.md":1}}`,
			"{\n  \"counts\": {\n    \"AGENTS.md\": 1,\n    \"SOUL.md\": 2\n  }\n}\n"},
		{"theirs are newer", `{"counts":{"SOUL.md":2},"signature":"a"}`, `{"counts":{"SOUL.md":3},"signature":"b"}`,
			`{"counts":{"SOUL.md":3},"signature":"b"}`},
		{"signed", `{"counts":{"SOUL.md":2},"signature":"a"}`, `{"counts":{"AGENTS.md":3},"signature":"b"}`,
			`{"counts":{"SOUL.md":2},"signature":"a"}`},
		{"no counts", `{"counts":{"SOUL.md":2}}`, `{"counts":null}`, `{"counts":{"SOUL.md":2}}`},
	} {
		got, conflict := MergeFile("records/approved.json", nil, []byte(tt.ours), []byte(tt.theirs), false)
		if string(got) != tt.want || conflict {
			t.Errorf("%s: %s, conflict %v", tt.what, got, conflict)
		}
	}
}
