package box

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What the chart names the class of pods that check nodes, and its value.
const (
	ChecksPriorityClass = "berth-checks"
	ChecksPriority      = -1000000
)

// CreatePriorityClass makes a class whose pods evict nobody, unless it is there already.
func (b *Box) CreatePriorityClass(ctx context.Context, name string, value int32) error {
	never := corev1.PreemptNever
	_, err := b.Client.SchedulingV1().PriorityClasses().Create(ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, PreemptionPolicy: &never,
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
