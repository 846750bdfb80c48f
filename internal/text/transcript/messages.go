package transcript

import (
	"encoding/json"

	"tend/internal/disk/vault"
)

// Message is a message of the list that a harness passes.
type Message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (m Message) versionOf() vault.Version {
	return vault.VersionOf(append([]byte(m.Role+"\x00"), m.Content...))
}

// charsPerToken is the number of characters in a token of usual text.
const charsPerToken = 4

// Messages reads a list of messages after the last one that was processed: the since-th, if it is still that one, or
// wherever it is now. After a compaction it may be gone: then the whole list is new.
func Messages(list []Message, since int, last vault.Version) Talk {
	t := Talk{To: len(list)}
	chars := 0
	for i, m := range list {
		chars += len(m.Content)
		if (i+1 == since || t.From != since) && m.versionOf() == last {
			t.From = i + 1
		}
	}
	t.Used = chars / charsPerToken
	for _, m := range list[t.From:] {
		switch m.Role {
		case "assistant":
			t.Responses++
			t.readContent("assistant", m.Content)
		case "user":
			t.readContent("user", m.Content)
		}
	}
	t.Hash = last
	if t.From < len(list) {
		t.Hash = list[len(list)-1].versionOf()
	}
	return t
}
