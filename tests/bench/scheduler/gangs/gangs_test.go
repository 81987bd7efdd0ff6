package gangs

import (
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

func TestChoices(t *testing.T) {
	good, err := parse([]string{"-ways", "alone,berth,gang"})
	if err != nil || len(good.contenders) != 3 || good.contenders[1].isGang || !good.contenders[2].isGang {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, c := range []struct{ flag, value, advice string }{
		{"-nodes", "49", "-nodes must be 50 or more"},
		{"-pods", "1", "-pods 2 to 4096"},
		{"-pods", "3000", "three quarters of the nodes with V100"},
		{"-devices", "9", "-devices must be 1 to 8"},
		{"-rounds", "0", "-rounds 1 or more"},
		{"-ways", "best", "write some of alone, berth, gang, native"},
	} {
		if _, err := parse([]string{c.flag, c.value}); err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: error %v does not say %q", c.flag, c.value, err, c.advice)
		}
	}
}

func TestGangsAreAsTheWebhookMakesThem(t *testing.T) {
	b := &bench{options: options{pods: 3, devices: 8}}
	for _, isGang := range []bool{false, true} {
		for _, pod := range b.podsOf(contender{isGang: isGang}) {
			isGated := len(pod.Spec.SchedulingGates) == 1
			saysSize := pod.Annotations["berth.dev/gang-size"] == "3"
			if isGated != isGang || saysSize != isGang || pod.Spec.Affinity == nil {
				t.Errorf("%s of a gang (%v): %+v, %+v", pod.Name, isGang, pod.Annotations, pod.Spec)
			}
		}
	}
}

func TestNativeGangsAreAsTheWebhookMakesThem(t *testing.T) {
	o, err := parse([]string{"-ways", "alone,native", "-pods", "3"})
	if err != nil || !o.isNative() {
		t.Fatalf("%+v (%v)", o, err)
	}
	b := &bench{options: o}
	for _, pod := range b.podsOf(o.contenders[1]) {
		group := pod.Spec.SchedulingGroup
		if len(pod.Spec.SchedulingGates) > 0 || group == nil ||
			*group.PodGroupName != "berth-"+pod.Annotations["berth.dev/gang-name"] {
			t.Errorf("%s: %+v, %+v", pod.Name, pod.Annotations, pod.Spec)
		}
	}
}

func TestReportIsShown(t *testing.T) {
	r := report{Machine: figures.Machine{CPUs: 2}, Nodes: 7498, Pods: 512, Devices: 8, Ways: []wayReport{
		{Way: "alone", Title: "singles", Runs: []outcome{{LastBinding: 2}, {LastBinding: 4}}},
		{Way: "gang", Title: "gang", Runs: []outcome{{LastBinding: 3, Nominated: 512}, {LastBinding: 6}}}}}
	if err := figures.CheckTables(r.print, "512 pods of 8 devices, 7498 nodes; 2 CPUs",
		"| gang | singles | **1.50** | 1.50 to 1.50 | 1.50 to 1.50 |\n",
		"| singles | **3.00** |"); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}

// The command does this with 7,498 nodes.
func TestAGangIsPlacedWhole(t *testing.T) {
	o, err := parse([]string{"-nodes", "60", "-pods", "8", "-patience", "30s", "-json",
		filepath.Join(t.TempDir(), "a.json")})
	if err != nil {
		t.Fatal(err)
	}
	b, err := start(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.cluster.Stop()
	for _, c := range o.contenders {
		measured, err := b.measure(t.Context(), c)
		if err != nil {
			t.Fatal(figures.Failed(t.Context(), b.cluster.Box, err))
		}
		if measured.LastBinding <= 0 || (measured.Nominated == o.pods) != c.isGang {
			t.Errorf("%s: %+v", c.name, measured)
		}
	}
}
