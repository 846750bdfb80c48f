package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// keys are the ways to log in: key files and the agent's keys. Never a password.
type keys struct {
	signers []ssh.Signer
	locked  []string // files with a passphrase whose key the agent does not have
	agent   io.Closer
}

// Close closes the agent's connection.
func (k *keys) Close() error {
	if k.agent == nil {
		return nil
	}
	return k.agent.Close()
}

// keysFor collects the keys in the order in which to offer them, because servers limit the attempts: those in the
// configuration first, then the agent's others.
func keysFor(h host) (*keys, error) {
	k := &keys{}
	held := k.fromAgent(h.agent)
	for _, name := range h.keys {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			text, err = nil, nil // an agent may have it, with the public half here
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read key: %w", err), k.Close())
		}
		if s := k.takeFromAgent(&held, name+".pub"); s != nil {
			k.signers = append(k.signers, s)
			continue
		}
		if text == nil {
			continue
		}
		key, err := ssh.ParsePrivateKey(text)
		var locked *ssh.PassphraseMissingError
		switch {
		case errors.As(err, &locked):
			k.locked = append(k.locked, name)
		case err != nil:
			return nil, errors.Join(fmt.Errorf("read key %s: %w", name, err), k.Close())
		default:
			k.signers = append(k.signers, key)
		}
	}
	if !h.onlyKeys {
		k.signers = append(k.signers, held...)
	}
	if len(k.signers) == 0 {
		return nil, errors.Join(k.deniedError(h), k.Close())
	}
	k.addCertificates(h)
	return k, nil
}

// addCertificates puts certificates before their keys: those named after a key file, and those in ssh_config.
func (k *keys) addCertificates(h host) {
	files := slices.Clone(h.certs)
	for _, name := range h.keys {
		files = append(files, name+"-cert.pub")
	}
	var certified []ssh.Signer
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // there need not be any
		}
		pub, _, _, _, err := ssh.ParseAuthorizedKey(text)
		cert, ok := pub.(*ssh.Certificate)
		if err != nil || !ok {
			continue
		}
		for _, s := range k.signers {
			if bytes.Equal(s.PublicKey().Marshal(), cert.Key.Marshal()) {
				if c, err := ssh.NewCertSigner(cert, s); err == nil {
					certified = append(certified, c)
				}
			}
		}
	}
	k.signers = append(certified, k.signers...)
}

func (k *keys) fromAgent(sock string) []ssh.Signer {
	if sock == "" {
		return nil
	}
	c, err := net.DialTimeout("unix", sock, time.Second)
	if err != nil {
		return nil // the key files may do
	}
	k.agent = c
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	held, err := agent.NewClient(c).Signers()
	if err != nil {
		return nil
	}
	return held
}

// takeFromAgent moves the key whose public half is in a file from the agent's keys.
func (k *keys) takeFromAgent(held *[]ssh.Signer, pub string) ssh.Signer {
	text, err := os.ReadFile(pub)
	if err != nil {
		return nil
	}
	want, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil
	}
	for i, s := range *held {
		if bytes.Equal(s.PublicKey().Marshal(), want.Marshal()) {
			*held = append((*held)[:i:i], (*held)[i+1:]...)
			return s
		}
	}
	return nil
}

// deniedError says what was tried, and what to do.
func (k *keys) deniedError(h host) error {
	why := "no key was accepted; tend never asks for a password: put the public key into the host's authorized_keys"
	if len(k.signers) == 0 {
		why = "no key found: neither in an SSH agent nor in " + strings.Join(h.keys, ", ")
	}
	if len(k.locked) > 0 {
		why = fmt.Sprintf("%s has a passphrase, which tend does not ask for: add the key to an SSH agent with `ssh-add %[1]s`",
			strings.Join(k.locked, " "))
	}
	return fmt.Errorf("log in to %s as %s: %w (%s)", h.addr(), h.user, ErrDenied, why)
}
