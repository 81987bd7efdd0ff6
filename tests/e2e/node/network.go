package node

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

const (
	// Address is the node's.
	Address      = "10.77.0.1"
	podRange     = "10.244.0.0/24"
	dnsAddress   = "10.96.0.10"
	pluginFolder = "/usr/lib/cni"
)

// setUpNetwork gives the node its address. The other end of the cable leads nowhere: there is no
// outside, but routes to it have to exist, or nothing is sent to a Service.
func setUpNetwork() error {
	for _, line := range []string{
		"link set lo up",
		"link add outside type veth peer name node",
		"link set outside up",
		"link set node up",
		"address add " + Address + "/24 dev node",
		"route add default via 10.77.0.254 dev node",
	} {
		if said, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", line, err, said)
		}
	}
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o600)
}
