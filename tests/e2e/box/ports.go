package box

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
)

const (
	lowestPort    = 10240
	lowestDynamic = 32768 // the kernel's default, for where /proc does not tell
	portAttempts  = 200
)

var (
	portsMutex sync.Mutex
	portsTaken = map[int]bool{} // by this program, for all of its boxes
)

// freePort finds a loopback port that nobody listens on, below the range from which the kernel
// takes ports for outgoing connections. There a program that is restarted finds its port free
// again; a port from "listen on 0" could have become the client end of somebody's connection.
// Thread-safe.
func freePort() (int, error) {
	portsMutex.Lock()
	defer portsMutex.Unlock()
	end := dynamicRangeStart()
	for range portAttempts {
		port := lowestPort + rand.IntN(end-lowestPort)
		if !portsTaken[port] && canListen(port) {
			portsTaken[port] = true
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free loopback port found in %d..%d", lowestPort, end-1)
}

func canListen(port int) bool {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// dynamicRangeStart is the first port that the kernel gives to outgoing connections.
func dynamicRangeStart() int {
	content, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	var first, last int
	if err != nil {
		return lowestDynamic
	}
	if _, err := fmt.Sscan(string(content), &first, &last); err != nil || first <= lowestPort+1000 {
		return lowestDynamic
	}
	return first
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
