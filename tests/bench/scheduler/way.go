package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/echo"
)

// Extenders that kube-scheduler may have.
const (
	extenderNone  = "none"
	extenderEcho  = "echo"
	extenderBerth = "berth"
)

// filterOnly is what a way's name ends with if its extender is not asked to prioritize.
const filterOnly = "filter-only"

// way is one way to have pods placed.
type way struct {
	name       string
	extender   string
	config     map[string]any // keys of Berth's configuration
	filterOnly bool
}

// parseWays reads names that commas separate.
func parseWays(text string) ([]way, error) {
	var ways []way
	for name := range strings.SplitSeq(text, ",") {
		w, err := parseWay(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		ways = append(ways, w)
	}
	return ways, nil
}

// parseWay reads a name such as berth+extender.shortlist.size=8+filter-only.
func parseWay(name string) (way, error) {
	parts := strings.Split(name, "+")
	w := way{name: name, extender: parts[0], config: map[string]any{}}
	switch w.extender {
	case extenderNone, extenderEcho, extenderBerth:
	default:
		return way{}, fmt.Errorf("-ways: %q is no way; write none, echo, berth, or such as "+
			"berth+extender.shortlist.size=8+filter-only", name)
	}
	for _, part := range parts[1:] {
		key, value, isSetting := strings.Cut(part, "=")
		switch {
		case part == filterOnly && w.extender != extenderNone:
			w.filterOnly = true
		case isSetting && w.extender == extenderBerth:
			set(w.config, key, parsed(value))
		default:
			return way{}, fmt.Errorf("-ways: %q of %q means nothing; write +KEY=VALUE behind berth, "+
				"with a key of its configuration, or +filter-only behind berth or echo", part, name)
		}
	}
	return w, nil
}

// set gives the key, whose parts points separate, a value.
func set(config map[string]any, key string, value any) {
	first, rest, nested := strings.Cut(key, ".")
	if !nested {
		config[first] = value
		return
	}
	inner, isMap := config[first].(map[string]any)
	if !isMap {
		inner = map[string]any{}
		config[first] = inner
	}
	set(inner, rest, value)
}

// parsed is a number, a bool or what else JSON knows, or the text itself.
func parsed(text string) any {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// register has kube-scheduler, whose configuration has Berth's entry, ask the way's extender.
func (w way) register(config *schedulerconfig.KubeSchedulerConfiguration, server *httptest.Server) {
	if w.extender == extenderNone {
		config.Extenders = nil
		return
	}
	entry := &config.Extenders[0]
	if w.extender == extenderEcho {
		entry.URLPrefix, entry.PreemptVerb = server.URL, ""
		entry.TLSConfig = &schedulerconfig.ExtenderTLSConfig{CAData: echo.Authority(server)}
	}
	if w.filterOnly {
		entry.PrioritizeVerb = ""
	}
}
