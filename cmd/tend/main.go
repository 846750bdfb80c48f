// Command tend keeps the memory of long-running LLM agents whole, small and true.
package main

import (
	"os"

	"tend/internal/front/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
