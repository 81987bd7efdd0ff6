//go:build browser

package board

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// The page loses its connection, misses changes of every kind, and shows all of them afterwards.
func TestIsRightAfterALostConnection(t *testing.T) {
	l := openThroughAProxy(t, 1500, 950)
	l.bind("ends", "alice", "mn2a-003", fleet.ResourceGPU, 5)
	l.awaitLive()
	l.awaitCounts(5, 0, 0)

	l.via.Cut()
	l.awaitText("#health", "The board does not answer; what you see may be old. Trying again.")
	l.delete("ends")
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.fault("mn2a-004", "GPUIsLost")
	l.via.Mend()

	l.awaitText("#health", "Live")
	l.awaitCounts(3, 0, 8)
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
	l.countsSecondsInSilence()
	l.Check("start kube-apiserver", shared.APIServer.Start(t.Context()))
	l.awaitText("#health", "Live")
	if eval[bool](l, "!document.querySelector('#old').hidden") {
		t.Errorf("the page says beside Live: %q", l.text("#old"))
	}
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.awaitCounts(3, 0, 0)
}

// countsSecondsInSilence waits until the page has said several times how old the picture is, of which what
// screen readers follow must say nothing.
func (l *look) countsSecondsInSilence() {
	l.Helper()
	eval[bool](l, `(() => {
		window.told = {};
		for (const id of ['health', 'old']) {
			told[id] = new Set([document.getElementById(id).textContent]);
			new MutationObserver(() => told[id].add(document.getElementById(id).textContent))
				.observe(document.getElementById(id), {childList: true});
		}
		return true;
	})()`)
	l.Await("the picture to get older", func() bool { return eval[int](l, "told.old.size") > 3 })
	if told := eval[[]string](l, "[...told.health].filter((text) => / (old|ago)\\b/.test(text))"); len(told) > 0 {
		l.Errorf("screen readers read out as time passes: %q", told)
	}
}

// A right is taken away while the board runs. The API server answers, so the page says something else.
func TestTellsThatItMayNotWatchAnyMore(t *testing.T) {
	l := open(t, 1500, 950)
	l.Timeout = 2 * time.Minute // the longer the board is refused, the longer it waits before it tries again
	l.awaitLive()
	l.Cleanup(func() {
		if err := bindViewer(context.WithoutCancel(l.Context())); err != nil && !apierrors.IsAlreadyExists(err) {
			l.Errorf("give the viewer its role again: %v", err) // without it the tests that follow see nothing
		}
	})
	l.Check("take the viewer's role away", shared.Client.RbacV1().ClusterRoleBindings().Delete(l.Context(), viewer,
		metav1.DeleteOptions{}))
	// A watch that has been granted goes on for minutes.
	shared.APIServer.Kill()
	l.Check("start kube-apiserver", shared.APIServer.Start(t.Context()))
	l.Await("word of it", func() bool { return strings.HasPrefix(l.text("#health"), "The board may not watch the cluster") })
	l.Check("give the viewer its role again", bindViewer(l.Context()))
	l.awaitText("#health", "Live")
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
	l.awaitCounts(0, 0, 0)
	if now, _ := l.board.URL(); now == former {
		t.Errorf("the address is the same: %s", now)
	}
}

// Pasted into the tab that asks for it, the new address differs only behind the #, and the browser loads nothing.
func TestTheNewAddressWorksInTheTabThatAsksForIt(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.board.Kill()
	l.Check("start the board again", l.board.Start(t.Context()))
	l.Await("the refusal", func() bool {
		return strings.HasPrefix(l.text("#health"), "open the address that berth board has printed")
	})

	address, err := l.board.URL()
	l.Check("find the board's address", err)
	eval[string](l, "location.href = "+quoted(address))
	l.awaitText("#health", "Live")
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.awaitCounts(3, 0, 0)
	if shown, want := eval[string](l, "location.href"), eval[string](l, "location.origin + '/'"); shown != want {
		t.Errorf("the address is %s, not %s: it shows the token", shown, want)
	}
}

// The page leaves a connection for the sake of an address, and does not say that the board is away.
func TestAnAddressThatIsOpenedAgainIsNoLostConnection(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	address, err := l.board.URL()
	l.Check("find the board's address", err)
	eval[bool](l, `((health) => {
		window.states = [];
		new MutationObserver(() => states.push(health.textContent)).observe(health, {childList: true});
		return true;
	})(document.querySelector('#health'))`)
	eval[string](l, "location.href = "+quoted(address))
	l.Await("another connection", func() bool {
		return eval[bool](l, "states.length > 1 && states.at(-1) === 'Live'")
	})
	if states := eval[[]string](l, "states"); states[0] != "Connecting to the board" || len(states) != 2 {
		t.Errorf("the page said %q", states)
	}
}

// After a machine has slept its connections are dead, and nobody says so. The page notices the silence.
func TestNoticesThatAConnectionIsSilentlyDead(t *testing.T) {
	l := openThroughAProxy(t, 1500, 950)
	// The page waits for 25 s, and then for 10 s for each old connection that the browser tries again.
	l.Timeout = 3 * time.Minute
	l.awaitLive()
	for _, link := range l.via.Links() {
		link.Hold()
	}
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.awaitCounts(3, 0, 0)
	l.awaitText("#health", "Live")
}

// A board that stood still loses nothing either.
func TestIsRightAfterAStall(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.Check("stop the board", syscall.Kill(l.board.Pid(), syscall.SIGSTOP))
	l.bind("begins", "bob", "mn2a-007", fleet.ResourceGPU, 3)
	l.Check("wake the board", syscall.Kill(l.board.Pid(), syscall.SIGCONT))
	l.awaitCounts(3, 0, 0)
	l.awaitText("#health", "Live")
}
