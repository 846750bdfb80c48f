package vault

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"tend/internal/disk/fsys"
)

// Staged is a change that is prepared but not yet committed.
type Staged struct {
	v     *Vault
	c     Change
	name  string // the file, links followed
	temp  string // beside it
	trash string // in the trash
	seen  fsys.Info
	evict bool // the name is taken by something that is not a file and will be set aside
	// inWay describes what was set aside because it blocked the path to the file.
	inWay struct {
		odd   string
		aside Path
	}
}

// clearWay sets aside the first thing on the path to the file that should be a folder and is not.
func (s *Staged) clearWay() error {
	v := s.v
	if path.Dir(s.name) == "." {
		return nil
	}
	parts := strings.Split(path.Dir(s.name), "/")
	for i := range parts {
		dir := path.Join(parts[:i+1]...)
		info, err := v.ws.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.IsDir() {
			continue
		}
		if _, err := v.ws.ReadDir(dir); err == nil {
			continue // a link to a folder of the workspace
		}
		odd := "a file"
		if !info.Mode.IsRegular() {
			odd = describeKind(v.ws, dir, info)
		}
		if s.inWay.aside, err = v.setAside(dir, path.Base(dir), s.c.ID); err != nil {
			return err
		}
		s.inWay.odd = odd
		return nil
	}
	return nil
}

// Stage prepares a change of one file: it writes the new text under a temporary name
// beside the file, invisible to readers. It fails with ErrChanged if the file is not
// at c.Want or, with c.Force, if it is missing.
func (v *Vault) Stage(_ context.Context, c Change) (*Staged, error) {
	s, err := v.stage(c)
	if err != nil {
		return nil, pathError("write", c.Path, err)
	}
	return s, nil
}

func (v *Vault) stage(c Change) (*Staged, error) {
	name := c.name()
	s := &Staged{v: v, c: c, name: name, temp: tempName(name, c.ID, c.Slot), trash: path.Join(v.trash, TrashName(c.ID, c.Slot, c.Path))}
	if c.Force && !c.Remove {
		if err := s.clearWay(); err != nil {
			return nil, err
		}
	}
	like, err := s.compareWithFile()
	switch {
	case err != nil:
		return nil, err
	case c.Remove && c.Want == Absent:
		return nil, fs.ErrNotExist
	case c.Remove:
		return s, nil
	}
	perm := fs.FileMode(0o600) // never wider than the old file's mode, also while writing
	if c.Want == Absent {
		if err := v.mkdirAll(path.Dir(name)); err != nil {
			return nil, err
		}
		if like == nil {
			like = v.newFile(path.Dir(name))
		}
	}
	for range 8 {
		if err = writeTemp(v.ws, v.dur, s.temp, bytes.NewReader(c.Data), perm, like); err == nil {
			break
		}
		if odd, oerr := describeOdd(v.ws, s.temp); oerr != nil || odd == "" {
			break
		}
		// Something that cannot be removed has our name.
		if _, err := v.setAside(s.temp, path.Base(name), c.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return s, err
}

// CanWrite tries to create a file beside a path, under a name like that of a staged change, and removes it.
func (v *Vault) CanWrite(_ context.Context, p Target, id string) error {
	temp := tempName(p.name(), id, 0)
	err := writeTemp(v.ws, NoSync{}, temp, bytes.NewReader(nil), 0o600, nil)
	if err == nil {
		err = v.ws.Remove(temp)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its folder is yet to be made
	}
	return pathError("write", p.Path, err)
}

// compareWithFile compares the file with what the change expects and returns the attributes
// for the new one.
func (s *Staged) compareWithFile() (*Attr, error) {
	f, err := s.v.ws.Open(s.name)
	switch {
	case isIrregular(err) && s.c.Force && !s.c.Remove:
		s.evict = true
		s.c.Want = Absent
		return s.c.Like, nil
	case errors.Is(err, fs.ErrNotExist) && s.c.Want != Absent:
		return nil, ErrChanged
	case errors.Is(err, fs.ErrNotExist):
		return s.c.Like, nil
	case err != nil:
		return nil, err
	case s.c.Want == Absent:
		return nil, errors.Join(ErrChanged, f.Close())
	}
	version, info, err := digestOf(f)
	s.seen = info
	var like *Attr
	if err == nil {
		like, err = attrOf(f, info)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if version != s.c.Want && !s.c.Force {
		return nil, ErrChanged
	}
	return like, nil
}

// Discard drops the change and leaves no trace.
func (s *Staged) Discard(context.Context) error {
	if s.c.Remove {
		return nil
	}
	_, err := s.v.removeOwn(s.temp, s.c.Path, s.c.ID)
	return pathError("discard", s.c.Path, err)
}

// removeOwn removes one of Tend's own files. If the name is taken by something else than
// a file, that is not Tend's, and it is set aside.
func (v *Vault) removeOwn(name string, p Path, id string) (aside Path, err error) {
	odd, err := describeOdd(v.ws, name)
	if err == nil && odd != "" {
		return v.setAside(name, p.Base(), id)
	}
	if err == nil {
		err = v.ws.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil {
		err = v.dur.Dir(v.ws, path.Dir(name))
	}
	return "", err
}

// Commit applies the change in one step and returns what it displaced. The change is
// durable after the next Sync.
//
// If the file was no longer at Want at that moment, then with Force the change stays
// and Displaced has the text that was really there; without Force, Commit puts that
// text back and returns ErrChanged.
func (s *Staged) Commit(ctx context.Context) (Displaced, error) {
	d, err := s.commit(ctx)
	if d.Odd == "" && s.inWay.odd != "" {
		d.Odd, d.Aside = s.inWay.odd, s.inWay.aside
	}
	return d, pathError("write", s.c.Path, err)
}

func (s *Staged) commit(ctx context.Context) (Displaced, error) {
	v := s.v
	if s.c.Want == Absent {
		err := fsys.RenameNew(v.ws, s.temp, s.name)
		if err == nil {
			return Displaced{}, v.dur.Dir(v.ws, path.Dir(s.name))
		}
		if !errors.Is(err, fs.ErrExist) {
			return Displaced{}, err
		}
		if !s.evict {
			return Displaced{}, errors.Join(ErrChanged, s.Discard(ctx))
		}
	}
	if err := s.swapNames(); err != nil {
		switch odd, oerr := describeOdd(v.ws, s.name); {
		case errors.Is(err, fs.ErrNotExist), oerr == nil && odd != "": // the file went away meanwhile
			err = errors.Join(ErrChanged, s.Discard(ctx))
		}
		return Displaced{}, err
	}
	// From here on temp is the file that had the name at the moment of the swap.
	now := Found{Path: s.c.Path, ID: s.c.ID, name: s.temp}
	err := v.readFound(v.ws, &now)
	if errors.Is(err, fs.ErrNotExist) {
		// Somebody moved or deleted it under our temporary name: it is theirs now.
		return Displaced{Existed: true, Odd: "nothing any more"}, v.dur.Dir(v.ws, path.Dir(s.name))
	}
	if err != nil {
		return Displaced{}, err
	}
	d := Displaced{Existed: true, Data: now.Data, Version: now.Version, Attr: now.Attr, Large: now.Large, Odd: now.Odd}
	d.Raced = d.Version != s.c.Want && (d.Odd == "" || !s.evict)
	if d.Raced && !s.c.Force {
		return s.takeBack(d)
	}
	if d.Odd != "" {
		d.Aside, err = v.setAside(s.temp, s.c.Path.Base(), s.c.ID)
		return d, err
	}
	t, err := v.moveToTrash(now, s.trash)
	d.Trash, d.Odd, d.Aside = t.name, t.odd, t.aside
	return d, err
}

// swapNames puts the new text under the file's name and the old under temp.
func (s *Staged) swapNames() error {
	v := s.v
	if s.c.Remove {
		err := v.ws.Rename(s.name, s.temp)
		if errors.Is(err, fs.ErrExist) { // a folder under our own name
			if _, err := v.setAside(s.temp, path.Base(s.name), s.c.ID); err != nil {
				return err
			}
			err = v.ws.Rename(s.name, s.temp)
		}
		return err
	}
	err := v.ws.Exchange(s.temp, s.name)
	if !errors.Is(err, fsys.ErrNoExchange) {
		return err
	}
	link := s.temp + spare
	if err := s.secondName(link); err != nil {
		if odd, oerr := describeOdd(v.ws, s.name); oerr == nil && odd != "" && s.c.Force { // a folder cannot have two names
			return s.swapOdd()
		}
		return err
	}
	if err := v.ws.Rename(s.temp, s.name); err != nil {
		return err // the rename may have happened although it failed, so the link stays
	}
	return v.ws.Rename(link, s.temp)
}

// swapOdd is swapNames without an exchange call, for something that is not a file. A folder
// cannot have a second name, so for a moment nothing has the name.
func (s *Staged) swapOdd() error {
	v, link := s.v, s.temp+spare
	if _, err := v.removeOwn(link, s.c.Path, s.c.ID); err != nil {
		return err
	}
	if err := v.ws.Rename(s.name, link); err != nil {
		return err
	}
	if err := v.ws.Link(s.temp, s.name); err != nil {
		return err
	}
	if err := v.ws.Remove(s.temp); err != nil {
		return err
	}
	return v.ws.Rename(link, s.temp)
}

// secondName gives the current file a second name and makes it durable, so that a
// power cut cannot take the file once the new one has its first name.
//
// This is weaker than an exchange: a file that somebody renames over this name between
// the last check and our rename is lost. The sync takes most of that time, so the check
// is repeated after it.
func (s *Staged) secondName(link string) error {
	v := s.v
	for try := 0; ; try++ {
		err := v.ws.Link(s.name, link)
		if errors.Is(err, fs.ErrExist) { // from an earlier try
			if _, err = v.removeOwn(link, s.c.Path, s.c.ID); err == nil {
				err = v.ws.Link(s.name, link)
			}
		}
		if err != nil {
			return err
		}
		if err := v.dur.Dir(v.ws, path.Dir(link)); err != nil {
			return err
		}
		if err := v.dur.Barrier(); err != nil {
			return err
		}
		now, err := v.ws.Lstat(s.name)
		if err != nil {
			return err
		}
		if try == 3 || now.Same(s.seen) && now.Size == s.seen.Size && now.ModTime.Equal(s.seen.ModTime) {
			return nil
		}
		s.seen = now
	}
}

// takeBack undoes a swap that displaced something else than expected.
func (s *Staged) takeBack(d Displaced) (Displaced, error) {
	v := s.v
	was := Found{Path: s.c.Path, ID: s.c.ID, name: s.temp, Data: d.Data, Version: d.Version, Large: d.Large, Odd: d.Odd}
	if s.c.Remove && d.Odd != "" {
		if _, err := v.ws.Lstat(s.name); errors.Is(err, fs.ErrNotExist) {
			return Displaced{}, errors.Join(ErrChanged, v.ws.Rename(s.temp, s.name), v.dur.Dir(v.ws, path.Dir(s.name)))
		}
		aside, err := v.setAside(s.temp, s.c.Path.Base(), s.c.ID)
		return Displaced{Odd: d.Odd, Aside: aside}, errors.Join(ErrChanged, err)
	}
	if s.c.Remove {
		// Somebody may have created the file again: then both texts must be kept.
		err := v.ws.Link(s.temp, s.name)
		if err == nil {
			return Displaced{}, errors.Join(ErrChanged, v.ws.Remove(s.temp), v.dur.Dir(v.ws, path.Dir(s.name)))
		}
		if !errors.Is(err, fs.ErrExist) {
			return Displaced{}, err
		}
		return s.keepStray(was)
	}
	if err := s.swapNames(); err != nil {
		return Displaced{}, err
	}
	ours := Found{Path: s.c.Path, ID: s.c.ID, name: s.temp}
	if err := v.readFound(v.ws, &ours); err != nil {
		return Displaced{}, err
	}
	if ours.Odd == "" && ours.Version == VersionOf(s.c.Data) {
		return Displaced{}, errors.Join(ErrChanged, v.ws.Remove(s.temp), v.dur.Dir(v.ws, path.Dir(s.name)))
	}
	// Somebody wrote to our file while it was in place, or replaced it.
	return s.keepStray(ours)
}

// keepStray keeps text that reached the file while a change was being taken back.
func (s *Staged) keepStray(k Found) (Displaced, error) {
	if k.Odd != "" {
		aside, err := s.v.setAside(s.temp, s.c.Path.Base(), s.c.ID)
		return Displaced{Odd: k.Odd, Aside: aside}, errors.Join(ErrChanged, err)
	}
	t, err := s.v.moveToTrash(k, s.trash)
	if err != nil {
		return Displaced{}, err
	}
	return Displaced{Stray: k.Data, Trash: t.name, Odd: t.odd, Aside: t.aside}, ErrChanged
}

// trashed is the result of moving something to the trash.
type trashed struct {
	name string // in the trash, "" if there was nothing left to keep
	// If something else had taken our name: what it was and where it is now.
	odd   string
	aside Path
}

// moveToTrash moves the displaced file, inode and all, to the trash, so that even a writer
// that has it open writes to where we look. If the trash is on another file system, it
// copies the text, and the inode stays beside the file until it is swept. If somebody
// moved the file away since it was read, it keeps the text that was read.
func (v *Vault) moveToTrash(k Found, kept string) (t trashed, err error) {
	err = v.ws.Move(k.name, v.state, kept)
	if errors.Is(err, fs.ErrExist) || Blocked(err) {
		// Something that is not a file was moved here by mistake; it is not ours.
		if was, oerr := describeOdd(v.state, kept); oerr == nil && was != "" {
			if _, err := v.moveBack(kept, k.Path, k.ID); err != nil {
				return t, err
			}
			err = v.ws.Move(k.name, v.state, kept)
		}
	}
	far := errors.Is(err, fsys.ErrCrossDevice)
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !far && !gone {
		return t, err
	}
	if err == nil {
		// Somebody may have put something else there between the read and the move.
		if t.odd, err = describeOdd(v.state, kept); err != nil {
			return t, err
		}
		if t.odd != "" {
			if t.aside, err = v.moveBack(kept, k.Path, k.ID); err != nil {
				return t, err
			}
			gone = true
		}
	}
	// A rename between two folders of one file system is durable as a whole once
	// either folder is, so this one call covers the swap and the move.
	if err := v.dur.Dir(v.ws, path.Dir(k.name)); err != nil {
		return t, err
	}
	switch {
	case !far && !gone:
	case gone && k.Large:
		return t, nil
	case !k.Large:
		// The copy is written last: if it exists, the swap has happened.
		err = WriteOver(v.state, v.dur, kept, k.Data, 0o600)
	default:
		f, oerr := v.ws.Open(k.name)
		if isIrregular(oerr) || errors.Is(oerr, fs.ErrNotExist) {
			return t, nil
		}
		if err = oerr; err == nil {
			err = errors.Join(writeOver(v.state, v.dur, kept, f, 0o600, nil), f.Close())
		}
	}
	t.name = kept
	return t, err
}
