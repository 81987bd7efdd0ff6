package box

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// report writes the pod's status when it has changed. What fails, because somebody else has written
// the pod, is tried again in the next round.
func (p *pod) report(ctx context.Context, object *corev1.Pod) {
	changed := object.DeepCopy()
	p.describe(&changed.Status)
	if equality.Semantic.DeepEqual(changed.Status, object.Status) {
		return
	}
	_, _ = p.kubelet.box.Client.CoreV1().Pods(object.Namespace).UpdateStatus(ctx, changed,
		metav1.UpdateOptions{})
}

func (p *pod) describe(status *corev1.PodStatus) {
	status.Phase, status.Reason, status.Message = p.phase(), "", ""
	if p.broken != nil {
		status.Reason, status.Message = "NotOfThisKubelet", p.broken.Error()
	}
	if status.StartTime == nil {
		status.StartTime = new(now())
	}
	status.PodIP, status.PodIPs = p.ip, []corev1.PodIP{{IP: p.ip}}
	ready := p.isReady()
	setCondition(status, corev1.PodInitialized, true)
	setCondition(status, corev1.ContainersReady, ready)
	setCondition(status, corev1.PodReady, ready)
	status.ContainerStatuses = nil
	for _, c := range p.containers {
		status.ContainerStatuses = append(status.ContainerStatuses, p.statusOf(c))
	}
}

func (p *pod) phase() corev1.PodPhase {
	if p.broken != nil {
		return corev1.PodFailed
	}
	if !p.started {
		return corev1.PodPending
	}
	phase := corev1.PodSucceeded
	for _, c := range p.containers {
		if !c.isOver() {
			return corev1.PodRunning
		}
		if c.state().exitCode != 0 {
			phase = corev1.PodFailed
		}
	}
	return phase
}

func (p *pod) statusOf(c *container) corev1.ContainerStatus {
	said := c.state()
	status := corev1.ContainerStatus{Name: c.spec.Name, Image: c.spec.Image,
		Ready: said.ready, Started: &said.running, RestartCount: said.restarts}
	switch {
	case said.running:
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: seconds(said.started)}
	case said.begun:
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: said.exitCode,
			StartedAt: seconds(said.started), FinishedAt: seconds(said.ended)}
	default:
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
		if p.waiting != nil {
			status.State.Waiting.Message = p.waiting.Error()
		}
	}
	return status
}

func setCondition(status *corev1.PodStatus, kind corev1.PodConditionType, holds bool) {
	value := corev1.ConditionFalse
	if holds {
		value = corev1.ConditionTrue
	}
	for i := range status.Conditions {
		if condition := &status.Conditions[i]; condition.Type == kind {
			if condition.Status != value {
				condition.Status, condition.LastTransitionTime = value, now()
			}
			return
		}
	}
	status.Conditions = append(status.Conditions,
		corev1.PodCondition{Type: kind, Status: value, LastTransitionTime: now()})
}

func now() metav1.Time { return seconds(time.Now()) }

// seconds is a time as the API keeps it.
func seconds(t time.Time) metav1.Time { return metav1.NewTime(t.Truncate(time.Second)) }
