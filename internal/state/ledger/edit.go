package ledger

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"tend/internal/text/confedit"
)

// Edit describes a change of text: Cut bytes at At become Text.
type Edit struct {
	At   int
	Cut  int
	Text []byte
}

// find returns the offset of the added text now, or -1. Other writers append at any
// moment, so it may come after their text; with moved it may be anywhere, if it occurs
// only once.
func (e Edit) find(data []byte, moved bool) int {
	at := min(e.At, len(data))
	if bytes.HasPrefix(data[at:], e.Text) {
		return at
	}
	if moved {
		at = 0
	}
	if len(e.Text) == 0 || bytes.Count(data[at:], e.Text) != 1 {
		return -1
	}
	return at + bytes.Index(data[at:], e.Text)
}

// editJSON keeps text readable in the ledger; invalid UTF-8 is base64.
type editJSON struct {
	At   int    `json:"at"`
	Cut  int    `json:"cut,omitempty"`
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"base64,omitempty"`
}

// MarshalJSON writes valid UTF-8 as text.
func (e Edit) MarshalJSON() ([]byte, error) {
	j := editJSON{At: e.At, Cut: e.Cut, Text: string(e.Text)}
	if !utf8.Valid(e.Text) {
		j.Text, j.Raw = "", e.Text
	}
	return confedit.Encode(j)
}

// UnmarshalJSON reads either form.
func (e *Edit) UnmarshalJSON(b []byte) error {
	var j editJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*e = Edit{At: j.At, Cut: j.Cut, Text: []byte(j.Text)}
	if j.Raw != nil {
		e.Text = j.Raw
	}
	return nil
}
