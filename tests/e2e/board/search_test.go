//go:build browser

package board

import (
	"fmt"
	"testing"

	"berth.dev/berth/tests/e2e/fleet"
)

const mostPodsFound = 50 // that a search lists

// The list of pods is cut, and the devices of those that are not in it are no others' that the picture dims.
func TestASearchMarksAlsoWhatItDoesNotList(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	for i := range mostPodsFound {
		l.bind(fmt.Sprintf("many-%02d", i), "alice", "mn2a-003", fleet.ResourceGPU, 1)
	}
	l.bind("many-last", "bob", "mn2a-006", fleet.ResourceGPU, 4)
	l.search("many-")
	l.awaitText("#found-summary", "0 nodes, 51 pods")
	l.awaitText("#found-cut", "Listed are the first 50 of 51 pods. The picture marks all.")
	l.Await("both nodes, and no other", func() bool { return l.pixels("found") > 0 && l.pixels("dim") == 0 })
	l.bind("train-7", "carol", "mn2a-008", fleet.ResourceGPU, 4)
	l.Await("devices of others", func() bool { return l.pixels("dim") > 0 })
}

// The page looks for owners, and the board for pods: both by the same rule.
func TestASearchFindsOwnersAndPodsAlike(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("train-7", "JÖRG", "mn2a-006", fleet.ResourceGPU, 4)
	l.awaitText("#owner-rows", "JÖRG 4")
	l.search("jÖrg")
	l.awaitText("#found-summary", "0 nodes, 1 pod")
	l.awaitText("#found-owners", "JÖRG holds 4 devices")
	l.search("jörg")
	l.awaitText("#found-summary", "0 nodes, 0 pods")
	l.awaitText("#found-owners", "")
}
