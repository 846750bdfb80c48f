// Command retrieval measures how well search finds the evidence for questions about long conversations.
//
//	go run ./bench/retrieval [-json] FILE
//
// FILE is in the format of LoCoMo. Each conversation becomes a memory with a markdown file per session and an entry per
// turn. Each question is searched for unchanged, with default settings, and the hits are compared with the turns and
// sessions that have the evidence. The table gives the share of evidence within the first 1, 5, 10 and 20 hits, averaged
// over the questions that have any.
//
// With -set, FILE is a list of workspaces: {"name", "now", "files": {path: text}, "questions": [{"kind", "q", "new": [[path,
// line]], "old": [[path, line]]}]}. The table gives the share of questions whose answer is within the first 1, 5 and 10 hits
// and, where an older value is named, how often it is above the newer one or among the first five without a mark.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	asJSON := flag.Bool("json", false, "print the numbers as JSON")
	each := flag.Bool("each", false, "also print a row for each conversation")
	set := flag.Bool("set", false, "FILE is a set of workspaces with questions and the lines that answer them")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./bench/retrieval [-json] [-each] [-set] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	measure := func() error { return run(os.Stdout, flag.Arg(0), *asJSON, *each) }
	if *set {
		measure = func() error { return runSet(os.Stdout, flag.Arg(0), *each) }
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(5)
	}
}

func run(w io.Writer, path string, asJSON, each bool) error {
	conversations, err := load(path)
	if err != nil {
		return err
	}
	var total tally
	var rows []tally
	for _, c := range conversations {
		t := measure(c)
		rows = append(rows, t)
		total.add(t)
	}
	if total.questions == 0 {
		return fmt.Errorf("read %s: no question has evidence in its conversation", path)
	}
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{
			"session": total.session.percent(total.questions), "turn": total.turn.percent(total.questions),
		})
	}
	fmt.Fprintf(w, "%-16s %9s   %-30s   %-30s\n", "", "questions", "session R@1 / 5 / 10 / 20", "turn R@1 / 5 / 10 / 20")
	if each {
		for i, t := range rows {
			t.print(w, conversations[i].name)
		}
	}
	total.print(w, "all")
	return nil
}
