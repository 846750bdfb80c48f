package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tend/internal/vault"
)

// transcript is what a checkpoint wants to know of a session's transcript.
type transcript struct {
	used      int    // tokens of the last answer's context
	model     string // that gave it
	responses int    // answers since the last checkpoint
	said      []string
	files     []string // written to since then
	from, to  int      // bytes that were read
	hash      vault.Version
}

// window is the size of the model's context, as far as its name tells.
func (t transcript) window(usual int) int {
	if strings.Contains(t.model, "[1m]") || strings.HasSuffix(t.model, "-1m") || t.used > usual {
		return max(1_000_000, usual)
	}
	return usual
}

// most of a transcript that is read for one checkpoint; what is older is in the transcript itself.
const maxTranscript = 8 << 20

// readTranscript reads what was added to a transcript since an offset. The harness writes
// on while we read: only whole lines count.
func readTranscript(path string, since int) (transcript, error) {
	f, err := os.Open(path)
	if err != nil {
		return transcript{}, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return transcript{}, fmt.Errorf("read transcript: %w", err)
	}
	size := int(info.Size())
	if since > size {
		since = 0 // another file under the same name
	}
	t := transcript{from: max(since, size-maxTranscript)}
	data, err := readAt(f, t.from, size)
	if err != nil {
		return transcript{}, fmt.Errorf("read transcript: %w", err)
	}
	if t.from > since {
		n := bytes.IndexByte(data, '\n') + 1
		t.from, data = t.from+n, data[n:]
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	t.to, t.hash = t.from+len(data), vault.VersionOf(data)
	for line := range bytes.Lines(data) {
		t.take(line)
	}
	// Without an answer since then, the fill is what the last answer before said.
	for n := 1 << 16; t.used == 0 && t.from > 0; n *= 8 {
		head := max(0, t.from-n)
		before, err := readAt(f, head, t.from)
		if err != nil {
			return transcript{}, fmt.Errorf("read transcript: %w", err)
		}
		var older transcript
		for line := range bytes.Lines(before) {
			older.take(line)
		}
		t.used, t.model = older.used, older.model
		if head == 0 {
			break
		}
	}
	return t, nil
}

func readAt(f *os.File, from, to int) ([]byte, error) {
	buf := make([]byte, to-from)
	n, err := f.ReadAt(buf, int64(from))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf[:n], err
}

// record is one line of a transcript.
type record struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Summary   bool   `json:"isCompactSummary"`
	Message   struct {
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input  int `json:"input_tokens"`
			Made   int `json:"cache_creation_input_tokens"`
			Read   int `json:"cache_read_input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// take reads a line. What is not understood is passed over: the format is the harness's own.
func (t *transcript) take(line []byte) {
	var r record
	if json.Unmarshal(line, &r) != nil || r.Sidechain || r.Meta || r.Summary {
		return
	}
	if r.Type == "system" && r.Subtype == "compact_boundary" {
		t.used = 0 // the context is a new one
		return
	}
	if r.Type != "user" && r.Type != "assistant" {
		return
	}
	if u := r.Message.Usage; r.Type == "assistant" && u != nil && r.Message.Model != "<synthetic>" {
		t.used, t.model = u.Input+u.Made+u.Read+u.Output, r.Message.Model
		t.responses++
	}
	t.content(r.Type, r.Message.Content)
}

func (t *transcript) content(who string, raw json.RawMessage) {
	if who == "assistant" {
		who = "agent"
	}
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		t.say(who, plain)
		return
	}
	var blocks []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Name  string `json:"name"`
		Input struct {
			File string `json:"file_path"`
		} `json:"input"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			t.say(who, b.Text)
		case b.Type == "tool_use" && b.Input.File != "" && (b.Name == "Write" || strings.HasSuffix(b.Name, "Edit")):
			t.touch(b.Input.File)
		}
	}
}

// say adds a message as one line. What the harness puts into a user's mouth is not said by anybody.
func (t *transcript) say(who, text string) {
	text = strings.Join(strings.Fields(text), " ")
	if text != "" && !strings.HasPrefix(text, "<") {
		t.said = append(t.said, who+": "+text)
	}
}

func (t *transcript) touch(file string) {
	if slices.Contains(t.files, file) {
		return
	}
	t.files = append(t.files, file)
}

// excerpt is the newest of what was said, within a number of characters, as a list.
func (t transcript) excerpt(most int, path string) string {
	const each = 600
	var lines []string
	if len(t.files) > 0 {
		lines = append(lines, "- files written: "+clipRunes(strings.Join(t.files, ", "), each))
	}
	left := 0
	for i := len(t.said) - 1; i >= 0; i-- {
		line := "- " + clipRunes(t.said[i], each)
		if most -= len([]rune(line)); most < 0 {
			left = i + 1
			break
		}
		lines = append(lines, line)
	}
	if len(t.said) == 0 {
		return ""
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("- %d earlier messages are only in %s", left, path))
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return strings.Join(lines, "\n")
}

func clipRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
