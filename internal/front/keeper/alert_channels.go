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
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"tend/internal/engine/config"
	"tend/internal/state/findinglog"
)

// The channels through which alerts are sent.
const (
	byWebhook = "webhook"
	byCommand = "command"
)

func channelsOf(cfg config.Alerts) (channels []string) {
	if cfg.Webhook != "" {
		channels = append(channels, byWebhook)
	}
	if len(cfg.Command) > 0 {
		channels = append(channels, byCommand)
	}
	return channels
}

// errFinal wraps errors that a retry would not fix.
var errFinal = errors.New("refused")

// deliverOnce tries once.
func (a *alerter) deliverOnce(ctx context.Context, channel string, n findinglog.Notice) error {
	cfg := a.settings()
	n.Pending = nil // not part of the message
	body, err := json.Marshal(struct {
		findinglog.Notice
		Link string `json:"link,omitempty"`
	}{n, a.linkTo(n)})
	if err != nil {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	if channel == byCommand {
		return a.runCommand(ctx, cfg.Command, body)
	}
	return a.postWebhook(ctx, cfg, body)
}

func (a *alerter) postWebhook(ctx context.Context, cfg config.Alerts, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cfg.Webhook, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "tend")
	if cfg.SecretFile != "" {
		// Read each time, so that a replaced key takes effect at once.
		secret, err := os.ReadFile(cfg.SecretFile)
		if err != nil {
			return err
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
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusRequestTimeout, res.StatusCode >= 500:
		return fmt.Errorf("the web hook answered %s", res.Status)
	}
	return fmt.Errorf("%w: the web hook answered %s", errFinal, res.Status)
}

// Sign returns the signature of a web hook call: HMAC-SHA256 over the time, a dot and the body.
func Sign(secret []byte, stamp string, body []byte) string {
	m := hmac.New(sha256.New, secret)
	fmt.Fprintf(m, "%s.", stamp)
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

func (a *alerter) runCommand(ctx context.Context, argv []string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, alertTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(body)
	cmd.WaitDelay = time.Second // a child process may keep the pipes open
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out[:min(len(out), 200)]))
	}
	return nil
}
