package install

import (
	"strconv"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// failing closes the cluster to what Berth has not seen.
var failing = values{"admission": values{"failurePolicy": "Fail"}}

// Going over to Fail, draining a node and uninstalling refuse no pod, although kube-apiserver takes
// none while the webhook does not answer.
func TestFailingClosedLocksNobodyOut(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	creates := w.createAnyway(team)
	creates.AwaitMore(leastLoad)
	w.upgrade(failing)
	w.expectPolicy(admissionv1.Fail)
	creates.AwaitMore(leastLoad)
	w.replaceOne("admission")
	creates.AwaitMore(leastLoad)
	w.uninstall()
	creates.AwaitMore(leastLoad)
	creates.ExpectNoFailure(4 * leastLoad)
}

// Without a webhook that answers Fail creates nothing, and the way out that the notes name works.
func TestFailingClosedHasAWayOut(t *testing.T) {
	w := release(t, failing)
	team := w.team("enforce")
	w.scale("admission", 0)
	w.Await("pods to be refused", func() bool {
		_, err := w.try(team, carelessPod())
		return err != nil
	})
	for _, spared := range []string{namespace, metav1.NamespaceSystem} {
		if _, err := w.try(spared, carelessPod()); err != nil {
			t.Errorf("pods in %s are refused, too: %v", spared, err)
		}
	}
	said := w.notes()
	err := contains(said,
		"kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration berth")
	if err != nil {
		t.Errorf("%v in\n%s", err, said)
	}
	webhooks := shared.Client.AdmissionregistrationV1()
	w.Check("delete the mutating webhooks", webhooks.MutatingWebhookConfigurations().Delete(t.Context(),
		releaseName, metav1.DeleteOptions{}))
	w.Check("delete the validating webhooks", webhooks.ValidatingWebhookConfigurations().Delete(
		t.Context(), releaseName, metav1.DeleteOptions{}))
	w.Await("pods to be created again", func() bool {
		_, err := w.try(team, carelessPod())
		return err == nil
	})
	w.uninstall() // although something of it is gone
}

func (w *world) expectPolicy(want admissionv1.FailurePolicyType) {
	w.Helper()
	webhooks, err := shared.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().
		Get(w.Context(), releaseName, metav1.GetOptions{})
	w.Check("get the webhooks", err)
	for _, webhook := range webhooks.Webhooks {
		if *webhook.FailurePolicy != want {
			w.Errorf("%s has %s, want %s", webhook.Name, *webhook.FailurePolicy, want)
		}
	}
}

// Helm itself would delete what kube-apiserver asks last, long after what answers.
func TestUninstallUnregistersFirst(t *testing.T) {
	w := release(t, failing)
	webhooks := shared.Client.AdmissionregistrationV1()
	only := metav1.ListOptions{FieldSelector: "metadata.name=" + releaseName}
	mutating, err := webhooks.MutatingWebhookConfigurations().Watch(t.Context(), only)
	w.Check("watch the mutating webhooks", err)
	validating, err := webhooks.ValidatingWebhookConfigurations().Watch(t.Context(), only)
	w.Check("watch the validating webhooks", err)
	service, err := shared.Client.CoreV1().Services(namespace).Watch(t.Context(),
		metav1.ListOptions{FieldSelector: "metadata.name=" + releaseName + "-admission"})
	w.Check("watch the Service", err)
	w.uninstall()
	gone := w.revisionOfDeletion(service)
	for _, asked := range []watch.Interface{mutating, validating} {
		if revision := w.revisionOfDeletion(asked); revision > gone {
			t.Errorf("a webhook is deleted at %d, after its Service at %d", revision, gone)
		}
	}
}

// revisionOfDeletion is when etcd first saw the deletion of what is watched.
func (w *world) revisionOfDeletion(of watch.Interface) int {
	w.Helper()
	defer of.Stop()
	deadline := time.After(awaitTimeout)
	for {
		select {
		case event := <-of.ResultChan():
			if event.Type != watch.Deleted {
				continue
			}
			object, err := meta.Accessor(event.Object)
			w.Check("read an event", err)
			revision, err := strconv.Atoi(object.GetResourceVersion())
			w.Check("read a revision", err)
			return revision
		case <-deadline:
			w.Fatal("nothing is deleted")
		}
	}
}
