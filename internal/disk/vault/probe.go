package vault

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"tend/internal/disk/fsys"
)

// Probe tries all the steps of a change with small files, named like those of the
// action id, and removes them again. It returns the workspace's clock.
func (v *Vault) Probe(id string) (now time.Time, err error) {
	temp := tempName("probe", id, 0)
	link := temp + spare
	const text = "written by tend to test this folder; safe to delete\n"
	defer func() {
		for _, name := range []string{temp, link} {
			if rmErr := v.ws.Remove(name); err == nil && !errors.Is(rmErr, fs.ErrNotExist) {
				err = rmErr
			}
		}
		err = classify(err)
	}()
	var info fsys.Info
	var like Attr
	for _, step := range []func() error{
		func() error { return writeTemp(v.ws, v.dur, temp, strings.NewReader(text), 0o600, nil) },
		func() error {
			_, info, err = readWithInfo(v.ws, temp, 0)
			like = Attr{Mode: info.Mode, UID: info.UID, GID: info.GID, must: true}
			return err
		},
		func() error { return writeTemp(v.ws, v.dur, link, strings.NewReader(text), 0o600, &like) },
		func() error { return v.ws.Rename(link, temp) },
		func() error { return v.ws.Link(temp, link) },
		func() error { return v.dur.Dir(v.ws, ".") },
	} {
		if err := step(); err != nil {
			return now, err
		}
	}
	return info.ModTime, nil
}
