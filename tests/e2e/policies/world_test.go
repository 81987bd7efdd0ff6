// Package policies holds what `berth policies` writes against the webhook, on a real kube-apiserver:
// the same objects are created, by dry run, in namespaces that the policies select and in namespaces
// about which the webhook is asked. What is done to them has to be the same.
package policies

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	registration "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

// `make check-all` names the one of the next version of Kubernetes.
var apiServer = flag.String("kube-apiserver", "kube-apiserver",
	"program of .cache/bin that the policies are held against")

const (
	awaitTimeout = 30 * time.Second
	labelServer  = "e2e.berth.dev/server"
	createdBy    = "berth.dev/created-by"
	applied      = "berth.dev/applied"
	accelerator  = "berth.dev/accelerator"
	enforce      = "enforce"
)

// A place is a namespace that the webhook is asked about, and one that the policies select. They
// have the same labels otherwise.
type place struct{ engine, static string }

var (
	plain    = place{"engine", "static"}
	allowing = place{"engine-allowing", "static-allowing"} // accelerator nodes for whom asks
	places   = []place{plain, allowing}
)

// world is a box in which both admit.
type world struct {
	box.Test
	box *box.Box
}

// start makes a world of a configuration: fields of the block admission.policies. The webhook gets
// those of engine besides, which stand for what the policies are said to leave out. before is called
// when the namespaces are there and nothing is admitted by either yet.
func start(t *testing.T, common, engine map[string]any, before func(*world)) *world {
	t.Helper()
	b := box.ForTest(t, box.Options{Programs: map[string]string{"kube-apiserver": *apiServer}})
	w := &world{Test: box.Test{T: t, Timeout: awaitTimeout}, box: b}
	for _, p := range places {
		labels := map[string]string{box.LabelAdmission: enforce}
		if p == allowing {
			labels[box.LabelAllowAcceleratorNodes] = "true"
		}
		w.Check("create "+p.static, b.CreateNamespace(t.Context(), p.static, labels))
		labels[labelServer] = "engine"
		w.Check("create "+p.engine, b.CreateNamespace(t.Context(), p.engine, labels))
	}
	before(w)
	w.startEngine(merged(common, engine))
	w.install(w.written(common))
	return w
}

func (w *world) startEngine(policies map[string]any) {
	w.Helper()
	server, err := w.box.NewAdmission("admission", map[string]any{
		"policies": policies, "controllers": controllers})
	w.Check("make the admission server", err)
	w.Check("start the admission server", server.Start(w.Context()))
	w.Check("register", w.box.RegisterAdmission(w.Context(), box.Registration{
		Name: "engine", Probe: plain.engine, FailurePolicy: registration.Fail,
		Namespaces: []metav1.LabelSelectorRequirement{{Key: labelServer,
			Operator: metav1.LabelSelectorOpIn, Values: []string{"engine"}}},
	}, server))
}

// written is what `berth policies` prints.
func (w *world) written(policies map[string]any) string {
	w.Helper()
	content, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.berth.dev/v1alpha1", "kind": "BerthConfiguration",
		"admission": map[string]any{"policies": policies, "controllers": controllers,
			"listen": "127.0.0.1:0", "insecureLoopback": true},
	})
	w.Check("write the configuration", err)
	file := filepath.Join(w.TempDir(), "berth.yaml")
	w.Check("write the configuration", os.WriteFile(file, content, 0o600))
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	arguments := []string{"policies", "--config", file}
	for _, p := range places {
		arguments = append(arguments, "--exclude-namespace", p.engine)
	}
	output, err := exec.CommandContext(w.Context(), berth, arguments...).Output()
	w.Check("berth policies", err)
	return string(output)
}

// install creates the objects, and returns when kube-apiserver goes by all of them. Those that judge
// come first: afterwards the one that changes would hide what they have to say.
func (w *world) install(objects string) {
	w.Helper()
	var mutating []string
	for _, text := range strings.Split(objects, "\n---\n")[1:] {
		if strings.Contains(text, "kind: Mutating") {
			mutating = append(mutating, text)
			continue
		}
		w.create(text)
	}
	for policy, faulty := range faultyObjects() {
		if !strings.Contains(objects, "name: berth-static-"+policy+"-enforce}") {
			continue
		}
		w.Await("a denial of "+policy, func() bool {
			_, err := w.as(alice).create(plain.static, faulty)
			return err != nil && strings.Contains(err.Error(), "'berth-static-"+policy+"'")
		})
	}
	for _, text := range mutating {
		w.create(text)
	}
	w.Await("a creator to be recorded", func() bool {
		got, err := w.as(alice).create(plain.static, podOf(containerOf("train", "", full)))
		return err == nil && got.(*corev1.Pod).Annotations[createdBy] == alice.name
	})
}

// create makes one object. What its type does not have is an error.
func (w *world) create(text string) {
	w.Helper()
	var kind metav1.TypeMeta
	w.Check("read an object", yaml.Unmarshal([]byte(text), &kind))
	client, ctx, options := w.box.Client.AdmissionregistrationV1(), w.Context(), metav1.CreateOptions{}
	var err error
	switch kind.Kind {
	case "MutatingAdmissionPolicy":
		object := read[registration.MutatingAdmissionPolicy](w, text)
		_, err = client.MutatingAdmissionPolicies().Create(ctx, object, options)
	case "MutatingAdmissionPolicyBinding":
		object := read[registration.MutatingAdmissionPolicyBinding](w, text)
		_, err = client.MutatingAdmissionPolicyBindings().Create(ctx, object, options)
	case "ValidatingAdmissionPolicy":
		object := read[registration.ValidatingAdmissionPolicy](w, text)
		_, err = client.ValidatingAdmissionPolicies().Create(ctx, object, options)
	case "ValidatingAdmissionPolicyBinding":
		object := read[registration.ValidatingAdmissionPolicyBinding](w, text)
		_, err = client.ValidatingAdmissionPolicyBindings().Create(ctx, object, options)
	default:
		err = fmt.Errorf("is of kind %q", kind.Kind)
	}
	w.Check("create "+text, err)
}

func read[T any](w *world, text string) *T {
	w.Helper()
	object := new(T)
	w.Check("read "+text, yaml.UnmarshalStrict([]byte(text), object))
	return object
}

// merged has the fields of both, one level deep: the policies' blocks.
func merged(common, more map[string]any) map[string]any {
	all := map[string]any{}
	for _, blocks := range []map[string]any{common, more} {
		for policy, block := range blocks {
			fields, _ := all[policy].(map[string]any)
			if fields == nil {
				fields = map[string]any{}
				all[policy] = fields
			}
			for name, value := range block.(map[string]any) {
				fields[name] = value
			}
		}
	}
	return all
}

// user sends requests. All of them may do everything.
type user struct {
	name   string
	groups []string
}

// client is kube-apiserver by the eyes of a user.
type client struct {
	*kubernetes.Clientset
	ctx context.Context
}

func (w *world) as(who user, changes ...func(*rest.Config)) client {
	w.Helper()
	config := rest.CopyConfig(w.box.Config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: who.name, Groups: append([]string{"system:masters"}, who.groups...)}
	for _, change := range changes {
		change(config)
	}
	set, err := kubernetes.NewForConfig(config)
	w.Check("a client of "+who.name, err)
	return client{set, w.Context()}
}

var dryRun = []string{metav1.DryRunAll}

// create has kube-apiserver say what it would store.
func (c client) create(namespace string, object runtime.Object) (runtime.Object, error) {
	options := metav1.CreateOptions{DryRun: dryRun}
	if job, isJob := object.(*batchv1.Job); isJob {
		return c.BatchV1().Jobs(namespace).Create(c.ctx, job, options)
	}
	return c.CoreV1().Pods(namespace).Create(c.ctx, object.(*corev1.Pod), options)
}
