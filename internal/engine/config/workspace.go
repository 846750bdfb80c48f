package config

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// WorkspaceKind is the kind of a workspace's address.
type WorkspaceKind string

// The kinds of workspace.
const (
	Local WorkspaceKind = "local"
	SSH   WorkspaceKind = "ssh"
	S3    WorkspaceKind = "s3"
)

// Workspace is the address of an agent's files.
type Workspace struct {
	Kind WorkspaceKind
	// Path is the folder: absolute for Local; absolute or below the remote user's folder ("~/…") for SSH; the prefix
	// without slashes at its ends, possibly empty, for S3.
	Path   string
	User   string // SSH: "" leaves it to ssh_config, then the current user
	Host   string // SSH: a name, an address or an alias of ssh_config
	Port   int    // SSH: 0 leaves it to ssh_config, then 22
	Bucket string // S3
}

// String returns the address as written in tend.yaml.
func (w Workspace) String() string {
	switch w.Kind {
	case SSH:
		s := "ssh://"
		if w.User != "" {
			s += w.User + "@"
		}
		if strings.Contains(w.Host, ":") {
			s += "[" + w.Host + "]"
		} else {
			s += w.Host
		}
		if w.Port != 0 {
			s += ":" + strconv.Itoa(w.Port)
		}
		if strings.HasPrefix(w.Path, "~") {
			s += "/"
		}
		return s + w.Path
	case S3:
		return strings.TrimSuffix("s3://"+w.Bucket+"/"+w.Path, "/")
	}
	return w.Path
}

// File returns the address of one file in the workspace; the same file has the same address for every agent.
func (w Workspace) File(name string) string {
	return strings.TrimSuffix(w.String(), "/") + "/" + path.Clean(name)
}

var (
	// Programs that get such names would read a leading dash as an option.
	sshUser  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*\$?$`) })
	sshHost  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`) })
	sshIPv6  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Fa-f:.]+(%[A-Za-z0-9]+)?$`) })
	s3Bucket = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`) })
)

// parseWorkspace parses an address in the tend.yaml of dir.
func parseWorkspace(text, dir string, env Env) (Workspace, error) {
	scheme, rest, remote := strings.Cut(text, "://")
	if !remote {
		abs, err := env.Abs(text, dir)
		if err == nil && abs == "/" {
			err = errors.New("the root folder cannot be a workspace")
		}
		return Workspace{Kind: Local, Path: abs}, err
	}
	switch scheme {
	case "ssh":
		return parseSSH(rest)
	case "s3":
		return parseS3(rest)
	}
	return Workspace{}, fmt.Errorf("%s:// is not a kind of workspace; write a folder or ssh://user@host/path", scheme)
}

var errPassword = errors.New("no password in the address: use a key or the ssh agent")

func parseSSH(rest string) (Workspace, error) {
	authority, folder, ok := strings.Cut(rest, "/")
	if !ok || folder == "" {
		return Workspace{}, errors.New("ssh:// needs a folder: ssh://user@host/path")
	}
	w := Workspace{Kind: SSH}
	user, host, hasUser := strings.Cut(authority, "@")
	if !hasUser {
		user, host = "", authority
	}
	if strings.Contains(user, ":") {
		return Workspace{}, errPassword
	}
	if hasUser && !sshUser().MatchString(user) {
		return Workspace{}, fmt.Errorf("%q is not a user name", user)
	}
	w.User = user
	if inner, after, ok := strings.Cut(strings.TrimPrefix(host, "["), "]"); ok && strings.HasPrefix(host, "[") {
		if !sshIPv6().MatchString(inner) {
			return Workspace{}, fmt.Errorf("%q is not an address", inner)
		}
		w.Host, host = inner, after
	} else {
		name, _, _ := strings.Cut(host, ":")
		if !sshHost().MatchString(name) {
			return Workspace{}, fmt.Errorf("%q is not a host name", name)
		}
		w.Host, host = name, host[len(name):]
	}
	if host != "" {
		port, err := strconv.Atoi(strings.TrimPrefix(host, ":"))
		bad := err != nil || port < 1 || port > 65535 || host[0] != ':'
		if bad && strings.Contains(folder, "@") { // a password with a slash in it, rather
			return Workspace{}, errPassword
		}
		if bad {
			return Workspace{}, fmt.Errorf("%q is not a port", strings.TrimPrefix(host, ":"))
		}
		w.Port = port
	}
	w.Path = path.Clean("/" + folder)
	if home := strings.TrimPrefix(w.Path, "/"); home == "~" || strings.HasPrefix(home, "~/") {
		w.Path = home
	}
	if w.Path == "/" {
		return Workspace{}, errors.New("a folder of its own is needed, not all of the host's files")
	}
	return w, nil
}

func parseS3(rest string) (Workspace, error) {
	bucket, prefix, _ := strings.Cut(rest, "/")
	if strings.Contains(bucket, "@") {
		return Workspace{}, errors.New("no keys in the address: s3://bucket/prefix")
	}
	if !s3Bucket().MatchString(bucket) {
		return Workspace{}, fmt.Errorf("%q is not a bucket name", bucket)
	}
	prefix = strings.Trim(prefix, "/")
	if prefix != "" && path.Clean("/"+prefix) != "/"+prefix {
		return Workspace{}, fmt.Errorf("the prefix %q has empty or dotted parts", prefix)
	}
	return Workspace{Kind: S3, Bucket: bucket, Path: prefix}, nil
}
