package runner

import (
	"os"
	"testing"

	"tend/internal/engine/fleet/storedtest"
)

func TestMain(m *testing.M) { os.Exit(storedtest.Main(m, os.Stderr)) }
