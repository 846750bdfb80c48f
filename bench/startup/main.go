// Command startup measures how long tend takes to do nothing, against an empty
// Go program.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"time"

	"tend/bench/kit"
)

func main() {
	rounds := flag.Int("rounds", 200, "how often each is started")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "tend-bench-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rows, err := measure(dir, *rounds)
	if err == nil {
		err = kit.Print(os.Stdout, "Start-up", rows, *asJSON)
	}
	if err != nil {
		log.Print(err)
	}
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
	var floor, ours []time.Duration
	for range rounds { // in turn, so that both see the same noise
		u, err := kit.Run(empty)
		if err != nil {
			return nil, err
		}
		floor = append(floor, u.Wall)
		if u, err = kit.Run(tend, "version"); err != nil {
			return nil, err
		}
		ours = append(ours, u.Wall)
	}
	f, o := kit.Ms(kit.Median(floor)), kit.Ms(kit.Median(ours))
	return []kit.Row{
		{What: "floor: an empty Go program", Value: f, Unit: "ms"},
		{What: "tend version", Value: o, Unit: "ms", Ratio: o / f, Goal: "<= 2"},
	}, nil
}
