package ledger_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
)

// agentID is the user the agent runs as. Without root there is no second user, and the
// current one plays both.
func agentID() int {
	if os.Geteuid() == 0 {
		return 65001
	}
	return os.Geteuid()
}

// fixture is a real workspace of one user, served by another.
type fixture struct {
	*desk
	ws string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	top := t.TempDir()
	for _, dir := range []string{top, filepath.Dir(top)} { // the agent must be able to get there
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	h := &fixture{desk: &desk{T: t, now: noon}, ws: filepath.Join(top, "ws")}
	h.must(os.Mkdir(h.ws, 0o755))
	h.must(os.Chown(h.ws, agentID(), agentID()))
	h.must(os.Mkdir(filepath.Join(top, "state"), 0o700))
	ws, err := fsys.Dir(h.ws)
	h.must(err)
	state, err := fsys.Dir(filepath.Join(top, "state"))
	h.must(err)
	h.vault = vault.New(ws, state, ledger.LockPath("ada"), ledger.TrashPath("ada"), vault.SyncEach{})
	h.Ledger = ledger.New("ada",
		ledger.Options{State: state, Vault: h.vault, Durable: vault.SyncEach{}, Clock: func() time.Time { return h.now }})
	t.Cleanup(func() { h.vault.Close(); state.Close() })
	return h
}

// agent runs a shell command as the agent's user.
func (h *fixture) agent(script string) {
	h.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = h.ws
	if os.Geteuid() == 0 {
		id := uint32(agentID())
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		h.Errorf("the agent's %q: %v: %s", script, err, out)
	}
}

// look is a file's attributes.
type look struct {
	Mode     fs.FileMode
	UID, GID uint32
	X        map[string]string
}

func (h *fixture) look(name string) look {
	h.Helper()
	at := filepath.Join(h.ws, name)
	i, err := os.Stat(at)
	if err != nil {
		return look{}
	}
	st := i.Sys().(*syscall.Stat_t)
	l := look{i.Mode(), st.Uid, st.Gid, map[string]string{}}
	for _, key := range []string{"user.note", "system.posix_acl_access"} {
		buf := make([]byte, 512)
		if n, err := unix.Getxattr(at, key, buf); err == nil {
			l.X[key] = fmt.Sprintf("%x", buf[:n])
		}
	}
	return l
}

// acl gives one more user read and write access.
func acl(uid uint32) []byte {
	out := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 6, ^uint32(0)}, {2, 6, uid}, {4, 0, ^uint32(0)}, {0x10, 6, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		out = binary.LittleEndian.AppendUint16(out, e.tag)
		out = binary.LittleEndian.AppendUint16(out, e.perm)
		out = binary.LittleEndian.AppendUint32(out, e.id)
	}
	return out
}

// TestAttributesStay: owner, mode, access control list and extended attributes survive
// every operation and its undo, and new files belong to the owner of their folder.
func TestAttributesStay(t *testing.T) {
	tries, held := 0, 0
	same := func(h *fixture, what, name string, want look) {
		h.Helper()
		tries++
		if diff := cmp.Diff(want, h.look(name)); diff != "" {
			h.Errorf("%s of %s (-want +got):\n%s", what, name, diff)
			return
		}
		held++
	}
	ctx := context.Background()
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o664, 0o444} {
		for _, extras := range []bool{false, true} {
			name := fmt.Sprintf("%v, attributes %v", mode, extras)
			start := func(t *testing.T) (*fixture, look) {
				h := newFixture(t)
				at := filepath.Join(h.ws, "a.md")
				h.agent("echo old > a.md; echo other > keep.md")
				if extras {
					h.must(unix.Setxattr(at, "system.posix_acl_access", acl(65002), 0))
					h.must(unix.Setxattr(at, "user.note", []byte("mine"), 0))
				}
				h.must(os.Chmod(at, mode))
				return h, h.look("a.md")
			}
			for op, run := range map[string]func(h *fixture) ledger.Action{
				"write": func(h *fixture) ledger.Action { return h.edit(plan.Write, "a.md", "new\n") },
				"forced write": func(h *fixture) ledger.Action {
					c := h.change(plan.Write, "a.md", "new\n")
					c.Force = true
					return h.apply(plan.Plan{Job: "reset", Changes: []plan.Change{c}})
				},
				"append": func(h *fixture) ledger.Action { return h.edit(plan.Append, "a.md", "more\n") },
				"remove": func(h *fixture) ledger.Action { return h.edit(plan.Remove, "a.md", "") },
				"move": func(h *fixture) ledger.Action {
					return h.apply(plan.Plan{Job: "move",
						Changes: []plan.Change{h.change(plan.Write, "sub/b.md", "old\n"), h.change(plan.Remove, "a.md", "")}})
				},
				"create":            func(h *fixture) ledger.Action { return h.edit(plan.Write, "deep/er/new.md", "fresh\n") },
				"append to nothing": func(h *fixture) ledger.Action { return h.edit(plan.Append, "deep/log.md", "line\n") },
			} {
				t.Run(name+"/"+op, func(t *testing.T) {
					h, was := start(t)
					act := run(h)
					for i, f := range act.Files {
						p := string(f.Path)
						switch {
						case p == "a.md" && f.Op != plan.Remove, op == "move" && i == 0:
							same(h, op, p, was)
						case f.Op != plan.Remove:
							same(h, op, p, look{0o644, uint32(agentID()), uint32(agentID()), map[string]string{}})
							dir := h.look(filepath.Dir(p))
							if dir.UID != uint32(agentID()) {
								t.Errorf("the folder of %s belongs to %d", p, dir.UID)
							}
							h.agent("echo more >> " + p + "; echo x > " + filepath.Dir(p) + "/own.md")
							h.must(os.WriteFile(filepath.Join(h.ws, p), []byte(map[string]string{"create": "fresh\n", "append to nothing": "line\n"}[op]),
								0o644))
						}
					}
					if mode&0o200 != 0 && (op == "write" || op == "append") {
						h.agent("cat a.md >/dev/null; printf '' >> a.md")
					}
					_, err := h.undo(h.last(), false)
					h.must(err)
					if op != "create" && op != "append to nothing" {
						same(h, "undo of "+op, "a.md", was)
					}
					_, err = h.undo(h.last(), false) // and the undo of that
					h.must(err)
					if op == "write" || op == "append" || op == "forced write" {
						same(h, "undo of the undo of "+op, "a.md", was)
					}
				})
			}
			t.Run(name+"/restore", func(t *testing.T) {
				h, was := start(t)
				act := h.edit(plan.Remove, "a.md", "")
				text, err := h.Before(act, 0)
				h.must(err)
				h.apply(plan.Plan{Job: "restore", Changes: []plan.Change{h.change(plan.Write, "a.md", string(text))}})
				same(h, "restore", "a.md", was)
			})
			t.Run(name+"/recovery", func(t *testing.T) {
				h, was := start(t)
				act := h.edit(plan.Remove, "a.md", "")
				// The end record is lost: the next session writes it again.
				ledgerFile := filepath.Join(filepath.Dir(h.ws), "state/agents/ada/ledger/2026-03.jsonl")
				data, err := os.ReadFile(ledgerFile)
				h.must(err)
				for i, b := range data {
					if b == '\n' {
						h.must(os.WriteFile(ledgerFile, data[:i+1], 0o600))
						break
					}
				}
				h.session(func(*ledger.Session) {})
				found, err := h.Find(act.ID)
				h.must(err)
				p, err := h.PlanUndo(ctx, found, false)
				h.must(err)
				h.session(func(s *ledger.Session) { _, err = s.Apply(ctx, p); h.must(err) })
				same(h, "undo of a recovered removal", "a.md", was)
			})
		}
	}
	t.Logf("%d comparisons of owner, mode, ACL and attributes: %d passed", tries, held)
}
