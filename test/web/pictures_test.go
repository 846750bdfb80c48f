package web

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// shots are the pictures of README and docs.
var shots = []struct {
	name, path, theme string
	width, height     int64
}{
	{"fleet", "/", "light", 1280, 900},
	{"fleet-dark", "/", "dark", 1280, 900},
	{"file", "/a/scout/file/AGENTS.md?from=172", "light", 1280, 800},
	{"inbox", "/inbox?agent=gardener", "light", 1280, 700},
	{"time", "/a/concierge/time/USER.md", "light", 1280, 800},
	{"fact", "/a/concierge/fact?q=The+tailor+takes+5+days+for+alterations", "light", 1280, 800},
	{"jobs", "/jobs?agent=concierge", "dark", 1280, 700},
	{"phone", "/", "light", 390, 844},
}

// TestPictures takes the pictures of README and docs with -update. Otherwise it checks that they exist, are small, have the
// right dimensions, and are shown somewhere.
func TestPictures(t *testing.T) {
	s := sample(t)
	b := s.login(t)
	var docs strings.Builder
	for _, name := range []string{"README.md", "docs/dashboard.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		must(t, err)
		docs.WriteString(string(text))
	}
	for _, shot := range shots {
		name := filepath.Join("../../docs/img", shot.name+".png")
		if *update {
			b.theme(shot.theme)
			b.size(shot.width, shot.height)
			b.visit(shot.path, 200)
			if shot.name == "time" {
				b.press(".versions li:nth-child(2) a", "") // before the paragraph was deleted
			}
			r := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
			must(t, os.MkdirAll(filepath.Dir(name), 0o755))
			must(t, os.WriteFile(name, r.Data, 0o644))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("take it with `go test ./test/web -run Pictures -update`: %v", err)
			continue
		}
		picture, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || picture.Width != int(shot.width) || picture.Height != int(shot.height) || len(data) > 200_000 {
			t.Errorf("%s: %d bytes, %d by %d, %v", name, len(data), picture.Width, picture.Height, err)
		}
		if !strings.Contains(docs.String(), "img/"+shot.name+".png") {
			t.Errorf("neither README nor docs/dashboard.md shows %s", name)
		}
	}
}
