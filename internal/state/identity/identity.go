// Package identity remembers which folder an agent's workspace is and refuses a different one at its path: a link put
// there by the owner of the parent folder, a mount point with nothing mounted, a recreated folder.
package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Pin identifies a workspace's folder. Over SFTP the device stands for the host and the inode for the folder's real
// path, which is all that SFTP reports.
type Pin struct {
	Path   string    `json:"path"` // as configured
	Device uint64    `json:"device"`
	System string    `json:"file_system,omitempty"` // its id, which survives a restart if the device number does not
	Inode  uint64    `json:"inode"`
	Owner  int       `json:"owner"`
	Born   time.Time `json:"born,omitzero"` // when the folder was created: inode numbers are reused, birth times are not
	At     time.Time `json:"at"`            // when it was pinned
}

// PinOf returns the pin of an open workspace.
func PinOf(ws fsys.FS, configured string, now time.Time) (Pin, error) {
	id, err := fsys.Identify(ws)
	if err != nil {
		return Pin{}, err
	}
	return pinOf(id, configured, now), nil
}

func pinOf(id fsys.Identity, configured string, now time.Time) Pin {
	return Pin{
		Path: configured, Device: id.Dev, System: id.System, Inode: id.Ino, Owner: id.UID, Born: id.Born,
		At: now.UTC().Truncate(time.Second),
	}
}

// isSame reports whether two pins are of the same folder. A remounted file system may get another device number, so its
// own id counts if it has one. Pins of earlier versions have no birth time.
func (p Pin) isSame(q Pin) bool {
	system := p.Device == q.Device
	if p.System != "" && q.System != "" {
		system = p.System == q.System
	}
	born := p.Born.IsZero() || q.Born.IsZero() || p.Born.Equal(q.Born)
	return system && p.Inode == q.Inode && p.Owner == q.Owner && born
}

// instead lists what p has instead of what was pinned: "inode 7 instead of 5, owner 0 instead of 1000".
func (p Pin) instead(was Pin) string {
	var out []string
	add := func(what string, now, was any) {
		if now != was {
			out = append(out, fmt.Sprintf("%s %v instead of %v", what, now, was))
		}
	}
	add("inode", p.Inode, was.Inode)
	if p.System != "" && was.System != "" {
		add("file system", p.System, was.System)
	} else {
		add("device", p.Device, was.Device)
	}
	if !p.Born.IsZero() && !was.Born.IsZero() {
		const exact = "2006-01-02 15:04:05.000"
		add("created", p.Born.Format(exact), was.Born.Format(exact))
	}
	add("owner", p.Owner, was.Owner)
	return strings.Join(out, ", ")
}

// ChangedError: the folder at a workspace's path is not the one that was pinned.
type ChangedError struct {
	Agent    string
	Was, Now Pin
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s is not the same folder as before (%s)", e.Was.Path, e.Now.instead(e.Was))
}

// Hint is what to do about it.
func (e *ChangedError) Hint() string {
	return "mount the disk it is on; if you moved or recreated the workspace, confirm it with `tend move " + e.Agent + "`"
}

// Unwrap makes it a refusal.
func (e *ChangedError) Unwrap() error { return vault.ErrRefused }

func fileOf(agent string) string { return "agents/" + agent + "/workspace.json" }

// Read returns the pin of an agent, nil if it has none yet.
func Read(state fsys.FS, agent string) (*Pin, error) {
	data, err := vault.ReadWithin(state, fileOf(agent), 64<<10)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 { // a power cut may leave it empty
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read which folder the workspace is: %w", err)
	}
	var p Pin
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%s in the state folder: %w (confirm the workspace with `tend move %s`)", fileOf(agent), err, agent)
	}
	return &p, nil
}

// Check compares an open workspace with its pin. One without a pin, or at another configured path, must be pinned
// before anything is written to it.
func Check(state fsys.FS, agent string, ws fsys.Identity, configured string) (pinned bool, err error) {
	was, err := Read(state, agent)
	if err != nil || was == nil || was.Path != configured {
		return false, err
	}
	if is := pinOf(ws, configured, was.At); !was.isSame(is) {
		err = &ChangedError{Agent: agent, Was: *was, Now: is}
	}
	return true, err
}

// Confirm pins an open workspace as it is now, whatever was pinned before.
func Confirm(state fsys.FS, d vault.Durability, agent string, ws fsys.FS, configured string, now time.Time) (Pin, error) {
	is, err := PinOf(ws, configured, now)
	if err != nil {
		return is, err
	}
	return is, save(state, d, agent, is)
}

func save(state fsys.FS, d vault.Durability, agent string, p Pin) error {
	if err := vault.MkdirAll(state, d, path.Dir(fileOf(agent)), 0o700); err != nil {
		return err
	}
	return vault.WriteJSON(state, d, fileOf(agent), p)
}
