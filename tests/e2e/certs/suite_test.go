// Package certs holds the controller to its promise that certificates are renewed, and authorities
// replaced, without anybody who uses them noticing: the extender and the webhook serve what it
// makes, kube-scheduler and kube-apiserver trust what it says. Files follow the Secrets as kubelet
// has them.
package certs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	nodesPerPool = 4
	// namespace is where controllers of a box compete, hence where Secrets are.
	namespace = metav1.NamespaceDefault
	// team is where the tests create pods, which fails where the webhook does.
	team             = "team"
	webhooks         = "berth"
	service          = "berth-admission"
	owner            = "berth"
	authoritySecret  = "berth-ca"
	extenderSecret   = "berth-extender-tls"
	admissionSecret  = "berth-admission-tls"
	awaitTimeout     = time.Minute
	pollInterval     = 50 * time.Millisecond
	longLife         = 90 * time.Second // a controller may be followed by another meanwhile
	renewedInSeconds = 18 * time.Second // after 12
)

// parts of the box beside those that every box has.
var (
	shared      *box.Box
	admission   *box.Admission
	controllers []*box.Controller
	mounts      []*box.SecretMount
	// schedulersAuthorities are those that kube-scheduler has read.
	schedulersAuthorities []byte
)

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{Stages: fleet.Stages,
			Berth: &box.BerthOptions{Certificates: startCertificates}},
		Fill: fill,
		Stop: stopMounts,
	}))
}

func stopMounts() {
	for _, mount := range mounts {
		mount.Stop()
	}
	mounts = nil
}

// startCertificates is called when nothing but kube-apiserver is there; the folder has the
// extender's files.
func startCertificates(ctx context.Context, b *box.Box) (string, error) {
	shared = b
	_, ownerErr := b.Client.CoreV1().ConfigMaps(namespace).Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: owner}}, metav1.CreateOptions{})
	_, serviceErr := b.Client.CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: service},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}},
	}, metav1.CreateOptions{})
	if err := errors.Join(ownerErr, serviceErr, startControllers(ctx, 1, renewedInSeconds)); err != nil {
		return "", err
	}
	for _, name := range []string{admissionSecret, extenderSecret} {
		mount, err := b.MountSecret(ctx, namespace, name)
		if err != nil {
			return "", err
		}
		mounts = append(mounts, mount)
	}
	return mounts[1].Folder, keepSchedulersAuthorities()
}

// keepSchedulersAuthorities notes what kube-scheduler reads as it starts.
func keepSchedulersAuthorities() error {
	var err error
	schedulersAuthorities, err = os.ReadFile(filepath.Join(mounts[1].Folder,
		corev1.ServiceAccountRootCAKey))
	return err
}

// startControllers replaces those that run by so many that make certificates with that life.
func startControllers(ctx context.Context, count int, life time.Duration) error {
	for _, controller := range controllers {
		controller.Stop()
	}
	controllers = nil
	for range count {
		name := fmt.Sprintf("controller-%d-%s", len(controllers), life)
		controller, err := shared.NewController(name, controllerConfig(life))
		if err != nil {
			return err
		}
		controllers = append(controllers, controller)
		err = errors.Join(shared.GrantController(ctx, controller), controller.Start(ctx))
		if err != nil {
			return err
		}
	}
	return nil
}

func controllerConfig(life time.Duration) map[string]any {
	loopback := []string{"localhost", "127.0.0.1"}
	return map[string]any{"controller": map[string]any{
		"lease": map[string]any{"namespace": namespace},
		"owner": owner,
		"certificates": map[string]any{
			"authority": map[string]any{"secret": authoritySecret, "validity": "24h"},
			"validity":  life.String(),
			"servers": []any{
				map[string]any{"secret": admissionSecret, "service": service, "hosts": loopback},
				map[string]any{"secret": extenderSecret, "hosts": loopback},
			},
			"webhooks": []string{webhooks},
		},
	}}
}

// fill gives the box nodes, and the webhook without which nothing can be created for the team.
func fill(ctx context.Context, _ *box.Box) error {
	if err := fleet.CreateNodes(ctx, shared.Client, fleet.Small(nodesPerPool)); err != nil {
		return err
	}
	_, err := shared.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: team, Labels: map[string]string{
			box.LabelAdmission: "enforce"}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	folder := mounts[0].Folder
	admission, err = shared.NewAdmission("admission", map[string]any{"tls": map[string]any{
		"certFile": folder + "/" + corev1.TLSCertKey, "keyFile": folder + "/" + corev1.TLSPrivateKeyKey,
	}})
	if err != nil {
		return err
	}
	if err := admission.Start(ctx); err != nil {
		return err
	}
	// It is registered with the authority of the box: that it answers shows that the controller has
	// put its own there.
	return shared.RegisterAdmission(ctx, box.Registration{Name: webhooks, Probe: team,
		FailurePolicy: admissionv1.Fail,
		Namespaces: []metav1.LabelSelectorRequirement{{Key: corev1.LabelMetadataName,
			Operator: metav1.LabelSelectorOpIn, Values: []string{team}}}}, admission)
}
