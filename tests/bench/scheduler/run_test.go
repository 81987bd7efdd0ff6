package main

import (
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/placing"
)

func TestRunsEndWhenAllArePlacedAndFailWhereOneIsRefused(t *testing.T) {
	begin := time.Now()
	seen := placing.Seen{Bound: map[string]time.Time{"a": begin, "b": begin.Add(7 * time.Second)}}
	var bound bindings
	if done, err := placed(3, &bound)(seen); done || err != nil {
		t.Errorf("two of three: %v (%v)", done, err)
	}
	if done, err := placed(2, &bound)(seen); !done || err != nil || bound != (bindings{count: 2, took: 7 * time.Second}) {
		t.Errorf("both: %v, %+v (%v)", done, bound, err)
	}
	seen.Refused = map[string]string{"team-1/c": "0/3 nodes are available"}
	_, err := placed(2, &bound)(seen)
	const want = "pod team-1/c finds no node (0/3 nodes are available); ask for fewer -pods or more -nodes"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}
