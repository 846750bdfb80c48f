package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"tend/bench/kit"
	"tend/internal/disk/remote/sshdtest"
)

// floor times, for each agent, the minimum of a safe reset over SFTP: read the file, save the notes durably here, write
// the baseline beside the file and sync it, keep the old file by a link, replace it, sync the folder, and read the old
// one again.
func floor(s *sshdtest.Server, f kit.Fleet, out string, workers int) (time.Duration, error) {
	key, err := os.ReadFile(s.KeyFile())
	if err != nil {
		return 0, err
	}
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	conn, err := ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User: s.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.FixedHostKey(s.HostKey()),
	})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	c, err := sftp.NewClient(conn)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	err = kit.Each(workers, f.Agents, func(i int) error { return one(c, f, i, out) })
	return time.Since(began), err
}

func one(c *sftp.Client, f kit.Fleet, i int, out string) error {
	name := f.Memory(i)
	text, err := read(c, name)
	if err != nil {
		return err
	}
	baseline, err := os.ReadFile(f.Source(i))
	if err != nil {
		return err
	}
	if err := keep(filepath.Join(out, fmt.Sprint(i)), bytes.TrimPrefix(text, baseline)); err != nil {
		return err
	}
	tmp, old := name+".tmp", name+".old"
	w, err := c.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = w.Write(baseline)
	if err := errors.Join(err, w.Chmod(0o644), w.Sync(), w.Close()); err != nil {
		return err
	}
	if err := c.Link(name, old); err != nil {
		return err
	}
	if err := c.PosixRename(tmp, name); err != nil {
		return err
	}
	d, err := c.Open(path.Dir(name))
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return err
	}
	again, err := read(c, old)
	if err == nil && !bytes.Equal(again, text) {
		err = errors.New("the file has changed meanwhile")
	}
	return errors.Join(err, c.Remove(old))
}

func read(c *sftp.Client, name string) ([]byte, error) {
	f, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := make([]byte, st.Size())
	_, err = io.ReadFull(f, text)
	return text, err
}

// keep writes the notes to a folder of their own on this machine.
func keep(folder string, notes []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, "notes.md"))
	if err != nil {
		return err
	}
	_, err = f.Write(notes)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
