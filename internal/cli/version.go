package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Set by the release build, which is made without the repository's data in it so that it is the same everywhere.
var (
	version = "dev"
	commit  = ""
	date    = "" // of the commit
)

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  tend version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			commit, date := commit, date
			if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
				for _, s := range info.Settings {
					switch s.Key {
					case "vcs.revision":
						commit = s.Value
					case "vcs.time":
						date = s.Value
					}
				}
			}
			return a.emit(map[string]string{"version": version, "commit": commit, "date": date, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}, func() {
				a.printf("tend %s", version)
				if len(commit) > 12 {
					a.printf(" (%s)", commit[:12])
				}
				a.printf(" %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			})
		},
	}
}
