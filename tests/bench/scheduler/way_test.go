package main

import (
	"reflect"
	"strings"
	"testing"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/echo"
)

func TestWaysAreReadFromTheirNames(t *testing.T) {
	none := map[string]any{}
	cases := []struct {
		text string
		want []way
	}{
		{"none", []way{{name: "none", extender: "none", config: none}}},
		{"echo, berth", []way{{name: "echo", extender: "echo", config: none},
			{name: "berth", extender: "berth", config: none}}},
		{"echo+filter-only",
			[]way{{name: "echo+filter-only", extender: "echo", config: none, filterOnly: true}}},
		{"berth+extender.shortlist.size=8+log.level=debug+extender.x=true+filter-only", []way{{
			name:     "berth+extender.shortlist.size=8+log.level=debug+extender.x=true+filter-only",
			extender: "berth", filterOnly: true,
			config: map[string]any{
				"extender": map[string]any{"shortlist": map[string]any{"size": 8.0}, "x": true},
				"log":      map[string]any{"level": "debug"},
			}}}},
	}
	for _, c := range cases {
		if got, err := parseWays(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is %+v (%v), want %+v", c.text, got, err, c.want)
		}
	}
}

func TestWaysThatMeanNothing(t *testing.T) {
	for text, advice := range map[string]string{
		"":                  "write none, echo, berth, or such as berth+",
		"none,bert":         "write none, echo, berth, or such as berth+",
		"berth+fast":        "write +KEY=VALUE behind berth",
		"echo+log.level=no": "write +KEY=VALUE behind berth",
		"none+filter-only":  "+filter-only behind berth or echo",
	} {
		if _, err := parseWays(text); err == nil || !strings.Contains(err.Error(), advice) {
			t.Errorf("%q: error %v does not say %q", text, err, advice)
		}
	}
}

func TestRegistration(t *testing.T) {
	server := echo.Start()
	defer server.Close()
	berth := schedulerconfig.Extender{URLPrefix: "https://berth", FilterVerb: "filter",
		PrioritizeVerb: "prioritize", PreemptVerb: "preempt", Weight: 31, NodeCacheCapable: true}
	changed := func(change func(*schedulerconfig.Extender)) []schedulerconfig.Extender {
		entry := berth
		change(&entry)
		return []schedulerconfig.Extender{entry}
	}
	cases := map[string][]schedulerconfig.Extender{
		"none":                    nil,
		"berth+log.level=warning": {berth},
		"berth+filter-only":       changed(func(e *schedulerconfig.Extender) { e.PrioritizeVerb = "" }),
		"echo": changed(func(e *schedulerconfig.Extender) {
			e.URLPrefix, e.PreemptVerb = server.URL, ""
			e.TLSConfig = &schedulerconfig.ExtenderTLSConfig{CAData: echo.Authority(server)}
		}),
	}
	for name, want := range cases {
		w, err := parseWay(name)
		if err != nil {
			t.Fatal(err)
		}
		config := schedulerconfig.KubeSchedulerConfiguration{
			Extenders: []schedulerconfig.Extender{berth}}
		w.register(&config, server)
		if !reflect.DeepEqual(config.Extenders, want) {
			t.Errorf("%s registers %+v, want %+v", name, config.Extenders, want)
		}
	}
}
