package losses

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

const second = time.Second

func TestFatesOfPods(t *testing.T) {
	hanging := fault{begins: 100 * second, ends: 200 * second, hangs: true}
	failing := fault{begins: 100 * second, ends: 200 * second}
	later := fault{begins: 300 * second, ends: 400 * second}
	cases := map[string]struct {
		faults           []fault
		bound, left, now time.Duration
		want             fate
	}{
		"works":                     {nil, 10, 50, 30, fate{running, 20 * second}},
		"has done its work":         {nil, 10, 50, 60, fate{succeeded, 50 * second}},
		"was done before the fault": {[]fault{failing}, 10, 50, 150, fate{succeeded, 50 * second}},
		"knows of no fault to come": {[]fault{failing}, 10, 500, 60, fate{running, 50 * second}},
		"fails a little later":      {[]fault{failing}, 10, 500, 101, fate{running, 90 * second}},
		"has failed":                {[]fault{failing}, 10, 500, 102, fate{failed, 90 * second}},
		"hangs":                     {[]fault{hanging}, 10, 500, 199, fate{running, 90 * second}},
		"is rebooted":               {[]fault{hanging}, 10, 500, 200, fate{failed, 90 * second}},
		"comes to a broken node":    {[]fault{failing}, 120, 500, 122, fate{failed, 0}},
		"hangs from the start":      {[]fault{hanging}, 120, 500, 190, fate{running, 0}},
		"comes after the repair":    {[]fault{hanging, later}, 200, 50, 260, fate{succeeded, 50 * second}},
		"outlives one, not another": {[]fault{hanging, later}, 200, 500, 350, fate{failed, 100 * second}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := fateOf(c.faults, c.bound*second, c.left*second, c.now*second)
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestWorkLastsUpToTheLastCheckpoint(t *testing.T) {
	l := ledger{checkpoint: 20 * second}
	j := job{devices: 4, needs: 200 * second}
	l.end(&j, 60*second, fate{failed, 50 * second})
	if j.done != 40*second || l.held != 240*second || l.lasting != 160*second {
		t.Errorf("%s of the job are done; %+v", j.done, l)
	}
	l.end(&j, 30*second, fate{failed, 15 * second})
	if j.done != 40*second || l.lasting != 160*second {
		t.Errorf("%s of the job are done after less than a checkpoint; %+v", j.done, l)
	}
	l.stillRuns(&j, 15*second, fate{running, 15 * second})
	if l.lasting != 220*second {
		t.Errorf("what goes on has lost nothing yet: %+v", l)
	}
	l.end(&j, 160*second, fate{succeeded, 160 * second})
	if j.done != j.needs {
		t.Errorf("%s of the job are done at its end", j.done)
	}
}

func TestTracesAreThoseOfTheirSeed(t *testing.T) {
	o := options{length: time.Hour, every: 10 * second, least: 60 * second, most: 180 * second}
	nodes := []string{"a", "b", "c", "d"}
	faults := trace(o, nodes, 1)
	if !reflect.DeepEqual(faults, trace(o, nodes, 1)) || reflect.DeepEqual(faults, trace(o, nodes, 2)) {
		t.Error("a trace is not that of its seed alone")
	}
	repaired := map[string]time.Duration{}
	for _, f := range faults {
		if f.begins < repaired[f.node] {
			t.Errorf("%s breaks at %s and is repaired at %s", f.node, f.begins, repaired[f.node])
		}
		if lasts := f.ends - f.begins; lasts < o.least || lasts > o.most {
			t.Errorf("a fault lasts %s", lasts)
		}
		repaired[f.node] = f.ends
	}
	if len(faults) < 50 {
		t.Errorf("%d faults on four nodes", len(faults))
	}
}

func TestDetectorsWriteFaultsInOrder(t *testing.T) {
	first := fault{node: "a", begins: 1 * second, ends: 10 * second}
	brief := fault{node: "b", begins: 2 * second, ends: 5 * second}
	got := changes([]fault{first, brief}, 2*second)
	want := []change{{3 * second, first, true}, {4 * second, brief, true}, {5 * second, brief, false},
		{10 * second, first, false}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestWrongArgumentsSayWhatToWrite(t *testing.T) {
	for argument, want := range map[string]string{
		"-nodes=5": "50 or more", "-rounds=0": "1 or more", "-length=0s": "1s or more",
		"-most=5s": "not be below", "-detection=90s": "below it", "-ways=x": "alone,berth,berth-evict",
	} {
		if _, err := parse([]string{argument}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", argument, err, want)
		}
	}
}

func TestReportComparesRoundByRound(t *testing.T) {
	r := report{Machine: figures.Machine{}, Ways: []wayReport{
		{Title: "first", Runs: []outcome{{Held: 300, Lasting: 100}, {Held: 200, Lasting: 100}}},
		{Title: "second", Runs: []outcome{{Held: 150, Lasting: 100}, {Held: 150, Lasting: 100}}},
		{Title: "third"},
	}}
	var out bytes.Buffer
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "| second | 2 | **50** | 50 to 50 | 50 to 50 | 0.38 |") ||
		strings.Contains(text, "third") {
		t.Error(text)
	}
}

func TestTooManyLossesAreAnError(t *testing.T) {
	lose := func(way string, all ...float64) wayReport {
		w := wayReport{Way: way}
		for _, lost := range all {
			w.Runs = append(w.Runs, outcome{Held: 1000 + lost, Lasting: 1000})
		}
		return w
	}
	for name, c := range map[string]struct {
		ways   []wayReport
		misses bool
	}{
		"half":                    {[]wayReport{lose(wayAlone, 400), lose(wayEvict, 200)}, false},
		"a little more":           {[]wayReport{lose(wayAlone, 400), lose(wayEvict, 201)}, true},
		"in another order":        {[]wayReport{lose(wayEvict, 201), lose("berth", 9), lose(wayAlone, 400)}, true},
		"in one round of three":   {[]wayReport{lose(wayAlone, 400, 400, 400), lose(wayEvict, 300, 100, 100)}, false},
		"in two rounds of three":  {[]wayReport{lose(wayAlone, 400, 400, 400), lose(wayEvict, 300, 300, 100)}, true},
		"nothing is lost":         {[]wayReport{lose(wayAlone, 0), lose(wayEvict, 0)}, false},
		"without evictions":       {[]wayReport{lose(wayAlone, 400), lose("berth", 300)}, false},
		"without kube-scheduler":  {[]wayReport{lose("berth", 400), lose(wayEvict, 300)}, false},
		"ended before the second": {[]wayReport{lose(wayAlone, 400), lose(wayEvict)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := report{Ways: c.ways}.missed()
			if (err != nil) != c.misses {
				t.Errorf("%v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "berth-evict lost 0.") {
				t.Errorf("%q does not say how much is lost", err)
			}
		})
	}
}
