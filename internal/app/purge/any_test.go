package purge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/state/ledger"
	"tend/internal/state/ledger/archive"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
)

// texts returns every text that can be read of an agent, by where it is: memory, archives, trash, packs, records, and
// what records rebuild. Times, ids and digests are not texts.
func (r *room) texts() map[string][]byte {
	r.t.Helper()
	out := map[string][]byte{}
	for name, text := range r.disk.Files("ws") {
		out[name] = []byte(text)
	}
	for name, text := range r.disk.Files("state/trash/ada") {
		out[name] = []byte(text)
	}
	for name, text := range r.disk.Files("state/agents/ada/store") {
		if strings.Contains(name, "/base/") {
			out[name] = []byte(text)
		}
	}
	for name, text := range r.disk.Files("state/archive") {
		e, err := archive.Parse([]byte(text))
		if err != nil {
			r.t.Fatalf("%s: %v", name, err)
		}
		out[name], out[name+" diff"] = e.Text, []byte(e.Diff)
	}
	a := r.agent()
	for _, kind := range []string{fleet.TrashPack, fleet.SeenPack} {
		n := 0
		must(r.t, a.History.Pack(kind).Each(func(e pack.Entry, err error) error {
			n++
			out[fmt.Sprintf("%s pack %d", kind, n)] = e.Text
			return err
		}))
	}
	for act, err := range a.Ledger.Actions() {
		must(r.t, err)
		out["reason of "+act.ID] = []byte(act.Reason + "\x00" + act.Summary)
		for i, f := range act.Files {
			at := fmt.Sprintf("%s file %d", act.ID, i)
			if f.Edit != nil {
				out[at] = f.Edit.Text
			}
			out[at+" why"] = []byte(f.Why)
			for when, of := range map[string]func(ledger.Action, int) ([]byte, error){"before": a.Ledger.Before, "after": a.Ledger.After} {
				if text, err := of(act, i); err == nil {
					out[at+" "+when] = text
				}
			}
		}
	}
	list, err := a.Proposals.List()
	must(r.t, err)
	for _, p := range list {
		out["proposal "+p.ID] = []byte(p.Text + "\x00" + p.Why)
	}
	return out
}

// lived returns an agent with actions, observed edits, packs, archives and proposals whose texts are made of words.
func lived(t testing.TB, rng *rand.Rand, words []string) *room {
	r := leaked(t)
	text := func() string {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(words[rng.IntN(len(words))])
			if rng.IntN(3) == 0 {
				b.WriteString("\n")
			}
		}
		return b.String()
	}
	at := r.now
	for i := range 12 {
		at = at.Add(time.Duration(1+rng.IntN(30)) * time.Hour)
		name := []string{"notes.md", "other.md", "deep/third.md"}[rng.IntN(3)]
		was, _ := r.disk.ReadFile("ws/" + name)
		switch rng.IntN(4) {
		case 0: // the agent writes by itself
			must(t, r.disk.MkdirAll(path.Dir("ws/"+name)))
			must(t, r.disk.WriteFile("ws/"+name, was+text()))
		case 1:
			r.write(at, name, was+text())
		case 2: // in the middle
			cut := rng.IntN(len(was) + 1)
			r.write(at, name, was[:cut]+text()+was[cut:])
		default:
			r.write(at, name, text())
		}
		if i%4 == 0 {
			r.now = at
			_, _, err := r.agent().History.Sync(t.Context())
			must(t, err)
		}
	}
	a := r.agent()
	s, _, err := a.Begin(t.Context(), "test")
	must(t, err)
	_, err = s.Apply(t.Context(), plan.Plan{Job: "prune", Archives: []plan.Archive{
		{File: "notes.md", Kind: "notes", Text: []byte(text()), Why: "old", Diff: "+" + strings.ReplaceAll(text(), "\n", "\n+")},
	}})
	must(t, err)
	must(t, s.Close())
	must(t, a.Proposals.Change(t.Context(), func([]fleet.Proposal) ([]fleet.Proposal, error) {
		return []fleet.Proposal{{Proposal: plan.Proposal{ID: "01234567", Text: text(), Why: text(), Target: "notes.md"},
			Agent: "ada", State: fleet.Waiting}}, nil
	}))
	base := text()
	must(t, r.disk.MkdirAll("state/agents/ada/store/base"))
	must(t, r.disk.WriteFile("state/agents/ada/store/base/"+string(vault.VersionOf([]byte(base))), base))
	r.now = at.Add(time.Hour)
	r.disk.SetTime(r.now)
	return r
}

// TestAnyText: a text of any length and of any bytes is gone from everything that can be read or rebuilt, the ledger and
// the packs stay valid, and the agent can go on.
func TestAnyText(t *testing.T) {
	tries, found := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		secret := randomText(rng, 1+rng.IntN(1<<(1+rng.IntN(8)))%200)
		if len(bytes.TrimSpace(secret)) == 0 {
			continue
		}
		half := len(secret) / 2
		words := []string{"one ", "two", " [purged", "]", "- ", string(secret), string(secret[:half]), string(secret[half:]), "\n",
			strings.ToUpper(string(secret))}
		r := lived(t, rng, words)
		at := 0
		for _, text := range r.texts() {
			if bytes.Contains(text, secret) {
				at++
			}
		}
		tries++
		if at > 0 {
			found++
		}
		if _, err := Run(t.Context(), r.agent(), secret, Options{Who: "test"}); err != nil && !errors.Is(err, ErrLeft) {
			t.Fatalf("seed %d: purge of %q: %v", seed, secret, err)
		}
		r.sound(seed, secret)
	}
	t.Logf("%d texts, %d of them in the agent's texts", tries, found)
	if found < tries/2 {
		t.Error("too few of the texts were anywhere")
	}
}

// sound fails if the text is left anywhere, or if something that Tend keeps is no longer valid.
func (r *room) sound(seed uint64, secret []byte) {
	t := r.t
	t.Helper()
	for where, text := range r.texts() {
		if !utf8.Valid(secret) && strings.HasPrefix(where, "proposal") {
			continue // JSON has no such bytes
		}
		if bytes.Contains(text, secret) {
			t.Errorf("seed %d: %q is left in %s: %q", seed, secret, where, text)
		}
	}
	a := r.agent()
	if broken, err := a.Ledger.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("seed %d: purge of %q: the ledger is broken at %v: %v", seed, secret, broken, err)
	}
	for name, text := range r.disk.Files("state/agents/ada/ledger") {
		records, err := ledger.Unzipped([]byte(text))
		must(t, err)
		if err := ledger.CheckFile(records, r.now.Add(time.Hour)); err != nil {
			t.Errorf("seed %d: purge of %q: %s: %v", seed, secret, name, err)
		}
	}
	for _, kind := range []string{fleet.TrashPack, fleet.SeenPack} {
		if bad, err := a.History.Pack(kind).Verify(); err != nil || len(bad) > 0 {
			t.Errorf("seed %d: purge of %q: %s pack: %v %v", seed, secret, kind, bad, err)
		}
	}
	r.write(r.now.Add(time.Minute), "notes.md", "- later\n")
	if _, _, err := r.agent().History.Sync(t.Context()); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
}

// randomText returns n bytes: words, digits, brackets, other scripts or anything at all.
func randomText(rng *rand.Rand, n int) []byte {
	alphabet := []string{"abcdefghij", "0123456789abcdef", "[]purged {}()*", "aé語🗒 ", `"\/<>&` + "\n\t", "e"}[rng.IntN(6)]
	if rng.IntN(6) == 0 {
		out := make([]byte, n)
		for i := range out {
			out[i] = byte(rng.IntN(256))
		}
		return out
	}
	runes := []rune(alphabet)
	var b []byte
	for len(b) < n {
		b = append(b, string(runes[rng.IntN(len(runes))])...)
	}
	return b
}

// TestNames: a text that is the name of a file is gone from the workspace, the trash, the packs, the archives and the
// records, which still refer to each other.
func TestNames(t *testing.T) {
	r := leaked(t)
	r.write(r.now.Add(time.Hour), "people/"+secret+".md", "- k0010\n")
	r.write(r.now.Add(2*time.Hour), "people/"+secret+".md", "- k0011\n")
	r.now = r.now.Add(time.Hour)
	want := r.known()
	if _, err := Run(t.Context(), r.agent(), []byte(secret), Options{Who: "test"}); err != nil {
		t.Fatal(err)
	}
	for name, text := range r.all() {
		if strings.Contains(name, secret) || strings.Contains(text, secret) {
			t.Errorf("left in %s", name)
		}
	}
	if have := r.known(); !maps.Equal(have, want) {
		t.Errorf("known now %v, before %v", have, want)
	}
	r.sound(0, []byte(secret))
	list, err := Receipts(r.agent())
	must(t, err)
	if len(list) != 1 || len(list[0].Memory) == 0 {
		t.Errorf("receipts: %+v", list)
	}
}

// TestShortNamesAreNamed: a text of three bytes stays in file names, and the purge says so and fails.
func TestShortNamesAreNamed(t *testing.T) {
	r := leaked(t)
	r.write(r.now.Add(time.Hour), "pin-471.md", "- 471\n")
	r.now = r.now.Add(time.Hour)
	got, err := Run(t.Context(), r.agent(), []byte("471"), Options{Who: "test"})
	if !errors.Is(err, ErrLeft) || len(got.Left) != 1 || !strings.Contains(got.Left[0], "names of 1 files") {
		t.Errorf("%v, left %q", err, got.Left)
	}
	r.sound(0, []byte("- 471"))
}

// TestTombstones: a machine that has a text another one purged removes it as soon as it has the receipt, and again when
// something brings it back. A receipt for a very short text is not carried out.
func TestTombstones(t *testing.T) {
	a, b := leaked(t), leaked(t)
	if _, err := Run(t.Context(), a.agent(), []byte(secret), Options{Who: "test", Reason: "leaked"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), a.agent(), []byte("k00"), Options{Who: "test"}); err != nil {
		t.Fatal(err)
	}
	list, err := a.disk.ReadFile("state/agents/ada/purges.jsonl")
	must(t, err)
	must(t, b.disk.WriteFile("state/agents/ada/purges.jsonl", list))
	for round := range 2 {
		done, err := Obey(t.Context(), b.agent(), "sync")
		if err != nil || len(done) != 1 {
			t.Fatalf("round %d: %d carried out, %v", round, len(done), err)
		}
		if left := b.secrets(); len(left) > 0 {
			t.Fatalf("round %d: left in %v", round, left)
		}
		if len(b.known()) != 9 {
			t.Errorf("round %d: something else is gone: %v", round, b.known())
		}
		if done, err := Obey(t.Context(), b.agent(), "sync"); err != nil || len(done) != 0 {
			t.Errorf("round %d: once more: %d, %v", round, len(done), err)
		}
		b.write(b.now.Add(time.Minute), "other.md", "- k0009 back again: "+secret+"\n")
		b.now = b.now.Add(time.Minute)
	}
	if broken, err := b.agent().Ledger.Verify(); err != nil || len(broken) > 0 {
		t.Errorf("the ledger is broken at %v: %v", broken, err)
	}
}

// counted is a context that counts how often it is looked at.
type counted struct {
	context.Context
	looks int
}

func (c *counted) Err() error { c.looks++; return c.Context.Err() }

// TestReceiptsAreLookedForAtOnce: what is kept of an agent is read once for all receipts, so a store cannot make each sync long
// with many of them; all that are found are carried out, and of those that are too many the newest.
func TestReceiptsAreLookedForAtOnce(t *testing.T) {
	looks := map[int]int{}
	for _, n := range []int{1, 300} {
		r := leaked(t)
		var list []byte
		for i := range n {
			line, err := json.Marshal(Receipt{ID: "0yvee000pt", Bytes: 10 + i%7, SHA256: fmt.Sprintf("%064x", i), Trace: fmt.Sprintf("%x", 1000+i)})
			must(t, err)
			list = append(append(list, line...), '\n')
		}
		must(t, r.disk.WriteFile("state/agents/ada/purges.jsonl", string(list)))
		ctx := &counted{Context: t.Context()}
		done, err := Obey(ctx, r.agent(), "sync")
		must(t, err)
		if len(done) != 0 {
			t.Errorf("%d carried out", len(done))
		}
		looks[n] = ctx.looks
	}
	if looks[1] == 0 || looks[300] > looks[1] {
		t.Errorf("looks by number of receipts: %v", looks)
	}

	a, b := leaked(t), leaked(t)
	for _, text := range []string{secret, "k0006 harmless", "k0003 second"} {
		_, err := Run(t.Context(), a.agent(), []byte(text), Options{Who: "test"})
		must(t, err)
	}
	list, err := a.disk.ReadFile("state/agents/ada/purges.jsonl")
	must(t, err)
	must(t, b.disk.WriteFile("state/agents/ada/purges.jsonl", list+list))
	if done, err := Obey(t.Context(), b.agent(), "sync"); err != nil || len(done) != 3 {
		t.Errorf("%d carried out, %v", len(done), err)
	}
	for _, text := range []string{secret, "k0006 harmless", "k0003 second"} {
		b.sound(0, []byte(text))
	}

	var many []Receipt
	for i := range 3 * maxObeyed {
		many = append(many, Receipt{Bytes: 20, SHA256: fmt.Sprintf("%064x", i/2), Trace: "1"})
	}
	left := toObey(many)[20][1]
	if len(left) != maxObeyed || left[0].SHA256 != many[len(many)-1].SHA256 {
		t.Errorf("%d receipts, the first %s", len(left), left[0].SHA256)
	}
}
