package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const syncTimeout = 60 * time.Second

// NodeNames deals the pools' names in turn, as kube-scheduler's node tree mixes zones.
func NodeNames(pools []fleet.Pool) []string {
	var names []string
	for index := range slices.MaxFunc(pools, func(a, b fleet.Pool) int { return a.Nodes - b.Nodes }).Nodes {
		for _, pool := range pools {
			if index < pool.Nodes {
				names = append(names, pool.NodeName(index))
			}
		}
	}
	return names
}

// SampleSize is how many nodes kube-scheduler looks at by default.
// k8s.io/kubernetes/pkg/scheduler/schedule_one.go, numFeasibleNodesToFind.
func SampleSize(nodes int) int {
	return min(nodes, max(100, nodes*max(5, 50-nodes/125)/100))
}

// AwaitAll waits until Berth knows every node: a pod that fits everywhere gets all names back.
func AwaitAll(ctx context.Context, client *http.Client, url string, names []string) error {
	pod := fleet.Ask{Name: "probe", Resource: "example.com/none", Devices: 1}.Pod("probe")
	body, err := bodyOf(pod, names)
	if err != nil {
		return err
	}
	known := 0
	for deadline := time.Now().Add(syncTimeout); time.Now().Before(deadline); {
		reply, err := Post(ctx, client, url+"/filter", body)
		if err != nil {
			return err
		}
		var result extenderv1.ExtenderFilterResult
		if err := json.Unmarshal(reply, &result); err != nil {
			return err
		}
		if result.NodeNames != nil {
			known = len(*result.NodeNames)
		}
		if known == len(names) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("berth knows %d of %d nodes after %v", known, len(names), syncTimeout)
}
