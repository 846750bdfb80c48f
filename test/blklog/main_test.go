//go:build linux

package blklog

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	ServeIfChild()
	if os.Getenv(victimEnv) != "" {
		os.Exit(victim())
	}
	os.Exit(m.Run())
}
