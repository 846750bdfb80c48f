// Package s3 is a store in a bucket of an S3-compatible server with conditional writes.
//
// It uses only GET, PUT (with If-None-Match: * for Create), ListObjectsV2 and DELETE, and nothing in which servers
// differ: no ETags, no conditional deletes, no versions. The four requests are made here and signed with Amazon's own
// signer: the full clients do so much work at package init that every command of Tend would start noticeably later.
package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/xml"
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

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"tend/internal/sync/store"
)

// Config describes a bucket.
type Config struct {
	Bucket, Prefix string
	Endpoint       string // URL of the server; Amazon's if empty
	Region         string // of the environment, or us-east-1, if empty
	PathStyle      bool   // the bucket's name in the path; always so for servers other than Amazon's
	// Transport is used instead of a new one, for tests.
	Transport http.RoundTripper
}

// Store is a prefix in a bucket.
type Store struct {
	client *http.Client
	secret *aws.CredentialsCache
	signer *v4.Signer
	base   url.URL // of the bucket
	bucket string
	prefix string
	region string
	name   string
}

var _ store.Store = (*Store)(nil)

// maxObject limits what is read into memory: a server must not be able to exhaust it.
const maxObject = 1 << 30

// requestTime limits one request. A store that takes longer is unreachable.
const requestTime = 30 * time.Second

// Open connects to a bucket. No request is made before the first operation.
func Open(c Config) (*Store, error) {
	if err := store.CheckKey(c.Bucket); err != nil {
		return nil, err
	}
	prefix := strings.Trim(c.Prefix, "/")
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, err
		}
	}
	region := firstOf(c.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	endpoint := c.Endpoint
	if endpoint == "" {
		endpoint = "https://s3." + region + ".amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	web := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	if !web || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil {
		return nil, fmt.Errorf("store endpoint %q: write it as https://HOST or http://HOST:PORT", endpoint)
	}
	name := "s3://" + path.Join(c.Bucket, prefix)
	if c.Endpoint != "" {
		name += " at " + u.Host
	}
	base := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/" + c.Bucket}
	if strings.HasSuffix(u.Hostname(), ".amazonaws.com") && !c.PathStyle && !strings.Contains(c.Bucket, ".") {
		base.Host, base.Path = c.Bucket+"."+u.Host, ""
	}
	if c.Transport == nil {
		c.Transport = transport()
	}
	return &Store{
		client: &http.Client{Transport: c.Transport, Timeout: requestTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		secret: aws.NewCredentialsCache(aws.CredentialsProviderFunc(findCredentials)),
		signer: v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }),
		base:   base, bucket: c.Bucket, prefix: prefix, region: region, name: name,
	}, nil
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
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

// Name returns the store's address.
func (s *Store) Name() string { return s.name }

// request sends one signed request. A status other than 2xx is returned as an *answer.
func (s *Store) request(ctx context.Context, method, key string, query url.Values, body []byte, header map[string]string) ([]byte, error) {
	u := s.base
	u.Path += "/" + path.Join(s.prefix, key)
	if key == "" {
		u.Path = firstOf(s.base.Path, "/")
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // as it is signed
	var send io.Reader
	if body != nil {
		send = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), send)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", hash)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	secret, err := s.secret.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrDenied, err)
	}
	if err := s.signer.SignHTTP(ctx, secret, r, hash, "s3", s.region, time.Now()); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrDenied, err)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxObject+1))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode/100 != 2:
		a := &answer{Status: resp.StatusCode, Region: resp.Header.Get("X-Amz-Bucket-Region")}
		_ = xml.Unmarshal(data, a) // the status is enough
		return nil, a
	case len(data) > maxObject:
		return nil, fmt.Errorf("%w: the object is larger than any that Tend writes", store.ErrDenied)
	case resp.ContentLength >= 0 && int64(len(data)) != resp.ContentLength:
		return nil, io.ErrUnexpectedEOF
	}
	return data, nil
}

// answer is an error response of the server.
type answer struct {
	XMLName xml.Name `xml:"Error"`
	Code    string   `xml:"Code"`
	Message string   `xml:"Message"`
	Status  int      `xml:"-"`
	Region  string   `xml:"-"`
}

func (a *answer) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server answered %d %s %s", a.Status, a.Code, a.Message))
}

// mapError classifies an error of a request. write: without an answer it is unknown whether the request was carried out.
func (s *Store) mapError(op, key string, write bool, err error) error {
	kind := store.ErrUnreachable
	if write {
		kind = store.ErrUnclear
	}
	var a *answer
	var dial *net.OpError
	switch {
	case errors.Is(err, store.ErrDenied):
		kind = store.ErrDenied
	case errors.As(err, &dial) && dial.Op == "dial":
		kind = store.ErrUnreachable // the request was never sent
	case !errors.As(err, &a):
	case a.Status == http.StatusPreconditionFailed:
		kind = store.ErrExists
	case a.Code == "NoSuchBucket":
		kind, err = store.ErrDenied, fmt.Errorf("bucket %s does not exist; create it first", s.bucket)
	case a.Status == http.StatusNotFound:
		kind = store.ErrAbsent
	case a.Region != "" && a.Region != s.region && a.Status/100 != 5:
		kind, err = store.ErrDenied, fmt.Errorf("the bucket is in region %s, not in %s; set the region", a.Region, s.region)
	case a.Status == http.StatusConflict || a.Status == http.StatusTooManyRequests || a.Status == http.StatusRequestTimeout:
		// Another write of the key was in progress, or there are too many: it must be looked up.
	case a.Status/100 == 4 || a.Status/100 == 3:
		kind = store.ErrDenied
	}
	return fmt.Errorf("%s %s in %s: %w: %w", op, key, s.name, kind, err)
}

func (s *Store) put(ctx context.Context, op, key string, data []byte, header map[string]string) error {
	if err := errors.Join(store.CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	if _, err := s.request(ctx, http.MethodPut, key, nil, data, header); err != nil {
		return s.mapError(op, key, true, err)
	}
	return nil
}

// Create creates an object with PUT If-None-Match: *.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.put(ctx, "create", key, data, map[string]string{"If-None-Match": "*"})
}

// Put writes an object.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	return store.Retry(ctx, func() error { return s.put(ctx, "write", key, data, nil) })
}

// Get returns an object.
func (s *Store) Get(ctx context.Context, key string) (data []byte, err error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	err = store.Retry(ctx, func() error {
		if data, err = s.request(ctx, http.MethodGet, key, nil, nil, nil); err != nil {
			return s.mapError("read", key, false, err)
		}
		return nil
	})
	return data, err
}

// listing is a page of ListObjectsV2.
type listing struct {
	Contents []struct {
		Key          string
		Size         int64
		LastModified string
	}
	IsTruncated           bool
	NextContinuationToken string
}

// List returns objects.
func (s *Store) List(ctx context.Context, prefix string) (list []store.Object, err error) {
	in := ""
	if s.prefix != "" {
		in = s.prefix + "/"
	}
	query := url.Values{"list-type": {"2"}, "prefix": {in + prefix}}
	for {
		var page listing
		err := store.Retry(ctx, func() error {
			data, err := s.request(ctx, http.MethodGet, "", query, nil, nil)
			if err == nil {
				page = listing{}
				err = xml.Unmarshal(data, &page)
			}
			if err != nil {
				return s.mapError("list", prefix, false, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			if key := strings.TrimPrefix(o.Key, in); strings.HasPrefix(key, prefix) {
				at, _ := time.Parse(time.RFC3339, o.LastModified) // zero if it cannot be parsed
				list = append(list, store.Object{Key: key, Size: o.Size, Modified: at})
			}
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return list, nil
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
}

// Delete removes an object.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	return store.Retry(ctx, func() error {
		if _, err := s.request(ctx, http.MethodDelete, key, nil, nil, nil); err != nil {
			if err = s.mapError("remove", key, true, err); errors.Is(err, store.ErrAbsent) {
				return nil
			}
			return err
		}
		return nil
	})
}
