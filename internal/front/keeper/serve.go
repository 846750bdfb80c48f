package keeper

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"tend/internal/engine/config"
	"tend/internal/front/keeper/httpapi"
)

// server is the HTTP server with its listener; without a listener it does nothing.
type server struct {
	http *http.Server
	l    net.Listener
	errs chan error
}

func (k *Keeper) listen(cfg config.Keeper) (*server, error) {
	if cfg.Listen == "" {
		return &server{}, nil
	}
	secure := cfg.TLSCert != ""
	if err := httpapi.CheckListen(cfg.Listen, secure, k.tokens.Any()); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w (is the address in use? Choose another with keeper.listen)", err)
	}
	l = httpapi.Limited(l, httpapi.LimitsFor(maxDescriptors()))
	if secure {
		certs := &certificates{cert: cfg.TLSCert, key: cfg.TLSKey}
		if _, err := certs.get(nil); err != nil {
			return nil, errors.Join(fmt.Errorf("read the TLS certificate: %w", err), l.Close())
		}
		l = tls.NewListener(l, &tls.Config{GetCertificate: certs.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	srv := httpapi.NewServer(k, httpapi.Options{
		Tokens: k.tokens, Hosts: cfg.Hosts, Local: config.Loopback(cfg.Listen), TLS: secure, Log: k.o.Log, Version: k.o.Version,
		Metrics: http.HandlerFunc(k.metrics.serve), Pages: k.site,
		Count: func(name string, status int) { k.metrics.requests.With(name, strconv.Itoa(status)).Inc() },
	})
	srv.RegisterOnShutdown(k.site.Close) // or pages that wait for events would block the shutdown
	return &server{http: srv, l: l, errs: make(chan error, 1)}, nil
}

func (s *server) addr() string {
	if s.l == nil {
		return ""
	}
	return s.l.Addr().String()
}

func (s *server) start(wg *sync.WaitGroup) {
	if s.l != nil {
		wg.Go(func() { s.errs <- s.http.Serve(s.l) })
	}
}

// stop shuts the server down after running requests.
func (s *server) stop(grace time.Duration) error {
	if s.l == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if serr := <-s.errs; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// certificates reloads the files when they are renewed.
type certificates struct {
	cert, key string

	mu    sync.Mutex
	stamp fileStamp
	now   *tls.Certificate
}

func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamp := stampOf(c.cert)
	if c.now != nil && stamp == c.stamp {
		return c.now, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		if c.now != nil {
			return c.now, nil // only half renewed; the old one still works
		}
		return nil, err
	}
	c.now, c.stamp = &pair, stamp
	return c.now, nil
}
