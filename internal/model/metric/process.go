package metric

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// AddProcess adds what a monitor asks of any process, under the usual names: process_* and go_goroutines, without the
// set's prefix. What the system does not report is left out.
func (s *Set) AddProcess() {
	began := time.Now()
	s.sources = append(s.sources, func(p *page) { writeProcess(p, began) })
}

func writeProcess(p *page, began time.Time) {
	p.single("process_start_time_seconds", "When the process began, since the epoch.", "gauge", float64(began.UnixMilli())/1000)
	p.single("go_goroutines", "Goroutines there are.", "gauge", float64(runtime.NumGoroutine()))
	if cpu, ok := cpuTime(); ok {
		p.single("process_cpu_seconds_total", "CPU time spent, user and system.", "counter", cpu.Seconds())
	}
	if n, ok := MaxFiles(); ok {
		p.single("process_max_fds", "How many files may be open.", "gauge", float64(n))
	}
	if open, err := os.ReadDir("/dev/fd"); err == nil {
		p.single("process_open_fds", "How many files are open.", "gauge", float64(len(open)-1)) // one is the folder
	}
	var virtual, resident float64
	if pages, err := os.ReadFile("/proc/self/statm"); err == nil {
		if n, _ := fmt.Sscan(string(pages), &virtual, &resident); n == 2 {
			size := float64(os.Getpagesize())
			p.single("process_virtual_memory_bytes", "Address space.", "gauge", virtual*size)
			p.single("process_resident_memory_bytes", "Memory in use.", "gauge", resident*size)
		}
	}
}
