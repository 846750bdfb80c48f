package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name string
	mode fs.FileMode // with fs.ModeDir for a folder
	data []byte
	uid  int
}

func text(name, data string) file { return file{name: name, mode: 0o644, data: []byte(data)} }

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// writeTar writes files in name order, with one time for all and without user names.
func writeTar(w io.Writer, files []file, date time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range sorted(files) {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: date,
			Uid: f.uid, Gid: f.uid, Format: tar.FormatUSTAR,
		}
		if f.mode.IsDir() {
			h.Typeflag, h.Name, h.Size = tar.TypeDir, f.name+"/", 0
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// compress compresses with gzip, without a name or time in the header.
func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

func inFolder(name string, files []file) []file {
	list := make([]file, 0, len(files))
	for _, f := range files {
		f.name = path.Join(name, f.name)
		list = append(list, f)
	}
	return list
}

func (r *release) tarball(name string, files []file) error {
	var b bytes.Buffer
	if err := writeTar(&b, inFolder(name, files), r.date); err != nil {
		return err
	}
	data, err := compress(b.Bytes())
	if err != nil {
		return err
	}
	return r.put(name+".tar.gz", data)
}

// zipped returns a zip with files in name order and one time for all.
func zipped(files []file, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

func (r *release) zip(name string, files []file) error {
	data, err := zipped(inFolder(name, files), r.date)
	if err != nil {
		return err
	}
	return r.put(name+".zip", data)
}

// sums writes SHA256SUMS for all files.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return r.put("SHA256SUMS", []byte(b.String()))
}

// checksum returns the SHA-256 of an archive of either kind.
func checksum(dir, name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, name+".tar.gz"))
	if err != nil {
		data, err = os.ReadFile(filepath.Join(dir, name+".zip"))
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}
