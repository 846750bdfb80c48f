package memory

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/app/memory/toolerr"
)

// TestAnAgentCannotFillTheDisk: an agent that writes large texts over and over is refused once what is kept of it has
// grown to twice its quota, and what is on the disk stays near that.
func TestAnAgentCannotFillTheDisk(t *testing.T) {
	s, ws := serve(t, "    policy: {state.max_bytes: 1MB, file.max_bytes: 1MB}\n")
	refused := toolerr.Code("")
	for i := range 200 {
		text := bytes.Repeat(fmt.Appendf(nil, "- line %d of a text that changes all the time\n", i), 1500)
		_, err := s.Writer.Write(t.Context(), WriteRequest{Path: "memory/notes.md", Text: string(text)})
		if err != nil {
			refused = codeOf(err)
			break
		}
	}
	if refused != toolerr.Full {
		t.Errorf("refused with %q, want %q", refused, toolerr.Full)
	}
	var kept int64
	must(t, filepath.WalkDir(filepath.Join(filepath.Dir(ws), "state"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(name, "/history/") {
			i, err := d.Info()
			if err == nil {
				kept += i.Size()
			}
			return err
		}
		return err
	}))
	if kept > 4<<20 {
		t.Errorf("%d bytes are kept with a quota of 1 MB", kept)
	}
}
