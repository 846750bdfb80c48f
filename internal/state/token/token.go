// Package token keeps the bearer tokens of the keeper's clients: for one agent each, or for the operator.
//
// A token is shown once, when it is created. Only its SHA-256 is stored, which is enough for a random secret.
package token

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

const fileName = "tokens.json"

// prefix lets secret scanners, Tend's included, recognize a token.
const prefix = "tend_"

// ErrUnknown: no token has this id.
var ErrUnknown = errors.New("no such token")

// Token is what is stored of a token: everything but its secret.
type Token struct {
	ID       string     `json:"id"`
	Agent    string     `json:"agent,omitempty"` // "" is the operator
	Name     string     `json:"name,omitempty"`
	ReadOnly bool       `json:"read_only,omitempty"`
	Made     time.Time  `json:"made"`
	Expires  *time.Time `json:"expires,omitempty"`
	Hash     string     `json:"sha256"`
}

// Operator reports whether the token is the operator's.
func (t Token) Operator() bool { return t.Agent == "" }

// List reads all tokens.
func List(state fsys.FS) (list []Token, err error) {
	err = vault.ReadJSON(state, fileName, &list)
	return list, err
}

// NewSecret returns a random secret.
func NewSecret() string { return prefix + strings.ToLower(rand.Text()) }

// Issue gives a token a secret, which is stored nowhere else.
func Issue(t Token) (Token, string) {
	secret := NewSecret()
	t.Hash = hashOf(secret)
	t.ID = t.Hash[:8]
	return t, secret
}

// Without returns a list of tokens without one of them.
func Without(list []Token, id string) (rest []Token, gone Token, err error) {
	i := slices.IndexFunc(list, func(t Token) bool { return t.ID == id })
	if i < 0 {
		return nil, gone, fmt.Errorf("token %s: %w", id, ErrUnknown)
	}
	return slices.Concat(list[:i], list[i+1:]), list[i], nil
}

// Create creates a token and returns its secret.
func Create(state fsys.FS, t Token) (Token, string, error) {
	t, secret := Issue(t)
	err := Change(state, func(list []Token) ([]Token, error) { return append(list, t), nil })
	return t, secret, err
}

// Revoke removes a token by its id.
func Revoke(state fsys.FS, id string) (gone Token, err error) {
	err = Change(state, func(list []Token) (rest []Token, err error) {
		rest, gone, err = Without(list, id)
		return rest, err
	})
	return gone, err
}

// Change rewrites the list of tokens.
func Change(state fsys.FS, do func([]Token) ([]Token, error)) error {
	return changeFile(state, fileName, do)
}

// patience is how long a change waits for another one, which is a single small write.
const patience = 5 * time.Second

func changeFile[T any](state fsys.FS, name string, do func([]T) ([]T, error)) error {
	lock, err := state.Lock("tokens.lock", "tend token\n")
	for end := time.Now().Add(patience); errors.Is(err, fsys.ErrLocked) &&
		time.Now().Before(end); lock, err = state.Lock("tokens.lock", "tend token\n") {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	var list []T
	if err := vault.ReadJSON(state, name, &list); err != nil {
		return err
	}
	if list, err = do(list); err != nil {
		return err
	}
	return vault.WriteJSON(state, vault.SyncEach{}, name, list)
}

func hashOf(secret string) string { return string(vault.VersionOf([]byte(secret))) }

// Checker finds tokens by their secret. It follows the file, so a revoked token is refused from the next request on.
type Checker struct {
	state fsys.FS
	now   func() time.Time

	mu     sync.Mutex
	seen   fsys.Info
	byHash map[string]Token
}

// NewChecker returns a checker for the tokens in the state folder.
func NewChecker(state fsys.FS, now func() time.Time) *Checker {
	return &Checker{state: state, now: now}
}

// Check returns the token that a secret belongs to.
func (c *Checker) Check(secret string) (Token, bool) {
	if !strings.HasPrefix(secret, prefix) || len(secret) > 100 {
		return Token{}, false
	}
	want := hashOf(secret)
	t, ok := c.load()[want]
	if !ok || subtle.ConstantTimeCompare([]byte(t.Hash), []byte(want)) != 1 {
		return Token{}, false
	}
	return t, t.Expires == nil || c.now().Before(*t.Expires)
}

// ByID returns a token that is still valid by its id.
func (c *Checker) ByID(id string) (Token, bool) {
	for _, t := range c.load() {
		if t.ID == id {
			return t, t.Expires == nil || c.now().Before(*t.Expires)
		}
	}
	return Token{}, false
}

// Any reports whether there are any tokens.
func (c *Checker) Any() bool { return len(c.load()) > 0 }

func (c *Checker) load() map[string]Token {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := c.state.Lstat(fileName)
	if err != nil {
		c.byHash, c.seen = nil, fsys.Info{}
		return nil
	}
	if c.byHash != nil && info.Same(c.seen) && info.ModTime.Equal(c.seen.ModTime) && info.Size == c.seen.Size {
		return c.byHash
	}
	list, err := List(c.state)
	if err != nil {
		return nil // with an unreadable file no token is valid
	}
	byHash := make(map[string]Token, len(list))
	for _, t := range list {
		byHash[t.Hash] = t
	}
	c.byHash, c.seen = byHash, info
	return byHash
}
