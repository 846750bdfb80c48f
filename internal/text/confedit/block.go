package confedit

import (
	"errors"
	"strings"
)

// Newline returns the line ending of a text.
func Newline(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// FindBlock finds the lines from one that begins with begin to one that begins with end.
func FindBlock(text, begin, end string) (from, to int, err error) {
	from, to = -1, -1
	at := 0
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(body, begin):
			if from >= 0 {
				return 0, 0, errors.New("the mark of Tend's block appears twice; remove one of the blocks")
			}
			from = at
		case strings.HasPrefix(body, end):
			if from < 0 || to >= 0 {
				return 0, 0, errors.New("the block of Tend has an end and no beginning; remove that line")
			}
			to = at + len(line)
		}
		at += len(line)
	}
	if from >= 0 && to < 0 {
		return 0, 0, errors.New("the block of Tend has no end; remove what is left of it")
	}
	return from, to, nil
}

// SetBlock puts a block of lines into a text: in place of the existing one, or at the end.
func SetBlock(text, block, begin, end string) (string, error) {
	nl := Newline(text)
	block = strings.ReplaceAll(strings.TrimRight(block, "\n")+"\n", "\n", nl)
	from, to, err := FindBlock(text, begin, end)
	if err != nil {
		return "", err
	}
	if from >= 0 {
		if !strings.HasSuffix(text[from:to], "\n") {
			block = strings.TrimSuffix(block, nl)
		}
		return text[:from] + block + text[to:], nil
	}
	switch {
	case text == "":
		return block, nil
	case !strings.HasSuffix(text, "\n"):
		return text + nl + nl + block, nil
	}
	return text + nl + block, nil
}

// RemoveBlock removes the block, with the blank line before it.
func RemoveBlock(text, begin, end string) (string, error) {
	from, to, err := FindBlock(text, begin, end)
	if err != nil || from < 0 {
		return text, err
	}
	head, tail := text[:from], text[to:]
	if strings.HasSuffix(head, "\n\n") || strings.HasSuffix(head, "\n\r\n") {
		head = strings.TrimSuffix(strings.TrimSuffix(head, "\n"), "\r")
	}
	return head + tail, nil
}
