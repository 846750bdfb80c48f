package metric

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// AddProcess adds what dashboards of Go programs expect, under the usual names: process_* and go_*, without the set's
// prefix. What the system does not report is left out.
func (s *Set) AddProcess() {
	began := time.Now()
	s.sources = append(s.sources, func(p *page) { writeProcess(p, began) }, writeRuntime)
}

func writeProcess(p *page, began time.Time) {
	p.single("process_start_time_seconds", "When the process began, since the epoch.", "gauge", float64(began.UnixMilli())/1000)
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

// memory is what is reported of the runtime's memory.
var memory = []struct {
	name, kind, help string
	of               func(*runtime.MemStats) uint64
}{
	{"go_memstats_alloc_bytes", "gauge", "Bytes of objects in the heap.", func(m *runtime.MemStats) uint64 { return m.Alloc }},
	{"go_memstats_alloc_bytes_total", "counter", "Bytes of all objects there ever were.",
		func(m *runtime.MemStats) uint64 { return m.TotalAlloc }},
	{"go_memstats_frees_total", "counter", "Objects that were freed.", func(m *runtime.MemStats) uint64 { return m.Frees }},
	{"go_memstats_gc_sys_bytes", "gauge", "Bytes for the garbage collector.", func(m *runtime.MemStats) uint64 { return m.GCSys }},
	{"go_memstats_heap_alloc_bytes", "gauge", "Bytes of objects in the heap.", func(m *runtime.MemStats) uint64 { return m.HeapAlloc }},
	{"go_memstats_heap_idle_bytes", "gauge", "Bytes of the heap that wait to be used.",
		func(m *runtime.MemStats) uint64 { return m.HeapIdle }},
	{"go_memstats_heap_inuse_bytes", "gauge", "Bytes of the heap in use.", func(m *runtime.MemStats) uint64 { return m.HeapInuse }},
	{"go_memstats_heap_objects", "gauge", "Objects in the heap.", func(m *runtime.MemStats) uint64 { return m.HeapObjects }},
	{"go_memstats_heap_released_bytes", "gauge", "Bytes of the heap given back to the system.",
		func(m *runtime.MemStats) uint64 { return m.HeapReleased }},
	{"go_memstats_heap_sys_bytes", "gauge", "Bytes of the heap had from the system.", func(m *runtime.MemStats) uint64 { return m.HeapSys }},
	{"go_memstats_mallocs_total", "counter", "Objects that were made.", func(m *runtime.MemStats) uint64 { return m.Mallocs }},
	{"go_memstats_next_gc_bytes", "gauge", "The heap at which garbage is collected next.",
		func(m *runtime.MemStats) uint64 { return m.NextGC }},
	{"go_memstats_other_sys_bytes", "gauge", "Bytes for everything else in the runtime.",
		func(m *runtime.MemStats) uint64 { return m.OtherSys }},
	{"go_memstats_stack_inuse_bytes", "gauge", "Bytes of stacks in use.", func(m *runtime.MemStats) uint64 { return m.StackInuse }},
	{"go_memstats_stack_sys_bytes", "gauge", "Bytes of stacks had from the system.", func(m *runtime.MemStats) uint64 { return m.StackSys }},
	{"go_memstats_sys_bytes", "gauge", "Bytes had from the system.", func(m *runtime.MemStats) uint64 { return m.Sys }},
}

func writeRuntime(p *page) {
	p.begin("go_info", "The version of Go.", "gauge").add("", labelText([]string{"version"}, []string{runtime.Version()}), 1)
	p.single("go_goroutines", "Goroutines there are.", "gauge", float64(runtime.NumGoroutine()))
	p.single("go_sched_gomaxprocs_threads", "Threads that may run Go code at once.", "gauge", float64(runtime.GOMAXPROCS(0)))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, row := range memory {
		p.single(row.name, row.help, row.kind, float64(row.of(&m)))
	}
	p.single("go_memstats_last_gc_time_seconds", "When garbage was collected last, since the epoch.", "gauge", float64(m.LastGC)/1e9)

	var gc debug.GCStats
	gc.PauseQuantiles = make([]time.Duration, 5)
	debug.ReadGCStats(&gc)
	b := p.begin("go_gc_duration_seconds", "Pauses to collect garbage.", "summary")
	for i, q := range []string{"0", "0.25", "0.5", "0.75", "1"} {
		b.add("", labelText([]string{"quantile"}, []string{q}), gc.PauseQuantiles[i].Seconds())
	}
	b.add("_sum", "", gc.PauseTotal.Seconds())
	b.add("_count", "", float64(gc.NumGC))
}
