// Package ask puts kube-scheduler's questions to an extender, one after the other, about pods that
// take turns.
package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

var asks = []fleet.Ask{
	{Name: "any", Resource: fleet.ResourceGPU, Devices: 1, Cores: 4, MemoryGiB: 40},
	{Name: "v100", Accelerators: []string{"V100"}, Resource: fleet.ResourceGPU, Devices: 8, Cores: 4,
		MemoryGiB: 40},
	{Name: "a100-v100", Accelerators: []string{"A100", "V100"}, Memory: "32Gi",
		Resource: fleet.ResourceGPU, Devices: 2, Cores: 4, MemoryGiB: 40},
	{Name: "mncore", Resource: fleet.ResourceMNCore, Devices: 4, Cores: 4, MemoryGiB: 40},
}

// Pods are to take turns, so that no cache is tuned to one.
func Pods() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, ask := range asks {
		pods = append(pods, ask.Pod("load-"+ask.Name))
	}
	return pods
}

// Bodies are what kube-scheduler posts to ask about nodes for each of the pods.
func Bodies(pods []*corev1.Pod, names []string) ([][]byte, error) {
	var bodies [][]byte
	for _, pod := range pods {
		body, err := bodyOf(pod, names)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}

func bodyOf(pod *corev1.Pod, names []string) ([]byte, error) {
	return json.Marshal(extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names})
}

// Post reads the reply to its end, so that the connection is used again.
func Post(ctx context.Context, client *http.Client, url string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var reply bytes.Buffer
	reply.Grow(int(max(response.ContentLength, 0)) + bytes.MinRead)
	_, err = reply.ReadFrom(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s: %s", response.Status, reply.String())
	}
	return reply.Bytes(), err
}
