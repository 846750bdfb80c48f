package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

func digest(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// wait sleeps briefly.
func wait() { time.Sleep(20 * time.Millisecond) }
