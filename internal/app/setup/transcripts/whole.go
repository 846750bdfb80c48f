package transcripts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"tend/internal/disk/fsys"
	"tend/internal/text/transcript"
)

// whole recognises a file that is one JSON value, as older versions of Gemini CLI write it.
func (l *lookup) whole(name string, size int64) {
	if size > maxWhole {
		l.skipFile(name, fmt.Sprintf("it is one JSON value of %d MB", size>>20))
		return
	}
	var head json.RawMessage
	if err := readWhole(name, func(first json.RawMessage) { head = first }, nil); err != nil {
		l.skipFile(name, causeOf(err))
		return
	}
	if h, ok := transcript.HeadOf(name, [][]byte{head}); ok {
		l.add(&source{Head: h, file: name, size: size, hear: hearWhole})
	}
}

// hearWhole reads such a file. It is written anew each time, so that only times tell what is new.
func hearWhole(ctx context.Context, s *source, h *hearing) error {
	h.resumeAt(nil)
	err := readWhole(s.file, nil, func(message json.RawMessage) { h.readRecord(message) })
	h.progress(s.size)
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// readWhole passes on a session's fields without its messages, and each message.
func readWhole(name string, fields, message func(json.RawMessage)) error {
	if i, err := os.Stat(name); err == nil && i.Size() > maxWhole {
		return errors.New("it is too large")
	}
	data, err := fsys.ReadFile(name)
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return errors.New("it is no JSON")
	}
	var list []json.RawMessage
	if err := json.Unmarshal(all["messages"], &list); err != nil && message != nil {
		return errors.New("it has no messages")
	}
	delete(all, "messages")
	if fields != nil {
		first, err := json.Marshal(all)
		if err != nil {
			return err
		}
		fields(first)
	}
	if message != nil {
		for _, m := range list {
			message(m)
		}
	}
	return nil
}
