package history

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// change is a file changed by one commit of main.
type change struct {
	name   string
	blob   string // "" if the commit removed it
	at     time.Time
	action string // the newest action before
	agent  bool   // the agent wrote it
}

// changes lists what the commits of main changed, oldest first. For a damaged repository it returns what could be read,
// with the error.
func (g Git) changes(ctx context.Context) ([]change, error) {
	if there, err := g.has(mainBranch); err != nil || !there {
		return nil, err
	}
	var out bytes.Buffer
	err := g.run(ctx, nil, &out, "log", "--reverse", "--raw", "-z", "--no-abbrev", "--no-renames",
		"--format=tformat:%x01%ct%x09%ce%x09%(trailers:key=Tend-Action,valueonly,separator=%x20)", mainBranch)
	var list []change
	var head change
	tokens := strings.Split(out.String(), "\x00")
	for i := 0; i < len(tokens); i++ {
		token := strings.TrimPrefix(tokens[i], "\n")
		switch {
		case strings.HasPrefix(token, "\x01"):
			f := strings.Split(token[1:], "\t")
			if len(f) != 3 {
				return list, fmt.Errorf("git log: %q", token)
			}
			sec, perr := strconv.ParseInt(f[0], 10, 64)
			if perr != nil {
				return list, fmt.Errorf("git log: %w", perr)
			}
			head.at, head.agent = time.Unix(sec, 0).UTC(), f[1] == "agent@tend"
			if f[2] != "" {
				head.action = f[2]
			}
		case strings.HasPrefix(token, ":") && i+1 < len(tokens):
			f := strings.Fields(token)
			i++
			c := head
			c.name = tokens[i]
			if len(f) == 5 && f[4] != "D" {
				c.blob = f[3]
			}
			list = append(list, c)
		}
	}
	return list, err
}

// texts reads blobs in batches and yields those that can be read.
func (g Git) texts(ctx context.Context, ids []string, yield func(id string, text []byte) error) (missing []string, err error) {
	const few = 64
	for len(ids) > 0 {
		batch := ids[:min(few, len(ids))]
		ids = ids[len(batch):]
		out, err := g.git(ctx, []byte(strings.Join(batch, "\n")+"\n"), "cat-file", "--batch")
		if err != nil {
			if len(batch) == 1 {
				missing = append(missing, batch[0])
				continue
			}
			// One of them is damaged: read each alone.
			for _, id := range batch {
				lost, err := g.texts(ctx, []string{id}, yield)
				missing = append(missing, lost...)
				if err != nil {
					return missing, err
				}
			}
			continue
		}
		for _, id := range batch {
			head, rest, _ := bytes.Cut(out, []byte("\n"))
			f := strings.Fields(string(head))
			if len(f) != 3 || f[1] != "blob" {
				missing, out = append(missing, id), rest
				continue
			}
			size, err := strconv.Atoi(f[2])
			if err != nil || size > len(rest) {
				return missing, fmt.Errorf("git cat-file: %q", head)
			}
			if err := yield(id, rest[:size:size]); err != nil {
				return missing, err
			}
			out = bytes.TrimPrefix(rest[size:], []byte("\n"))
		}
	}
	return missing, nil
}

// ls lists the files of a branch with their blob ids.
func (g Git) ls(ctx context.Context, branch string) (map[string]string, error) {
	out, err := g.git(ctx, nil, "ls-tree", "-r", "-z", branch)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if meta, name, ok := strings.Cut(rec, "\t"); ok {
			files[name] = meta[strings.LastIndexByte(meta, ' ')+1:]
		}
	}
	return files, nil
}

// blobs lists all texts of a repository, reachable or not, as far as possible.
func (g Git) blobs(ctx context.Context) ([]string, error) {
	out, err := g.git(ctx, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
	var ids []string
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "blob "); ok {
			ids = append(ids, id)
		}
	}
	return ids, err
}
