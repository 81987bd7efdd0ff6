package judge

import (
	"context"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

const retryAfter = 100 * time.Millisecond // loopback, one client: no need to back off further

// follower is what a follow of any kind does.
type follower interface {
	list(ctx context.Context) error
	follow(ctx context.Context)
}

// follow sees every change of one kind: it resumes a watch that ends where it stopped, and lists
// again when the API server no longer has the revisions between, which leaves a gap.
type follow[T metav1.Object] struct {
	lists   func(context.Context) (objects []T, resourceVersion string, err error)
	watches func(context.Context, metav1.ListOptions) (watch.Interface, error)
	saw     func(T, window)
	lost    func(T, window)

	known map[string]T // by namespace and name, as last seen
	seen  int64        // all changes up to this revision have been seen
}

func (f *follow[T]) list(ctx context.Context) error {
	objects, resourceVersion, err := f.lists(ctx)
	if err != nil {
		return err
	}
	revision, before := revisionOf(resourceVersion), f.known
	f.known = map[string]T{}
	for _, object := range objects {
		f.known[keyOf(object)] = object
		f.saw(object, f.sinceSeen(object))
	}
	for key, object := range before {
		if _, still := f.known[key]; !still {
			f.lost(object, within(f.seen, revision))
		}
	}
	f.seen = revision
	return nil
}

// sinceSeen is the window of what a list shows of an object.
func (f *follow[T]) sinceSeen(object T) window {
	revision := revisionOf(object.GetResourceVersion())
	return within(min(f.seen, revision-1), revision)
}

func (f *follow[T]) follow(ctx context.Context) {
	for ctx.Err() == nil {
		gone := f.watchOnce(ctx)
		pause(ctx)
		for gone && ctx.Err() == nil && f.list(ctx) != nil {
			pause(ctx)
		}
	}
}

// watchOnce watches until the connection ends; gone tells that the watch cannot be resumed.
func (f *follow[T]) watchOnce(ctx context.Context) (gone bool) {
	stream, err := f.watches(ctx, metav1.ListOptions{
		ResourceVersion: strconv.FormatInt(f.seen, 10), AllowWatchBookmarks: true,
	})
	if err != nil {
		return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
	}
	defer stream.Stop()
	for event := range stream.ResultChan() {
		if event.Type == watch.Error {
			return true
		}
		f.take(event)
	}
	return false
}

func (f *follow[T]) take(event watch.Event) {
	object, ok := event.Object.(T)
	if !ok {
		return
	}
	revision := revisionOf(object.GetResourceVersion())
	switch event.Type {
	case watch.Added, watch.Modified:
		f.known[keyOf(object)] = object
		f.saw(object, at(revision))
	case watch.Deleted:
		delete(f.known, keyOf(object))
		f.lost(object, at(revision))
	case watch.Bookmark:
	}
	f.seen = revision
}

func keyOf(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(retryAfter):
	}
}
