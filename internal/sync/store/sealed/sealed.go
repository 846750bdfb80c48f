// Package sealed keeps a store's owner from reading or forging its contents: every object is encrypted with
// XChaCha20-Poly1305 under a key that never leaves the machines.
//
// The store's id and the object's key are authenticated too, so an object that was moved to another key, or comes
// from another store, cannot be opened. A key includes the agent, the kind and the number of its object.
package sealed

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"tend/internal/sync/store"
)

var (
	// ErrForged: an object was changed, moved, or written without the key.
	ErrForged = errors.New("the object was not written with this store's key, or was changed or moved since")
	// ErrKey: a key file does not contain a key.
	ErrKey = errors.New("not a store key")
)

// Key is the secret of a store.
type Key [chacha20poly1305.KeySize]byte

const keyMark = "tend-store-key-1:"

// NewKey creates a key.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// Text returns the key in the format of key files.
func (k Key) Text() string { return keyMark + base64.StdEncoding.EncodeToString(k[:]) + "\n" }

// ParseKey parses what Text returned.
func ParseKey(text []byte) (Key, error) {
	var k Key
	body, ok := strings.CutPrefix(strings.TrimSpace(string(text)), keyMark)
	raw, err := base64.StdEncoding.DecodeString(body)
	if !ok || err != nil || len(raw) != len(k) {
		return k, fmt.Errorf("%w: `tend store key new` makes one", ErrKey)
	}
	copy(k[:], raw)
	return k, nil
}

// ID identifies a key without revealing anything about it.
func (k Key) ID() string {
	h := sha256.Sum256(append([]byte("tend store key id\x00"), k[:]...))
	return hex.EncodeToString(h[:8])
}

// mark begins every encrypted object.
const mark = "tend-sealed-1\n"

// Store encrypts what it writes to the store below.
type Store struct {
	store.Store
	aead cipher.AEAD
	id   string
}

// New wraps a store. id is the store's own.
func New(below store.Store, k Key, id string) *Store {
	aead, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		panic(err) // the key has the right length by its type
	}
	return &Store{Store: below, aead: aead, id: id}
}

func (s *Store) contextOf(key string) []byte { return []byte("tend\x00" + s.id + "\x00" + key) }

func (s *Store) seal(key string, data []byte) []byte {
	out := make([]byte, 0, len(mark)+s.aead.NonceSize()+len(data)+s.aead.Overhead())
	out = append(out, mark...)
	nonce := out[len(mark) : len(mark)+s.aead.NonceSize()]
	_, _ = rand.Read(nonce) // never fails
	return s.aead.Seal(out[:len(mark)+len(nonce)], nonce, data, s.contextOf(key))
}

func (s *Store) open(key string, data []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(mark))
	if !ok || len(rest) < s.aead.NonceSize() {
		return nil, fmt.Errorf("%s in %s: %w", key, s.Name(), ErrForged)
	}
	n := s.aead.NonceSize()
	plain, err := s.aead.Open(nil, rest[:n], rest[n:], s.contextOf(key))
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w", key, s.Name(), ErrForged)
	}
	return plain, nil
}

// Create encrypts and creates.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.Store.Create(ctx, key, s.seal(key, data))
}

// Put encrypts and writes.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	return s.Store.Put(ctx, key, s.seal(key, data))
}

// Get reads and decrypts. ErrForged if the object was not encrypted for this key.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	data, err := s.Store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return s.open(key, data)
}

// List lists; sizes are those of the plain objects.
func (s *Store) List(ctx context.Context, prefix string) ([]store.Object, error) {
	list, err := s.Store.List(ctx, prefix)
	for i := range list {
		list[i].Size -= int64(len(mark) + s.aead.NonceSize() + s.aead.Overhead())
	}
	return list, err
}
