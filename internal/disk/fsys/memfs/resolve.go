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

// location is where a path leads: an entry of a folder, which may be free.
type location struct {
	dir   *inode // nil if the path is the tree itself, or ends in a dot
	name  string
	node  *inode // nil if the name is free
	slash bool   // a free name followed by a slash, which can only become a folder
}

// find walks a path below root. It follows a symlink at the end if follow is set, or
// if a slash comes after it. A free walk may use absolute paths and go above the
// root, like a process on a machine; other walks are confined to root.
func (d *Disk) find(root *inode, path string, follow, free bool) (location, error) {
	switch {
	case path == "":
		return location{}, errEmpty
	case path[0] == '/' && !free:
		return location{}, fsys.ErrEscapes
	case strings.IndexByte(path, 0) >= 0:
		return location{}, syscall.EINVAL
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
				return location{name: ".", node: cur}, nil
			}
		case "..":
			if len(stack) > 0 {
				cur, stack = stack[len(stack)-1].dir, stack[:len(stack)-1]
			} else if !free {
				return location{}, fsys.ErrEscapes
			}
		default:
			if len(part) > maxName {
				return location{}, syscall.ENAMETOOLONG
			}
			node := cur.lookup(part)
			switch {
			case node == nil && rest == "":
				return location{dir: cur, name: part, slash: slash}, nil
			case node == nil:
				return location{}, syscall.ENOENT
			case node.isLink() && (rest != "" || slash || follow):
				if links++; links > maxSymlinks {
					return location{}, syscall.ELOOP
				}
				if strings.HasPrefix(node.target, "/") {
					if !free {
						return location{}, fsys.ErrEscapes
					}
					cur, stack = d.root, stack[:0]
				}
				// The slash separates what follows, and requires a folder.
				rest = strings.TrimLeft(node.target, "/")
				if slash {
					rest += "/" + tail
				}
				if rest == "" {
					return location{name: ".", node: cur}, nil
				}
				continue
			case rest == "" && slash && !node.isDir():
				return location{}, syscall.ENOTDIR
			case rest == "":
				return location{dir: cur, name: part, node: node}, nil
			case !node.isDir():
				return location{}, syscall.ENOTDIR
			}
			stack = append(stack, step{cur, part})
			cur = node
		}
		if rest == "" {
			if len(stack) == 0 {
				return location{name: ".", node: cur}, nil
			}
			top := stack[len(stack)-1]
			return location{dir: top.dir, name: top.name, node: cur}, nil
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
