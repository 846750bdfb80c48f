package guard

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Namespace is SSH's signature namespace: it keeps a signature from being valid for anything else.
const Namespace = "tend-baseline"

// manifest is what is signed. It is plain lines, so that it can be made and checked with ssh-keygen alone; the count
// keeps an old signature from being reused.
func (a Approval) manifest(agent string) []byte {
	return fmt.Appendf(nil, "tend baseline v1\nagent %s\nfile %s\nsha256 %s\nbytes %d\ncount %d\n", agent, a.File, a.Version, a.Size, a.Count)
}

// Manifest returns the text that an approval's signature covers.
func (g *Guard) Manifest(a Approval) []byte { return a.manifest(g.agent) }

// SignWith signs with an SSH key through ssh-keygen, which supports agents, hardware keys and passphrases.
func SignWith(key string) func([]byte) (string, error) {
	return func(manifest []byte) (string, error) {
		cmd := exec.Command("ssh-keygen", "-Y", "sign", "-n", Namespace, "-f", key)
		cmd.Stdin = bytes.NewReader(manifest)
		var out, diag bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &diag
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("sign with %s: %w: %s", key, err, strings.TrimSpace(diag.String()))
		}
		return out.String(), nil
	}
}

// Signers are the keys whose signatures are accepted.
type Signers struct {
	source string
	keys   []ssh.PublicKey
}

// ReadSigners reads a file in the format of ssh-keygen's allowed signers.
func ReadSigners(name string) (*Signers, error) {
	data, err := fsys.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read allowed signers: %w", err)
	}
	s := &Signers{source: name}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		// principals [options] keytype key [comment]: the key begins where it parses.
		fields := strings.Fields(line)
		for i := 1; i < len(fields); i++ {
			if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(strings.Join(fields[i:], " "))); err == nil {
				s.keys = append(s.keys, key)
				break
			}
		}
	}
	if len(s.keys) == 0 {
		return nil, fmt.Errorf("%s names no key", name)
	}
	return s, nil
}

// check verifies a signature over a manifest.
func (s *Signers) check(signature string, manifest []byte) error {
	if signature == "" {
		return errors.New("the approval is not signed, but the configuration requires a signature (`tend baseline approve --sign KEY`)")
	}
	sig, err := sshsig.Unarmor([]byte(signature))
	if err != nil {
		return fmt.Errorf("the signature cannot be read: %w", err)
	}
	for _, key := range s.keys {
		if sshsig.Verify(bytes.NewReader(manifest), sig, key, sig.HashAlgorithm, Namespace) == nil {
			return nil
		}
	}
	return fmt.Errorf("the signature is not from a key in %s, or not for this text", s.source)
}

func sortedApprovals(m map[vault.Path]Approval) []Approval {
	list := make([]Approval, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[k])
	}
	return list
}
