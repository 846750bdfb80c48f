package cli

import (
	"context"
	_ "embed"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Set by the release build, which excludes the repository's metadata to be reproducible.
var (
	version = "dev"
	commit  = ""
	date    = "" // of the commit
)

func newVersionCommand(a *app) *cobra.Command {
	return a.command("version", func(_ context.Context, _ []string) error {
		version, commit, date := version, commit, date
		if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
			if version == "dev" && strings.HasPrefix(info.Main.Version, "v") { // go install PATH@VERSION
				version = info.Main.Version
			}
			for _, s := range info.Settings {
				switch s.Key {
				case "vcs.revision":
					commit = s.Value
				case "vcs.time":
					date = s.Value
				}
			}
		}
		return a.emit(map[string]string{"version": version, "commit": commit, "date": date, "go": runtime.Version(), "os": runtime.GOOS,
			"arch": runtime.GOARCH}, func() {
			a.printf("tend %s", version)
			if len(commit) > 12 {
				a.printf(" (%s)", commit[:12])
			}
			a.printf(" %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		})
	})
}
