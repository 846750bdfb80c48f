package crashtest

import (
	"fmt"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// tokens tracks every line that was ever written. Each has a unique number; those that
// the agent itself destroyed are excused, all others must be found.
type tokens struct {
	need []bool // by number: must be found
	dead []bool // the agent destroyed the last copy
}

// mint returns a line with a new number.
func (k *tokens) mint() (line string, number int) {
	number = len(k.need)
	k.need, k.dead = append(k.need, false), append(k.dead, false)
	return fmt.Sprintf("- note [#%06d]", number), number
}

// demand requires this line to be found from now on, unless the agent destroyed it.
func (k *tokens) demand(number int) {
	k.need[number] = !k.dead[number]
}

// numbersIn calls do for every number in a text.
func numbersIn(text string, do func(number int)) {
	for {
		i := strings.Index(text, "[#")
		if i < 0 || len(text) < i+9 {
			return
		}
		number, ok := 0, text[i+8] == ']'
		for _, c := range []byte(text[i+2 : i+8]) {
			ok = ok && c >= '0' && c <= '9'
			number = 10*number + int(c-'0')
		}
		if ok {
			do(number)
		}
		text = text[i+2:]
	}
}

// present reports for each number whether it is in the workspace, an archive or the
// trash; with beside, temporary files in the workspace count, too.
func (k *tokens) present(w *world, beside bool) []bool {
	found := make([]bool, len(k.need))
	add := func(files map[string]string) {
		for name, text := range files {
			if strings.Contains(name, vault.TempPrefix) && !(beside && strings.HasPrefix(name, "ws/")) {
				continue
			}
			numbersIn(text, func(n int) { found[n] = true })
		}
	}
	add(w.disk.Files("ws"))
	add(w.state.Files("state/archive"))
	add(w.state.Files("state/trash"))
	return found
}

// destroyed excuses the lines that the agent's own replacement of a text removed.
func (k *tokens) destroyed(w *world, before, after string) {
	gone := map[int]bool{}
	numbersIn(before, func(n int) { gone[n] = true })
	numbersIn(after, func(n int) { delete(gone, n) })
	if len(gone) == 0 {
		return
	}
	found := k.present(w, false)
	for n := range gone {
		if !found[n] {
			k.need[n], k.dead[n] = false, true
		}
	}
}

// missing lists the required lines that are not found.
func (k *tokens) missing(w *world) []int {
	var list []int
	// If the trash is on another file system, a displaced file stays beside its successor.
	for n, found := range k.present(w, w.rig.far) {
		if k.need[n] && !found {
			list = append(list, n)
		}
	}
	return list
}

// descriptors are the agent's open files.
type descriptors []fsys.File

// orphans closes those whose last name the agent itself has just removed.
func (fds *descriptors) orphans() error {
	var left descriptors
	for _, f := range *fds {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.Links > 0 {
			left = append(left, f)
			continue
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	*fds = left
	return nil
}
