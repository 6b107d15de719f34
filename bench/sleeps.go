// sleeps.go: s13 in Go: many goroutines sleep, each for its own time.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func ms(t syscall.Timeval) float64 {
	return float64(t.Sec)*1e3 + float64(t.Usec)/1e3
}

func main() {
	n := 100000
	if len(os.Args) > 1 {
		n, _ = strconv.Atoi(os.Args[1])
	}
	var latest int64
	var all sync.WaitGroup
	all.Add(n)
	for i := 0; i < n; i++ {
		go func(d time.Duration) {
			due := time.Now().Add(d)
			time.Sleep(d)
			late := time.Since(due).Nanoseconds()
			if late < 0 {
				os.Exit(1)
			}
			for {
				old := atomic.LoadInt64(&latest)
				if late <= old ||
					atomic.CompareAndSwapInt64(&latest, old, late) {
					break
				}
			}
			all.Done()
		}(time.Duration(1+i*7919%1000) * time.Millisecond)
	}
	all.Wait()
	var use syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	fmt.Printf("sample %.4g\nlate %.4g\n", ms(use.Utime)+ms(use.Stime),
		float64(latest)/1e6)
}
