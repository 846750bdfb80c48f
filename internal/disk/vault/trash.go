package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
)

// spare is the suffix of the old file's second name, for a swap in two steps.
const spare = "~"

// FindDisplaced lists what an action displaced and what still has the name derived from its
// id, in the trash or, after a crash, in the workspace. places are those that the
// action meant to change. It leaves out what the agent makes unreadable.
func (v *Vault) FindDisplaced(_ context.Context, id string, places []Target) ([]Found, error) {
	var found []Found
	for slot, p := range places {
		trash, temp := path.Join(v.trash, TrashName(id, slot, p.Path)), tempName(p.name(), id, slot)
		for _, at := range []struct {
			tree fsys.FS
			name string
		}{{v.state, trash}, {v.state, trash + spare}, {v.ws, temp}, {v.ws, temp + spare}} {
			k := Found{ID: id, Path: p.Path, Slot: slot, InTrash: at.tree == v.state, name: at.name}
			err := v.readFound(at.tree, &k)
			if errors.Is(err, fs.ErrNotExist) || !k.InTrash && Blocked(err) {
				continue
			}
			if err != nil {
				return nil, pathError("look for", p.Path, err)
			}
			found = append(found, k)
		}
	}
	return found, nil
}

// readFound reads a displaced file into k. A writer that has it open may have added any amount.
func (v *Vault) readFound(t fsys.FS, k *Found) (err error) {
	f, err := t.Open(k.name)
	for try := 0; isIrregular(err); try++ {
		if k.Odd, err = describeOdd(t, k.name); k.Odd != "" || err != nil {
			return err
		}
		if try == 8 {
			k.Odd = "something that changes all the time"
			return nil
		}
		f, err = t.Open(k.name)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	k.Open = fsys.Written(f) // before reading: if nobody has it open now, the text read is final
	data, info, err := readOpened(f, v.most)
	var large *TooLargeError
	if errors.As(err, &large) {
		k.Large = true
		k.Version, info, err = digestOf(f)
	} else {
		k.Data, k.Version = data, VersionOf(data)
	}
	if err == nil {
		var a *Attr
		if a, err = attrOf(f, info); err == nil {
			k.Attr = *a
		}
	}
	return err
}

// Leftovers lists the temporary files of any action in a folder. It is needed after
// a crash that lost the record of the action itself.
func (v *Vault) Leftovers(_ context.Context, dir Path) ([]Found, error) {
	infos, err := v.ws.ReadDir(dir.name())
	if errors.Is(err, fs.ErrNotExist) || Blocked(err) {
		return nil, nil
	}
	if err != nil {
		return nil, pathError("look through", dir, err)
	}
	var found []Found
	for _, i := range infos {
		id, slot, base, ok := parseTemp(i.Name)
		if !ok {
			continue
		}
		k := Found{ID: id, Path: dir.Join(base), Slot: slot, name: path.Join(dir.name(), i.Name)}
		err := v.readFound(v.ws, &k)
		if errors.Is(err, fs.ErrNotExist) || Blocked(err) {
			continue // belongs to a Tend on another machine
		}
		if err != nil {
			return nil, pathError("look through", dir, err)
		}
		found = append(found, k)
	}
	return found, nil
}

// CleanUp cleans up one result of FindDisplaced or Leftovers: it moves displaced text outside
// the trash there, or deletes it if keep is false because it is Tend's own. It sets
// anything but a regular file aside in the workspace and returns where.
func (v *Vault) CleanUp(_ context.Context, k Found, keep bool) (aside Path, err error) {
	switch {
	case k.InTrash && k.Odd == "":
		return "", nil
	case k.InTrash:
		aside, err = v.moveBack(k.name, k.Path, k.ID)
		return aside, pathError("keep", k.Path, err)
	case k.Odd != "":
		aside, err = v.setAside(k.name, k.Path.Base(), k.ID)
		if errors.Is(err, fs.ErrNotExist) || Blocked(err) {
			err = nil
		}
		return aside, pathError("keep", k.Path, err)
	case keep:
		t, err := v.moveToTrash(k, path.Join(v.trash, k.TrashName()))
		return t.aside, pathError("keep", k.Path, err)
	}
	aside, err = v.removeOwn(k.name, k.Path, k.ID)
	return aside, pathError("clear up", k.Path, err)
}

// MoveOutOfTrash moves anything but a regular file out of the trash and says what it was.
func (v *Vault) MoveOutOfTrash(_ context.Context, name string) (odd string, aside Path, err error) {
	kept := path.Join(v.trash, name)
	if odd, err = describeOdd(v.state, kept); err != nil || odd == "" {
		return "", "", err
	}
	id, _, base, ok := parseTemp(TempPrefix + name)
	if !ok {
		id, base = "trash", name
	}
	aside, err = v.moveBack(kept, Path(base), id)
	return odd, aside, err
}

// Harden redoes the syncs of a Commit whose process was killed before them. The
// change is durable after the next Sync.
func (v *Vault) Harden(_ context.Context, p Target) error {
	f, err := v.ws.Open(p.name())
	if err == nil {
		err = errors.Join(v.dur.File(f), f.Close())
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) || isIrregular(err) {
		err = v.dur.Dir(v.ws, path.Dir(p.name()))
	}
	if errors.Is(err, fs.ErrNotExist) || Blocked(err) {
		return nil // the agent removed the folder, or blocks the path
	}
	return pathError("sync", p.Path, err)
}

func tempName(name, id string, slot int) string {
	return path.Join(path.Dir(name), TempPrefix+id+"."+strconv.Itoa(slot)+"-"+path.Base(name))
}

// parseTemp splits a name built by tempName.
func parseTemp(name string) (id string, slot int, base string, ok bool) {
	rest, ok := strings.CutPrefix(name, TempPrefix)
	if !ok {
		return "", 0, "", false
	}
	id, rest, ok = strings.Cut(rest, ".")
	if !ok {
		return "", 0, "", false
	}
	number, base, ok := strings.Cut(rest, "-")
	slot, err := strconv.Atoi(number)
	return id, slot, base, ok && err == nil && base != ""
}

// TrashName is a displaced file's name in the trash. It is readable in a folder
// listing and sorts by time.
func TrashName(id string, slot int, p Path) string {
	return id + "." + strconv.Itoa(slot) + "-" + p.Base()
}

// TrashName is the name in the trash.
func (k Found) TrashName() string {
	name := TrashName(k.ID, k.Slot, k.Path)
	if strings.HasSuffix(k.name, spare) && !strings.HasSuffix(name, spare) {
		name += spare
	}
	return name
}
