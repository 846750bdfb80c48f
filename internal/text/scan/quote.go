package scan

import "tend/internal/model/words"

// Quote returns the beginning of a text on one line, with secrets masked and control characters removed: the only form in
// which a finding shows what somebody wrote.
func Quote(text string, most int) string {
	return words.Clip(words.InLine(string(Mask([]byte(text)))), most)
}
