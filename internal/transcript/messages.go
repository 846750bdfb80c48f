package transcript

import (
	"encoding/json"

	"tend/internal/vault"
)

// Message is one of a list that a harness hands over as it stands in the context.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (m Message) version() vault.Version {
	return vault.VersionOf(append([]byte(m.Role+"\x00"), m.Content...))
}

// charsPerToken is what a token holds of usual text.
const charsPerToken = 4

// Messages reads a list of messages from behind the one that was the last to be taken: the
// since-th, if it is that one still, or where it is now. After a compaction it may be
// gone: then all of the list is new.
func Messages(list []Message, since int, last vault.Version) Talk {
	t := Talk{To: len(list)}
	chars := 0
	for i, m := range list {
		chars += len(m.Content)
		if (i+1 == since || t.From != since) && m.version() == last {
			t.From = i + 1
		}
	}
	t.Used = chars / charsPerToken
	for _, m := range list[t.From:] {
		switch m.Role {
		case "assistant":
			t.Responses++
			t.content("assistant", m.Content)
		case "user":
			t.content("user", m.Content)
		}
	}
	t.Hash = last
	if t.From < len(list) {
		t.Hash = list[len(list)-1].version()
	}
	return t
}
