// Command mcp measures an agent's memory tools over stdio, as a harness calls them, compared with a minimal server on the
// same SDK, a bare durable write, ripgrep, and another server if one is given.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tend/bench/kit"
)

func main() {
	sizes := flag.String("files", "100,10000", "numbers of files to measure with")
	rounds := flag.Int("rounds", 300, "calls of each kind")
	starts := flag.Int("starts", 25, "how often each server is started")
	dir := flag.String("dir", "", "work in this folder (default: a temporary one)")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	var peer peerFlags
	peer.add()
	flag.Parse()
	kit.In(*dir, func(dir string) error { return run(dir, *sizes, *rounds, *starts, peer, *asJSON) })
}

func run(dir, sizes string, rounds, starts int, peer peerFlags, asJSON bool) error {
	tend, err := kit.BuildTend(dir)
	if err != nil {
		return err
	}
	floor, err := kit.GoBuild(filepath.Join(dir, "floor"), "./bench/mcp/floor")
	if err != nil {
		return err
	}
	for _, program := range []*string{&tend, &floor} { // as installed for users
		if *program, err = kit.Install(*program); err != nil {
			return err
		}
	}
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 10 {
			return fmt.Errorf("-files %q: write numbers from 10 on, such as 100,10000", sizes)
		}
		home := filepath.Join(dir, s)
		servers, err := prepare(home, tend, floor, peer, n)
		if err != nil {
			return err
		}
		b := bench{dir: home, files: n, rounds: rounds, starts: starts, servers: servers}
		rows, err := b.measure()
		b.stop()
		if err != nil {
			return err
		}
		if err := kit.Print(os.Stdout, fmt.Sprintf("MCP over stdio, %d files of about 1 KB in one folder, p50 (p99 in brackets)", n), rows,
			asJSON); err != nil {
			return err
		}
	}
	return nil
}
