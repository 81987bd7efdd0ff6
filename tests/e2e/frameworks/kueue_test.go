//go:build frameworks

package frameworks

import (
	"path/filepath"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/manifests"
)

const (
	queueLabel    = "kueue.x-k8s.io/queue-name"
	kueueMiscount = "berth: Kueue counts the requests in the templates"
)

var workloads = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2",
	Resource: "workloads"}

// kueue queues those of Kueue's frameworks that are named, by the names and resources that it has for
// them.
func kueue(frameworks ...string) operator {
	resources := map[string]string{"batch/job": "jobs", "jobset.x-k8s.io/jobset": "jobsets",
		"pod": "pods"}
	// Its others are about kinds that are not here, or that it is not to queue.
	asked := []string{"workloads", "clusterqueues", "resourceflavors", "cohorts"}
	for _, framework := range frameworks {
		asked = append(asked, resources[framework])
	}
	return operator{
		program: "kueue", namespace: "kueue-system", account: "kueue-controller-manager",
		arguments: func(run operatorRun) []string {
			return []string{"--config", filepath.Join(run.folder, "config.yaml")}
		},
		podLabel: queueLabel, asked: asked,
		converted: []string{"ClusterQueue", "Cohort", "LocalQueue", "MultiKueueCluster", "Workload"},
		// It gives these CRDs the authority of its certificate, which it keeps in a Secret.
		authority: "kueue-ca", service: "kueue-webhook-service", secret: "kueue-webhook-server-cert",
		prepare: func(t *testing.T, run operatorRun) {
			writeYAML(t, filepath.Join(run.folder, "config.yaml"), map[string]any{
				"apiVersion":     "config.kueue.x-k8s.io/v1beta2",
				"kind":           "Configuration",
				"namespace":      "kueue-system",
				"health":         map[string]any{"healthProbeBindAddress": run.probeAddress()},
				"metrics":        map[string]any{"bindAddress": "0"},
				"leaderElection": map[string]any{"leaderElect": false},
				"featureGates":   map[string]any{"VisibilityOnDemand": false},
				"webhook": map[string]any{
					"host": "127.0.0.1", "port": run.webhook, "certDir": run.folder},
				"integrations": map[string]any{"frameworks": frameworks},
			})
		},
	}
}

// Kueue starts what has its label when there is quota, and counts what the object says.
func TestKueue(t *testing.T) {
	jobSet.start(t)
	kueue("batch/job", "jobset.x-k8s.io/jobset").start(t)
	t.Run("vague", testVagueSet)
	t.Run("precise", testPreciseSet)
	t.Run("Job", testQueuedJob)
}

// queued is a namespace with a queue.
func queued(t *testing.T) *world {
	w := newWorld(t)
	for _, object := range objectsIn(t, "queues.yaml") {
		w.createOnce(object)
	}
	w.Cleanup(func() { w.deleteAll(workloads) }) // before the queues, and while Kueue is there
	return w
}

// Its author hears that the pods will get more than Kueue counts.
func testVagueSet(t *testing.T) {
	w := queued(t)
	set := w.create(example(t, "kueue"))
	w.expectWarned(kueueMiscount, true)
	pods := w.running(2)
	counted, used := w.counted(set.GetName(), "cpu"), sum(pods, corev1.ResourceCPU)
	if counted.Cmp(used) >= 0 {
		t.Errorf("Kueue counts %s cpu, the pods use %s: there is nothing to warn of", &counted, &used)
	}
	w.finish(pods...)
	w.Await("the set to be complete", func() bool {
		return manifests.At(w.now(set), "status", "terminalState") == "Completed"
	})
}

// One that says what its pods will get is counted right. It starts over on other nodes.
func testPreciseSet(t *testing.T) {
	w := queued(t)
	objects := example(t, "kueue")
	write(t, objects[0], "2", "8Gi")
	w.breakNode("mn2b-a30-001")
	set := w.create(objects)
	w.expectWarned(kueueMiscount, false)
	pods := w.running(2)
	w.expectCounted(set.GetName(), pods)

	w.kill(pods[0])
	pods = w.without(pods[0], 2)
	w.expectCounted(set.GetName(), pods)

	lost := pods[0]
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	again := w.without(lost, 2)
	w.expectCounted(set.GetName(), again)
	if node := newcomers(pods, again)[0].Spec.NodeName; node == lost.Spec.NodeName {
		t.Errorf("the other pod is on %s, which is broken", node)
	}
	w.finish(again...)
	w.expectReleased(set.GetName())
}

// A Job has been changed by the time that Kueue counts it.
func testQueuedJob(t *testing.T) {
	w := queued(t)
	_, err := shared.Client.BatchV1().Jobs(w.namespace).Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "train", Labels: map[string]string{queueLabel: "team"}},
		Spec: batchv1.JobSpec{Parallelism: new(int32(2)), Completions: new(int32(2)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "train", Image: "registry.example/train:1",
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
						fleet.ResourceGPU: resource.MustParse("1")}}}},
			}}},
	}, metav1.CreateOptions{})
	w.Check("create the Job", err)
	pods := w.running(2)
	w.expectCounted("train", pods)

	lost := pods[0]
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	again := w.without(lost, 2)
	if node := newcomers(pods, again)[0].Spec.NodeName; node == lost.Spec.NodeName {
		t.Errorf("the other pod is on %s, which is broken", node)
	}
	w.finish(again...)
	w.expectReleased("train")
}

// expectReleased waits until Kueue knows that what it has started is over.
func (w *world) expectReleased(owner string) {
	w.Helper()
	w.Await("Kueue to release the quota of "+owner, func() bool {
		return manifests.HasCondition(w.workload(owner), "Finished")
	})
}

// write sets limits of all containers.
func write(t *testing.T, set *unstructured.Unstructured, cpu, memory string) {
	t.Helper()
	jobs := manifests.At(set, "spec", "replicatedJobs").([]any)
	containers, _, err := unstructured.NestedSlice(jobs[0].(map[string]any), "template", "spec",
		"template", "spec", "containers")
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]any{fleet.ResourceGPU: "1", "cpu": cpu, "memory": memory}
	containers[0].(map[string]any)["resources"] = map[string]any{"limits": limits}
	err = unstructured.SetNestedSlice(jobs[0].(map[string]any), containers, "template", "spec",
		"template", "spec", "containers")
	if err != nil {
		t.Fatal(err)
	}
}

// workload is what Kueue made of an object.
func (w *world) workload(owner string) *unstructured.Unstructured {
	w.Helper()
	list, err := w.client.Resource(workloads).Namespace(w.namespace).List(w.Context(),
		metav1.ListOptions{})
	w.Check("list workloads", err)
	i := slices.IndexFunc(list.Items, func(each unstructured.Unstructured) bool {
		owners := each.GetOwnerReferences()
		return len(owners) > 0 && owners[0].Name == owner
	})
	if i < 0 {
		w.Fatalf("no workload of %s", owner)
	}
	return &list.Items[i]
}

// counted is how much of a resource Kueue takes an object for.
func (w *world) counted(owner, name string) resource.Quantity {
	w.Helper()
	total := resource.Quantity{}
	sets, _ := manifests.At(w.workload(owner), "status", "admission", "podSetAssignments").([]any)
	for _, set := range sets {
		text, _, _ := unstructured.NestedString(set.(map[string]any), "resourceUsage", name)
		if text != "" {
			total.Add(resource.MustParse(text))
		}
	}
	return total
}

// expectCounted fails the test unless Kueue counts what the pods use.
func (w *world) expectCounted(owner string, pods []corev1.Pod) {
	w.Helper()
	for _, name := range []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, fleet.ResourceGPU} {
		counted, used := w.counted(owner, string(name)), sum(pods, name)
		if counted.Cmp(used) != 0 {
			w.Errorf("Kueue counts %s of %s, the pods use %s", &counted, name, &used)
		}
	}
}

// sum is what the pods request.
func sum(pods []corev1.Pod, name corev1.ResourceName) resource.Quantity {
	total := resource.Quantity{}
	for _, p := range pods {
		for _, c := range p.Spec.Containers {
			total.Add(c.Resources.Requests[name])
		}
	}
	return total
}

// expectWarned fails the test unless the author has heard such a warning, or has not.
func (w *world) expectWarned(prefix string, want bool) {
	w.Helper()
	if got := w.heard.has(prefix); got != want {
		w.Errorf("heard %q, %q among it: %t, want %t", w.heard.all(), prefix, got, want)
	}
}
