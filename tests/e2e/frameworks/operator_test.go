//go:build frameworks

package frameworks

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/manifests"
)

// operator is a framework's controller that build.sh has built, as its own manifests install it.
type operator struct {
	program            string
	namespace, account string // of its service account
	// arguments of the program. probe and webhook are ports; folder has tls.crt and tls.key.
	arguments func(run operatorRun) []string
	// probe is the port and path of its readiness. Default: the port that it is given, /readyz.
	probe string
	// podLabel is on pods about which its webhooks are asked. Default: they are asked about none.
	podLabel string
	// asked are the resources about which its webhooks are asked. Default: all that they name.
	asked []string
	// converted are the kinds between whose versions it converts. Default: none.
	converted []string
	// authority, service and secret are names, if it keeps an authority of its own: the DNS names of
	// authority and server, without the namespace, and the Secret for both.
	authority, service, secret string
	// prepare makes what it finds at its start. Default: nothing.
	prepare func(t *testing.T, run operatorRun)
}

// operatorRun is what differs from one run of an operator to the next.
type operatorRun struct {
	folder         string // its own, with ca.crt, tls.crt and tls.key
	kubeconfig     string
	probe, webhook int // ports
}

// probeAddress is where it is asked whether it is ready.
func (run operatorRun) probeAddress() string { return fmt.Sprintf("127.0.0.1:%d", run.probe) }

// start runs the operator for the rest of the test.
func (o operator) start(t *testing.T) {
	t.Helper()
	w := box.Test{T: t, Timeout: awaitTimeout}
	client, err := dynamic.NewForConfig(shared.Config)
	w.Check("a client", err)
	run := o.newRun(w)
	o.install(w, client, run)
	if o.prepare != nil {
		o.prepare(t, run)
	}
	ready := shared.ReadyAt("http://" + run.probeAddress() + "/readyz")
	if o.probe != "" {
		ready = shared.ReadyAt("http://127.0.0.1" + o.probe)
	}
	process, err := shared.Run(t.Context(), box.Daemon{
		Program: o.program, Arguments: o.arguments(run), Ready: ready,
		Environment: []string{"KUBECONFIG=" + run.kubeconfig, "TMPDIR=" + run.folder},
	})
	w.Check("start "+o.program, err)
	t.Cleanup(process.Stop)
	o.register(w, client, run)
}

// newRun makes files and finds ports.
func (o operator) newRun(w box.Test) operatorRun {
	w.Helper()
	err := shared.CreateNamespace(w.Context(), o.namespace, nil)
	if !apierrors.IsAlreadyExists(err) {
		w.Check("create its namespace", err)
	}
	run := operatorRun{folder: w.TempDir()}
	for name, content := range o.certificates(w) {
		w.Check("write "+name, os.WriteFile(filepath.Join(run.folder, name), content, 0o600))
	}
	// Whether it may do what it does is not what is tested here; whom Berth sees is.
	run.kubeconfig, err = shared.KubeconfigFor(
		"system:serviceaccount:"+o.namespace+":"+o.account, "system:masters")
	w.Check("write a kubeconfig", err)
	run.probe, err = shared.FreePort()
	w.Check("find a port", err)
	run.webhook, err = shared.FreePort()
	w.Check("find a port", err)
	return run
}

// certificates are ca.crt, tls.crt and tls.key of its webhooks.
func (o operator) certificates(w box.Test) map[string][]byte {
	w.Helper()
	if o.authority == "" {
		pair, err := shared.IssueServing(o.program)
		w.Check("issue a certificate", err)
		return map[string][]byte{
			"ca.crt": pair.Authority, "tls.crt": pair.Certificate, "tls.key": pair.Key}
	}
	secrets := shared.Client.CoreV1().Secrets(o.namespace)
	content, err := manifests.OwnAuthority(o.authority, o.service+"."+o.namespace+".svc")
	w.Check("make an authority", err)
	_, err = secrets.Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: o.secret}, Data: content}, metav1.CreateOptions{})
	w.Check("create the Secret of its authority", err)
	w.Cleanup(func() { _ = secrets.Delete(context.Background(), o.secret, metav1.DeleteOptions{}) })
	return content
}

// manifests are the files of the operator's module that build.sh has put beside it.
func (o operator) manifests(w box.Test) []*unstructured.Unstructured {
	w.Helper()
	objects, err := manifests.Of(o.program)
	w.Check("read the manifests of "+o.program, err)
	return objects
}

// install creates the CRDs; they go with the test, because another operator has some of that name.
func (o operator) install(w box.Test, client dynamic.Interface, run operatorRun) {
	w.Helper()
	for _, object := range o.manifests(w) {
		if object.GetKind() != "CustomResourceDefinition" {
			continue
		}
		name := object.GetName()
		if kind, _ := manifests.At(object, "spec", "names", "kind").(string); slices.Contains(o.converted, kind) {
			w.Check("set the conversion", manifests.Convert(object, run.reach(w, "/convert")))
		}
		w.Cleanup(func() { deleteAndAwait(w, client.Resource(manifests.Definitions), name) })
		w.Check("install "+name, manifests.Establish(w.Context(), client, object))
	}
}

// reach is a clientConfig for a path of the operator.
func (run operatorRun) reach(w box.Test, path string) map[string]any {
	w.Helper()
	authority, err := os.ReadFile(filepath.Join(run.folder, "ca.crt"))
	w.Check("read the authority", err)
	return manifests.Reach(fmt.Sprintf("https://127.0.0.1:%d%s", run.webhook, path), authority)
}

func deleteAndAwait(w box.Test, objects dynamic.ResourceInterface, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = objects.Delete(ctx, name, metav1.DeleteOptions{})
	gone := box.HoldsWithin(time.Minute, func() bool {
		_, err := objects.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	if !gone {
		w.Errorf("%s is not gone", name)
	}
}

// register has kube-apiserver ask the operator's webhooks at its port instead of its Service.
func (o operator) register(w box.Test, client dynamic.Interface, run operatorRun) {
	w.Helper()
	for _, object := range o.manifests(w) {
		if !strings.HasSuffix(object.GetKind(), "WebhookConfiguration") {
			continue
		}
		object.SetName(o.program)
		webhooks, _ := object.Object["webhooks"].([]any)
		object.Object["webhooks"] = slices.DeleteFunc(webhooks, func(each any) bool {
			return !o.redirect(w, each.(map[string]any), run)
		})
		resource := client.Resource(manifests.ResourceOf(object))
		_, err := resource.Create(w.Context(), object, metav1.CreateOptions{})
		w.Check("register the webhooks of "+o.program, err)
		w.Cleanup(func() { deleteAndAwait(w, resource, o.program) })
	}
}

// redirect changes the address of a webhook, and tells whether it is to be asked at all.
func (o operator) redirect(w box.Test, webhook map[string]any, run operatorRun) bool {
	w.Helper()
	path, _, _ := unstructured.NestedString(webhook, "clientConfig", "service", "path")
	webhook["clientConfig"] = run.reach(w, path)
	resources := resourcesOf(webhook)
	if slices.Contains(resources, "pods") {
		label := cmp.Or(o.podLabel, "e2e.berth.dev/nobody")
		webhook["objectSelector"] = map[string]any{"matchExpressions": []any{
			map[string]any{"key": label, "operator": "Exists"}}}
	}
	return o.asked == nil || slices.ContainsFunc(resources, func(resource string) bool {
		return slices.Contains(o.asked, resource)
	})
}

// resourcesOf are those in the rules of a webhook.
func resourcesOf(webhook map[string]any) []string {
	var all []string
	rules, _ := webhook["rules"].([]any)
	for _, rule := range rules {
		resources, _, _ := unstructured.NestedStringSlice(rule.(map[string]any), "resources")
		all = append(all, resources...)
	}
	return all
}
