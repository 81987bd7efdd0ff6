package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/judge"
)

func TestChoices(t *testing.T) {
	good, err := parse([]string{"-faults", "none, api-away", "-way", "berth-every-node"})
	if err != nil || len(good.faults) != 2 || good.faults[1].name != "api-away" ||
		good.way.Name != "berth-every-node" {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, c := range []struct{ flag, value, advice string }{
		{"-nodes", "49", "-nodes must be 50 or more"},
		{"-pods", "1146", "-pods must be 1145 at most"},
		{"-after", "1", "-after 0 or more and below 1"},
		{"-patience", "10s", "-patience more than -away"},
		{"-faults", "fire", "write some of none,controllers-killed,api-away,"},
		{"-way", "alone", "alone has no controller that controllers-killed could happen to"},
		{"-way", "berth,berth-every-node", "more than one"},
	} {
		if _, err := parse([]string{c.flag, c.value}); err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: error %v does not say %q", c.flag, c.value, err, c.advice)
		}
	}
}

// The clock is the bubble's.
func TestPodsAreCreatedThoughKubeAPIServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		create := persistent(func(context.Context, *corev1.Pod) error {
			if time.Since(begin) < 30*time.Second {
				return errors.New("connection refused")
			}
			// What was not answered had been done.
			return apierrors.NewAlreadyExists(schema.GroupResource{Resource: "pods"}, "a")
		})
		if err := create(t.Context(), &corev1.Pod{}); err != nil || time.Since(begin) > 31*time.Second {
			t.Errorf("error %v after %v", err, time.Since(begin))
		}
		denied := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "a", nil)
		create = persistent(func(context.Context, *corev1.Pod) error { return denied })
		if err := create(t.Context(), &corev1.Pod{}); !apierrors.IsForbidden(err) {
			t.Errorf("error %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		create = persistent(func(context.Context, *corev1.Pod) error { return errors.New("refused") })
		if err := create(ended, &corev1.Pod{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestDetailsNameThoseWhoAreMeant(t *testing.T) {
	got := details(placing.Outcome{Without: map[string]string{"default/b": "0/3 nodes"}},
		map[string]string{"default/a": "n1"}, []string{"n2: 9 of 8 nvidia.com/gpu"},
		[]judge.Placement{{Namespace: "default", Pod: "c", Node: "n3", Condition: "GPUIsLost",
			After: time.Second}})
	want := []string{`default/a on "n1" is gone`, `default/b has no node: "0/3 nodes"`,
		"default/c got n3 1s after GPUIsLost", "n2: 9 of 8 nvidia.com/gpu"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	o := outcome{Lost: 1, Details: got}
	if !strings.Contains(o.String(), " 1 lost, 0 overcommitted, 0 nominated\n  default/a on") {
		t.Errorf("said as %s", o)
	}
}

func TestReportIsShown(t *testing.T) {
	r := report{Machine: figures.Machine{CPUs: 2}, Nodes: 280, Pods: 900, Away: "30s", Way: "berth",
		Faults: []faultReport{{Fault: "none", Title: "nothing fails", Runs: []outcome{
			{LastBinding: 4, WaitP99: 3, Broken: 1, InFlight: 2, Lost: 1},
			{LastBinding: 6, WaitP99: 5, InFlight: 3, Unclear: 1, Overcommitted: 2, Nominated: 7}}},
			{Fault: "api-away"}}}
	if err := figures.CheckTables(r.print,
		"900 pods at once, 280 nodes, berth, kube-apiserver away for 30s; 2 CPUs",
		"| nothing fails | 2 | **5.0** | 4.5 to 5.5 | 4.0 to 6.0 | 4.00 | 1 | 5 | 1 | 1 | 2 | 7 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
