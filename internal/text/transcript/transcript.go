// Package transcript reads what was said in a session from the harness's transcript, or from what it passes to a
// hook.
package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/textfmt"
)

// Talk is what a checkpoint needs to know of a session.
type Talk struct {
	Used      int    // tokens of the last answer's context, 0 if unknown
	Window    int    // tokens the context can hold, 0 if unknown
	Model     string // that gave the last answer
	Responses int    // answers since the last checkpoint
	Said      []string
	Files     []string // written to since then
	From, To  int      // what was read: bytes of a file, or messages of a list
	Hash      vault.Version

	hear func(who, text string) // takes what is said in the place of Said, as it stands
}

// Room returns the size of the model's context, as far as its name and fill level tell.
func (t Talk) Room(usual int) int {
	switch {
	case t.Window > 0:
		return t.Window
	case strings.Contains(t.Model, "[1m]"), strings.HasSuffix(t.Model, "-1m"), strings.HasPrefix(t.Model, "gemini-"), t.Used > usual:
		return max(1_000_000, usual)
	}
	return usual
}

// maxRead is the most of a file that is read for one checkpoint; older text is in the file itself.
const maxRead = 8 << 20

// Read reads what was added to a transcript since an offset. The harness keeps writing while we read: only whole
// lines count.
func Read(f Format, path string, since int) (Talk, error) {
	file, err := fsys.OpenFile(path)
	if err != nil {
		return Talk{}, fmt.Errorf("read transcript: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Talk{}, fmt.Errorf("read transcript: %w", err)
	}
	size := int(info.Size())
	if since > size {
		since = 0 // another file under the same name
	}
	t := Talk{From: max(since, size-maxRead)}
	data, err := readAt(file, t.From, size)
	if err != nil {
		return Talk{}, fmt.Errorf("read transcript: %w", err)
	}
	if t.From > since {
		n := bytes.IndexByte(data, '\n') + 1
		t.From, data = t.From+n, data[n:]
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	t.To, t.Hash = t.From+len(data), vault.VersionOf(data)
	for line := range bytes.Lines(data) {
		f.readLine(&t, line)
	}
	// Without an answer since then, the fill level is that of the last answer before.
	for n := 1 << 16; t.Used == 0 && t.From > 0 && n <= maxRead; n *= 8 {
		head := max(0, t.From-n)
		before, err := readAt(file, head, t.From)
		if err != nil {
			return Talk{}, fmt.Errorf("read transcript: %w", err)
		}
		var older Talk
		for line := range bytes.Lines(before) {
			f.readLine(&older, line)
		}
		t.Used, t.Model, t.Window = older.Used, older.Model, max(t.Window, older.Window)
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

// harnessBlocks are what harnesses put around or before a user's message.
var harnessBlocks = [][2]string{{"<hook_context>", "</hook_context>"}, {"<session_context>", "</session_context>"}}

// addMessage adds a message as one line. What the harness adds in the user's name is skipped.
func (t *Talk) addMessage(who, text string) {
	if t.hear != nil {
		t.hear(who, text)
		return
	}
	for _, a := range harnessBlocks {
		if from := strings.Index(text, a[0]); from >= 0 {
			if n := strings.Index(text[from:], a[1]); n >= 0 {
				text = text[:from] + text[from+n+len(a[1]):]
			}
		}
	}
	text = strings.NewReplacer("<user_query>", "", "</user_query>", "").Replace(text)
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || who == "user" && strings.HasPrefix(text, "<") {
		return
	}
	t.Said = append(t.Said, who+": "+text)
}

func (t *Talk) touch(file string) {
	if file != "" && !slices.Contains(t.Files, file) {
		t.Files = append(t.Files, file)
	}
}

// Excerpt returns the newest part of what was said, within a number of characters, as a list; where tells where the
// rest is.
func (t Talk) Excerpt(most int, where string) string {
	const each = 600
	var lines []string
	if len(t.Files) > 0 {
		lines = append(lines, "- files written: "+textfmt.Clip(strings.Join(t.Files, ", "), each))
	}
	left := 0
	for i := len(t.Said) - 1; i >= 0; i-- {
		line := "- " + textfmt.Clip(t.Said[i], each)
		if most -= len([]rune(line)); most < 0 {
			left = i + 1
			break
		}
		lines = append(lines, line)
	}
	if len(t.Said) == 0 {
		return ""
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("- %d earlier messages are only in %s", left, where))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}
