package memory

import (
	"context"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/textfmt"
	"tend/internal/text/note"
)

// InsertRequest adds lines between two lines of a file.
type InsertRequest struct {
	Path string `json:"filename"`
	Line int    `json:"line"` // 0 is before the first line, N after line N
	Text string `json:"text"`
	If   string `json:"if_version,omitempty"`
}

// Insert adds whole lines after the given one.
func (w *Writer) Insert(ctx context.Context, r InsertRequest) (Receipt, error) {
	return w.change(ctx, edit{
		call: "insert", path: r.Path, seen: r.If, text: r.Text, quote: true,
		apply: func(doc vault.Doc) ([]byte, error) { return insertAt(doc, r.Line, r.Text) },
	})
}

// insertAt counts lines as an editor does: a newline at the end of the file ends its last line and begins no other.
// Whole lines are inserted, so a last line without a newline gets one before text is added after it.
func insertAt(doc vault.Doc, line int, text string) ([]byte, error) {
	n := note.Lines(doc.Data)
	switch {
	case text == "":
		return nil, toolerr.New(toolerr.BadInput, "The text to insert is empty.")
	case line < 0 || line > n:
		return nil, toolerr.New(toolerr.BadRange, "line must be 0 to %d: %s has %s. Nothing was changed.", n, doc.Path, textfmt.Count(n, "line")).
			Try("%d adds at the end.", n)
	}
	nl := note.Newline(doc.Data)
	at := offset(string(doc.Data), line+1)
	text = wholeLines(text, nl)
	if at == len(doc.Data) && !note.FinalNewline(doc.Data) {
		text = nl + text
	}
	return note.Apply(doc.Data, []note.Edit{{At: at, Text: text}})
}

// wholeLines converts a text to the file's line ends, including the last.
func wholeLines(text, nl string) string {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if nl == "\n" {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", nl)
}
