// Package s3 is a store in a bucket of an S3-compatible server with conditional
// writes.
//
// It uses only GET, PUT (with If-None-Match: * for Create), ListObjectsV2 and
// DELETE, and depends on nothing in which servers differ: no ETags, no
// conditional deletes, no versions.
package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"tend/internal/store"
)

// Config says where a bucket is.
type Config struct {
	Bucket, Prefix string
	Endpoint       string // URL of the server; Amazon's if empty
	Region         string // asked of the environment, then of the server, if empty
	PathStyle      bool   // the bucket's name in the path even where the server takes it in the host's name
	// Transport is used instead of a new one, for tests.
	Transport http.RoundTripper
}

// Store is a prefix in a bucket.
type Store struct {
	core   *minio.Core
	bucket string
	prefix string
	name   string
}

var _ store.Store = (*Store)(nil)

// amazon is the endpoint for those who name none.
const amazon = "https://s3.amazonaws.com"

// maxObject bounds what is read into memory: a server must not be able to exhaust it.
const maxObject = 1 << 30

// requestTime bounds one request. A store that takes longer is not there.
const requestTime = 30 * time.Second

// Open connects to a bucket. No request is made before the first operation.
func Open(c Config) (*Store, error) {
	endpoint := c.Endpoint
	if endpoint == "" {
		endpoint = amazon
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("store endpoint %q: write it as https://HOST or http://HOST:PORT", endpoint)
	}
	region := c.Region
	if region == "" {
		region = os.Getenv("AWS_REGION")
	}
	if region == "" {
		region = os.Getenv("AWS_DEFAULT_REGION")
	}
	if region == "" && c.Endpoint != "" {
		region = "us-east-1" // what servers without regions go by; saves asking
	}
	lookup := minio.BucketLookupAuto
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	if c.Transport == nil {
		c.Transport = transport()
	}
	core, err := minio.NewCore(u.Host, &minio.Options{
		Creds: secrets(), Secure: u.Scheme == "https", Region: region, BucketLookup: lookup,
		Transport: c.Transport, MaxRetries: 1, // repeated by Retry, and never by Create
	})
	if err != nil {
		return nil, fmt.Errorf("store endpoint %s: %w", endpoint, err)
	}
	name := "s3://" + path.Join(c.Bucket, c.Prefix)
	if c.Endpoint != "" {
		name += " at " + u.Host
	}
	return &Store{core: core, bucket: c.Bucket, prefix: strings.Trim(c.Prefix, "/"), name: name}, nil
}

// transport verifies TLS against the system's roots.
func transport() http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: requestTime,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       time.Minute,
		DisableCompression:    true,
	}
}

// secrets looks for credentials in the usual places: the environment, the files
// of the AWS tools, the instance's role.
func secrets() *credentials.Credentials {
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Timeout: 3 * time.Second}},
	})
}

// Name is the store's address.
func (s *Store) Name() string { return s.name }

func (s *Store) key(key string) string { return path.Join(s.prefix, key) }

// fail sorts an error of a request. write: without an answer it is not known
// whether the request was carried out.
func (s *Store) fail(op, key string, write bool, err error) error {
	var r minio.ErrorResponse
	kind := store.ErrUnreachable
	if write {
		kind = store.ErrUnclear
	}
	if errors.As(err, &r) {
		switch {
		case r.StatusCode == http.StatusPreconditionFailed:
			kind = store.ErrExists
		case r.Code == minio.NoSuchKey || r.StatusCode == http.StatusNotFound && r.Code != minio.NoSuchBucket:
			kind = store.ErrAbsent
		case r.Code == minio.NoSuchBucket:
			kind = store.ErrDenied
			err = fmt.Errorf("there is no bucket %s; create it first", s.bucket)
		case r.StatusCode == http.StatusConflict && write:
			// Another write of the key was under way: which of them won is to be looked up.
		case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusBadRequest, r.StatusCode == http.StatusMovedPermanently:
			kind = store.ErrDenied
		}
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		kind = store.ErrUnreachable // the request never left
	}
	return fmt.Errorf("%s %s in %s: %w: %w", op, key, s.name, kind, err)
}

func (s *Store) put(ctx context.Context, op, key string, data []byte, o minio.PutObjectOptions) error {
	if err := errors.Join(store.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	sum := sha256.Sum256(data)
	_, err := s.core.PutObject(ctx, s.bucket, s.key(key), bytes.NewReader(data), int64(len(data)), "", hex.EncodeToString(sum[:]), o)
	if err != nil {
		return s.fail(op, key, true, err)
	}
	return nil
}

// Create makes an object with PUT If-None-Match: *.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	var o minio.PutObjectOptions
	o.SetMatchETagExcept("*")
	return s.put(ctx, "create", key, data, o)
}

// Put writes an object.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	return store.Retry(ctx, func() error { return s.put(ctx, "write", key, data, minio.PutObjectOptions{}) })
}

// Get returns an object.
func (s *Store) Get(ctx context.Context, key string) (data []byte, err error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	err = store.Retry(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, requestTime)
		defer cancel()
		body, info, _, err := s.core.GetObject(ctx, s.bucket, s.key(key), minio.GetObjectOptions{})
		if err != nil {
			return s.fail("read", key, false, err)
		}
		defer body.Close()
		if info.Size > maxObject {
			return fmt.Errorf("read %s in %s: %w: %d bytes is more than Tend ever writes", key, s.name, store.ErrDenied, info.Size)
		}
		data, err = io.ReadAll(io.LimitReader(body, maxObject))
		if err == nil && int64(len(data)) != info.Size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return s.fail("read", key, false, err)
		}
		return nil
	})
	return data, err
}

// List yields objects.
func (s *Store) List(ctx context.Context, prefix, after string) (list []store.Object, err error) {
	full := s.key("") + "/" + prefix
	if s.prefix == "" {
		full = prefix
	}
	strip := len(full) - len(prefix)
	start := ""
	if after != "" {
		start = s.key(after)
	}
	err = store.Retry(ctx, func() error {
		list = nil
		ctx, cancel := context.WithCancel(ctx) // ends the listing goroutine on return
		defer cancel()
		off := false
		for o := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: full, StartAfter: start, Recursive: true, FetchOwner: &off}) {
			if o.Err != nil {
				return s.fail("list", prefix, false, o.Err)
			}
			if key := o.Key[strip:]; key > after {
				list = append(list, store.Object{Key: key, Size: o.Size})
			}
		}
		return ctx.Err()
	})
	return list, err
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	return store.Retry(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, requestTime)
		defer cancel()
		err := s.core.RemoveObject(ctx, s.bucket, s.key(key), minio.RemoveObjectOptions{})
		if err != nil {
			if err = s.fail("remove", key, true, err); errors.Is(err, store.ErrAbsent) {
				return nil
			}
			return err
		}
		return nil
	})
}
