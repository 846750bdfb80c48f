// Package curator asks a program or a model which entries of a log are worth keeping, and checks its answer against
// those entries.
//
// A curator can only help: it sees a list of entries and may pick some of them and propose words. Its answer is
// checked here before anyone acts on it, and a curator that fails, takes too long or makes things up costs an error
// and nothing else.
package curator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"tend/internal/model/policy"
)

var (
	// ErrNotSet: the configuration does not say how to reach the curator.
	ErrNotSet = errors.New("the curator is not configured")
	// ErrJunk: the answer cannot be parsed.
	ErrJunk = errors.New("the answer has the wrong format")
	// ErrTooLong: the answer is longer than any valid one.
	ErrTooLong = errors.New("the answer is too long")
)

// maxAnswer bounds the size of an answer: a hundred picks take a tenth of it.
const maxAnswer = 1 << 20

// Entry is an entry that a curator may pick.
type Entry struct {
	ID   string   `json:"id"`
	File string   `json:"file"`
	Line int      `json:"line"`
	Day  string   `json:"day,omitempty"`
	Tags []string `json:"tags,omitempty"`
	Text string   `json:"text"`
}

// Request is what a curator is asked.
type Request struct {
	Agent   string   `json:"agent"`
	Date    string   `json:"date"`
	Min     int      `json:"min"`
	Max     int      `json:"max"`
	Tags    []string `json:"tags"`
	Entries []Entry  `json:"entries"`
}

// Pick is an entry a curator would keep: words, a tag, and the ids they come from.
type Pick struct {
	Text    string   `json:"text"`
	Tag     string   `json:"tag"`
	Sources []string `json:"sources"`
}

// Curator picks entries.
type Curator interface {
	Ask(ctx context.Context, r Request) ([]Pick, error)
}

// Config configures a curator.
type Config struct {
	Command []string
	URL     string // base of a model's API
	Model   string
	KeyFile string
}

// New returns the curator of a kind; nil for rules, which need none.
func New(kind policy.CuratorKind, c Config) (Curator, error) {
	switch kind {
	case policy.CuratorRules:
		return nil, nil
	case policy.CuratorCommand:
		if len(c.Command) == 0 {
			return nil, fmt.Errorf("%w: name the program as curator.command", ErrNotSet)
		}
		return command(c.Command), nil
	}
	if c.URL == "" || c.Model == "" {
		return nil, fmt.Errorf("%w: name curator.url and curator.model", ErrNotSet)
	}
	key := ""
	if c.KeyFile != "" {
		data, err := os.ReadFile(c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("read curator.key_file: %w", err)
		}
		key = strings.TrimSpace(string(data))
	}
	m := model{url: strings.TrimRight(c.URL, "/"), name: c.Model, key: key}
	if kind == policy.CuratorAnthropic {
		return anthropic{m}, nil
	}
	return openAI{m}, nil
}

// answer parses picks from JSON. Models like to wrap it in a code fence, or a string.
func answer(data []byte) ([]Pick, error) {
	text := strings.TrimSpace(string(data))
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		rest = strings.TrimPrefix(rest, "json")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	var quoted string
	if json.Unmarshal([]byte(text), &quoted) == nil {
		return answer([]byte(quoted))
	}
	var a struct {
		Picks *[]Pick `json:"picks"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrJunk, err)
	}
	if a.Picks == nil {
		return nil, fmt.Errorf("%w: it has no picks", ErrJunk)
	}
	return *a.Picks, nil
}
