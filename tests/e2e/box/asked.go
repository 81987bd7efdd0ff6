package box

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const askedTimeout = 30 * time.Second

// awaitAsked waits until kube-apiserver asks webhooks of the registration, or asks them no more: it
// learns of registrations by a watch. kind is admit or validating.
func (b *Box) awaitAsked(ctx context.Context, r Registration, kind string, wanted bool) error {
	what := fmt.Sprintf("kube-apiserver to ask %s webhooks of %s: %v", kind, r.Name, wanted)
	return Retry(ctx, askedTimeout, what, func(ctx context.Context) error {
		asked, err := b.isAsked(ctx, r, kind)
		if err == nil && asked != wanted {
			err = fmt.Errorf("it asks: %v", asked)
		}
		return err
	})
}

// isAsked has kube-apiserver try to create a pod in the registration's namespace and reads from its
// metrics whether that asked one of the webhooks.
func (b *Box) isAsked(ctx context.Context, r Registration, kind string) (bool, error) {
	before, err := b.timesAsked(ctx, r, kind)
	if err != nil {
		return false, err
	}
	_, err = b.Client.CoreV1().Pods(r.Probe).Create(ctx, probePod(),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return false, err
	}
	after, err := b.timesAsked(ctx, r, kind)
	return after > before, err
}

func (b *Box) timesAsked(ctx context.Context, r Registration, kind string) (float64, error) {
	text, err := b.Client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, err
	}
	samples, err := readSamples(bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	times := 0.0
	for _, sample := range samples.With("apiserver_admission_webhook_admission_duration_seconds_count",
		fmt.Sprintf("type=%q", kind)) {
		if strings.HasSuffix(sample.Label("name"), r.webhookName("")) {
			times += sample.Value
		}
	}
	return times, nil
}

// probePod is one to which no webhook objects.
func probePod() *corev1.Pod {
	list := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi"),
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "probe", Image: "registry.example/probe:1",
			Resources: corev1.ResourceRequirements{Requests: list, Limits: list},
		}}},
	}
}
