//go:build browser

package board

import (
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/network"

	"berth.dev/berth/tests/e2e/fleet"
)

// setOffline cuts the page's connections, and lets none come about, or ends that.
func (l *look) setOffline(offline bool) {
	l.Helper()
	l.run(network.Enable(), network.EmulateNetworkConditions(offline, 0, -1, -1))
}

// The page loses its connection, misses changes of every kind, and shows all of them afterwards.
func TestIsRightAfterALostConnection(t *testing.T) {
	l := open(t, 1500, 950)
	l.bind("ends", "alice", "mn2a-003", fleet.ResourceGPU, 5)
	l.awaitLive()
	l.awaitCounts()

	l.setOffline(true)
	l.awaitText("#health", "The board does not answer; what you see may be old. Trying again.")
	l.delete("ends")
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.fault("mn2a-004", "GPUIsLost")
	l.setOffline(false)

	l.awaitText("#health", "Live")
	l.awaitCounts()
	if said := l.said("mn2a-007"); !strings.Contains(said, "held by 3 bob") {
		t.Errorf("the board says %q", said)
	}
	if said := l.said("mn2a-003"); !strings.Contains(said, "8 free") {
		t.Errorf("the board says %q", said)
	}
}

// kube-apiserver is away: the page says so, and shows what there is when it is back.
func TestTellsWhenTheAPIServerIsAway(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	shared.APIServer.Kill()
	l.Await("word of it", func() bool { return strings.HasPrefix(l.text("#health"), "The API server does not answer") })
	l.Check("start kube-apiserver", shared.APIServer.Start(t.Context()))
	l.awaitText("#health", "Live")
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.awaitCounts()
}

// A board that was started anew has another token: the page says what to do, and its new address works.
func TestABoardThatWasStartedAnewHasAnotherAddress(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	former, err := l.board.URL()
	l.Check("find the board's address", err)
	l.board.Kill()
	l.awaitText("#health", "The board does not answer; what you see may be old. Trying again.")
	l.Check("start the board again", l.board.Start(t.Context()))
	l.Await("the refusal", func() bool {
		return strings.HasPrefix(l.text("#health"), "open the address that berth board has printed")
	})

	l.show()
	l.awaitLive()
	l.awaitCounts()
	if now, _ := l.board.URL(); now == former {
		t.Errorf("the address is the same: %s", now)
	}
}

// A machine that sleeps loses nothing either: its clock jumps, and its connections are silently dead.
func TestIsRightAfterAStall(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.Check("stop the board", syscall.Kill(l.board.Pid(), syscall.SIGSTOP))
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.Check("wake the board", syscall.Kill(l.board.Pid(), syscall.SIGCONT))
	l.awaitCounts()
	l.awaitText("#health", "Live")
}
