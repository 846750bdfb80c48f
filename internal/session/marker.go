package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// marker is the name that fences notes as data. It is the same for every session of an agent, so that the start of a
// context stays the same while the notes change. No note can forge it: a name whose letters stand anywhere in the texts,
// in upper or lower case, is not used.
func marker(in Input) string {
	var texts []string
	for _, f := range in.Files {
		texts = append(texts, strings.ToLower(string(f.Text)), strings.ToLower(string(f.Baseline)), strings.ToLower(f.Path+f.Broken))
	}
	for _, f := range in.Health {
		texts = append(texts, strings.ToLower(f.File+f.Text))
	}
	sum := sha256.Sum256([]byte(in.Agent))
	for {
		name := hex.EncodeToString(sum[:6])
		taken := false
		for _, text := range texts {
			taken = taken || strings.Contains(text, name)
		}
		if !taken {
			return "memory-" + name
		}
		sum = sha256.Sum256(sum[:])
	}
}
