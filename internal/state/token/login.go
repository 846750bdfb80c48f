package token

import (
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

const loginFile = "logins.json"

// loginPrefix distinguishes the secret of a login link from that of a token.
const loginPrefix = "once_"

// LoginValid is how long a login link can be used.
const LoginValid = 15 * time.Minute

// Login is a one-time link to the dashboard.
type Login struct {
	Name     string    `json:"name"` // the person it is for, as recorded with actions
	ReadOnly bool      `json:"read_only,omitempty"`
	Expires  time.Time `json:"expires"`
	Hash     string    `json:"sha256"`
}

// CreateLogin creates a login and returns its secret, which is stored nowhere.
func CreateLogin(state fsys.FS, l Login) (string, error) {
	secret := loginPrefix + strings.TrimPrefix(NewSecret(), prefix)
	l.Hash = hashOf(secret)
	return secret, changeLogins(state, func(list []Login) []Login { return append(list, l) })
}

// UseLogin redeems a secret. It works once.
func UseLogin(state fsys.FS, secret string, now time.Time) (l Login, ok bool, err error) {
	if !strings.HasPrefix(secret, loginPrefix) || len(secret) > 100 {
		return l, false, nil
	}
	want := hashOf(secret)
	var list []Login
	err = vault.ReadJSON(state, loginFile, &list) // guesses must not cause writes
	if err != nil || !slices.ContainsFunc(list, func(x Login) bool { return x.Hash == want && now.Before(x.Expires) }) {
		return l, false, err
	}
	err = changeLogins(state, func(list []Login) []Login {
		return slices.DeleteFunc(list, func(x Login) bool {
			if x.Hash == want && now.Before(x.Expires) {
				l, ok = x, true
			}
			return x.Hash == want || !now.Before(x.Expires)
		})
	})
	return l, ok && err == nil, err
}

func changeLogins(state fsys.FS, do func([]Login) []Login) error {
	return changeFile(state, loginFile, func(list []Login) ([]Login, error) { return do(list), nil })
}
