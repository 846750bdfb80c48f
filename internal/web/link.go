package web

import (
	"net/url"
	"path"
	"strings"
)

// linkTarget is where a link in a file of an agent may lead, "" if nowhere: to files of the agent and, by http and mailto, elsewhere.
func linkTarget(agent, from, dest string) string {
	u, err := url.Parse(dest)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return u.String()
	case "mailto":
		return u.String()
	case "":
	default:
		return ""
	}
	if u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return ""
	}
	file := path.Join(path.Dir(from), u.Path)
	if file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return "/a/" + escapePath(agent) + "/file/" + escapePath(file)
}
