package memfs

import (
	"errors"
	"strings"
	"syscall"

	"tend/internal/disk/fsys"
)

var errEmpty = errors.New("empty path")

const (
	maxSymlinks = 8 // as os.Root
	maxName     = 255
)

// place is where a path leads: an entry of a folder, which may be free.
type place struct {
	dir   *inode // nil if the path is the tree itself, or ends in a dot
	name  string
	node  *inode // nil if the name is free
	slash bool   // a free name followed by a slash, which can only become a folder
}

// find walks a path below root. It follows a symlink at the end if follow is set, or
// if a slash comes after it. A free walk may use absolute paths and go above the
// root, like a process on a machine; other walks are confined to root.
func (d *Disk) find(root *inode, path string, follow, free bool) (place, error) {
	switch {
	case path == "":
		return place{}, errEmpty
	case path[0] == '/' && !free:
		return place{}, fsys.ErrEscapes
	case strings.IndexByte(path, 0) >= 0:
		return place{}, syscall.EINVAL
	}
	type step struct {
		dir  *inode
		name string
	}
	var room [16]step
	stack := room[:0] // how cur was reached
	cur, rest, links := root, path, 0
	for {
		part, tail, slash := cut(rest)
		rest = tail
		switch part {
		case "":
		case ".":
			if rest == "" { // has no entry: it cannot be renamed or removed
				return place{name: ".", node: cur}, nil
			}
		case "..":
			if len(stack) > 0 {
				cur, stack = stack[len(stack)-1].dir, stack[:len(stack)-1]
			} else if !free {
				return place{}, fsys.ErrEscapes
			}
		default:
			if len(part) > maxName {
				return place{}, syscall.ENAMETOOLONG
			}
			node := cur.lookup(part)
			switch {
			case node == nil && rest == "":
				return place{dir: cur, name: part, slash: slash}, nil
			case node == nil:
				return place{}, syscall.ENOENT
			case node.isLink() && (rest != "" || slash || follow):
				if links++; links > maxSymlinks {
					return place{}, syscall.ELOOP
				}
				if strings.HasPrefix(node.target, "/") {
					if !free {
						return place{}, fsys.ErrEscapes
					}
					cur, stack = d.root, stack[:0]
				}
				// The slash separates what follows, and requires a folder.
				rest = strings.TrimLeft(node.target, "/")
				if slash {
					rest += "/" + tail
				}
				if rest == "" {
					return place{name: ".", node: cur}, nil
				}
				continue
			case rest == "" && slash && !node.isDir():
				return place{}, syscall.ENOTDIR
			case rest == "":
				return place{dir: cur, name: part, node: node}, nil
			case !node.isDir():
				return place{}, syscall.ENOTDIR
			}
			stack = append(stack, step{cur, part})
			cur = node
		}
		if rest == "" {
			if len(stack) == 0 {
				return place{name: ".", node: cur}, nil
			}
			top := stack[len(stack)-1]
			return place{dir: top.dir, name: top.name, node: cur}, nil
		}
	}
}

// cut splits off the first element of a path; slash reports whether one followed it.
func cut(path string) (part, rest string, slash bool) {
	i := strings.IndexByte(path, '/')
	if i < 0 {
		return path, "", false
	}
	return path[:i], strings.TrimLeft(path[i:], "/"), true
}
