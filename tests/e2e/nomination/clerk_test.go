package nomination

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

// clerk is an extender that lets every pod run everywhere unless it is told otherwise, and remembers
// what it was asked. Thread-safe.
type clerk struct {
	server *httptest.Server

	mu      sync.Mutex
	asked   []question
	held    map[string]chan struct{} // by pod: no answer before it is closed
	refused map[string]bool          // pods that are let run nowhere
}

// question is one call of the filter.
type question struct {
	pod   string
	nodes []string // ascending
}

func startClerk() *clerk {
	c := &clerk{held: map[string]chan struct{}{}, refused: map[string]bool{}}
	c.server = httptest.NewServer(http.HandlerFunc(c.filter))
	return c
}

func (c *clerk) register(config *schedulerconfig.KubeSchedulerConfiguration) {
	config.Extenders = []schedulerconfig.Extender{{
		URLPrefix: c.server.URL, FilterVerb: "filter", NodeCacheCapable: true,
		HTTPTimeout: metav1.Duration{Duration: time.Minute},
	}}
}

func (c *clerk) filter(w http.ResponseWriter, r *http.Request) {
	var args extender.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.NodeNames == nil {
		http.Error(w, "no names of nodes", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.asked = append(c.asked, question{args.Pod.Name, slices.Sorted(slices.Values(*args.NodeNames))})
	held, refused := c.held[args.Pod.Name], c.refused[args.Pod.Name]
	c.mu.Unlock()
	if held != nil {
		<-held
	}
	result := extender.ExtenderFilterResult{NodeNames: args.NodeNames}
	if refused {
		result = extender.ExtenderFilterResult{NodeNames: &[]string{},
			FailedNodes: extender.FailedNodesMap{}}
		for _, node := range *args.NodeNames {
			result.FailedNodes[node] = "the clerk refuses"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(result) // whoever does not read it has gone
}

// hold has questions about the pod wait for an answer until release is called, once.
func (c *clerk) hold(pod string) (release func()) {
	gate := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[pod] = gate
	return sync.OnceFunc(func() { close(gate) })
}

// refuse has the pod run nowhere.
func (c *clerk) refuse(pod string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[pod] = true
}

// about lists the nodes of each question about the pod.
func (c *clerk) about(pod string) [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var nodes [][]string
	for _, q := range c.asked {
		if q.pod == pod {
			nodes = append(nodes, q.nodes)
		}
	}
	return nodes
}

// order lists those of the pods that were asked about, each once, the first one first.
func (c *clerk) order(pods []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, q := range c.asked {
		if slices.Contains(pods, q.pod) && !slices.Contains(names, q.pod) {
			names = append(names, q.pod)
		}
	}
	return names
}
