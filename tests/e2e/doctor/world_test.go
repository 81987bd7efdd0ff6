package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

const (
	awaitTimeout = time.Minute
	// settleTimeout is how long a case that finds something else is asked again.
	settleTimeout = 10 * time.Second
	extenderURL   = "https://berth-extender." + namespace + ".svc"
	// withoutCertificate is no argument of doctor's: none is given for who asks the extender.
	withoutCertificate = "without a certificate"
)

// finding is one of `berth doctor -o json`.
type finding struct{ Severity, Check, What, Advice string }

// report is what doctor says, and its exit code.
type report struct {
	Findings []finding
	exitCode int
}

// bad are the checks that found something wrong, each once, in their order.
func (r report) bad() []string {
	return r.checksOf("problem", "warning")
}

func (r report) checksOf(severities ...string) []string {
	var checks []string
	for _, f := range r.Findings {
		if slices.Contains(severities, f.Severity) && !slices.Contains(checks, f.Check) {
			checks = append(checks, f.Check)
		}
	}
	return checks
}

// of is everything that a check says, advice included.
func (r report) of(check string) string {
	var all []string
	for _, f := range r.Findings {
		if f.Check == check {
			all = append(all, fmt.Sprintf("%s: %s -> %s", f.Severity, f.What, f.Advice))
		}
	}
	return strings.Join(all, "\n")
}

// world is the box as a test sees it.
type world struct{ box.Test }

func newWorld(t *testing.T) *world { return &world{box.Test{T: t, Timeout: awaitTimeout}} }

// doctor runs `berth doctor` as an administrator who can reach Services.
func (w *world) doctor(arguments ...string) report {
	w.Helper()
	return w.doctorBy(shared.Kubeconfig, arguments...)
}

// doctorUntil runs it until exactly these checks find something wrong, or for too long: kube-apiserver
// hears of changed webhooks and rights by watches.
func (w *world) doctorUntil(bad []string, arguments ...string) report {
	w.Helper()
	var r report
	box.HoldsWithin(settleTimeout, func() bool {
		r = w.doctor(arguments...)
		return slices.Equal(r.bad(), bad)
	})
	return r
}

func (w *world) doctorBy(kubeconfig string, arguments ...string) report {
	w.Helper()
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	arguments = append([]string{"doctor", "--kubeconfig", kubeconfig, "-o", "json"}, arguments...)
	if slices.Contains(arguments, "--extender") && !slices.Contains(arguments, withoutCertificate) {
		arguments = append(arguments, w.clientCertificate()...)
	}
	arguments = slices.DeleteFunc(arguments, func(a string) bool { return a == withoutCertificate })
	command := exec.CommandContext(w.Context(), berth, arguments...)
	command.Env = append(os.Environ(), "HTTPS_PROXY="+shared.Services.URL)
	var said, complaint bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaint
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		w.Fatal(err)
	}
	r := report{exitCode: command.ProcessState.ExitCode()}
	if err := json.Unmarshal(said.Bytes(), &r); err != nil {
		w.Fatalf("doctor %v: %v: %s%s", arguments, err, said.String(), complaint.String())
	}
	return r
}

// clientCertificate are arguments with which doctor asks the extender as kube-scheduler does.
func (w *world) clientCertificate() []string {
	w.Helper()
	secret, err := shared.Client.CoreV1().Secrets(namespace).Get(w.Context(), "berth-scheduler-tls",
		metav1.GetOptions{})
	w.Check("get kube-scheduler's certificate", err)
	return []string{"--cert", w.file("tls.crt", secret.Data["tls.crt"]),
		"--key", w.file("tls.key", secret.Data["tls.key"])}
}

// file writes a file that lives as long as the test.
func (w *world) file(name string, content []byte) string {
	w.Helper()
	path := filepath.Join(w.TempDir(), name)
	w.Check("write "+name, os.WriteFile(path, content, 0o600))
	return path
}

// configMap is the YAML under config.yaml of one of the chart's ConfigMaps.
func (w *world) configMap(name string) map[string]any {
	w.Helper()
	got, err := shared.Client.CoreV1().ConfigMaps(namespace).Get(w.Context(), name,
		metav1.GetOptions{})
	w.Check("get ConfigMap "+name, err)
	var config map[string]any
	w.Check("read ConfigMap "+name, yaml.Unmarshal([]byte(got.Data["config.yaml"]), &config))
	return config
}

// changed is a file of that ConfigMap's configuration after a change.
func (w *world) changed(configMap string, change func(config map[string]any)) string {
	w.Helper()
	config := w.configMap(configMap)
	change(config)
	content, err := yaml.Marshal(config)
	w.Check("write the configuration", err)
	return w.file(configMap+".yaml", content)
}

// scale sets the replicas of a Deployment, and waits for its pods to come or go.
func (w *world) scale(name string, replicas int32) {
	w.Helper()
	deployments := shared.Client.AppsV1().Deployments(namespace)
	patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
	_, err := deployments.Patch(w.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	w.Check("scale "+name, err)
	w.Await(fmt.Sprintf("%d pods of %s", replicas, name), func() bool {
		got, err := deployments.Get(w.Context(), name, metav1.GetOptions{})
		w.Check("get "+name, err)
		return got.Status.ReadyReplicas == replicas && got.Status.Replicas == replicas
	})
}

// team makes a namespace for the rest of the test; labels are keys and values in turn.
func (w *world) team(labels ...string) string {
	w.Helper()
	meta := metav1.ObjectMeta{GenerateName: "team-", Labels: map[string]string{}}
	for i := 0; i < len(labels); i += 2 {
		meta.Labels[labels[i]] = labels[i+1]
	}
	created, err := shared.Client.CoreV1().Namespaces().Create(w.Context(),
		&corev1.Namespace{ObjectMeta: meta}, metav1.CreateOptions{})
	w.Check("create a namespace", err)
	w.Await("a service account in "+created.Name, func() bool {
		_, err := shared.Client.CoreV1().ServiceAccounts(created.Name).Get(w.Context(), "default",
			metav1.GetOptions{})
		return err == nil
	})
	w.Cleanup(func() { w.empty(created.Name) })
	return created.Name
}

// empty ends the pods of a namespace at once: what is left of it does not matter to others.
func (w *world) empty(team string) {
	pods := shared.Client.CoreV1().Pods(team)
	_ = pods.DeleteCollection(context.Background(),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
	_ = shared.Client.CoreV1().Namespaces().Delete(context.Background(), team,
		metav1.DeleteOptions{})
	box.HoldsWithin(awaitTimeout, func() bool {
		left, err := pods.List(context.Background(), metav1.ListOptions{})
		return apierrors.IsNotFound(err) || (err == nil && len(left.Items) == 0)
	})
}

func (w *world) create(pod *corev1.Pod) {
	w.Helper()
	_, err := shared.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
		metav1.CreateOptions{})
	w.Check("create "+pod.Name, err)
}

// patchNode applies a JSON merge patch for the rest of the test, and undoes it by another.
func (w *world) patchNode(name, patch, undo string) {
	w.Helper()
	nodes := shared.Client.CoreV1().Nodes()
	_, err := nodes.Patch(w.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	w.Check("patch "+name, err)
	w.Cleanup(func() {
		_, _ = nodes.Patch(context.Background(), name, types.MergePatchType, []byte(undo),
			metav1.PatchOptions{})
	})
}
