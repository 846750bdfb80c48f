package keeper

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"tend/internal/config"
	"tend/internal/finding"
	"tend/internal/notice"
)

// alerter tells people of findings: in the log, by a web hook, by a command. It never
// keeps its caller waiting, and what it cannot deliver it counts and logs.
type alerter struct {
	log     *slog.Logger
	metrics *metrics
	queue   chan notice.Notice
	client  *http.Client
	pause   time.Duration // before the second try; doubled for each further one

	mu  sync.Mutex
	cfg config.Alerts
}

// The bounds of what is tried for one alert.
const (
	alertQueue   = 1000
	alertTries   = 5
	alertTimeout = 10 * time.Second
	drainFor     = 5 * time.Second
)

func newAlerter(log *slog.Logger, m *metrics) *alerter {
	return &alerter{
		log: log, metrics: m, queue: make(chan notice.Notice, alertQueue), pause: time.Second,
		client: &http.Client{
			Timeout: alertTimeout,
			// A signed message goes to the address the operator wrote and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (a *alerter) set(cfg config.Alerts) {
	a.mu.Lock()
	a.cfg = cfg
	a.mu.Unlock()
}

func (a *alerter) config() config.Alerts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cfg
}

// send hands findings over. When nobody takes them in time the log still has them.
func (a *alerter) send(list []notice.Notice) {
	for _, n := range list {
		if a.config().Log {
			a.write(n)
		}
		select {
		case a.queue <- n:
		default:
			a.metrics.alerts.With("queue", "dropped").Inc()
			a.log.Error("alert dropped: too many wait", "finding", n.ID)
		}
	}
}

func (a *alerter) write(n notice.Notice) {
	level := slog.LevelInfo
	switch n.Severity {
	case finding.Warning:
		level = slog.LevelWarn
	case finding.Error:
		level = slog.LevelError
	}
	a.log.Log(context.Background(), level, "finding", "id", n.ID, "code", n.Code, "agent", n.Agent, "file", n.File, "text", n.Text,
		"remedy", n.Remedy, "first_seen", n.First.Format(time.RFC3339))
	a.metrics.alerts.With("log", "sent").Inc()
}

// run delivers until the context ends, and then what still waits.
func (a *alerter) run(ctx context.Context) {
	for {
		select {
		case n := <-a.queue:
			a.deliver(ctx, n)
		case <-ctx.Done():
			a.drain()
			return
		}
	}
}

// drain delivers what still waits when the keeper stops, within a bound.
func (a *alerter) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), drainFor)
	defer cancel()
	for {
		select {
		case n := <-a.queue:
			a.deliver(ctx, n)
		default:
			return
		}
	}
}

func (a *alerter) deliver(ctx context.Context, n notice.Notice) {
	cfg := a.config()
	if cfg.Webhook == "" && len(cfg.Command) == 0 {
		return
	}
	body, err := json.Marshal(n)
	if err != nil {
		return
	}
	if cfg.Webhook != "" {
		a.count("webhook", n, a.post(ctx, cfg, body))
	}
	if len(cfg.Command) > 0 {
		a.count("command", n, a.command(ctx, cfg.Command, body))
	}
}

func (a *alerter) count(how string, n notice.Notice, err error) {
	if err == nil {
		a.metrics.alerts.With(how, "sent").Inc()
		return
	}
	a.metrics.alerts.With(how, "failed").Inc()
	a.log.Error("alert not delivered", "by", how, "finding", n.ID, "error", err.Error())
}

// errFinal wraps what another try would not change.
var errFinal = errors.New("refused")

func (a *alerter) post(ctx context.Context, cfg config.Alerts, body []byte) error {
	var err error
	wait := a.pause
	for try := range alertTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return errors.Join(err, ctx.Err())
			case <-time.After(wait):
			}
			wait *= 2
		}
		if err = a.postOnce(ctx, cfg, body); err == nil || errors.Is(err, errFinal) {
			return err
		}
	}
	return err
}

func (a *alerter) postOnce(ctx context.Context, cfg config.Alerts, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cfg.Webhook, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "tend")
	if cfg.SecretFile != "" {
		// Read each time: a key that was replaced is in force at once.
		secret, err := os.ReadFile(cfg.SecretFile)
		if err != nil {
			return fmt.Errorf("%w: %w", errFinal, err)
		}
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		req.Header.Set("X-Tend-Timestamp", stamp)
		req.Header.Set("X-Tend-Signature", Sign(bytes.TrimSpace(secret), stamp, body))
	}
	res, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	switch {
	case res.StatusCode < 300:
		return nil
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= 500:
		return fmt.Errorf("the web hook answered %s", res.Status)
	}
	return fmt.Errorf("%w: the web hook answered %s", errFinal, res.Status)
}

// Sign is the signature of a web hook call: HMAC-SHA256 over the time, a dot and the body.
func Sign(secret []byte, stamp string, body []byte) string {
	m := hmac.New(sha256.New, secret)
	fmt.Fprintf(m, "%s.", stamp)
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

func (a *alerter) command(ctx context.Context, argv []string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, alertTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(body)
	cmd.WaitDelay = time.Second // a child of it may keep the pipes open
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out[:min(len(out), 200)]))
	}
	return nil
}
