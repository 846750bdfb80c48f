// Command shapes runs every command and tool on workspaces of many shapes, each doubled several times, and reports by which
// factor the processor time grows for a doubling. It fails if one grows faster than its text.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tend/bench/kit"
)

func main() {
	var (
		only    = flag.String("shape", "", "only shapes with this word in their name")
		step    = flag.String("group", "", "only this group of commands: read, queries, nights, writes, store or tools")
		program = flag.String("tend", "", "measure this program (default: it is built)")
		real    = flag.String("real", "", "also these workspaces, separated by commas")
		small   = flag.Int("small", 64, "smallest size in KB; it is doubled four times")
		asJSON  = flag.Bool("json", false, "print JSON")
	)
	flag.Parse()
	sizes := []int{*small << 10, *small << 11, *small << 12, *small << 13, *small << 14}
	kit.In("", func(dir string) error {
		tend := *program
		if tend == "" {
			built, err := kit.BuildTend(dir)
			if err != nil {
				return err
			}
			tend = built
		}
		list := shapes()
		for _, folder := range strings.FieldsFunc(*real, func(r rune) bool { return r == ',' }) {
			sh, err := realShape(folder)
			if err != nil {
				return err
			}
			list = append(list, sh)
		}
		return report(dir, tend, list, *only, *step, sizes, *asJSON)
	})
}

func report(dir, tend string, list []shape, only, named string, sizes []int, asJSON bool) error {
	runs, over := 0, 0
	for _, sh := range list {
		if !strings.Contains(sh.name, only) {
			continue
		}
		for i, g := range groups("") {
			if named != "" && g.name != named {
				continue
			}
			results, err := grow(dir, tend, sh, i, sizes, usual)
			if err != nil {
				return err
			}
			for _, r := range results {
				runs++
				if r.Factor > usual.factor {
					over++
				}
				show(r, asJSON)
			}
		}
	}
	if over > 0 {
		return fmt.Errorf("%d of %d grow faster than %.1f a doubling", over, runs, usual.factor)
	}
	fmt.Fprintf(os.Stderr, "%d runs, none grows faster than %.1f a doubling\n", runs, usual.factor)
	return nil
}

func show(r result, asJSON bool) {
	if asJSON {
		_ = json.NewEncoder(os.Stdout).Encode(r)
		return
	}
	mark := " "
	if r.Factor > usual.factor {
		mark = "!"
	}
	var took []string
	for _, d := range r.Took {
		took = append(took, fmt.Sprintf("%.2f", d.Seconds()))
	}
	_, _ = fmt.Printf("%s %4.1f  %-28s  %-44.44s  %4.0f MiB  %s\n", mark, r.Factor, r.Shape, strings.ReplaceAll(r.Step, "\n", " "), r.Peak,
		strings.Join(took, " "))
}

// realShape repeats the text of a real workspace: each file as often as the size asks for.
func realShape(folder string) (shape, error) {
	files, total := map[string]string{}, 0
	err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != folder:
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(p) != ".md":
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, p)
		files[filepath.ToSlash(rel)], total = string(b), total+len(b)
		return err
	})
	return shape{"workspace " + filepath.Base(folder), func(size int) map[string]string {
		out := map[string]string{}
		for name, t := range files {
			out[name] = strings.Repeat(t, max(1, size/max(total, 1)))
		}
		return out
	}}, err
}
