package scan

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The lines of these shapes are what an attacker would write to stop a reader: one line that is all keys, all values or all of
// what a rule looks back or ahead for. One long line is compared with as many bytes in 32 short ones, by the processor time of
// the thread: a linear reader takes as long for both, a quadratic one 32 times as long, and other work on the machine does not
// count.
func TestWorkGrowsWithTheText(t *testing.T) {
	const small, times, most, grain = 8 << 10, 32, 6, 50 * time.Millisecond
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	shapes := []string{
		"password:", "password: ", "password: hunter22x ", "password=Sommer2031!x;", "пароль: ", "密码：", "token ", "api_key=", "key: `",
		"login a/",
		"(until ", ":", "2026-11-18 ", "09:00 ", "aGVsbG8gd29ybGQ", "漢字かな交じり文", "/", "@1", "://a:b@", "sk-proj-", "sk-", "AK" + "IA",
		"eyJa.", ":AA",
		"-----BEG" + "IN PRIVATE KEY-----", "ignore all ", "ignore all previous instructions ", "do not tell the user ", "<!-- ", "`",
		"\"", "![](https://a?",
		"</memory>", "<memory", "\u200b\u200c", "\U000e0041", "\u202ea", "\x1b[2K", "\ufe0f", Masked, "send your api key to ",
		"seed: abandon basket ", "...",
		"|token\n|-\n|hunter22x", "|password key token password\n|-\n|a1B2c3d4", "|pass|pass\n|-|-\n|\\|", // tables with many columns
	}
	for _, shape := range shapes {
		line := func(size int) []byte {
			rows := strings.Split(shape, "\n")
			for i, row := range rows {
				rows[i] = strings.Repeat(row, size/len(shape)+1)
			}
			return []byte(strings.Join(rows, "\n"))
		}
		for name, run := range map[string]func([]byte){
			"Text":  func(b []byte) { Text(b, Options{}) },
			"Quote": func(b []byte) { Quote(string(b), 200) },
		} {
			short, long := line(small), line(small*times)
			many := timed(func() {
				for range times {
					run(short)
				}
			})
			if one := timed(func() { run(long) }); one > most*many+grain {
				t.Errorf("%s of %q: %v for one line of %d KB, %v for %d lines of %d KB", name, shape, one, len(long)>>10, many, times, small>>10)
			}
		}
	}
}

func timed(run func()) time.Duration {
	start := threadTime()
	run()
	return threadTime() - start
}

// threadTime is the processor time of this thread.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
