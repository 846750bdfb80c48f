package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
)

func newVerifyCommand(a *app) *cobra.Command {
	return a.writer("verify FILE…", func(ctx context.Context, ag *fleet.Agent, args []string, o runner.Options) (r runner.Result, err error) {
		files := make([]vault.Path, len(args))
		for i, arg := range args {
			if files[i], err = vault.ParsePath(arg); err != nil {
				return r, err
			}
		}
		return runner.Verify(ctx, ag, files, o)
	})
}
