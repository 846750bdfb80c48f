package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/model/policy"
)

// Store configures the shared store. Credentials are never part of the configuration.
type Store struct {
	URL       string // s3://BUCKET/PREFIX or the absolute path of a folder; "" for none
	Endpoint  string // of the S3 server, "" for Amazon's
	Region    string
	PathStyle bool
	KeyFile   string          // absolute; everything stored is encrypted with it, "" for plain text
	Local     []string        // patterns of files that stay on their machine, or PATTERN#HEADING for sections
	Every     policy.Duration // how often the keeper syncs
	Freshness policy.Duration // how old a replica's reads may be; 0 to ask every time
	CacheSize int             // limit for the files of agents that a replica keeps, in bytes
}

func defaultStore() Store {
	return Store{Every: policy.Duration(5 * time.Second), Freshness: policy.Duration(2 * time.Second), CacheSize: 1 << 30}
}

// Stays reports whether a file of a workspace stays on this machine.
func (s Store) Stays(file string) bool {
	return slices.ContainsFunc(s.Local, func(pattern string) bool { return !strings.Contains(pattern, "#") && matchesPattern(pattern, file) })
}

// StayingSections returns the headings of a file's sections that stay on this machine.
func (s Store) StayingSections(file string) (titles []string) {
	for _, pattern := range s.Local {
		if of, title, ok := strings.Cut(pattern, "#"); ok && matchesPattern(of, file) {
			titles = append(titles, strings.TrimSpace(title))
		}
	}
	return titles
}

func matchesPattern(pattern, file string) bool {
	ok, _ := path.Match(pattern, file)
	return ok || strings.HasSuffix(pattern, "/") && strings.HasPrefix(file, pattern)
}

func (d *decoder) readStore(s *Store, section *entry) {
	fields := d.readSection(&section.value, "store", []field{
		{"url", func(f *entry) { s.URL = d.readStoreURL(f) }},
		{"endpoint", func(f *entry) { s.Endpoint = d.readURL(f) }},
		{"region", put(&s.Region, d.readWord)},
		{"path_style", put(&s.PathStyle, d.readBool)},
		{"key_file", put(&s.KeyFile, d.readPath)},
		{"local", func(f *entry) { s.Local = d.readPatterns(f) }},
		{"every", func(f *entry) {
			if every, ok := d.readDuration(f); ok && time.Duration(every) < time.Second {
				d.errorf(f.value.pos, "write 5s", "every: at least a second")
			} else if ok {
				s.Every = every
			}
		}},
		{"freshness", func(f *entry) {
			if text, ok := d.readWord(f); ok && (text == "0" || text == "0s") {
				s.Freshness = 0
			} else if fresh, ok := d.readDuration(f); ok {
				s.Freshness = fresh
			}
		}},
		{"cache_size", func(f *entry) {
			if text, ok := d.readWord(f); ok {
				var err error
				if s.CacheSize, err = policy.ParseBytes(text); err != nil {
					d.errorf(f.value.pos, "write 1GB or 500MB", "cache_size: %v", err)
				}
			}
		}},
	})
	if s.URL == "" && len(fields) > 0 && !hasKey(fields, "url") && !forReplicas(fields) {
		d.errorf(section.pos, "add url: s3://BUCKET/PREFIX, or a folder", "store needs a url")
	}
}

// readPatterns reads which files and sections stay on their machine.
func (d *values) readPatterns(f *entry) []string {
	list := d.readTexts(f)
	for _, pattern := range list {
		of, title, section := strings.Cut(pattern, "#")
		if _, err := path.Match(of, ""); err != nil || of == "" || section && strings.TrimSpace(title) == "" {
			d.errorf(f.value.pos, "write a path of the workspace, with * for a part of a name, and #HEADING for a section of it",
				"local: %q is not a pattern", pattern)
		}
	}
	return list
}

// forReplicas reports whether a section only configures replicas: they know where their store is.
func forReplicas(fields []entry) bool {
	return !slices.ContainsFunc(fields, func(f entry) bool { return f.key != "freshness" && f.key != "cache_size" && f.key != "local" })
}

// readStoreURL is an address of a bucket as it is written, or a folder's absolute path.
func (d *values) readStoreURL(f *entry) string {
	s, ok := d.readText(f)
	switch {
	case !ok || strings.HasPrefix(s, "s3://"):
		return s
	case strings.Contains(s, "://"):
		d.errorf(f.value.pos, "write s3://BUCKET/PREFIX, or a folder", "store cannot be at %q", s)
		return ""
	}
	s, _ = d.readPath(f)
	return s
}

// AddStore returns the text of a tend.yaml with the store added; it must not have one yet.
func AddStore(file string, text []byte, s Store, env Env) ([]byte, error) {
	w := &writer{newline: "\n"}
	if strings.Contains(string(text), "\r\n") {
		w.newline = "\r\n"
	}
	w.writeBlank()
	w.writeComment("The store that agents are synced with, see `tend store --help`. Credentials are not stored here.")
	w.writeLine(0, "store:")
	w.writePair(2, "url", s.URL, "")
	w.writePairIfSet(2, "endpoint", s.Endpoint, "")
	w.writePairIfSet(2, "region", s.Region, "")
	if s.PathStyle {
		w.writeLine(2, "path_style: true")
	}
	w.writePairIfSet(2, "key_file", s.KeyFile, "keep it safe: without it the store cannot be read")
	out := string(text)
	if !strings.HasSuffix(out, "\n") && out != "" {
		out += w.newline
	}
	out += w.String()
	cfg, err := Parse(file, []byte(out), env)
	if err != nil {
		return nil, err
	}
	if cfg.Store.URL != s.URL {
		return nil, fmt.Errorf("%s: the store could not be added; add it by hand", file)
	}
	return []byte(out), nil
}
