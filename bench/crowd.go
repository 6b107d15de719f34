// crowd.go: s10 in Go: small goroutines, started by one.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	n := uint64(1000000)
	if len(os.Args) > 1 {
		n, _ = strconv.ParseUint(os.Args[1], 10, 64)
	}
	for k := 0; k < 5; k++ {
		var sum uint64
		var all sync.WaitGroup
		began := time.Now()
		all.Add(int(n))
		for i := uint64(0); i < n; i++ {
			go func(v uint64) {
				atomic.AddUint64(&sum, v)
				all.Done()
			}(i)
		}
		all.Wait()
		if sum != n*(n-1)/2 {
			os.Exit(1)
		}
		fmt.Printf("sample %.4g\n",
			float64(time.Since(began).Nanoseconds())/float64(n))
	}
}
