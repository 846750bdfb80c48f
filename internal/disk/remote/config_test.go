package remote_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"tend/internal/disk/remote"
	"tend/internal/disk/remote/sshdtest"
)

// home returns a home folder with only a key for a server.
func home(t *testing.T, s *sshdtest.Server) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, ".ssh"), 0o700))
	fill(t, dir, ".ssh/id_ed25519", read(t, s.KeyFile()))
	return dir
}

func fill(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// Each keyword of ssh_config is followed or rejected with an error.
func TestConfigKeywords(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	var other string
	{
		name := filepath.Join(t.TempDir(), "other")
		_, err := sshdtest.WriteKey(name, "")
		must(t, err)
		other = name
	}
	box := fmt.Sprintf("Host box\n  HostName %s\n  Port %d\n  User %s\n", s.Host, s.Port, s.User)
	for name, tt := range map[string]struct {
		conf string
		make func(t *testing.T, home string)
		says string // "" if it works
		is   error
	}{
		"include": {conf: "Include HOME/more/*.conf\n", make: func(t *testing.T, home string) {
			must(t, os.Mkdir(home+"/more", 0o700))
			fill(t, home, "more/a.conf", box)
		}},
		"include in a host": {conf: "Host b*\n  Include HOME/more\n",
			make: func(t *testing.T, home string) { fill(t, home, "more", strings.TrimPrefix(box, "Host box\n")) }},
		"match all":       {conf: box + "Match all\n  Port 1\n"}, // the first value counts
		"match host":      {conf: "Match host box\n" + strings.TrimPrefix(box, "Host box\n")},
		"match of others": {conf: box + "Match originalhost elsewhere exec \"touch HOME/ran\"\n  User nobody\n"},
		"match by a command": {conf: "Match originalhost box exec \"touch HOME/ran\"\n  User nobody\n" + box,
			says: "`Match originalhost box exec \"touch"},
		"match by a user": {conf: "Match user root\n  User nobody\n" + box, says: "cannot decide whether"},
		"proxy command":   {conf: box + "  ProxyCommand touch HOME/ran\n", says: "use ProxyJump"},
		"revoked keys":    {conf: box + "  RevokedHostKeys HOME/revoked\n", says: "@revoked lines"},
		"%h in the name":  {conf: fmt.Sprintf("Host 127.0.0\n  HostName %%h.1\n  Port %d\n", s.Port)},
		"tokens in files": {conf: box + "  IdentityFile %d/keys/%r@%n-%p\n",
			make: moved("keys/" + s.User + "@box-" + fmt.Sprint(s.Port))},
		"a quoted name": {conf: box + "  IdentityFile \"~/a key\"\n", make: moved("a key")},
		"several keys": {conf: box + "  IdentityFile " + other + "\n  IdentityFile ~/gone\n  IdentityFile ~/second\n",
			make: moved("second")},
		"identities only": {conf: box + "  IdentityFile " + other + "\n  IdentitiesOnly yes\n", says: "no key was accepted",
			is: remote.ErrDenied},
		"no strict checking": {conf: box + "  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n", says: "is not a known host",
			is: remote.ErrHostKey},
		"new keys accepted": {conf: box + "  StrictHostKeyChecking accept-new\n", make: knows(""), says: "is not a known host",
			is: remote.ErrHostKey},
		"jump with a password": {conf: box + "  ProxyJump me:secret@gate\n", says: "password in the address"},
		"known hosts, two files": {conf: box + "  UserKnownHostsFile \"~/known hosts\" ~/.ssh/more\n",
			make: func(t *testing.T, home string) { knows("")(t, home); fill(t, home, ".ssh/more", s.KnownHost()+"\n") }},
		"known hosts of the system": {conf: box + "  UserKnownHostsFile none\n  GlobalKnownHostsFile ~/system\n",
			make: func(t *testing.T, home string) { knows("")(t, home); fill(t, home, "system", s.KnownHost()+"\n") }},
		"known hosts, hashed": {conf: box,
			make: knows(knownhosts.Line([]string{knownhosts.HashHostname(knownhosts.Normalize(s.Addr()))}, s.HostKey()))},
		"known hosts, by an alias": {conf: box + "  HostKeyAlias cellar\n", make: knows(knownhosts.Line([]string{"cellar"}, s.HostKey()))},
		"known hosts, revoked": {conf: box, make: knows(s.KnownHost() + "\n@revoked * " + string(ssh.MarshalAuthorizedKey(s.HostKey()))),
			says: "revoked", is: remote.ErrHostKey},
		"known hosts, another's key": {conf: box, make: knows(knownhosts.Line([]string{knownhosts.Normalize(s.Addr())}, keyOf(t, other))),
			says: "a different key than the known one", is: remote.ErrHostKey},
		"an invalid key file": {conf: box, make: func(t *testing.T, home string) { fill(t, home, ".ssh/id_ed25519", "rubbish") },
			says: "/.ssh/id_ed25519"},
		"an invalid port": {conf: "Host box\n  Port twenty\n", says: "twenty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := home(t, s)
			knows(s.KnownHost())(t, dir)
			fill(t, dir, ".ssh/config", strings.ReplaceAll(tt.conf, "HOME", dir))
			if tt.make != nil {
				tt.make(t, dir)
			}
			alias := "box"
			if strings.Contains(tt.conf, "Host 127.0.0\n") {
				alias = "127.0.0"
			}
			ws := t.TempDir()
			tree, err := poolOf(t, remote.Options{Home: dir, Timeout: time.Minute}).Open(t.Context(), remote.Target{Host: alias, Path: ws})
			switch {
			case tt.says == "":
				must(t, err)
				must(t, tree.Mkdir("made", 0o700))
			case err == nil || !strings.Contains(err.Error(), tt.says) || tt.is != nil && !errors.Is(err, tt.is):
				t.Errorf("said %v, want %q", err, tt.says)
			case strings.Contains(err.Error(), "secret"):
				t.Errorf("the error shows a password: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
				t.Error("a command of ssh_config was run")
			}
		})
	}
}

// moved puts the user's key under another name.
func moved(to string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(home, to)), 0o700))
		must(t, os.Rename(filepath.Join(home, ".ssh/id_ed25519"), filepath.Join(home, to)))
	}
}

// knows makes these the only known hosts.
func knows(lines string) func(*testing.T, string) {
	return func(t *testing.T, home string) { fill(t, home, ".ssh/known_hosts", lines+"\n") }
}

func keyOf(t *testing.T, name string) ssh.PublicKey {
	t.Helper()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(read(t, name+".pub")))
	must(t, err)
	return key
}

// Certificates of hosts and users are accepted if a trusted authority signed them for that name and they have not expired.
func TestCertificates(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	authority, err := ssh.NewSignerFromKey(private)
	must(t, err)
	trusted := string(ssh.MarshalAuthorizedKey(authority.PublicKey()))
	sign := func(key ssh.PublicKey, kind uint32, name string, until time.Time) string {
		c := &ssh.Certificate{Key: key, CertType: kind, KeyId: "t", ValidPrincipals: []string{name}, ValidAfter: 0,
			ValidBefore: uint64(until.Unix())}
		must(t, c.SignCert(rand.Reader, authority))
		return string(ssh.MarshalAuthorizedKey(c))
	}
	dir := t.TempDir()
	fill(t, dir, "authority", trusted)
	s := sshdtest.Start(t, sshdtest.Options{Config: []string{"TrustedUserCAKeys " + dir + "/authority",
		"HostCertificate " + dir + "/host-cert.pub"}})
	must(t, s.Authorize("# nobody"))
	s.Stop() // it reads its certificate when it starts
	soon := time.Now().Add(time.Hour)
	for name, tt := range map[string]struct {
		host, user string
		at         string // the file of the user's certificate
		conf       string
		says       string
	}{
		"both": {host: sign(s.HostKey(), ssh.HostCert, s.Host, soon),
			user: sign(keyOf(t, s.KeyFile()), ssh.UserCert, s.User, soon), at: ".ssh/id_ed25519-cert.pub"},
		"named in ssh_config": {host: sign(s.HostKey(), ssh.HostCert, s.Host, soon),
			user: sign(keyOf(t, s.KeyFile()), ssh.UserCert, s.User, soon), at: "cert", conf: "Host *\n  CertificateFile ~/cert\n"},
		"of another host": {host: sign(s.HostKey(), ssh.HostCert, "elsewhere", soon),
			user: sign(keyOf(t, s.KeyFile()), ssh.UserCert, s.User, soon), at: ".ssh/id_ed25519-cert.pub", says: remote.ErrHostKey.Error()},
		"of another user": {host: sign(s.HostKey(), ssh.HostCert, s.Host, soon), user: sign(keyOf(t, s.KeyFile()), ssh.UserCert, "else", soon),
			at: ".ssh/id_ed25519-cert.pub", says: "no key was accepted"},
		"expired": {host: sign(s.HostKey(), ssh.HostCert, s.Host, time.Now().Add(-time.Hour)),
			user: sign(keyOf(t, s.KeyFile()), ssh.UserCert, s.User, soon), at: ".ssh/id_ed25519-cert.pub", says: remote.ErrHostKey.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			fill(t, dir, "host-cert.pub", tt.host)
			must(t, s.Run())
			defer s.Stop()
			home := home(t, s)
			knows("@cert-authority * "+trusted)(t, home)
			fill(t, home, tt.at, tt.user)
			fill(t, home, ".ssh/config", tt.conf)
			_, err := poolOf(t, remote.Options{Home: home, Timeout: time.Minute}).Open(t.Context(), target(s, t.TempDir()))
			if tt.says == "" {
				must(t, err)
			} else if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("said %v, want %q", err, tt.says)
			}
		})
	}
	must(t, s.Run()) // for the test's end to stop
}
