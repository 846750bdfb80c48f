//go:build linux

package blklog

import (
	"os"
	"testing"

	"tend/test/require"
)

func TestMain(m *testing.M) {
	ServeIfChild()
	if os.Getenv(victimEnv) != "" {
		os.Exit(victim())
	}
	os.Exit(m.Run())
}

// needDisk skips a test that mounts disks where this machine cannot.
func needDisk(t *testing.T) {
	t.Helper()
	err := Available()
	require.Here(t, err == nil, "%v", err)
}
