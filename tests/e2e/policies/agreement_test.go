package policies

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

const (
	creations  = 150
	storedJobs = 15
	updates    = 6 // of each stored Job
)

// leftOut is how the webhook has to be configured to do what the policies are said to do.
var leftOut = map[string]any{
	"guaranteedQos": map[string]any{"missingLimits": "Deny"},
	"jobRetries":    map[string]any{"disruptionRetries": 0},
	"checkpoint":    map[string]any{"mode": "Off"},
}

func TestPoliciesAgreeWithTheWebhook(t *testing.T) {
	agree(t, map[string]any{"schedulerName": map[string]any{"name": "berth"}})
}

// agree compares what both make of generated objects.
func agree(t *testing.T, policies map[string]any) {
	t.Helper()
	random := rand.New(rand.NewPCG(18, 36))
	jobs := jobsOfBefore(random)
	w := start(t, policies, leftOut, func(w *world) { w.store(jobs) })
	t.Run("on objects that are created", func(t *testing.T) { w.within(t).compareCreations(random) })
	t.Run("on Jobs that are changed", func(t *testing.T) { w.within(t).compareUpdates(random, jobs) })
	t.Run("in a namespace that only warns", func(t *testing.T) { w.within(t).warnOnly() })
}

func (w *world) within(t *testing.T) *world {
	inner := *w
	inner.T = t
	return &inner
}

// outcome is what kube-apiserver answered: an object, or why there is none.
type outcome struct {
	object string // empty if it was refused
	err    error
}

// outcomeOf fails the test where the error is not about the object.
func (w *world) outcomeOf(object runtime.Object, err error) outcome {
	w.Helper()
	if err != nil {
		if !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
			w.Fatalf("kube-apiserver failed: %v", err)
		}
		if strings.Contains(err.Error(), "resulted in error") || strings.Contains(err.Error(), "compil") {
			w.Errorf("an expression failed: %v", err)
		}
		return outcome{err: err}
	}
	return outcome{object: w.essence(object)}
}

// essence is the object without what differs from one creation to the next, and without what only
// the webhook writes: its annotation, and rules about disruptions.
func (w *world) essence(object runtime.Object) string {
	w.Helper()
	kept := map[string]any{}
	if job, isJob := object.(*batchv1.Job); isJob {
		spec := job.Spec.DeepCopy()
		spec.Selector, spec.Template.Labels = nil, nil
		leaveOutDisruptions(spec)
		kept["annotations"], kept["spec"] = withoutApplied(job.Annotations), spec
	} else {
		pod := object.(*corev1.Pod)
		kept["annotations"], kept["spec"] = withoutApplied(pod.Annotations), pod.Spec
	}
	text, err := json.MarshalIndent(kept, "", " ")
	w.Check("write an object", err)
	return string(text)
}

func leaveOutDisruptions(spec *batchv1.JobSpec) {
	if spec.PodFailurePolicy == nil {
		return
	}
	rules := slices.DeleteFunc(spec.PodFailurePolicy.Rules, func(rule batchv1.PodFailurePolicyRule) bool {
		return slices.ContainsFunc(rule.OnPodConditions,
			func(pattern batchv1.PodFailurePolicyOnPodConditionsPattern) bool {
				return pattern.Type == corev1.DisruptionTarget && pattern.Status == corev1.ConditionTrue
			})
	})
	if spec.PodFailurePolicy.Rules = rules; len(rules) == 0 {
		spec.PodFailurePolicy, spec.PodReplacementPolicy = nil, new(batchv1.TerminatingOrFailed)
	}
}

func withoutApplied(annotations map[string]string) map[string]string {
	kept := maps.Clone(annotations)
	delete(kept, applied)
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// expectSame fails the test unless both outcomes are the same. judgedAlone: the policies do not
// change all that the webhook changes of such an object, so they may refuse it.
func (w *world) expectSame(engine, static outcome, judgedAlone bool, of any) {
	w.Helper()
	switch {
	case engine.err == nil && static.err != nil && judgedAlone:
	case engine.err != nil && static.err == nil:
		w.Errorf("only the webhook refuses: %v\nthe policies make of it: %s", engine.err, static.object)
	case engine.err == nil && static.err != nil:
		w.Errorf("only the policies refuse: %v\nthe webhook makes of it: %s", static.err, engine.object)
	case engine.object != static.object:
		w.Errorf("the webhook makes of it: %s\nthe policies: %s", engine.object, static.object)
	}
	if w.Failed() {
		text, _ := json.MarshalIndent(of, "", " ") // for the log only
		w.Fatalf("of %s", text)
	}
}

func hasResources(object runtime.Object) bool {
	if job, isJob := object.(*batchv1.Job); isJob {
		return job.Spec.Template.Spec.Resources != nil
	}
	return object.(*corev1.Pod).Spec.Resources != nil
}

func (w *world) compareCreations(random *rand.Rand) {
	w.Helper()
	clients := map[string]client{}
	var stored, refused int
	for range creations {
		object, from := generated(random)
		if _, known := clients[from.name]; !known {
			clients[from.name] = w.as(from.user)
		}
		c, in := clients[from.name], one(random, plain, plain, allowing)
		engine := w.outcomeOf(c.create(in.engine, object.DeepCopyObject()))
		static := w.outcomeOf(c.create(in.static, object.DeepCopyObject()))
		w.expectSame(engine, static, hasResources(object), map[string]any{
			"user": from.name, "place": in, "object": object})
		if engine.err == nil {
			stored++
		} else {
			refused++
		}
	}
	w.Logf("%d were stored, %d refused", stored, refused)
	if stored < creations/4 || refused < creations/10 {
		w.Errorf("of %d objects %d were stored and %d refused: too few of one", creations, stored, refused)
	}
}

// jobsOfBefore are valid as they are. Suspended, so that their templates can be changed.
func jobsOfBefore(random *rand.Rand) []*batchv1.Job {
	var jobs []*batchv1.Job
	for i := range storedJobs {
		pod := anyPod(random)
		pod.Spec.Resources, pod.Spec.NodeName = nil, ""
		job := anyJob(random, pod)
		job.Name, job.Spec.Suspend = fmt.Sprintf("before-%d", i), new(true)
		jobs = append(jobs, job)
	}
	return jobs
}

// store creates the Jobs that kube-apiserver takes, in every namespace.
func (w *world) store(jobs []*batchv1.Job) {
	w.Helper()
	stored := 0
	for _, job := range jobs {
		for _, namespace := range []string{plain.engine, plain.static} {
			_, err := w.box.Client.BatchV1().Jobs(namespace).Create(w.Context(), job.DeepCopy(),
				metav1.CreateOptions{})
			if err == nil {
				stored++
			} else if !apierrors.IsInvalid(err) {
				w.Fatalf("store a Job: %v", err)
			}
		}
	}
	if stored < storedJobs {
		w.Fatalf("of %d Jobs twice %d were stored", storedJobs, stored)
	}
}

// change makes an update of a suspended Job that kube-apiserver may take.
func change(random *rand.Rand) func(*batchv1.Job) {
	limit := new(int32(random.IntN(9)))
	annotation := one(random, annotations...)
	value := one(random, annotation.values...)
	memory := one(random, "", "1Gi", "3Gi")
	which := random.IntN(4)
	return func(job *batchv1.Job) {
		switch which {
		case 0:
			job.Spec.BackoffLimit = limit
		case 1:
			job.Annotations = map[string]string{annotation.key: value}
		case 2:
			job.Spec.Template.Annotations = map[string]string{annotation.key: value}
		case 3:
			container := &job.Spec.Template.Spec.Containers[0]
			container.Resources.Limits = list("cpu=1")
			if memory != "" {
				container.Resources.Limits = list("cpu=1 memory=" + memory)
			}
		}
	}
}

func (w *world) compareUpdates(random *rand.Rand, jobs []*batchv1.Job) {
	w.Helper()
	author, refused, compared := w.as(alice), 0, 0
	for _, job := range jobs {
		for range updates {
			changed := change(random)
			engine, requested := w.update(author, plain.engine, job.Name, changed)
			if requested == "" {
				break
			}
			static, _ := w.update(author, plain.static, job.Name, changed)
			if engine.err == nil && engine.object != requested {
				continue // only the webhook keeps updates from undoing what it has done
			}
			if engine.err != nil && strings.Contains(engine.err.Error(), "berth creator: ") {
				continue // and from changing who created the pods
			}
			compared++
			w.expectSame(engine, static, false, job)
			if engine.err != nil && strings.Contains(engine.err.Error(), "berth ") {
				refused++
			}
		}
	}
	w.Logf("%d updates were compared, of which %d were refused", compared, refused)
	if refused == 0 || compared < storedJobs {
		w.Error("too few updates were compared, or refused")
	}
}

// update has kube-apiserver say what it would make of a changed Job, and returns how it was
// changed; empty if there is no such Job.
func (w *world) update(
	c client, namespace, name string, changed func(*batchv1.Job),
) (outcome, string) {
	w.Helper()
	jobs := c.BatchV1().Jobs(namespace)
	job, err := jobs.Get(w.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return outcome{}, ""
	}
	w.Check("get a Job", err)
	changed(job)
	requested := w.essence(job)
	updated, err := jobs.Update(w.Context(), job, metav1.UpdateOptions{DryRun: dryRun})
	return w.outcomeOf(updated, err), requested
}

// warnOnly: everything is stored as it is, and its author is told what is wrong with it.
func (w *world) warnOnly() {
	w.Helper()
	w.Check("create a namespace", w.box.CreateNamespace(w.Context(), "unlabelled", nil))
	for policy, faulty := range faultyObjects() {
		heard := &warnings{}
		got, err := w.listening(heard).create("unlabelled", faulty)
		w.Check("create what is faulty for "+policy, err)
		if text := w.essence(got); strings.Contains(text, createdBy) {
			w.Errorf("it was changed: %s", text)
		}
		if !strings.Contains(heard.all(), "berth "+policy+": ") {
			w.Errorf("nothing of %s is in the warnings %q", policy, heard.all())
		}
	}
}

// warnings collects what kube-apiserver tells a client beside its answers. Thread-safe.
type warnings struct {
	mu   sync.Mutex
	text string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text += text + "\n"
}

func (w *warnings) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

func (w *world) listening(heard rest.WarningHandler) client {
	w.Helper()
	return w.as(alice, func(config *rest.Config) { config.WarningHandler = heard })
}
