package chart

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
)

// podsOf are the release's pods, those of helm test included, by the name of what makes them.
func podsOf(r *release) map[string]corev1.PodTemplateSpec {
	pods := map[string]corev1.PodTemplateSpec{}
	for _, deployment := range all[*appsv1.Deployment](r) {
		pods[deployment.Name] = deployment.Spec.Template
	}
	for _, pod := range all[*corev1.Pod](r) {
		pods[pod.Name] = corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	}
	return pods
}

// forEachPod runs a test for every pod of every configuration.
func forEachPod(t *testing.T, test func(*testing.T, *release, string, corev1.PodTemplateSpec)) {
	forEach(t, func(t *testing.T, r *release) {
		for name, pod := range podsOf(r) {
			test(t, r, name, pod)
		}
	})
}

// What Pod Security's restricted profile asks for, and more.
func TestPodsAreRestricted(t *testing.T) {
	forEachPod(t, func(t *testing.T, _ *release, name string, pod corev1.PodTemplateSpec) {
		c := pod.Spec.SecurityContext
		if c == nil || !*c.RunAsNonRoot || *c.RunAsUser != 65532 || *c.RunAsGroup != 65532 ||
			c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s runs with %+v", name, c)
		}
		if pod.Spec.HostNetwork || pod.Spec.HostPID || pod.Spec.HostIPC {
			t.Errorf("%s shares a namespace with its node", name)
		}
		for _, container := range pod.Spec.Containers {
			if c := container.SecurityContext; c == nil || *c.AllowPrivilegeEscalation ||
				!*c.ReadOnlyRootFilesystem || !slices.Equal(c.Capabilities.Drop,
				[]corev1.Capability{"ALL"}) || len(c.Capabilities.Add) > 0 {
				t.Errorf("%s of %s runs with %+v", container.Name, name, c)
			}
		}
	})
}

// As Berth would have it of everybody.
func TestPodsAreGuaranteed(t *testing.T) {
	forEachPod(t, func(t *testing.T, _ *release, name string, pod corev1.PodTemplateSpec) {
		for _, container := range pod.Spec.Containers {
			want := container.Resources.Limits
			if !equality.Semantic.DeepEqual(container.Resources.Requests, want) || len(want) != 2 {
				t.Errorf("%s of %s asks for %v", container.Name, name, container.Resources)
			}
		}
	})
}

func TestResourcesAreThoseOfTheValues(t *testing.T) {
	r := render(t, `{controller: {resources: {cpu: 2, memory: 1.5Gi}}}`)
	got := podsOf(r)["berth-controller"].Spec.Containers[0].Resources.Limits
	if !got.Cpu().Equal(resource.MustParse("2")) || !got.Memory().Equal(resource.MustParse("1.5Gi")) {
		t.Errorf("the controller gets %v", got)
	}
}

// Who answers users' requests and calls nobody has nothing to call with.
func TestTokensAreMountedWhereTheAPIIsCalled(t *testing.T) {
	forEachPod(t, func(t *testing.T, r *release, name string, pod corev1.PodTemplateSpec) {
		wants := !strings.HasSuffix(name, "-admission")
		if mounts := *pod.Spec.AutomountServiceAccountToken; mounts != wants {
			t.Errorf("%s mounts a token: %v", name, mounts)
		}
		account := named[*corev1.ServiceAccount](r, pod.Spec.ServiceAccountName)
		if *account.AutomountServiceAccountToken {
			t.Errorf("pods of others that use %s would get its token", account.Name)
		}
	})
}

// A Secret that is not there yet keeps pods from starting; everything else that they mount is part
// of the release.
func TestVolumesExist(t *testing.T) {
	forEachPod(t, func(t *testing.T, r *release, name string, pod corev1.PodTemplateSpec) {
		volumes := map[string]corev1.Volume{}
		for _, volume := range pod.Spec.Volumes {
			volumes[volume.Name] = volume
			if source := volume.ConfigMap; source != nil {
				named[*corev1.ConfigMap](r, source.Name)
			} else if source := volume.Secret; source == nil || len(source.Items) == 0 {
				t.Errorf("%s has volume %v, want a ConfigMap, or a Secret with items", name, volume)
			} else if !isCertified(r, source.SecretName) {
				t.Errorf("nobody fills Secret %s of %s", source.SecretName, name)
			}
		}
		for _, container := range pod.Spec.Containers {
			for _, mount := range container.VolumeMounts {
				if _, exists := volumes[mount.Name]; !exists || !mount.ReadOnly {
					t.Errorf("%s of %s mounts %v", container.Name, name, mount)
				}
			}
		}
	})
}

// keysOf are the Secrets of which containers may hold the key. helm test asks the extender as
// kube-scheduler does.
var keysOf = map[string]string{"extender": "extender-tls", "admission": "admission-tls",
	"kube-scheduler": "scheduler-tls", "doctor": "scheduler-tls"}

// Keys are for those whose they are, and for nobody else.
func TestKeysAreMountedByTheirOwnersAlone(t *testing.T) {
	forEachPod(t, func(t *testing.T, _ *release, name string, pod corev1.PodTemplateSpec) {
		for _, volume := range pod.Spec.Volumes {
			if volume.Secret == nil || !hasItem(volume.Secret.Items, "tls.key") {
				continue
			}
			if mode := volume.Secret.DefaultMode; mode == nil || *mode != 0o400 {
				t.Errorf("the key of %s has mode %v", name, mode)
			}
			for _, container := range pod.Spec.Containers {
				if !mounts(container, volume.Name) {
					t.Errorf("%s of %s does not mount its key", container.Name, name)
				}
				if want := keysOf[container.Name]; !strings.HasSuffix(volume.Secret.SecretName, want) &&
					!strings.HasSuffix(volume.Secret.SecretName, strings.TrimSuffix(want, "-tls")) {
					t.Errorf("%s of %s mounts the key of %s", container.Name, name,
						volume.Secret.SecretName)
				}
			}
		}
	})
}

func hasItem(items []corev1.KeyToPath, key string) bool {
	return slices.ContainsFunc(items, func(item corev1.KeyToPath) bool { return item.Key == key })
}

func mounts(container corev1.Container, volume string) bool {
	return slices.ContainsFunc(container.VolumeMounts,
		func(mount corev1.VolumeMount) bool { return mount.Name == volume })
}

func TestProbesHaveTheirPorts(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		for _, deployment := range all[*appsv1.Deployment](r) {
			for _, container := range deployment.Spec.Template.Spec.Containers {
				for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe} {
					if probe == nil || !hasPort(container, probe.HTTPGet.Port.String()) {
						t.Errorf("%s of %s has probe %v", container.Name, deployment.Name, probe)
					}
				}
			}
		}
	})
}

func hasPort(container corev1.Container, name string) bool {
	return slices.ContainsFunc(container.Ports,
		func(port corev1.ContainerPort) bool { return port.Name == name })
}

// Extender and controller serve gRPC on loopback, for those who may forward ports of their pods.
func TestGRPCOpensNoPort(t *testing.T) {
	const policies = "networkPolicy: {enabled: true}\n"
	without := render(t, policies)
	with := render(t, policies+`config: {grpc: {listen: "127.0.0.1:9091"}}`)
	if !equality.Semantic.DeepEqual(all[*corev1.Service](with), all[*corev1.Service](without)) {
		t.Error("the Services differ")
	}
	if !equality.Semantic.DeepEqual(all[*networkingv1.NetworkPolicy](with), all[*networkingv1.NetworkPolicy](without)) {
		t.Error("the network policies differ")
	}
	for name, pod := range podsOf(with) {
		if !equality.Semantic.DeepEqual(pod.Spec.Containers, podsOf(without)[name].Spec.Containers) {
			t.Errorf("the containers of %s differ", name)
		}
	}
}

func TestImages(t *testing.T) {
	for _, c := range []struct{ values, container, want string }{
		{"", "admission", "berth:" + strings.Fields(berth(t, "", "version"))[1]},
		{"", "kube-scheduler", "registry.k8s.io/kube-scheduler:v1.36.3"},
		{`image: {repository: r.example/berth, tag: "1"}`, "extender", "r.example/berth:1"},
		{`image: {tag: "1", digest: "sha256:` + digest + `"}`, "extender", "berth@sha256:" + digest},
		{`scheduler: {image: {tag: v1.34.9}}`, "kube-scheduler",
			"registry.k8s.io/kube-scheduler:v1.34.9"},
		{`scheduler: {image: {tag: v1.34.9, digest: "sha256:` + digest + `"}}`, "kube-scheduler",
			"registry.k8s.io/kube-scheduler@sha256:" + digest},
	} {
		for _, pod := range podsOf(render(t, c.values)) {
			for _, container := range pod.Spec.Containers {
				if container.Name == c.container && container.Image != c.want {
					t.Errorf("%s: image %s, want %s", c.values, container.Image, c.want)
				}
			}
		}
	}
}

func TestValuesOfAllPods(t *testing.T) {
	r := render(t, everything+`
repair: {enabled: true}
config: {controller: {taints: true}}`)
	pods := podsOf(r)
	for _, operation := range all[*nodeOperationTemplate](r) {
		pods[operation.Name] = operation.Spec.Template.Spec.JobTemplate.Spec.Template
	}
	for _, name := range []string{"berth-cleanup", "berth-test", "berth-reboot"} {
		if _, is := pods[name]; !is {
			t.Errorf("there is no %s", name)
		}
	}
	for name, pod := range pods {
		spec := pod.Spec
		if len(spec.ImagePullSecrets) != 1 || len(spec.NodeSelector) != 1 ||
			len(spec.Tolerations) != 1 || pod.Labels["team"] != "ml" ||
			pod.Labels["sidecar"] != "false" || pod.Annotations["note"] != "1" {
			t.Errorf("%s: %+v, labels %v, annotations %v", name, spec, pod.Labels, pod.Annotations)
		}
	}
}

// Where there are nodes without accelerators Berth's pods go there, whatever the labels' domain.
func TestPodsPreferNodesWithoutAccelerators(t *testing.T) {
	for prefix, values := range map[string]string{
		"berth.dev": "", "ml.example.com": `config: {prefix: ml.example.com}`,
	} {
		pod := podsOf(render(t, values))["berth-admission"]
		preferred := pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		if got := preferred[0].Preference.MatchExpressions[0]; got.Key != prefix+"/accelerator" ||
			got.Operator != corev1.NodeSelectorOpDoesNotExist {
			t.Errorf("prefers %v", got)
		}
	}
}
