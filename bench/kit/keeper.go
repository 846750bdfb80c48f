package kit

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Keeper is a running `tend up`.
type Keeper struct {
	Addr string

	cmd   *exec.Cmd
	links chan string
}

// Up starts a keeper and returns how long it took to be ready.
func Up(tend, config string) (*Keeper, time.Duration, error) { return UpWith(tend, "--config", config) }

// UpWith is Up with other flags.
func UpWith(tend string, flags ...string) (*Keeper, time.Duration, error) {
	listening, login := regexp.MustCompile(`msg=keeping .*listen=(\S+)`), regexp.MustCompile(`https?://\S+/login\?once=\S+`)
	began := time.Now()
	k := &Keeper{cmd: exec.Command(tend, append([]string{"up"}, flags...)...), links: make(chan string, 1)}
	k.cmd.Env = append(os.Environ(), "INVOCATION_ID=") // a service prints no login link
	pipe, err := k.cmd.StderrPipe()
	if err != nil {
		return nil, 0, err
	}
	k.cmd.Stdout = k.cmd.Stderr
	if err := k.cmd.Start(); err != nil {
		return nil, 0, err
	}
	ready := make(chan string, 1)
	var said strings.Builder
	go func() {
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			if link := login.FindString(lines.Text()); link != "" {
				k.links <- link
			}
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				ready <- m[1]
			} else if said.Len() < 10_000 {
				said.WriteString(lines.Text() + "\n")
			}
		}
		close(ready)
		close(k.links)
	}()
	addr, ok := <-ready
	if !ok {
		return nil, 0, fmt.Errorf("the keeper did not start: %w\n%s", k.cmd.Wait(), said.String())
	}
	k.Addr = addr
	return k, time.Since(began), nil
}

// Login returns the login link that was printed. It works once.
func (k *Keeper) Login() string { return <-k.links }

// Stop ends the keeper.
func (k *Keeper) Stop() error {
	if err := k.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return k.cmd.Wait()
}

// Used returns the keeper's CPU time and its peak memory in MiB.
func (k *Keeper) Used() (cpu time.Duration, peak float64, err error) {
	dir := fmt.Sprintf("/proc/%d/", k.cmd.Process.Pid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the program's name may have spaces
	if f := strings.Fields(rest); len(f) > 12 {
		for _, ticks := range f[11:13] {
			n, _ := strconv.Atoi(ticks)
			cpu += time.Duration(n) * 10 * time.Millisecond
		}
	}
	status, err := os.ReadFile(dir + "status")
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(kb, &peak)
		}
	}
	return cpu, peak / 1024, err
}

// Metrics returns the keeper's metrics.
func (k *Keeper) Metrics() (map[string]float64, error) {
	res, err := http.Get("http://" + k.Addr + "/metrics")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out := map[string]float64{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if v, perr := strconv.ParseFloat(value, 64); ok && perr == nil {
			out[name] = v
		}
	}
	return out, nil
}
