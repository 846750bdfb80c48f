package storetest_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/folder"
	"tend/internal/sync/store/storetest"
	"tend/internal/sync/store/storetest/memstore"
	"tend/test/require"
)

var must = require.NoError

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memstore.New() })
}

func TestFolder(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		tree, err := fsys.Dir(t.TempDir())
		must(t, err)
		t.Cleanup(func() { tree.Close() })
		return folder.New(tree, "folder")
	})
}

func TestFolderOnMemfs(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		tree, err := memfs.New().Tree(".")
		must(t, err)
		return folder.New(tree, "folder")
	})
}

func TestS3(t *testing.T) {
	server := storetest.Serve(t, "bucket")
	storetest.Run(t, func(t *testing.T) store.Store {
		s, done, err := dial.Open("s3://bucket/"+url.PathEscape(strings.ReplaceAll(t.Name(), "/", "-"))+"?endpoint="+server.Endpoint, false)
		must(t, err)
		t.Cleanup(func() { done() })
		return s
	})
}

// TestCheckRefuses: a store that ignores or emulates preconditions is refused by name.
func TestCheckRefuses(t *testing.T) {
	for name, s := range map[string]store.Store{
		"ignores":  storetest.Unsafe{Store: memstore.New()},
		"emulates": storetest.Racy{Store: memstore.New()},
	} {
		err := store.Check(t.Context(), s)
		if !errors.Is(err, store.ErrUnsafe) || !strings.Contains(err.Error(), s.Name()) {
			t.Errorf("%s: %v, want ErrUnsafe with the store's name", name, err)
		}
	}
}

// TestCheckRefusesServer: versitygw without metadata accepts If-None-Match and ignores it.
func TestCheckRefusesServer(t *testing.T) {
	server := storetest.ServeUnsafe(t, "bucket")
	s, _, err := dial.Open("s3://bucket/p?endpoint="+server.Endpoint, false)
	must(t, err)
	if err := store.Check(t.Context(), s); !errors.Is(err, store.ErrUnsafe) || !strings.Contains(err.Error(), "s3://bucket/p at 127.0.0.1") {
		t.Errorf("%v, want ErrUnsafe with the store's name", err)
	}
}

// TestServerGone: a stopped server is unreachable, a wrong key is denied, a missing bucket
// is named.
func TestServerGone(t *testing.T) {
	server := storetest.Serve(t, "bucket")
	open := func(bucket string) store.Store {
		s, _, err := dial.Open("s3://"+bucket+"/p?endpoint="+server.Endpoint, false)
		must(t, err)
		return s
	}
	if err := open("nobucket").Create(t.Context(), "a/b", []byte("x")); !errors.Is(err, store.ErrDenied) ||
		!strings.Contains(err.Error(), "nobucket") {
		t.Errorf("missing bucket: %v", err)
	}
	s := open("bucket")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	if err := open("bucket").Create(t.Context(), "a/b", []byte("x")); !errors.Is(err, store.ErrDenied) {
		t.Errorf("wrong secret: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", storetest.SecretKey)
	server.Kill()
	if err := s.Create(t.Context(), "a/b", []byte("x")); !errors.Is(err, store.ErrUnreachable) {
		t.Errorf("server gone: %v", err)
	}
	if _, err := s.Get(t.Context(), "a/b"); !errors.Is(err, store.ErrUnreachable) {
		t.Errorf("server gone: %v", err)
	}
	server.Start(t)
	if err := s.Create(t.Context(), "a/b", []byte("x")); err != nil {
		t.Errorf("server back: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "bucket", "http://host/x", "s3://", "s3://key:secret@bucket/x", "s3://b/x?colour=red",
		"s3://b/x?path_style=maybe", "s3://b/x?endpoint=host:99", "file://host/x"} {
		if _, _, err := dial.Open(bad, false); !errors.Is(err, dial.ErrAddress) {
			t.Errorf("%q: %v, want ErrAddress", bad, err)
		}
	}
	if _, _, err := dial.Open(t.TempDir()+"/none", false); !errors.Is(err, store.ErrUnreachable) {
		t.Errorf("a missing folder: %v", err)
	}
	for _, good := range []string{"s3://b", "s3://b/p/q?region=eu-central-1&path_style=true", t.TempDir(), "file://" + t.TempDir()} {
		if _, _, err := dial.Open(good, false); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}
