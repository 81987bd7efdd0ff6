package placing

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/echo"
)

// extender is what kube-scheduler asks.
type extender int

const (
	asksNobody extender = iota
	asksEcho
	asksBerth
)

// filterOnly is what a way's name ends with if its extender is not asked to prioritize.
const filterOnly = "filter-only"

// samplePercentage is what sets percentageOfNodesToScore behind a way's name.
const samplePercentage = "sample"

// kube-scheduler's own limits, 50 requests a second with bursts of 100, would be all that is
// measured.
const (
	clientQPS   = 1000
	clientBurst = 2000
)

// Way is one way to have pods placed.
type Way struct {
	Name string

	extender   extender
	sample     int32          // percentageOfNodesToScore; 0: as shipped
	controller bool           // berth controller runs
	config     map[string]any // keys of Berth's configuration, over those of the chart
	filterOnly bool
	program    string // kube-scheduler; empty: Kubernetes' own
	change     func(*schedulerconfig.KubeSchedulerConfiguration)
}

// allWays have nothing behind their name.
var allWays = []Way{
	{Name: "alone"},
	{Name: "alone-every-node", sample: 100},
	{Name: "berth", extender: asksBerth, controller: true},
	{Name: "berth-every-node", extender: asksBerth, controller: true, sample: 100},
	{Name: "berth-no-controller", extender: asksBerth},
	{Name: "echo", extender: asksEcho},
	{Name: "echo-every-node", extender: asksEcho, sample: 100},
}

// WayNames are the names that ParseWays knows.
func WayNames() string {
	var names []string
	for _, w := range allWays {
		names = append(names, w.Name)
	}
	return strings.Join(names, ", ")
}

// ParseWays reads names that commas separate.
func ParseWays(text string) ([]Way, error) {
	var ways []Way
	for name := range strings.SplitSeq(text, ",") {
		w, err := parseWay(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		ways = append(ways, w)
	}
	return ways, nil
}

// parseWay reads a name such as berth+extender.shortlist.size=8+filter-only or alone+sample=2.
func parseWay(name string) (Way, error) {
	parts := strings.Split(name, "+")
	at := slices.IndexFunc(allWays, func(w Way) bool { return w.Name == parts[0] })
	if at < 0 {
		return Way{}, fmt.Errorf("-ways: %q is no way; write some of %s, or such as "+
			"berth+extender.shortlist.size=8+filter-only", name, WayNames())
	}
	w := allWays[at]
	w.Name, w.config = name, map[string]any{}
	for _, part := range parts[1:] {
		key, value, isSetting := strings.Cut(part, "=")
		switch {
		case part == filterOnly && w.extender != asksNobody:
			w.filterOnly = true
		case isSetting && key == samplePercentage:
			percentage, err := strconv.ParseInt(value, 10, 32)
			if err != nil || percentage < 1 || percentage > 100 {
				return Way{}, fmt.Errorf("-ways: %q of %q; write a percentage of 1 to 100", part, name)
			}
			w.sample = int32(percentage)
		case isSetting && w.extender == asksBerth:
			set(w.config, key, parsed(value))
		default:
			return Way{}, fmt.Errorf("-ways: %q of %q means nothing; write +KEY=VALUE behind berth, "+
				"with a key of its configuration, +filter-only behind berth or echo, or +sample=PERCENT", part,
				name)
		}
	}
	return w, nil
}

// With is the way with another kube-scheduler, which is a program of .cache/bin, and whose
// configuration is changed last.
func (w Way) With(program string, change func(*schedulerconfig.KubeSchedulerConfiguration)) Way {
	w.program, w.change = program, change
	return w
}

// Configured is the way with another value of a key of Berth's configuration, whose parts points
// separate. Its own configuration stays as it is.
func (w Way) Configured(key string, value any) Way {
	config := map[string]any{}
	over(config, w.config)
	set(config, key, value)
	w.config = config
	return w
}

// AsksBerth tells whether Berth's extender is asked.
func (w Way) AsksBerth() bool { return w.extender == asksBerth }

// HasController tells whether berth controller runs.
func (w Way) HasController() bool { return w.controller }

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

// over has the keys of more take the place of those of config; maps of both are joined.
func over(config, more map[string]any) {
	for key, value := range more {
		ours, isMap := config[key].(map[string]any)
		theirs, areMaps := value.(map[string]any)
		if isMap && areMaps {
			over(ours, theirs)
		} else {
			config[key] = value
		}
	}
}

// berthConfig is the chart's configuration of Berth with the way's own keys.
func (w Way) berthConfig(s Shipped) (map[string]any, error) {
	config, err := s.Berth()
	if err != nil {
		return nil, err
	}
	over(config, w.config)
	return config, nil
}

// SchedulerName is the one that the way's pods name.
func (w Way) SchedulerName(s Shipped) (string, error) {
	if w.extender == asksNobody {
		return corev1.DefaultSchedulerName, nil
	}
	config, err := s.Scheduler()
	if err != nil {
		return "", err
	}
	return *config.Profiles[0].SchedulerName, nil
}

// configure makes the box's configuration of kube-scheduler the way's: the chart's, or of
// kube-scheduler alone its defaults. Addresses and files stay the box's, and so does leader
// election: nobody competes.
func (w Way) configure(
	config *schedulerconfig.KubeSchedulerConfiguration, s Shipped, server *httptest.Server,
) error {
	ours := *config
	if w.extender == asksNobody {
		config.Extenders = nil
	} else if err := w.configureShipped(config, s, server); err != nil {
		return err
	}
	config.ClientConnection, config.LeaderElection = ours.ClientConnection, ours.LeaderElection
	config.ClientConnection.QPS, config.ClientConnection.Burst = clientQPS, clientBurst
	if w.sample > 0 {
		config.PercentageOfNodesToScore = new(w.sample)
	}
	if w.change != nil {
		w.change(config)
	}
	return nil
}

func (w Way) configureShipped(
	config *schedulerconfig.KubeSchedulerConfiguration, s Shipped, server *httptest.Server,
) error {
	shipped, err := s.Scheduler()
	if err != nil {
		return err
	}
	entry := &shipped.Extenders[0]
	entry.URLPrefix, entry.TLSConfig = config.Extenders[0].URLPrefix, config.Extenders[0].TLSConfig
	if w.extender == asksEcho {
		entry.URLPrefix, entry.PreemptVerb = server.URL, ""
		entry.TLSConfig = &schedulerconfig.ExtenderTLSConfig{CAData: echo.Authority(server)}
	}
	if w.filterOnly {
		entry.PrioritizeVerb = ""
	}
	*config = shipped
	return nil
}
