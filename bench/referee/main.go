// Command referee replays the history of a memory file and counts what its rewrites lost.
//
//	go run ./bench/referee -git DIR [-git DIR …] [-path MEMORY.md] [-json] [-sample FOLDER]
//	go run ./bench/referee -days 40
//
// DIR is a git directory; "DIR:FOLDER" names a folder inside for the files of the agent. The other markdown files of each
// commit are the sources. Only figures are printed: -sample writes the lost lines of each rewrite to a folder, for reading.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"text/tabwriter"
	"time"

	"tend/bench/kit"
	"tend/internal/text/note"
	"tend/internal/text/referee"
)

type dirs []string

func (d *dirs) String() string     { return strings.Join(*d, " ") }
func (d *dirs) Set(s string) error { *d = append(*d, s); return nil }

func main() {
	var list dirs
	flag.Var(&list, "git", "git directory, or DIR:FOLDER (may be repeated)")
	name := flag.String("path", "MEMORY.md", "the memory file")
	asJSON := flag.Bool("json", false, "print every rewrite and the figures as JSON")
	sample := flag.String("sample", "", "folder to write the lost lines of each rewrite to")
	days := flag.Int("days", 0, "live so many days of 50 rewrites instead, as the keeper does")
	flag.Parse()
	if *days > 0 {
		if err := year(*days, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench/referee:", err)
			os.Exit(1)
		}
		return
	}
	r, err := replay(list, *name, *sample)
	if err == nil {
		err = r.print(os.Stdout, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/referee:", err)
		os.Exit(1)
	}
}

// report is everything the command prints.
type report struct {
	Total   figures   `json:"total"`
	Dirs    []figures `json:"dirs"`
	Changes []change  `json:"changes"`
}

type figures struct {
	Name      string  `json:"name"`
	Rewrites  int     `json:"rewrites"`
	Bursts    int     `json:"bursts"`
	Left      int     `json:"left"`      // lines that the text after does not have to the letter
	Reworded  int     `json:"reworded"`  // of them in the text after in other words
	Elsewhere int     `json:"elsewhere"` // of them in another file
	Perhaps   int     `json:"perhaps"`   // of them perhaps somewhere in other words
	Lost      int     `json:"lost"`
	InBursts  int     `json:"in_bursts"` // of the last two in bursts
	Back      int     `json:"back"`      // of them back to the byte after restoring each section alone and all together
	MB        float64 `json:"mb"`        // of the two texts
	PerMB     float64 `json:"seconds_per_mb"`
	Times     float64 `json:"times_reading"`          // without sources, against reading the two texts
	Ordinary  float64 `json:"times_reading_ordinary"` // the same for ordinary edits

	took, alone, reading           time.Duration
	aloneOrdinary, readingOrdinary time.Duration
}

type change struct {
	Dir    string       `json:"dir"`
	Commit string       `json:"commit"`
	Burst  bool         `json:"burst"`
	Before referee.Size `json:"before"`
	After  referee.Size `json:"after"`
	Lost   referee.Size `json:"lost"`
	Like   referee.Size `json:"perhaps"`
	Other  int          `json:"other"` // lines that stand in other words or another file
}

func replay(list []string, name, sample string) (*report, error) {
	r := &report{Total: figures{Name: "total"}}
	for _, d := range list {
		folder := ""
		if i := strings.LastIndexByte(d, ':'); i > 1 {
			d, folder = d[:i], d[i+1:]
		}
		f, err := r.one(d, path.Join(folder, name), sample)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
		r.Total.add(f)
		f.rates()
		r.Dirs = append(r.Dirs, f)
	}
	r.Total.rates()
	return r, nil
}

func (r *report) one(dir, name, sample string) (figures, error) {
	f := figures{Name: path.Base(path.Dir(dir))}
	repo, err := open(dir)
	if err != nil {
		return f, err
	}
	defer repo.close()
	err = repo.rewrites(name, func(w rewrite) error {
		v := f.judge(w)
		r.Changes = append(r.Changes, change{f.Name, w.commit, v.Burst, v.Before, v.After, v.LostSize, v.Perhaps, len(v.Moved)})
		if sample == "" {
			return nil
		}
		return write(sample, f.Name, w, v)
	})
	return f, err
}

// judge times a verdict, once with the sources and once without, and reading the two texts for comparison.
func (f *figures) judge(w rewrite) referee.Verdict {
	t0 := kit.CPUTime()
	note.Parse(w.before).Entries(0)
	note.Parse(w.after).Entries(0)
	t1 := kit.CPUTime()
	referee.Verify(w.before, w.after, nil, referee.Options{})
	t2 := kit.CPUTime()
	v := referee.Verify(w.before, w.after, w.sources, referee.Options{})
	f.reading += t1 - t0
	f.alone += t2 - t1
	f.took += kit.CPUTime() - t2
	f.Rewrites++
	f.Left += len(v.Moved) + v.LostSize.Lines + v.Perhaps.Lines
	f.Perhaps += v.Perhaps.Lines
	for _, m := range v.Moved {
		if m.Source == "" {
			f.Reworded++
		} else {
			f.Elsewhere++
		}
	}
	f.Lost += v.LostSize.Lines
	f.MB += float64(len(w.before)+len(w.after)) / 1e6
	if v.Burst {
		f.Bursts++
		f.InBursts += v.LostSize.Lines + v.Doubtful().Lines
		f.Back += back(w, v)
		return v
	}
	f.readingOrdinary += t1 - t0
	f.aloneOrdinary += t2 - t1
	return v
}

// back counts the lost lines that stand in the text again, to the byte, whether their section is restored or everything. A
// section that is gone counts only if it stands there again as it was, from its heading to its last line.
func back(w rewrite, v referee.Verdict) (n int) {
	all := referee.PutBack(w.before, w.after, v.Parts())
	for _, s := range v.Lost {
		part := referee.PutBack(w.before, w.after, s.Parts())
		stands := func(r referee.Range) bool {
			text := bytes.TrimSpace(w.before[r.Start:r.End])
			return bytes.Contains(all, text) && bytes.Contains(part, text)
		}
		whole := true
		for _, r := range s.Parts() {
			whole = whole && stands(r)
		}
		for _, l := range s.Lost {
			if whole && stands(referee.Range{Start: l.Start, End: l.End}) {
				n++
			}
		}
	}
	return n
}

func (f *figures) add(o figures) {
	f.Rewrites += o.Rewrites
	f.Bursts += o.Bursts
	f.Left += o.Left
	f.Reworded += o.Reworded
	f.Elsewhere += o.Elsewhere
	f.Perhaps += o.Perhaps
	f.Lost += o.Lost
	f.InBursts += o.InBursts
	f.Back += o.Back
	f.MB += o.MB
	f.took += o.took
	f.alone += o.alone
	f.reading += o.reading
	f.aloneOrdinary += o.aloneOrdinary
	f.readingOrdinary += o.readingOrdinary
}

func (f *figures) rates() {
	if f.MB > 0 {
		f.PerMB = f.took.Seconds() / f.MB
	}
	if f.reading > 0 {
		f.Times = f.alone.Seconds() / f.reading.Seconds()
	}
	if f.readingOrdinary > 0 {
		f.Ordinary = f.aloneOrdinary.Seconds() / f.readingOrdinary.Seconds()
	}
}

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "directory\trewrites\tbursts\tlines left\treworded\telsewhere\tperhaps\tlost\tin bursts\tback\t"+
		"MB\ts/MB\ttimes reading\tordinary\t")
	for _, f := range append(r.Dirs, r.Total) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t", f.Name, f.Rewrites, f.Bursts, f.Left, f.Reworded, f.Elsewhere)
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%.1f\t%.3f\t%.1f\t%.1f\t\n", f.Perhaps, f.Lost, f.InBursts, f.Back, f.MB, f.PerMB, f.Times, f.Ordinary)
	}
	return t.Flush()
}
