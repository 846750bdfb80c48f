// Command startup measures how long tend takes to do nothing, compared with an empty Go program.
package main

import (
	"flag"
	"os"
	"path/filepath"
	"time"

	"tend/bench/kit"
)

func main() {
	rounds := flag.Int("rounds", 200, "how often each is started")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	kit.Measure("", "Start-up", *asJSON, func(dir string) ([]kit.Row, error) {
		return measure(dir, *rounds)
	})
}

func measure(dir string, rounds int) ([]kit.Row, error) {
	tend, err := kit.BuildTend(dir)
	if err != nil {
		return nil, err
	}
	src := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return nil, err
	}
	empty, err := kit.GoBuild(filepath.Join(dir, "empty"), src)
	if err != nil {
		return nil, err
	}
	programs := [][]string{{empty}, {tend, "version"}}
	for _, p := range programs[:2] {
		copied, err := kit.Install(p[0])
		if err != nil {
			return nil, err
		}
		programs = append(programs, append([]string{copied}, p[1:]...))
	}
	times := make([][]time.Duration, len(programs))
	for range rounds { // in turn, so that all see the same noise
		for i, p := range programs {
			u, err := kit.Run(p[0], p[1:]...)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], u.Wall)
		}
	}
	row := func(what string, i int) kit.Row {
		return kit.Row{What: what, Value: kit.Ms(kit.Median(times[i])), Unit: "ms"}
	}
	against := func(r, floor kit.Row, goal string) kit.Row {
		r.Ratio, r.Goal = r.Value/floor.Value, goal
		return r
	}
	linked, copied := row("floor: an empty Go program", 0), row("floor, copied", 2)
	return []kit.Row{
		linked, against(row("tend version", 1), linked, "<= 2"),
		copied, against(row("tend version, copied", 3), copied, ""),
	}, nil
}
