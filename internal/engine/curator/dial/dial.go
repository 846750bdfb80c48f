// Package dial reaches the model that a configuration names: the program of a harness, a server that speaks one of three
// protocols, or any command. It sends a prompt and returns the output; what they mean is curator's.
package dial

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"tend/internal/engine/curator"
	"tend/internal/model/policy"
)

// Options are what a connection needs besides the curator's name.
type Options struct {
	KeyFile string                   // contains the API key; "" takes it from the environment
	Env     func(name string) string // nil is the process's environment
	Pause   time.Duration            // before the second try of a busy server; 0 is a second
}

// New returns the model that a configuration names. It connects to nothing yet.
func New(c policy.CuratorChoice, o Options) (curator.Model, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	o.Pause = cmp.Or(o.Pause, time.Second)
	if len(c.Command) > 0 {
		return command{name: c.Command[0], args: c.Command}, nil
	}
	if p, ok := presets()[c.Name]; ok {
		return p, nil
	}
	if strings.HasPrefix(c.Name, "http") {
		u, err := url.Parse(c.Name)
		if err != nil {
			return nil, fmt.Errorf("curator: %w", err)
		}
		model := u.Fragment
		u.Fragment = ""
		key, err := o.key("TEND_CURATOR_KEY")
		return server{protocol: openAI, base: u.String(), model: model, key: key, name: u.Host + "#" + model, pause: o.Pause}, err
	}
	provider, model, _ := strings.Cut(c.Name, "/")
	s := server{model: model, name: c.Name, pause: o.Pause}
	var err error
	switch provider {
	case "openai":
		s.protocol, s.base = openAI, cmp.Or(o.Env("OPENAI_BASE_URL"), "https://api.openai.com/v1")
		s.key, err = o.key("OPENAI_API_KEY")
	case "anthropic":
		s.protocol, s.base = anthropic, cmp.Or(o.Env("ANTHROPIC_BASE_URL"), "https://api.anthropic.com")
		s.key, err = o.key("ANTHROPIC_API_KEY")
	case "ollama":
		s.protocol, s.base = ollama, cmp.Or(o.Env("OLLAMA_HOST"), "http://127.0.0.1:11434")
		if !strings.Contains(s.base, "://") {
			s.base = "http://" + s.base
		}
	default:
		return nil, fmt.Errorf("no curator is called %q", c.Name)
	}
	return s, err
}

// Target says where a curator sends what it is asked, for people.
func Target(c policy.CuratorChoice) string {
	switch provider, _, _ := strings.Cut(c.Name, "/"); {
	case c.Off():
		return "nowhere"
	case len(c.Command) > 0:
		return "the program " + c.Command[0]
	case strings.HasPrefix(c.Name, "http"):
		u, _ := url.Parse(c.Name)
		return u.Host
	case provider == "ollama":
		return "the Ollama server, by default on this machine"
	case provider == "openai", provider == "anthropic":
		return "the API of " + provider
	}
	return "the program " + c.Name + ", and from there to its provider"
}

// key reads an API key: from the file, else from the environment. A server of one's own may need none.
func (o Options) key(name string) (string, error) {
	if o.KeyFile == "" || o.KeyFile == "none" {
		return o.Env(name), nil
	}
	data, err := os.ReadFile(o.KeyFile)
	if err != nil {
		return "", fmt.Errorf("read curator.key_file: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
