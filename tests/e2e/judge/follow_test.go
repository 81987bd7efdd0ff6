package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

const awaitTimeout = 10 * time.Second

func nodeAt(name string, revision int64) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, ResourceVersion: strconv.FormatInt(revision, 10),
	}}
}

// script plays the API server: lists and watches are answered in turn.
type script struct {
	lists   [][]*corev1.Node // the list's revision is its highest object's
	watches []any            // *watch.FakeWatcher or error; each call takes the next
	asked   chan string      // resource versions from which was watched
	saw     chan string      // what follow reported: "name first-last" or "-name first-last"
}

func (s *script) follow() *follow[*corev1.Node] {
	s.asked, s.saw = make(chan string, 100), make(chan string, 100)
	tell := func(sign string) func(*corev1.Node, window) {
		return func(node *corev1.Node, when window) {
			s.saw <- fmt.Sprintf("%s%s %d-%d", sign, node.Name, when.first, when.last)
		}
	}
	return &follow[*corev1.Node]{lists: s.list, watches: s.watch, saw: tell(""), lost: tell("-")}
}

func (s *script) list(context.Context) ([]*corev1.Node, string, error) {
	if len(s.lists) == 0 {
		return nil, "", errors.New("the API server is away")
	}
	nodes := s.lists[0]
	s.lists = s.lists[1:]
	return nodes, nodes[len(nodes)-1].ResourceVersion, nil
}

func (s *script) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	s.asked <- options.ResourceVersion
	if len(s.watches) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	next := s.watches[0]
	s.watches = s.watches[1:]
	if err, failed := next.(error); failed {
		return nil, err
	}
	stream := next.(*watch.FakeWatcher)
	context.AfterFunc(ctx, stream.Stop) // as a connection does
	return stream, nil
}

func expect(t *testing.T, from chan string, want ...string) {
	t.Helper()
	var got []string
	for range want {
		select {
		case line := <-from:
			got = append(got, line)
		case <-time.After(awaitTimeout):
			t.Fatalf("got %q, then nothing; want %q", got, want)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// run lists once and follows until the test ends.
func run(t *testing.T, f *follow[*corev1.Node]) {
	t.Helper()
	if err := f.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); f.follow(t.Context()) }()
	t.Cleanup(func() { <-done })
}

func TestWatchResumesWhereItStopped(t *testing.T) {
	first, second := watch.NewFakeWithChanSize(3, false), watch.NewFakeWithChanSize(3, false)
	s := &script{lists: [][]*corev1.Node{{nodeAt("a", 5)}}, watches: []any{first, second}}
	f := s.follow()
	first.Modify(nodeAt("a", 7))
	first.Action(watch.Bookmark, nodeAt("", 11))
	first.Stop()
	second.Delete(nodeAt("a", 12))
	run(t, f)
	expect(t, s.saw, "a 1-5", "a 7-7", "-a 12-12")
	expect(t, s.asked, "5", "11")
}

func TestGapIsListedWithItsBounds(t *testing.T) {
	expired := watch.NewFakeWithChanSize(2, false)
	expired.Modify(nodeAt("a", 8))
	expired.Error(&metav1.Status{Reason: metav1.StatusReasonExpired})
	s := &script{
		lists: [][]*corev1.Node{
			{nodeAt("a", 4), nodeAt("b", 5)},
			{nodeAt("a", 8), nodeAt("c", 20)},
		},
		watches: []any{expired},
	}
	run(t, s.follow())
	// a has not changed, c appeared and b went some time after revision 8.
	expect(t, s.saw, "a 1-4", "b 1-5", "a 8-8", "a 8-8", "c 9-20", "-b 9-20")
	expect(t, s.asked, "5", "20")
}

func TestRefusedWatchListsAgainOnlyWhenExpired(t *testing.T) {
	s := &script{
		lists: [][]*corev1.Node{{nodeAt("a", 5)}, {nodeAt("a", 9)}},
		watches: []any{
			errors.New("connection refused"),
			apierrors.NewResourceExpired("too old resource version"),
		},
	}
	run(t, s.follow())
	expect(t, s.saw, "a 1-5", "a 6-9")
	expect(t, s.asked, "5", "5", "9")
}
