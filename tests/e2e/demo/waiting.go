package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	eventTimeout  = 10 * time.Second
	repairTimeout = 20 * time.Second
)

// waiting is the story of a pod for which every fit node is broken.
type waiting struct {
	pod        string
	event      string        // kube-scheduler's message; empty: the pod got a node at once
	explained  string        // berth explain's answer; empty without Berth
	node       string        // that it got in the end
	afterwards time.Duration // from the first repair
}

// playWaiting creates the pod, asks why it waits, repairs the last nodes and sees it placed.
func (c *column) playWaiting(ctx context.Context) (waiting, error) {
	story := waiting{pod: c.scenario.waiter.Name}
	pods := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault)
	if _, err := pods.Create(ctx, c.scenario.waiter, metav1.CreateOptions{}); err != nil {
		return story, err
	}
	var err error
	if story.event, err = c.awaitEventOrNode(ctx); err != nil {
		return story, err
	}
	if c.box.Berth != nil {
		if story.explained, err = c.explain(ctx); err != nil {
			return story, err
		}
	}
	repaired := time.Now()
	for _, f := range c.scenario.lateRepairs() {
		if err := c.set(ctx, f, false); err != nil {
			return story, err
		}
	}
	story.node, err = c.awaitNode(ctx)
	story.afterwards = time.Since(repaired)
	return story, err
}

// awaitEventOrNode returns kube-scheduler's FailedScheduling message, or nothing if the pod has got
// a node instead.
func (c *column) awaitEventOrNode(ctx context.Context) (string, error) {
	message := ""
	err := box.Poll(ctx, eventTimeout, "an event or a node for "+c.scenario.waiter.Name,
		func(ctx context.Context) (bool, error) {
			events, err := c.box.Client.CoreV1().Events(metav1.NamespaceDefault).
				List(ctx, metav1.ListOptions{FieldSelector: fields.Set{
					"involvedObject.name": c.scenario.waiter.Name, "reason": "FailedScheduling",
				}.String()})
			if err != nil {
				return false, err
			}
			if len(events.Items) > 0 {
				message = events.Items[0].Message
				return true, nil
			}
			pod, err := c.waiter(ctx)
			return err == nil && pod.Spec.NodeName != "", err
		})
	return message, err
}

func (c *column) awaitNode(ctx context.Context) (string, error) {
	node := ""
	err := box.Poll(ctx, repairTimeout, "a node for "+c.scenario.waiter.Name, func(ctx context.Context) (bool, error) {
		pod, err := c.waiter(ctx)
		if err != nil {
			return false, err
		}
		node = pod.Spec.NodeName
		return node != "", nil
	})
	return node, err
}

func (c *column) waiter(ctx context.Context) (*corev1.Pod, error) {
	return c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).
		Get(ctx, c.scenario.waiter.Name, metav1.GetOptions{})
}

// explain runs berth explain on the pod's manifest, as a user would.
func (c *column) explain(ctx context.Context) (string, error) {
	file := manifestFile(c.box)
	manifest, err := fleet.Manifest(c.scenario.waiter)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, manifest, 0o600); err != nil {
		return "", err
	}
	answer, err := c.box.Explain(ctx, "--kubeconfig", c.box.Kubeconfig, "-f", file)
	if err != nil {
		return "", err
	}
	return answer.Text, nil
}

func manifestFile(b *box.Box) string { return filepath.Join(b.Dir, "pod.yaml") }
