package crashtest

import (
	"fmt"
	"strings"

	"tend/internal/fsys"
	"tend/internal/vault"
)

// tokens keeps account of every line that was ever written. Each has a number
// of its own; what the agent itself destroyed is forgiven, all else must be found.
type tokens struct {
	need []bool // by number: must be found
	dead []bool // the agent destroyed the last copy
}

// mint makes a line with a new number.
func (k *tokens) mint() (line string, number int) {
	number = len(k.need)
	k.need, k.dead = append(k.need, false), append(k.dead, false)
	return fmt.Sprintf("- note [#%06d]", number), number
}

// demand: from now on this line must be found, unless the agent was quicker.
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

// present says of each number whether it is in the workspace, an archive or the
// trash; beside: or in a temporary file in the workspace.
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

// destroyed takes into account that the agent replaced one text by another.
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

// missing lists the lines that must be found and are not.
func (k *tokens) missing(w *world) []int {
	var list []int
	// Where the trash is on another file system, a displaced file stays beside its successor.
	for n, found := range k.present(w, w.rig.far) {
		if k.need[n] && !found {
			list = append(list, n)
		}
	}
	return list
}

// descriptors are files the agent holds open.
type descriptors []fsys.File

// orphans closes those whose file the agent itself has just taken the last name of.
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
