package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/pflag"

	"tend/internal/app/replica"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/sync/store/dial"
)

// storeFlags are the settings of a store besides its address.
func storeFlags(f *pflag.FlagSet, s *config.Store) {
	f.StringVar(&s.Endpoint, "endpoint", "", "`URL` of the S3 server (default: Amazon's)")
	f.StringVar(&s.Region, "region", "", "the server's region")
	f.BoolVar(&s.PathStyle, "path-style", false, "put the bucket name into the path, not the host name")
	f.StringVar(&s.KeyFile, "key-file", "", "encrypt everything with the key in `FILE`, see tend store key")
}

// makeAbsolute makes the paths of a store's settings absolute.
func makeAbsolute(s *config.Store) (err error) {
	if s.KeyFile != "" {
		if s.KeyFile, err = filepath.Abs(s.KeyFile); err != nil {
			return err
		}
	}
	if u := s.URL; u != "" && !filepath.IsAbs(u) && (u[0] == '.' || u[0] == '~') {
		env, err := config.OSEnv()
		if err != nil {
			return err
		}
		s.URL, err = env.Abs(u, env.Dir)
		return err
	}
	return nil
}

// flagsFor formats the settings as flags.
func flagsFor(s config.Store) string {
	out := ""
	if s.Endpoint != "" {
		out += " --endpoint " + s.Endpoint
	}
	if s.Region != "" {
		out += " --region " + s.Region
	}
	if s.PathStyle {
		out += " --path-style"
	}
	if s.KeyFile != "" {
		out += " --key-file " + filepath.Base(s.KeyFile) + "   # a copy of " + s.KeyFile
	}
	return out
}

// withStore opens fleet and store for a command.
func withStore(ctx context.Context, a *app, write bool, run func(*fleet.Fleet, *dial.Connected) error) (err error) {
	f, err := a.fleet(fleet.Options{Write: write})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s, err := replica.Connect(ctx, f.Config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return run(f, s)
}

// theStore opens the named store, or the one in tend.yaml.
func theStore(ctx context.Context, a *app, set config.Store) (*dial.Connected, error) {
	if set.URL == "" {
		cfg, err := a.config()
		if err != nil {
			return nil, err
		}
		return replica.Connect(ctx, cfg)
	}
	if err := makeAbsolute(&set); err != nil {
		return nil, err
	}
	s, err := dial.Connect(ctx, replica.Settings(set))
	return s, replica.Explain(err)
}

// inStore opens a store for a command.
func inStore(ctx context.Context, a *app, set config.Store, do func(*dial.Connected) error) (err error) {
	s, err := theStore(ctx, a, set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}
