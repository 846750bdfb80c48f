package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/app/connect"
)

const (
	summary = "Keeps the markdown memory of LLM agents whole, small and true"
	author  = "The authors of Tend"
	spdx    = "Apache-2.0"
)

// object is a JSON object of a manifest.
type object = map[string]any

// manifest returns a file with a value as JSON, its members in order.
func manifest(name string, v any) file {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(err) // objects of texts always have a form
	}
	return file{name: name, mode: 0o644, data: b.Bytes()}
}

// template returns a file of packaging/plugins with the values of this release.
func (r *release) template(name, source string) (file, error) {
	data, err := os.ReadFile(filepath.Join("packaging/plugins", source))
	if err != nil {
		return file{}, err
	}
	filled := strings.NewReplacer("{{version}}", r.version, "{{base}}", r.base, "{{npm}}", r.npmName()).Replace(string(data))
	return text(name, filled), nil
}

// host returns the host of the base URL, which the publisher owns.
func (r *release) host() (string, error) {
	u, err := url.Parse(r.base)
	if err != nil || u.Hostname() == "" {
		return "", fmt.Errorf("-base-url %q has no host", r.base)
	}
	return u.Hostname(), nil
}

// registryName returns the name in the MCP registry: the publisher's domain backwards, a slash and a name.
func (r *release) registryName() string {
	host, _ := r.host()
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "/tend"
}

// command is a command of a plugin: a prompt that the user calls by its name.
type command struct{ name, description, hint, prompt string }

// commands reads packaging/plugins/commands.
func (r *release) commands() ([]command, error) {
	names, err := filepath.Glob("packaging/plugins/commands/*.md")
	if err != nil {
		return nil, err
	}
	var list []command
	for _, name := range names {
		f, err := r.template("", path.Join("commands", filepath.Base(name)))
		if err != nil {
			return nil, err
		}
		head, prompt, found := strings.Cut(strings.TrimPrefix(string(f.data), "---\n"), "---\n")
		if !found {
			return nil, fmt.Errorf("%s has no head", name)
		}
		c := command{name: strings.TrimSuffix(filepath.Base(name), ".md"), prompt: prompt}
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "description":
				c.description = value
			case "argument-hint":
				c.hint = value
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// plugins writes the plugins of the harnesses. They hold no program: they run the one in the PATH, by the command lines
// that `tend connect` writes into settings.
func (r *release) plugins(licence []byte) error {
	for _, p := range []struct {
		harness string
		files   func(connect.Plugin) ([]file, error)
		pack    func(name string, files []file) error
	}{
		{"claude-code", r.claudePlugin, r.tarball},
		{"gemini", r.geminiExtension, r.tarball},
		{"hermes", r.hermesPlugin, r.tarball},
		{"openclaw", r.openclawPlugin, r.npmPackage},
	} {
		plugin, err := connect.PluginOf(p.harness)
		if err != nil {
			return fmt.Errorf("plugin for %s: %w", p.harness, err)
		}
		files, err := p.files(plugin)
		if err != nil {
			return fmt.Errorf("plugin for %s: %w", p.harness, err)
		}
		readme, err := r.template("README.md", p.harness+".md")
		if err != nil {
			return err
		}
		files = append(files, readme, file{name: "LICENSE", mode: 0o644, data: licence})
		if err := p.pack("tend_"+r.version+"_"+p.harness, files); err != nil {
			return err
		}
	}
	return nil
}

// claudePlugin is a marketplace with one plugin: a folder that `claude plugin marketplace add` takes as it is.
func (r *release) claudePlugin(p connect.Plugin) ([]file, error) {
	commands, err := r.commands()
	if err != nil {
		return nil, err
	}
	about := object{"name": "tend", "version": r.version, "description": summary, "author": object{"name": author}, "homepage": r.base,
		"license": spdx, "keywords": []string{"memory", "mcp"}}
	listed := object{"name": "tend", "source": "./tend", "description": summary, "version": r.version, "license": spdx}
	files := []file{
		manifest(".claude-plugin/marketplace.json", object{"name": "tend", "owner": object{"name": author},
			"metadata": object{"description": summary, "version": r.version}, "plugins": []object{listed}}),
		manifest("tend/.claude-plugin/plugin.json", about),
		manifest("tend/.mcp.json", object{"mcpServers": p.Servers}),
		manifest("tend/hooks/hooks.json", object{"hooks": p.Hooks,
			"description": "Memory at a session's start, a checkpoint before a compaction"}),
	}
	for _, c := range commands {
		head := "---\ndescription: " + c.description + "\n"
		if c.hint != "" {
			head += "argument-hint: " + c.hint + "\n"
		}
		files = append(files, text("tend/commands/"+c.name+".md", head+"---\n"+c.prompt))
	}
	return files, nil
}

func (r *release) geminiExtension(p connect.Plugin) ([]file, error) {
	commands, err := r.commands()
	if err != nil {
		return nil, err
	}
	files := []file{
		manifest("gemini-extension.json", object{"name": "tend", "version": r.version, "description": summary, "mcpServers": p.Servers}),
		manifest("hooks/hooks.json", object{"hooks": p.Hooks}),
	}
	for _, c := range commands {
		prompt := strings.ReplaceAll(c.prompt, "$ARGUMENTS", "{{args}}")
		files = append(files, text("commands/tend/"+c.name+".toml",
			"description = "+quoted(c.description)+"\nprompt = '''\n"+prompt+"'''\n"))
	}
	return files, nil
}

func (r *release) hermesPlugin(p connect.Plugin) ([]file, error) {
	head := "name: tend\nversion: " + quoted(r.version) + "\ndescription: " + quoted(summary) + "\nauthor: " + quoted(author) +
		"\nprovides_hooks:\n  - pre_llm_call\n  - post_llm_call\n"
	return []file{text("tend/plugin.yaml", head), text("tend/__init__.py", p.Scripts["__init__.py"])}, nil
}

func (r *release) openclawPlugin(p connect.Plugin) ([]file, error) {
	entry, err := r.template("index.js", "openclaw/index.js")
	if err != nil {
		return nil, err
	}
	return []file{
		entry, text("handler.js", p.Scripts["handler.js"]),
		manifest("openclaw.plugin.json", object{"id": "tend", "name": "Tend", "description": summary, "version": r.version,
			"categories": []string{"memory"}, "activation": object{"onStartup": true}, "mcpServers": p.Servers,
			"configSchema": object{"type": "object", "additionalProperties": false, "properties": object{}}}),
		manifest("package.json", object{"name": r.npmName() + "-openclaw", "version": r.version, "description": summary, "license": spdx,
			"author": author, "homepage": r.base, "type": "module", "keywords": []string{"openclaw", "memory"},
			"files":    []string{"index.js", "handler.js", "openclaw.plugin.json"},
			"openclaw": object{"extensions": []string{"./index.js"}}}),
	}, nil
}

// quoted returns a text as JSON, which TOML and YAML read the same.
func quoted(s string) string { return strings.TrimSpace(string(manifest("", s).data)) }
