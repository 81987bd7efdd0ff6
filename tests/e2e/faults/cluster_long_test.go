//go:build long

package faults

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/detector"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/monitoring"
)

const (
	// How often the probes run here, and how long they may take. The defaults are 1m and 20s.
	probeInterval = time.Second
	probeTimeout  = 2 * time.Second
	// How long a node is excluded before its pods are evicted: the least that Berth takes.
	evictAfter = time.Minute
	// How long the alerts wait here. In the chart it is 10m, and 5m for the breaker.
	alertAfter   = time.Second
	nodeAlert    = "BerthNodeNeedsRepair"
	breakerAlert = "BerthBreakerTripped"

	rdma         = "rdma/hca"
	rdmaPerNode  = 8
	mainPool     = "mn2a"
	mainModel    = "V100"
	mainNodes    = 28
	liedOfPool   = "mn2b-a30"
	liedOfModel  = "A30"
	liedOfNodes  = 12
	liedOfBroken = 7 // more than half
	awaitTimeout = time.Minute
	pollInterval = 100 * time.Millisecond
)

// evicted are the conditions that exclude nodes by the profiles pfn and probe, and for which pods are
// evicted here.
var evicted = []string{"GPUIsLost", "GPUPendingPage", "GPURowRemapFailure", "DStateProcess",
	"NFSUnresponsive", "NICLinkDown", "IBLinkDown"}

// status is what a condition was, and since when.
type status struct {
	at     time.Time
	status corev1.ConditionStatus
}

func (s status) String() string { return s.at.Format("15:04:05.0 ") + string(s.status) }

// cluster is a control plane with the nodes that break, with Berth or without.
type cluster struct {
	box.Test
	box      *box.Box
	work     work
	filter   *http.Client         // nil without Berth
	receiver *monitoring.Receiver // nil without Berth

	mu sync.Mutex
	// By node and type, in order.
	statuses map[string][]status
}

// start starts one. Without Berth there is nothing that would raise an alert either.
func start(t *testing.T, withBerth bool) *cluster {
	t.Helper()
	for _, program := range []string{"node-problem-detector", "alertmanager"} {
		if _, err := box.Program(program); err != nil {
			t.Skipf("tests/e2e/build/build.sh node-problem-detector alertmanager builds what this test "+
				"needs: %v", err)
		}
	}
	c := &cluster{Test: box.Test{T: t, Timeout: awaitTimeout}, statuses: map[string][]status{}}
	c.work = newWork(c)
	options := box.Options{Kubelet: true, Images: map[string]string{trainerImage: c.work.program}}
	if withBerth {
		options.Berth = &box.BerthOptions{Config: health()}
	}
	c.box = box.ForTest(t, options)
	c.Check("create nodes", fleet.CreateNodes(c.Context(), c.box.Client, pools()))
	c.Check("create the Jobs' namespace",
		c.box.CreateNamespace(c.Context(), box.KubeletNamespace, nil))
	c.follow()
	if withBerth {
		c.startBerth()
	}
	return c
}

func health() map[string]any {
	return map[string]any{"health": map[string]any{"profiles": []string{"pfn", "probe"}}}
}

func pools() []fleet.Pool {
	var chosen []fleet.Pool
	for _, pool := range fleet.Reference() {
		switch pool.Name {
		case mainPool:
			pool.Nodes = mainNodes
		case liedOfPool:
			pool.Nodes = liedOfNodes
		default:
			continue
		}
		chosen = append(chosen, pool)
	}
	return chosen
}

// nodesOf names the nodes of a pool.
func nodesOf(name string) []string {
	var names []string
	for _, pool := range pools() {
		for index := range pool.Nodes {
			if pool.Name == name {
				names = append(names, pool.NodeName(index))
			}
		}
	}
	return names
}

// startBerth starts what belongs to Berth besides the extender, and to operators.
func (c *cluster) startBerth() {
	c.Helper()
	var err error
	c.filter, err = c.box.Berth.HTTPClient()
	c.Check("make a client", err)
	config := health()
	var rules []any
	for _, condition := range evicted {
		rules = append(rules, map[string]any{"condition": condition, "after": evictAfter.String(),
			"perMinute": 60, "maxShare": 0.5})
	}
	config["controller"] = map[string]any{"evict": rules}
	controller, err := c.box.NewController("controller", config)
	c.Check("make a controller", err)
	c.Check("grant its rights", c.box.GrantController(c.Context(), controller))
	c.Check("start the controller", controller.Start(c.Context()))
	c.Await("the controller to lead", func() bool {
		samples, err := controller.Metrics(c.Context())
		return err == nil && samples.Sum("berth_controller_leads") == 1
	})
	c.startMonitoring(controller)
}

// startMonitoring has Prometheus and Alertmanager watch Berth with the chart's rules.
func (c *cluster) startMonitoring(controller *box.Controller) {
	c.Helper()
	c.receiver = monitoring.NewReceiver()
	c.Cleanup(c.receiver.Close)
	alertmanager, err := c.box.NewAlertmanager(monitoring.Alertmanager(c.receiver.URL))
	c.Check("configure Alertmanager", err)
	c.Check("start Alertmanager", alertmanager.Start(c.Context()))
	target := func(pod, url string) any {
		return map[string]any{"targets": []string{strings.TrimPrefix(url, "http://")},
			"labels": map[string]string{"namespace": "berth-system", "pod": pod}}
	}
	prometheus, err := c.box.NewConfiguredPrometheus(map[string]any{
		"global": map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"scrape_configs": []any{map[string]any{"job_name": "berth", "static_configs": []any{
			target("extender", c.box.Berth.MetricsURL), target("controller", controller.MetricsURL)}}},
		"rule_files": []string{c.rules()},
		"alerting": map[string]any{"alertmanagers": []any{map[string]any{"static_configs": []any{
			map[string]any{"targets": []string{alertmanager.Address}}}}}},
	})
	c.Check("configure Prometheus", err)
	c.Check("start Prometheus", prometheus.Start(c.Context()))
}

// rules is a file with the chart's rules, of which the two that faults fire do not wait for minutes.
func (c *cluster) rules() string {
	c.Helper()
	chart, err := box.Chart()
	c.Check("find the chart", err)
	text, err := os.ReadFile(filepath.Join(chart, "files", "rules.yaml"))
	c.Check("read the rules", err)
	var rules monitoring.RulesFile
	c.Check("read the rules", yaml.UnmarshalStrict(text, &rules))
	for _, alert := range []string{nodeAlert, breakerAlert} {
		c.Check("shorten "+alert, rules.After(alert, alertAfter))
	}
	text, err = yaml.Marshal(rules)
	c.Check("write the rules", err)
	file := filepath.Join(c.TempDir(), "rules.yaml")
	c.Check("write the rules", os.WriteFile(file, text, 0o644))
	return file
}

// detector makes one for a node of which all is well: two GPUs, and what flags and probes are about.
func (c *cluster) detector(options detector.Options) *detector.Detector {
	c.Helper()
	root := c.TempDir()
	hardware := detector.Hardware{Root: root}
	options.Interval, options.Timeout = probeInterval, cmp.Or(options.Timeout, probeTimeout)
	options.Flags = append(options.Flags, "*:root="+root, "*:nvidia-smi="+hardware.NvidiaSMI(),
		"d-state:for=3s", "d-state:cgroup=")
	d, err := detector.New(c.Context(), c.box, root, options)
	c.Check("make a detector for "+options.Node, err)
	c.Cleanup(d.Stop)
	for what, err := range map[string]error{
		"a clock": d.Boot(), "a GPU": d.AddGPU(detector.FirstGPU),
		"a second GPU": d.AddGPU(detector.SecondGPU), "nvidia-smi": d.SetMemory("No", "No"),
		"a NIC": d.SetNIC("eth0", true), "a port": d.SetPort("mlx5_0", true),
		"a mount": d.SetMount(true),
	} {
		c.Check("give "+options.Node+" "+what, err)
	}
	return d
}

// follow notes every status that conditions of nodes have from now on.
func (c *cluster) follow() {
	c.Helper()
	watch, err := c.box.Client.CoreV1().Nodes().Watch(c.Context(), metav1.ListOptions{})
	c.Check("watch nodes", err)
	c.Cleanup(watch.Stop)
	go func() {
		for event := range watch.ResultChan() {
			if node, isNode := event.Object.(*corev1.Node); isNode {
				c.note(node)
			}
		}
	}()
}

func (c *cluster) note(node *corev1.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, condition := range node.Status.Conditions {
		key := node.Name + " " + string(condition.Type)
		known := c.statuses[key]
		if len(known) == 0 || known[len(known)-1].status != condition.Status {
			c.statuses[key] = append(known, status{time.Now(), condition.Status})
		}
	}
}

// history is what the condition of the node was, one status after the other.
func (c *cluster) history(node, condition string) []status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statuses[node+" "+condition]
}

// is tells whether the condition has this status now.
func (c *cluster) is(node, condition string, want corev1.ConditionStatus) bool {
	known := c.history(node, condition)
	return len(known) > 0 && known[len(known)-1].status == want
}

// silence has the condition look as if nobody had repeated it for half an hour.
func (c *cluster) silence(node, condition string) error {
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":%q,"lastHeartbeatTime":%q}]}}`, condition,
		time.Now().Add(-30*time.Minute).UTC().Format(time.RFC3339))
	_, err := c.box.Client.CoreV1().Nodes().Patch(c.Context(), node,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	return err
}

// setWell has the condition be well, as an administrator sets it.
func (c *cluster) setWell(node, condition string) error {
	return fleet.PatchCondition(c.Context(), c.box.Client, node, corev1.NodeCondition{
		Type: corev1.NodeConditionType(condition), Status: corev1.ConditionFalse,
		Reason: "SetByHand", LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()})
}

// setRDMA gives nodes network adapters where the fault is about them.
func (c *cluster) setRDMA(f fault, nodes ...string) {
	c.Helper()
	if !f.withRDMA {
		return
	}
	for _, node := range nodes {
		c.Check("add adapters", fleet.SetDevices(c.Context(), c.box.Client, node, rdma, rdmaPerNode))
	}
}
