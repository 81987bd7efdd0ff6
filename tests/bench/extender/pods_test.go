package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/bench/ask"
)

// shapeOf is what Berth tells pods apart by.
func shapeOf(args extenderv1.ExtenderArgs) string {
	shape, _ := json.Marshal([]any{args.Pod.Annotations, // never fails: strings and quantities
		args.Pod.Spec.Containers[0].Resources})
	return string(shape)
}

func decoded(t *testing.T, all [][]byte) []extenderv1.ExtenderArgs {
	t.Helper()
	asked := make([]extenderv1.ExtenderArgs, len(all))
	for i, body := range all {
		if err := json.Unmarshal(body, &asked[i]); err != nil {
			t.Fatal(err)
		}
	}
	return asked
}

// No cache is to be tuned to one pod.
func TestRequestsVary(t *testing.T) {
	names := []string{"a", "b"}
	all, err := ask.Bodies(pods(1, varied), names)
	if err != nil {
		t.Fatal(err)
	}
	shapes, teams := map[string]bool{}, map[string]bool{}
	for _, args := range decoded(t, all) {
		shapes[shapeOf(args)], teams[args.Pod.Namespace] = true, true
		if !slices.Equal(*args.NodeNames, names) {
			t.Fatalf("asks about %v", *args.NodeNames)
		}
	}
	if len(all) != varied || len(shapes) <= 20 || len(teams) != namespaces {
		t.Errorf("%d pods of %d shapes in %d namespaces", len(all), len(shapes), len(teams))
	}
	if !reflect.DeepEqual(pods(3, 10), pods(3, 10)) {
		t.Error("the same seed made other pods")
	}
}

func TestNewPodsAreAllOfNewShapes(t *testing.T) {
	all, err := ask.Bodies(newPods(shapes), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, args := range decoded(t, all) {
		seen[shapeOf(args)] = true
	}
	if len(seen) != shapes {
		t.Errorf("%d shapes, want %d", len(seen), shapes)
	}
}

// kube-scheduler alone is to keep no node away from Berth.
func TestAnyNodeIsLargeEnoughForAllPods(t *testing.T) {
	for _, pod := range pods(1, 100) {
		requests := pod.Spec.Containers[0].Resources.Requests
		if requests.Cpu().MilliValue() > 10 || requests.Memory().Value() > 10<<20 ||
			pod.Spec.Affinity != nil || pod.Spec.NodeSelector != nil {
			t.Errorf("%s fits only some nodes: %v", pod.Name, pod.Spec)
		}
	}
}
