package loadview

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"

	"tend/internal/text/layout"
)

// show decides how one file is shown and subtracts it from the budget.
func show(s layout.Show, spec layout.Shown, files []File, o Options, b *budget) Injected {
	in := Injected{Name: spec.Name, Path: path.Join(o.Root, spec.Name)}
	f, there := named(files, spec.Name)
	in.Bytes = len(f.Data)

	switch allowed, limited := s.Sessions[o.Session]; {
	case limited && !slices.Contains(allowed, spec.Name):
		return in.hide(f, s, OtherKind)
	case spec.Fresh && o.SetUp:
		return in.hide(f, s, Done)
	}
	if _, other := named(files, spec.Unless); other && spec.Unless != "" {
		return in.hide(f, s, Replaced)
	}
	if there && !f.Excluded.IsZero() {
		in = in.unread(f, s)
		in.Reason, in.Since = Excluded, &f.Excluded
		return in
	}
	if reason, refused := refusal(s, f); there && refused {
		in = in.unread(f, s)
		if s.Broken == "" {
			spec.Optional = false // it exists, so it is not skipped
			return absent(s, spec, in, b)
		}
		f = File{Name: f.Name, Data: []byte(fill(s.Broken, "reason", reason))}
	}
	if !there {
		in.Reason = NotThere
		return absent(s, spec, in, b)
	}
	if !spec.Outside && (!b.open() || !b.room()) {
		return in.hide(f, s, Starved)
	}
	return in.fill(s, spec, f, o, b)
}

func named(files []File, name string) (File, bool) {
	for _, f := range files {
		if f.Name == name && !f.Missing {
			return f, true
		}
	}
	return File{Name: name}, false
}

// refusal returns why the harness does not read the file, if it does not.
func refusal(s layout.Show, f File) (string, bool) {
	if f.Broken != "" {
		return f.Broken, true
	}
	kind := f.Kind
	if kind == Plain && s.MaxBytes > 0 && len(f.Data) > s.MaxBytes {
		kind = large
	}
	if kind == Plain {
		return "", false
	}
	reason, ok := s.Refuses[string(kind)]
	if !ok && kind == large {
		return fmt.Sprintf("File exceeds %d bytes", s.MaxBytes), true
	}
	if !ok && kind == Folder {
		return "is a folder", true
	}
	return reason, ok
}

// absent shows the note for a required file that does not exist.
func absent(s layout.Show, spec layout.Shown, in Injected, b *budget) Injected {
	if spec.Optional || s.Missing == "" {
		return in
	}
	if !b.open() {
		return in
	}
	in.Text = b.take(piece{text: fill(s.Missing, "name", spec.Name, "path", in.Path)}).text
	in.Shown = in.Text != ""
	in.Size = count(in.Text, s.Unit)
	return in
}

// hide returns a file of which nothing is shown. Only a starved one counts as lost.
func (in Injected) hide(f File, s layout.Show, why Reason) Injected {
	unreadable := in.Reason == Unreadable
	in.Reason = why
	if why == Starved && !unreadable {
		in = in.unread(f, s)
		in.Reason, in.Cut, in.Starve = why, true, true
	}
	return in
}

// unread counts all of the file as lost.
func (in Injected) unread(f File, s layout.Show) Injected {
	in.Reason = Unreadable
	src := read(f.Data).trim(s.Trim == layout.TrimBoth)
	in.Raw = count(src.text, s.Unit)
	in.Lost = in.Raw
	in.Lines = lost(f.Data, nil, nil)
	return in
}

// fill shows as much of the file's text as allowed.
func (in Injected) fill(s layout.Show, spec layout.Shown, f File, o Options, b *budget) Injected {
	c := s.Cut
	if spec.Cut != nil {
		c = *spec.Cut
	}
	limit, soft := limits(s, spec, c, o)
	if !spec.Outside && (soft == 0 || b.left < soft) && b.left < math.MaxInt {
		soft = b.left
	}

	data := f.Data
	if s.Unit == layout.Bytes && c.Kind == layout.CutHead && soft > 0 && len(data) > soft {
		data = data[:soft] // bytes are cut before decoding, which may break the last character
	}
	whole := prepare(read(data), s, spec, c)
	if blank(whole.text) {
		in.Reason = Empty
		return in
	}
	size := count(whole.text, s.Unit)
	if s.Unit == layout.Bytes {
		size = len(f.Data)
	}
	p := piece{text: whole.text, shown: []source{whole}, cut: len(data) < len(f.Data)}
	if !p.cut {
		p = cut(whole, c, cutRequest{
			name: spec.Name, path: in.Path, unit: s.Unit, size: size, limit: soft, stated: limit, room: lineRoom(spec, s),
		})
	}
	switch {
	case spec.Outside:
	case s.Unit == layout.Bytes:
		b.left -= len(data)
	default:
		p = b.take(p)
	}

	in.Shown, in.Text, in.Marker = true, p.text, p.marker
	in.Size = count(in.Text, s.Unit)
	if in.Reason == Unreadable {
		return in
	}
	in.Raw, in.Limit, in.Cut = size, limit, p.cut
	in.Near = near(size, limit, s.Near)
	in.Starve = p.cut && (limit == 0 || size <= limit)
	in.account(f.Data, whole, p, s.Unit)
	if p.cut {
		in.Reason = Truncated
	}
	if spec.Frame != "" {
		in.Text = framed(spec, in, limit)
		in.Size = count(in.Text, s.Unit)
	}
	return in
}

// prepare returns the text that the harness counts.
func prepare(src source, s layout.Show, spec layout.Shown, c layout.Cut) source {
	if c.Ignore {
		src = src.uncounted()
	}
	switch {
	case spec.Delimiter != "":
		src = src.entries(spec.Delimiter)
	case s.Trim == layout.TrimEnd:
		src = src.trim(false)
	case s.Trim == layout.TrimBoth:
		src = src.trim(true)
	}
	if spec.Lead != "" && src.text != "" {
		src = src.lead(fill(spec.Lead, "name", spec.Name))
	}
	return src
}

// limits returns the limit that the harness states, and the size above which it really cuts.
func limits(s layout.Show, spec layout.Shown, c layout.Cut, o Options) (stated, real int) {
	stated = lineRoom(spec, s).At(o.Window)
	if o.FileLimit > 0 {
		stated = o.FileLimit
	}
	if spec.Cap > 0 && (stated == 0 || spec.Cap < stated) {
		stated = spec.Cap
	}
	real = stated
	if stated > 0 && c.Over.Times > 0 {
		real = max(stated*c.Over.Times, c.Over.Least)
	}
	return stated, real
}

func lineRoom(spec layout.Shown, s layout.Show) layout.Limit {
	if spec.Limit != nil {
		return *spec.Limit
	}
	return s.File
}

// framed puts the harness's heading around the text.
func framed(spec layout.Shown, in Injected, limit int) string {
	percent := 0
	if limit > 0 {
		percent = min(100, int(float64(in.Raw)/float64(limit)*100))
	}
	over := ""
	if in.Raw > limit {
		over = spec.Warning
	}
	return fill(spec.Frame, "text", in.Text, "used", strconv.Itoa(in.Raw), "limit", strconv.Itoa(limit),
		"percent", strconv.Itoa(percent), "over", over)
}
