// Package dial opens the store at an address.
package dial

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/sync/store"
	"tend/internal/sync/store/folder"
	"tend/internal/sync/store/s3"
)

// ErrAddress: not a valid store address.
var ErrAddress = errors.New("not the address of a store")

// Open opens the store at an address: s3://BUCKET/PREFIX with the settings endpoint, region and path_style as query
// parameters, or a folder's absolute path, also as file:///PATH. With create a missing folder is created. The
// returned function closes the store.
func Open(address string, create bool) (s store.Store, close func() error, err error) {
	if strings.HasPrefix(address, "/") {
		return openFolder(address, create)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, fmt.Errorf("%q is %w: %w", address, ErrAddress, err)
	}
	switch {
	case u.User != nil:
		return nil, nil, fmt.Errorf("%w: it contains a password; credentials come from the environment or the AWS files", ErrAddress)
	case u.Scheme == "file" && u.Host == "" && u.Path != "":
		return openFolder(u.Path, create)
	case u.Scheme == "s3" && u.Host != "":
		c := s3.Config{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
		for name, values := range u.Query() {
			switch value := values[len(values)-1]; name {
			case "endpoint":
				c.Endpoint = value
			case "region":
				c.Region = value
			case "path_style":
				if c.PathStyle, err = strconv.ParseBool(value); err != nil {
					return nil, nil, fmt.Errorf("%q is %w: path_style is true or false", address, ErrAddress)
				}
			default:
				return nil, nil, fmt.Errorf("%q is %w: no setting %q (there are endpoint, region and path_style)", address, ErrAddress, name)
			}
		}
		s, err := s3.Open(c)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrAddress, err)
		}
		return s, func() error { return nil }, nil
	}
	return nil, nil, fmt.Errorf("%q is %w: write s3://BUCKET/PREFIX or the absolute path of a folder", address, ErrAddress)
}

func openFolder(dir string, create bool) (store.Store, func() error, error) {
	dir = filepath.Clean(dir)
	if create {
		if err := fsys.MakeFolder(dir, 0o700); err != nil {
			return nil, nil, fmt.Errorf("make the store's folder: %w", err)
		}
	}
	tree, err := fsys.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: there is no folder %s; is it mounted?", store.ErrUnreachable, dir)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	s := folder.New(tree, dir)
	return s, s.Close, nil
}
