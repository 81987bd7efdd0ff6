package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func nodeWith(name, condition string, status corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
			{Type: corev1.NodeConditionType(condition), Status: status}}}}
}

// The clock is the bubble's.
func TestBrokenNodeIsSeenWhenItsEventComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		begin := time.Now()
		go func() {
			stream.Modify(nodeWith("other", "GPUIsLost", corev1.ConditionTrue))
			stream.Modify(nodeWith("a", "GPUIsLost", corev1.ConditionFalse))
			stream.Modify(nodeWith("a", "PCIeLinkDegraded", corev1.ConditionTrue)) // keeps no pod away
			time.Sleep(3 * time.Millisecond)
			stream.Modify(nodeWith("a", "GPUIsLost", corev1.ConditionTrue))
			stream.Stop()
		}()
		sightings := sightBroken(stream)
		time.Sleep(time.Second) // however late it is asked
		at, err := awaitSighting(t.Context(), "a", sightings)
		if err != nil || at.Sub(begin) != 3*time.Millisecond {
			t.Errorf("seen after %v (%v), want 3ms", at.Sub(begin), err)
		}
		_, err = awaitSighting(t.Context(), "a", sightings)
		if err == nil || !strings.Contains(err.Error(), "the watch of nodes has ended") {
			t.Errorf("error %v of a watch that has ended", err)
		}
	})
}

func TestEventsThatDoNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := awaitSighting(t.Context(), "a", make(chan sighting))
		if err == nil || !strings.Contains(err.Error(), "no event of it after 2m0s") {
			t.Errorf("error %v", err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := awaitSighting(ctx, "a", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestLateIsWhatComesAfterTheEvent(t *testing.T) {
	if late := (change{Seen: 4, Refused: 5.5}).late(); late != 1.5 {
		t.Errorf("late by %v ms, want 1.5", late)
	}
}
