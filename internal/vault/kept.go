package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"tend/internal/fsys"
)

// spare is added to a temporary name where the swap takes two steps, for the
// old file's second name.
const spare = "~"

// Kept finds what an action left under its own names.
func (v *Local) Kept(_ context.Context, id string, paths []Path) ([]Kept, error) {
	var found []Kept
	for slot, p := range paths {
		name, err := v.resolve(p)
		if err != nil {
			return nil, wrap("look for", p, err)
		}
		trash, temp := path.Join(v.trash, KeptName(id, slot, p)), tempName(name, id, slot)
		for _, at := range []struct {
			tree fsys.FS
			name string
		}{{v.state, trash}, {v.state, trash + spare}, {v.ws, temp}, {v.ws, temp + spare}} {
			k := Kept{ID: id, Path: p, Slot: slot, InTrash: at.tree == v.state, name: at.name}
			err := v.look(at.tree, &k)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, wrap("look for", p, err)
			}
			found = append(found, k)
		}
	}
	return found, nil
}

// look fills in what a kept file holds. Whoever has it open may have written any amount
// to it since.
func (v *Local) look(t fsys.FS, k *Kept) (err error) {
	f, err := t.Open(k.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	k.Open = fsys.Written(f) // asked first: if not, what is read is all there will be
	data, _, err := readOpened(f, v.most)
	var large *TooLargeError
	if !errors.As(err, &large) {
		k.Data, k.Version = data, VersionOf(data)
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(f, 0, math.MaxInt64))
	k.Large, k.Version = true, Version(hex.EncodeToString(sum.Sum(nil)))
	return err
}

// Leftovers finds temporary names by looking at a folder.
func (v *Local) Leftovers(_ context.Context, dir Path) ([]Kept, error) {
	entries, err := v.ws.ReadDir(dir.name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap("look through", dir, err)
	}
	var found []Kept
	for _, e := range entries {
		id, slot, base, ok := parseTemp(e.Name)
		if !ok || !e.Mode.IsRegular() {
			continue
		}
		k := Kept{ID: id, Path: dir.Join(base), Slot: slot, name: path.Join(dir.name(), e.Name)}
		err := v.look(v.ws, &k)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another's, who is at work here from another machine
		}
		if err != nil {
			return nil, wrap("look through", dir, err)
		}
		found = append(found, k)
	}
	return found, nil
}

// Settle ends what a crash left under a temporary name.
func (v *Local) Settle(_ context.Context, k Kept, keep bool) error {
	if k.InTrash {
		return nil
	}
	if keep {
		return wrap("keep", k.Path, v.keep(k.name, path.Join(v.trash, k.KeptName()), k.Data))
	}
	err := v.ws.Remove(k.name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = v.dur.Dir(v.ws, path.Dir(k.name))
	}
	return wrap("clear up", k.Path, err)
}

// Harden syncs the file and the folder it is in.
func (v *Local) Harden(_ context.Context, p Path) error {
	name, err := v.resolve(p)
	if err != nil {
		return wrap("sync", p, err)
	}
	f, err := v.ws.Open(name)
	if err == nil {
		err = errors.Join(v.dur.File(f), f.Close())
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = v.dur.Dir(v.ws, path.Dir(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the agent has taken the whole folder away
	}
	return wrap("sync", p, err)
}

func tempName(name, id string, slot int) string {
	return path.Join(path.Dir(name), TempPrefix+id+"."+strconv.Itoa(slot)+"-"+path.Base(name))
}

// parseTemp reads a name that tempName made.
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

// KeptName is what a displaced file is called in the trash: it reads well in a
// folder listing and sorts by time.
func KeptName(id string, slot int, p Path) string {
	return id + "." + strconv.Itoa(slot) + "-" + p.Base()
}

// KeptName is the name in the trash.
func (k Kept) KeptName() string {
	name := KeptName(k.ID, k.Slot, k.Path)
	if strings.HasSuffix(k.name, spare) && !strings.HasSuffix(name, spare) {
		name += spare
	}
	return name
}
