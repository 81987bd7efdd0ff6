package chart

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

func TestProbesAreOffByDefault(t *testing.T) {
	if sets := all[*appsv1.DaemonSet](render(t, "")); len(sets) > 0 {
		t.Errorf("the chart installs %s", sets[0].Name)
	}
}

// probeOf renders the chart with probes, and with these values below probe.
func probeOf(t *testing.T, values string) (*release, *appsv1.DaemonSet) {
	t.Helper()
	r := render(t, "probe: {enabled: true, "+values+"}")
	return r, named[*appsv1.DaemonSet](r, "berth-probe")
}

// What node-problem-detector reads is written by `berth probe config`, which has to accept it.
func TestProbesHaveConfigurations(t *testing.T) {
	for _, values := range []string{
		"",
		`flags: ["gpu-lost:expect=8", "*:timeout=30s"], nvidiaRoot: /run/nvidia/driver`,
		`probes: [d-state, nic, gpu-lost], nvidiaRoot: "", interval: 1m30s`,
	} {
		_, set := probeOf(t, values)
		folder := configure(t, set)
		args := set.Spec.Template.Spec.Containers[0].Args
		files, _ := strings.CutPrefix(args[0], "--config.custom-plugin-monitor=")
		for file := range strings.SplitSeq(files, ",") {
			name, _ := strings.CutPrefix(file, "/etc/node-problem-detector/")
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
				t.Errorf("nobody writes %s: %v", file, err)
			}
		}
	}
}

// configure does what the init container of the DaemonSet's pods does, and returns the folder with
// what it writes.
func configure(t *testing.T, set *appsv1.DaemonSet) string {
	t.Helper()
	arguments := slices.Clone(set.Spec.Template.Spec.InitContainers[0].Args)
	folder := t.TempDir()
	arguments[slices.Index(arguments, "/etc/node-problem-detector")] = folder
	berth(t, "", arguments...)
	return folder
}

// Whatever they publish has an effect with the profile of their name.
func TestProbesHaveAProfile(t *testing.T) {
	_, profile, found := strings.Cut(berth(t, "", "config", "profiles"), "\nprobe:\n")
	if !found {
		t.Fatal("there is no profile probe")
	}
	profile, _, _ = strings.Cut(profile, "\n\n")
	_, set := probeOf(t, "")
	files, err := filepath.Glob(filepath.Join(configure(t, set), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var monitor struct{ Conditions []struct{ Type string } }
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &monitor); err != nil {
			t.Fatal(err)
		}
		for _, condition := range monitor.Conditions {
			if !strings.Contains(profile, "type: "+condition.Type+",") {
				t.Errorf("the profile does not know %s:\n%s", condition.Type, profile)
			}
		}
	}
}

// A node that is excluded, cordoned, tainted or full is where they have to be.
func TestProbesRunOnBrokenNodes(t *testing.T) {
	_, set := probeOf(t, "")
	pod := set.Spec.Template.Spec
	if want := []corev1.Toleration{{Operator: corev1.TolerationOpExists}}; !slices.Equal(pod.Tolerations, want) {
		t.Errorf("the pod tolerates %v, want everything", pod.Tolerations)
	}
	if pod.PriorityClassName != "system-node-critical" {
		t.Errorf("the pod has priority class %s", pod.PriorityClassName)
	}
	terms := pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if key := terms[0].MatchExpressions[0].Key; key != "berth.dev/accelerator" {
		t.Errorf("the pod runs on nodes with %s, want those with accelerators", key)
	}
}

func TestProbesCannotWriteToTheNode(t *testing.T) {
	_, set := probeOf(t, "")
	pod := set.Spec.Template.Spec
	paths := map[string]string{}
	for _, volume := range pod.Volumes {
		if volume.HostPath != nil {
			paths[volume.Name] = volume.HostPath.Path
		}
	}
	for _, mount := range pod.Containers[0].VolumeMounts {
		if path, isOfNode := paths[mount.Name]; isOfNode && !mount.ReadOnly && path != "/run/berth-probe" {
			t.Errorf("the probes can write to %s of the node", path)
		}
	}
}

// Nodes may differ in where the driver is, or have none.
func TestProbesSeeTheDriverWhereItIs(t *testing.T) {
	_, set := probeOf(t, "nvidiaRoot: /run/nvidia/driver")
	pod := set.Spec.Template.Spec
	index := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "nvidia" })
	if index < 0 || pod.Volumes[index].HostPath.Path != "/run/nvidia/driver" {
		t.Errorf("the pod has volumes %v", pod.Volumes)
	}
	if !slices.Contains(pod.InitContainers[0].Args, "*:nvidia-root=/host/nvidia") {
		t.Errorf("the probes get %v", pod.InitContainers[0].Args)
	}
	_, set = probeOf(t, `nvidiaRoot: ""`)
	pod = set.Spec.Template.Spec
	if slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "nvidia" }) {
		t.Errorf("the pod has volumes %v", pod.Volumes)
	}
}

// node-problem-detector gets what Kubernetes' own role for it has, less what this one does not use.
func TestProbesMayOnlyWriteConditionsAndEvents(t *testing.T) {
	r, set := probeOf(t, "")
	account := named[*corev1.ServiceAccount](r, set.Spec.Template.Spec.ServiceAccountName)
	if *account.AutomountServiceAccountToken {
		t.Errorf("pods of others that use %s would get its token", account.Name)
	}
	var got []string
	for _, rule := range named[*rbacv1.ClusterRole](r, "berth-probe").Rules {
		for _, resource := range rule.Resources {
			got = append(got, strings.Join(rule.Verbs, ",")+" "+resource)
		}
	}
	want := []string{"get nodes", "patch nodes/status", "create,patch events"}
	if !slices.Equal(got, want) {
		t.Errorf("it may %v, want %v", got, want)
	}
}
