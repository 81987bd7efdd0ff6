package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/fleet"
)

func TestEveryNodeIsReplacedInTheOrderOfRequests(t *testing.T) {
	old, next := renamed(fleet.Small(2), 0), renamed(fleet.Small(2), 1)
	changes := replacement(inOrder(old), inOrder(next))
	after := ask.NodeNames(next)
	for i, name := range ask.NodeNames(old) {
		gone, made := changes[2*i], changes[2*i+1]
		if gone.Type != watch.Deleted || gone.Node.Name != name || made.Type != watch.Added ||
			made.Node.Name != after[i] || after[i] == name {
			t.Errorf("%s of %s and %s of %s, want %s replaced by %s", gone.Type, gone.Node.Name,
				made.Type, made.Node.Name, name, after[i])
		}
	}
}
