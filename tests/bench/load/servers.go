package main

import (
	"bytes"
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

// scaled is the same mix of machines with so many nodes in all; what rounding leaves over goes to
// the first pool.
func scaled(pools []fleet.Pool, nodes int) []fleet.Pool {
	total := 0
	for _, pool := range pools {
		total += pool.Nodes
	}
	left := nodes
	for i := range pools {
		pools[i].Nodes = pools[i].Nodes * nodes / total
		left -= pools[i].Nodes
	}
	pools[0].Nodes += left
	return pools
}

// nodeNames deals the pools' names in turn, as kube-scheduler's node tree mixes zones.
func nodeNames(pools []fleet.Pool) []string {
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

// sampleSize is how many nodes kube-scheduler looks at by default.
// k8s.io/kubernetes/pkg/scheduler/schedule_one.go, numFeasibleNodesToFind.
func sampleSize(nodes int) int {
	return max(100, nodes*max(5, 50-nodes/125)/100)
}

// awaitAll waits until Berth knows every node: a pod that fits everywhere gets all names back.
func awaitAll(ctx context.Context, client *http.Client, url string, names []string) error {
	pod := fleet.Ask{Name: "probe", Resource: "example.com/none", Devices: 1}.Pod("probe")
	body, err := requestBody(pod, names)
	if err != nil {
		return err
	}
	want := 0
	for deadline := time.Now().Add(syncTimeout); time.Now().Before(deadline); {
		response, err := client.Post(url+"/filter", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		var result extenderv1.ExtenderFilterResult
		err = json.NewDecoder(response.Body).Decode(&result)
		response.Body.Close()
		if err != nil {
			return err
		}
		if result.NodeNames != nil {
			want = len(*result.NodeNames)
		}
		if want == len(names) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("berth knows %d of %d nodes after %v", want, len(names), syncTimeout)
}
