package vault

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"

	"tend/internal/fsys"
)

// Stage writes the new text under a temporary name beside the file.
func (v *Local) Stage(_ context.Context, c Change) (Staged, error) {
	name, err := v.resolve(c.Path)
	if err != nil {
		return nil, wrap("write", c.Path, err)
	}
	s := &staged{v: v, c: c, name: name, temp: tempName(name, c.ID, c.Slot), kept: path.Join(v.trash, KeptName(c.ID, c.Slot, c.Path))}
	old, info, err := readWithInfo(v.ws, name, v.most)
	s.seen = info
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if c.Want != Absent {
			return nil, wrap("write", c.Path, ErrChanged)
		}
	case err != nil:
		return nil, wrap("write", c.Path, err)
	case c.Want == Absent || VersionOf(old) != c.Want && !c.Force:
		return nil, wrap("write", c.Path, ErrChanged)
	}
	switch {
	case c.Remove && c.Want == Absent:
		return nil, wrap("remove", c.Path, fs.ErrNotExist)
	case c.Remove:
		return s, nil
	}
	var like *fsys.Info
	if c.Want == Absent {
		if err := MkdirAll(v.ws, v.dur, path.Dir(name), 0o755); err != nil {
			return nil, wrap("write", c.Path, err)
		}
	} else {
		like = &info
	}
	perm := fs.FileMode(0o600) // no wider than the old file's while it is being written
	if c.Want == Absent {
		perm = 0o644
	}
	if err := writeTemp(v.ws, v.dur, s.temp, bytes.NewReader(c.Data), perm, like); err != nil {
		return nil, wrap("write", c.Path, err)
	}
	return s, nil
}

type staged struct {
	v    *Local
	c    Change
	name string // the file, links followed
	temp string // beside it
	kept string // in the trash
	seen fsys.Info
}

// Discard removes the temporary file.
func (s *staged) Discard(context.Context) error {
	if s.c.Remove {
		return nil
	}
	err := s.v.ws.Remove(s.temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = s.v.dur.Dir(s.v.ws, path.Dir(s.temp))
	}
	return wrap("discard", s.c.Path, err)
}

// Commit swaps the new text in.
func (s *staged) Commit(ctx context.Context) (Displaced, error) {
	d, err := s.commit(ctx)
	return d, wrap("write", s.c.Path, err)
}

func (s *staged) commit(ctx context.Context) (Displaced, error) {
	v := s.v
	if s.c.Want == Absent {
		err := v.ws.Link(s.temp, s.name)
		if errors.Is(err, fs.ErrExist) {
			err = errors.Join(ErrChanged, s.Discard(ctx))
		}
		if err != nil {
			return Displaced{}, err
		}
		if err := v.ws.Remove(s.temp); err != nil {
			return Displaced{}, err
		}
		return Displaced{}, v.dur.Dir(v.ws, path.Dir(s.name))
	}
	if err := s.swap(); err != nil {
		if errors.Is(err, fs.ErrNotExist) { // the file went away meanwhile
			err = errors.Join(ErrChanged, s.Discard(ctx))
		}
		return Displaced{}, err
	}
	// From here on temp is whatever stood there at the very moment of the swap.
	now := Kept{name: s.temp}
	if err := v.look(v.ws, &now); err != nil {
		return Displaced{}, err
	}
	d := Displaced{Existed: true, Data: now.Data, Version: now.Version}
	d.Raced = d.Version != s.c.Want
	if d.Raced && (!s.c.Force || now.Large) {
		return s.takeBack(d)
	}
	if err := s.toTrash(d.Data); err != nil {
		return d, err
	}
	d.Kept = s.kept
	return d, nil
}

// swap makes the new text stand under the file's name and the old under temp.
func (s *staged) swap() error {
	v := s.v
	if s.c.Remove {
		return v.ws.Rename(s.name, s.temp)
	}
	err := v.ws.Exchange(s.temp, s.name)
	if !errors.Is(err, fsys.ErrNoExchange) {
		return err
	}
	link := s.temp + spare
	if err := s.secondName(link); err != nil {
		return err
	}
	if err := v.ws.Rename(s.temp, s.name); err != nil {
		return err // perhaps it was done all the same: the link stays
	}
	return v.ws.Rename(link, s.temp)
}

// secondName gives the file that stands under the name now a second one, which
// the power cannot take once the new file has the first.
//
// Weaker than an exchange: a file that somebody renames over this name between the
// last look and our rename is not kept. The sync takes most of that time, so it is
// looked at once more after it.
func (s *staged) secondName(link string) error {
	v := s.v
	for try := 0; ; try++ {
		err := v.ws.Link(s.name, link)
		if errors.Is(err, fs.ErrExist) { // of a round before
			if err = v.ws.Remove(link); err == nil {
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

// takeBack undoes a swap that met a newer text than it was made for.
func (s *staged) takeBack(d Displaced) (Displaced, error) {
	v := s.v
	if s.c.Remove {
		// Somebody may have made the file anew: then both texts must live.
		err := v.ws.Link(s.temp, s.name)
		if errors.Is(err, fs.ErrExist) {
			if err := s.toTrash(d.Data); err != nil {
				return Displaced{}, err
			}
			return Displaced{Stray: d.Data, Kept: s.kept}, ErrChanged
		}
		if err != nil {
			return Displaced{}, err
		}
		return Displaced{}, errors.Join(ErrChanged, v.ws.Remove(s.temp), v.dur.Dir(v.ws, path.Dir(s.name)))
	}
	if err := s.swap(); err != nil {
		return Displaced{}, err
	}
	ours, err := ReadFile(v.ws, s.temp)
	if err != nil {
		return Displaced{}, err
	}
	if bytes.Equal(ours, s.c.Data) {
		return Displaced{}, errors.Join(ErrChanged, v.ws.Remove(s.temp), v.dur.Dir(v.ws, path.Dir(s.name)))
	}
	// Somebody wrote into our text in the moment it stood there.
	if err := s.toTrash(ours); err != nil {
		return Displaced{}, err
	}
	return Displaced{Stray: ours, Kept: s.kept}, ErrChanged
}

// toTrash brings the displaced file, inode and all, to the trash, so that even
// a writer that has it open writes to where we look. On another file system its
// text is copied and the inode stays beside the file until it is swept.
func (s *staged) toTrash(text []byte) error { return s.v.keep(s.temp, s.kept, text) }

// keep brings a displaced file to the trash. Without a text to copy it copies the file,
// piece by piece.
func (v *Local) keep(temp, kept string, text []byte) error {
	err := v.ws.Move(temp, v.state, kept)
	if err != nil && !errors.Is(err, fsys.ErrCrossDevice) {
		return err
	}
	// A rename between two folders of one file system is durable as a whole once
	// either folder is, so this one call covers the swap and the move.
	if syncErr := v.dur.Dir(v.ws, path.Dir(temp)); err == nil || syncErr != nil {
		return syncErr
	}
	// The copy comes after: where it is, the swap has surely been.
	if text != nil {
		return WriteOver(v.state, v.dur, kept, text, 0o600)
	}
	f, err := v.ws.Open(temp)
	if err != nil {
		return err
	}
	return errors.Join(writeOver(v.state, v.dur, kept, f, 0o600), f.Close())
}
