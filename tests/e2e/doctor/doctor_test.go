package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"berth.dev/berth/tests/e2e/fleet"
)

func TestWhatTheChartInstallsIsWell(t *testing.T) {
	w := newWorld(t)
	w.scale("berth-controller", 2)
	w.Await("the controller's work to be done", func() bool {
		return w.doctor("--only", "labels,certificates,webhook-ca").exitCode == 0
	})
	r := w.doctor("--extender", extenderURL)
	if r.exitCode != 0 {
		t.Fatalf("exits %d: %+v", r.exitCode, r.Findings)
	}
	for _, check := range []string{"registered", "ca", "extender", "webhook", "rights", "labels"} {
		if !slices.Contains(r.checksOf("ok"), check) {
			t.Errorf("%s says %s", check, r.of(check))
		}
	}
}

// Each is broken alone, while nothing repairs it: the controller rests.
func TestWhatIsBrokenIsFound(t *testing.T) {
	newWorld(t).scale("berth-controller", 0)
	for _, c := range breakages {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.lead(time.Hour)
			arguments := c.breaks(w)
			if !slices.Contains(arguments, "--extender") {
				arguments = append(arguments, "--extender", extenderURL)
			}
			r := w.doctorUntil(c.found, arguments...)
			if got := r.bad(); !slices.Equal(got, c.found) || r.exitCode != 1 {
				t.Errorf("exits %d, finds %v wrong, want %v: %+v", r.exitCode, got, c.found, r.Findings)
			}
			for _, check := range c.found {
				if said := r.of(check); !strings.Contains(said, c.says) {
					t.Errorf("%s says %s, want %q", check, said, c.says)
				}
			}
		})
	}
	// What was broken is whole again, or the cases would not have been alone.
	w := newWorld(t)
	w.lead(time.Hour)
	if r := w.doctorUntil(nil, "--extender", extenderURL); r.exitCode != 0 {
		t.Errorf("at the end exits %d: %+v", r.exitCode, r.Findings)
	}
}

func TestWhoMayNothingIsToldWhat(t *testing.T) {
	w := newWorld(t)
	config, err := clientcmd.LoadFromFile(shared.Kubeconfig)
	w.Check("read the kubeconfig", err)
	for _, user := range config.AuthInfos {
		user.Impersonate = ""
		user.ClientCertificate, user.ClientKey = "", ""
		user.ClientCertificateData, user.ClientKeyData = nil, nil
		user.Token = w.tokenWithoutRights()
	}
	content, err := clientcmd.Write(*config)
	w.Check("write the kubeconfig", err)
	berthConfig := w.changed("berth", func(map[string]any) {})
	r := w.doctorBy(w.file("nobody.kubeconfig", content), "--config", berthConfig)
	if r.exitCode != 2 || len(r.bad()) > 0 {
		t.Errorf("exits %d: %+v", r.exitCode, r.Findings)
	}
	for check, right := range map[string]string{
		"labels": "no right to list nodes", "bypass": "no right to list pods",
		"certificates":  "no right to get secrets in namespace berth-system",
		"webhook":       "no right to create pods in namespace default",
		"planner":       "no right to get leases in namespace berth-system",
		"webhook-scope": "no right to get mutatingwebhookconfigurations",
		"registered":    "no right to get configmaps in namespace berth-system",
	} {
		if said := r.of(check); !strings.Contains(said, right) {
			t.Errorf("%s says %s, want %q", check, said, right)
		}
	}
}

// tokenWithoutRights is that of a service account that nothing is bound to.
func (w *world) tokenWithoutRights() string {
	w.Helper()
	accounts := shared.Client.CoreV1().ServiceAccounts("default")
	token, err := accounts.CreateToken(w.Context(), "default", tokenRequest(), metav1.CreateOptions{})
	w.Check("ask for a token", err)
	return token.Status.Token
}

func quantity(text string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)}
}

func storage(text string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(text)}
}

func gpus(count string) corev1.ResourceList {
	return corev1.ResourceList{fleet.ResourceGPU: resource.MustParse(count)}
}

func pod(team, name string, asks corev1.ResourceList) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name, Annotations: map[string]string{}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "train", Image: "train",
			Resources: corev1.ResourceRequirements{Requests: asks, Limits: asks},
		}}},
	}
}
