//go:build browser

package board

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	chromium = "/usr/bin/chromium"
	nobody   = "nobody" // a scheduler that does not run
)

// look is a board and a browser that shows it.
type look struct {
	box.Test
	board   *box.Board
	browser context.Context
	via     *box.Proxy // between the browser and the board; nil: nothing is
}

// open starts a board and shows it in a window of so many pixels.
func open(t *testing.T, width, height int) *look {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no %s: .ci/install-dependencies --with-browser", chromium)
	}
	l := &look{Test: box.Test{T: t, Timeout: awaitTimeout}}
	var err error
	l.board, err = shared.NewBoard("board-"+t.Name(), viewerKubeconfig, map[string]any{"planner": map[string]any{
		"topology": []map[string]any{{"label": fleet.LabelRack}}}})
	l.Check("configure the board", err)
	l.Check("start the board", l.board.Start(t.Context()))
	t.Cleanup(l.board.Stop)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox,
		chromedp.WindowSize(width, height))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	var cancelBrowser context.CancelFunc
	l.browser, cancelBrowser = chromedp.NewContext(allocator)
	t.Cleanup(func() {
		cancelBrowser()
		cancelAllocator()
	})
	// The browser lives as long as the context of the first call, which must have no deadline.
	l.Check("start the browser", chromedp.Run(l.browser))
	l.failOnErrors()
	l.show()
	return l
}

// failOnErrors has the test fail if a script of the page throws.
func (l *look) failOnErrors() {
	chromedp.ListenTarget(l.browser, func(event any) {
		if thrown, ok := event.(*runtime.EventExceptionThrown); ok {
			l.Errorf("the page threw: %v", thrown.ExceptionDetails.Error())
		}
	})
}

// show opens the address that the board has printed last.
func (l *look) show() {
	l.Helper()
	address, err := l.board.URL()
	l.Check("find the board's address", err)
	if l.via != nil {
		address, err = l.board.URLAt(l.via.Address())
		l.Check("find the board's address behind the proxy", err)
	}
	l.run(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
}

// restart starts the board anew and shows it: none of its samples is older than what there is now.
func (l *look) restart() {
	l.Helper()
	l.board.Kill()
	l.Check("start the board again", l.board.Start(l.Context()))
	l.show()
	l.awaitLive()
}

// openThroughAProxy does the same with a proxy between browser and board, which can cut connections.
func openThroughAProxy(t *testing.T, width, height int) *look {
	t.Helper()
	l := open(t, width, height)
	var err error
	l.via, err = box.StartProxy(fmt.Sprintf("127.0.0.1:%d", l.board.Port))
	l.Check("start a proxy", err)
	t.Cleanup(l.via.Stop)
	l.show()
	return l
}

func (l *look) run(actions ...chromedp.Action) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.browser, l.Timeout)
	defer cancel()
	l.Check("drive the browser", chromedp.Run(ctx, actions...))
}

// eval runs an expression in the page, and returns its value.
func eval[T any](l *look, expression string) T {
	l.Helper()
	var value T
	l.run(chromedp.Evaluate(expression, &value, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	return value
}

// text is what an element says; empty if there is none.
func (l *look) text(selector string) string {
	l.Helper()
	return eval[string](l, fmt.Sprintf("document.querySelector(%s)?.textContent ?? ''", quoted(selector)))
}

// quoted is a string, or several, as a script has it.
func quoted[T string | []string](text T) string {
	content, _ := json.Marshal(text) // strings can always be marshalled
	return string(content)
}

// awaitText waits until an element says exactly that.
func (l *look) awaitText(selector, want string) {
	l.Helper()
	if !box.HoldsWithin(l.Timeout, func() bool { return l.text(selector) == want }) {
		l.Fatalf("%s says %q, not %q", selector, l.text(selector), want)
	}
}

// awaitLive waits until the board shows the cluster as it is now.
func (l *look) awaitLive() {
	l.Helper()
	l.awaitText("#health", "Live")
	l.Await("the first picture", func() bool {
		return eval[bool](l, "document.documentElement.dataset.drawings > 0")
	})
}

// row is what the table of pools says of one: nodes, held, planned, free, broken.
func (l *look) row(pool string) []int {
	l.Helper()
	return eval[[]int](l, fmt.Sprintf(
		"[...document.querySelectorAll(`tr[data-pool=${%s}] td`)].map((cell) => Number(cell.textContent))",
		quoted(quoted(pool))))
}

// search types into the field for searches.
func (l *look) search(text string) {
	l.Helper()
	l.run(chromedp.Focus("#search", chromedp.ByQuery))
	eval[bool](l, "document.querySelector('#search').select(), true") // what is typed replaces it
	l.run(chromedp.KeyEvent(text))
}

// screenshot keeps a picture of the page if the test was asked for it.
func (l *look) screenshot(name string) {
	l.Helper()
	if *screenshots == "" {
		return
	}
	var content []byte
	l.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		content, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatPng).Do(ctx)
		return err
	}))
	l.Check("write the screenshot", os.WriteFile(filepath.Join(*screenshots, name), content, 0o644))
}

// bind creates a pod that stands on a node from the beginning.
func (l *look) bind(name, owner, node, resource string, devices int64) *corev1.Pod {
	l.Helper()
	pod := fleet.Ask{Resource: resource, Devices: devices}.Pod(name)
	pod.Spec.NodeName = node
	pod.Annotations = map[string]string{"berth.dev/created-by": owner}
	return l.create(pod)
}

// wait creates a pod that waits, because its scheduler is away.
func (l *look) wait(name, owner string, ask fleet.Ask) *corev1.Pod {
	l.Helper()
	pod := ask.Pod(name)
	pod.Annotations["berth.dev/created-by"] = owner
	pod.Spec.SchedulerName = nobody
	return l.create(pod)
}

// create creates a pod, and deletes it when the test is over.
func (l *look) create(pod *corev1.Pod) *corev1.Pod {
	l.Helper()
	pods := shared.Client.CoreV1().Pods(metav1.NamespaceDefault)
	made, err := pods.Create(l.Context(), pod, metav1.CreateOptions{})
	l.Check("create pod "+pod.Name, err)
	l.Cleanup(func() {
		err := pods.Delete(context.WithoutCancel(l.Context()), pod.Name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		if err != nil && !apierrors.IsNotFound(err) {
			l.Errorf("delete pod %s: %v", pod.Name, err) // it would disturb the tests that follow
		}
	})
	return made
}

// delete deletes a pod at once.
func (l *look) delete(name string) {
	l.Helper()
	l.Check("delete pod "+name, shared.Client.CoreV1().Pods(metav1.NamespaceDefault).Delete(l.Context(), name,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
}

// nominate has the pod wait for a node that is planned for it.
func (l *look) nominate(pod, node string) {
	l.Helper()
	patch := fmt.Sprintf(`{"status":{"nominatedNodeName":%s}}`, quoted(node))
	_, err := shared.Client.CoreV1().Pods(metav1.NamespaceDefault).Patch(l.Context(), pod, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{}, "status")
	l.Check("nominate a node for "+pod, err)
}

// fault has a node report a fault until the test is over.
func (l *look) fault(node, condition string) {
	l.Helper()
	l.Check("break "+node, fleet.SetCondition(l.Context(), shared.Client, node, condition, true))
	l.Cleanup(func() {
		if err := fleet.SetCondition(context.WithoutCancel(l.Context()), shared.Client, node, condition, false); err != nil {
			l.Errorf("mend %s: %v", node, err) // it would disturb the tests that follow
		}
	})
}

// choose has a field that offers choices take one, as a person does.
func (l *look) choose(selector, value string) {
	l.Helper()
	eval[bool](l, fmt.Sprintf(`((field) => {
		field.value = %s;
		return field.dispatchEvent(new Event('change', {bubbles: true}));
	})(document.querySelector(%s))`, quoted(value), quoted(selector)))
}
