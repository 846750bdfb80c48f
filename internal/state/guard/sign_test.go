package guard_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/model/finding"
	"tend/internal/state/guard"
	"tend/test/require"
)

var must = require.NoError

// key makes an SSH key and returns its file.
func key(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	out, err := exec.Command(require.Program(t, "ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput()
	if err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	return file
}

// allow writes a file of allowed signers for these keys.
func allow(t *testing.T, keys ...string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("# who may sign\n\n")
	for i, k := range keys {
		pub, err := os.ReadFile(k + ".pub")
		must(t, err)
		options := ""
		if i > 0 {
			options = `namespaces="` + guard.Namespace + `" `
		}
		text.WriteString("olga@example.org " + options + string(pub))
	}
	file := filepath.Join(t.TempDir(), "allowed_signers")
	must(t, os.WriteFile(file, []byte(text.String()), 0o600))
	return file
}

func signedBy(t *testing.T, keys ...string) *guard.Signers {
	t.Helper()
	s, err := guard.ReadSigners(allow(t, keys...))
	must(t, err)
	return s
}

func TestSignature(t *testing.T) {
	olga, eve := key(t, "olga"), key(t, "eve")
	o := newOffice(t, signedBy(t, olga))
	o.writes("MEMORY.md", sized(1200))

	o.approve(nil, "MEMORY.md")
	o.wants("MEMORY.md", finding.BaselineSignature) // not signed at all
	o.approve(guard.SignWith(eve), "MEMORY.md")
	o.wants("MEMORY.md", finding.BaselineSignature) // signed with another key
	o.approve(guard.SignWith(olga), "MEMORY.md")
	o.fine("MEMORY.md", sized(1200))

	// Without signers, signatures are not checked.
	free := newOffice(t, nil)
	free.writes("MEMORY.md", sized(1200))
	free.approve(func([]byte) (string, error) { return "nonsense", nil }, "MEMORY.md")
	free.fine("MEMORY.md", sized(1200))
}

func TestSignatureOfOneOfSeveral(t *testing.T) {
	olga, otto := key(t, "olga"), key(t, "otto")
	o := newOffice(t, signedBy(t, olga, otto))
	o.writes("MEMORY.md", sized(1200))
	o.approve(guard.SignWith(otto), "MEMORY.md")
	o.fine("MEMORY.md", sized(1200))
}

// Any change to a signed approval invalidates the signature.
func TestSignatureOverWhat(t *testing.T) {
	olga := key(t, "olga")
	for name, change := range map[string]func(text string) string{
		"the size":      func(s string) string { return strings.Replace(s, `"bytes": 1200`, `"bytes": 1201`, 1) },
		"the count":     func(s string) string { return strings.Replace(s, `"count": 1`, `"count": 7`, 1) },
		"the signature": func(s string) string { return strings.Replace(s, "BEGIN SSH SIGNATURE", "BEGIN SSH SIGNATUR", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, signedBy(t, olga))
			o.writes("MEMORY.md", sized(1200))
			o.approve(guard.SignWith(olga), "MEMORY.md")
			o.fine("MEMORY.md", sized(1200))
			const file = "state/baselines/ada/approvals.json"
			text, err := o.disk.ReadFile(file)
			o.must(err)
			changed := change(text)
			if changed == text {
				t.Fatalf("nothing to change in\n%s", text)
			}
			o.must(o.disk.WriteFile(file, changed))
			o.wants("MEMORY.md", finding.BaselineSignature)
		})
	}
}

// A signature for one file is not valid for another.
func TestSignatureOfAnotherFile(t *testing.T) {
	olga := key(t, "olga")
	o := newOffice(t, signedBy(t, olga))
	o.writes("MEMORY.md", sized(1200))
	o.writes("AGENTS.md", sized(1200)) // the same text
	first := o.approve(guard.SignWith(olga), "MEMORY.md")[0]
	o.approve(func([]byte) (string, error) { return first.Signature, nil }, "AGENTS.md")
	o.wants("AGENTS.md", finding.BaselineSignature)
}

// An old approval with a valid signature is not accepted again.
func TestRollback(t *testing.T) {
	olga := key(t, "olga")
	o := newOffice(t, signedBy(t, olga))
	o.writes("MEMORY.md", sized(1200))
	o.approve(guard.SignWith(olga), "MEMORY.md")
	const file = "state/baselines/ada/approvals.json"
	old, err := o.disk.ReadFile(file)
	o.must(err)

	o.writes("MEMORY.md", sized(1300))
	o.approve(guard.SignWith(olga), "MEMORY.md")
	o.fine("MEMORY.md", sized(1300))

	o.writes("MEMORY.md", sized(1200))
	o.must(o.disk.WriteFile(file, old))
	if f := o.wants("MEMORY.md", finding.BaselineSignature); !strings.Contains(f.Text, "old one") {
		t.Errorf("it says %q", f.Text)
	}
	// The operator may go back to the old text by approving it.
	if a := o.approve(guard.SignWith(olga), "MEMORY.md"); a[0].Count != 3 {
		t.Errorf("approved %+v", a)
	}
	o.fine("MEMORY.md", sized(1200))
}

// The signature can be checked with ssh-keygen alone.
func TestSignatureForSSHKeygen(t *testing.T) {
	olga := key(t, "olga")
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	a := o.approve(guard.SignWith(olga), "MEMORY.md")[0]
	sig := filepath.Join(t.TempDir(), "sig")
	must(t, os.WriteFile(sig, []byte(a.Signature), 0o600))
	cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", allow(t, olga), "-I", "olga@example.org", "-n", guard.Namespace, "-s", sig)
	cmd.Stdin = strings.NewReader(string(o.guard.Manifest(a)))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("ssh-keygen -Y verify: %v\n%s", err, out)
	}
}

func TestSignErrors(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	_, err := o.guard.Approve([]guard.Baseline{o.baseline("MEMORY.md")}, "olga", minBytes,
		guard.SignWith(filepath.Join(t.TempDir(), "no-key")))
	if err == nil || !strings.Contains(err.Error(), "no-key") {
		t.Errorf("sign without a key: %v", err)
	}
	o.wants("MEMORY.md", finding.BaselineUnapproved)
	for name, text := range map[string]string{"empty": "", "no key": "olga@example.org\n", "rubbish": "olga@example.org ssh-ed25519 !!!\n"} {
		file := filepath.Join(t.TempDir(), "allowed")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if _, err := guard.ReadSigners(file); err == nil {
			t.Errorf("%s: signers were read", name)
		}
	}
	if _, err := guard.ReadSigners(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("signers were read from no file")
	}
}

// An old approval, its text and its copy are put back, and the count is tampered with in every way.
func TestSignedRollback(t *testing.T) {
	olga, eve := key(t, "olga"), key(t, "eve")
	const file, count = "state/baselines/ada/approvals.json", "state/agents/ada/approved.json"
	tries, held := 0, 0
	for name, harm := range map[string]func(o *office, old string){
		"removed":  func(o *office, _ string) { o.must(o.disk.Remove(count)) },
		"unsigned": func(o *office, _ string) { o.must(o.disk.WriteFile(count, `{"MEMORY.md":1}`)) },
		"lowered": func(o *office, _ string) {
			text, err := o.disk.ReadFile(count)
			o.must(err)
			o.must(o.disk.WriteFile(count, strings.Replace(text, `"MEMORY.md": 2`, `"MEMORY.md": 1`, 1)))
		},
		"file left out": func(o *office, _ string) {
			text, err := o.disk.ReadFile(count)
			o.must(err)
			o.must(o.disk.WriteFile(count, strings.Replace(text, `"MEMORY.md": 2`, `"OTHER.md": 2`, 1)))
		},
		"empty":     func(o *office, _ string) { o.must(o.disk.WriteFile(count, "")) },
		"no counts": func(o *office, _ string) { o.must(o.disk.WriteFile(count, "{}")) },
		"signed by another": func(o *office, _ string) {
			sig, err := guard.SignWith(eve)([]byte("tend approvals v1\nagent ada\ncount 1 MEMORY.md\n"))
			o.must(err)
			text, err := json.Marshal(map[string]any{"counts": map[string]int{"MEMORY.md": 1}, "signature": sig})
			o.must(err)
			o.must(o.disk.WriteFile(count, string(text)))
		},
		"the approval's signature": func(o *office, old string) {
			var list []guard.Approval
			o.must(json.Unmarshal([]byte(old), &list))
			text, err := json.Marshal(map[string]any{"counts": map[string]int{"MEMORY.md": 1}, "signature": list[0].Signature})
			o.must(err)
			o.must(o.disk.WriteFile(count, string(text)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tries++
			o := newOffice(t, signedBy(t, olga))
			o.writes("MEMORY.md", sized(1200))
			o.approve(guard.SignWith(olga), "MEMORY.md")
			old, err := o.disk.ReadFile(file)
			o.must(err)
			o.writes("MEMORY.md", sized(1300))
			o.approve(guard.SignWith(olga), "MEMORY.md")
			o.fine("MEMORY.md", sized(1300))
			o.writes("MEMORY.md", sized(1200))
			o.must(o.disk.WriteFile(file, old))
			harm(o, old)
			approvals, err := o.guard.Approvals()
			o.must(err)
			_, found, err := o.guard.Check(o.baseline("MEMORY.md"), approvals, minBytes)
			if err == nil && finding.Worst(found) != finding.Error {
				t.Fatalf("an old approval passes: %v", found)
			}
			held++
		})
	}
	t.Logf("signed rollback: %d tries, %d held", tries, held)
}
