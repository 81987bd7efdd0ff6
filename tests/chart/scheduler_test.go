package chart

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

func schedulerConfiguration(r *release) schedulerconfig.KubeSchedulerConfiguration {
	r.Helper()
	var config schedulerconfig.KubeSchedulerConfiguration
	text := named[*corev1.ConfigMap](r, "berth-scheduler").Data["config.yaml"]
	if err := yaml.UnmarshalStrict([]byte(text), &config); err != nil {
		r.Fatalf("%v in\n%s", err, text)
	}
	return config
}

func TestSchedulersConfiguration(t *testing.T) {
	config := schedulerConfiguration(render(t, ""))
	if *config.PercentageOfNodesToScore != 100 || *config.Profiles[0].SchedulerName != "berth" ||
		len(config.Profiles) != 1 {
		t.Errorf("the configuration is %+v", config)
	}
	election := config.LeaderElection
	if !*election.LeaderElect || election.ResourceName != "berth-scheduler" ||
		election.ResourceNamespace != "berth-system" {
		t.Errorf("leaders are elected by %+v", election)
	}
	extender := config.Extenders[0]
	if len(config.Extenders) != 1 || !extender.EnableHTTPS || !extender.NodeCacheCapable ||
		extender.Ignorable || extender.Weight != 31 || extender.FilterVerb != "filter" ||
		extender.PrioritizeVerb != "prioritize" || extender.PreemptVerb != "preempt" ||
		extender.URLPrefix != "https://localhost:8443" {
		t.Errorf("the extender is %+v", extender)
	}
	// Without a CA kube-scheduler would not verify anything.
	if extender.TLSConfig.CAFile != "/etc/berth/ca/ca.crt" || extender.TLSConfig.Insecure ||
		extender.TLSConfig.ServerName != "berth-extender.berth-system.svc" {
		t.Errorf("the extender is trusted by %+v", extender.TLSConfig)
	}
}

// catalogue are the resources of a configuration's accelerators, each once.
func catalogue(t *testing.T, text string) []string {
	t.Helper()
	var config struct{ Accelerators []struct{ Resource string } }
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	var resources []string
	for _, accelerator := range config.Accelerators {
		if !slices.Contains(resources, accelerator.Resource) {
			resources = append(resources, accelerator.Resource)
		}
	}
	return resources
}

// Pods of a resource that is missing would be placed without Berth.
func TestSchedulerAsksAboutTheCatalogue(t *testing.T) {
	const own = `accelerators:
- {name: H100, resource: nvidia.com/gpu, nodes: [{label: gpu, matches: h100}]}
- {name: B200, resource: nvidia.com/gpu, nodes: [{label: gpu, matches: b200}]}
- {name: Gaudi, resource: habana.ai/gaudi}`
	for _, c := range []struct{ values, config string }{
		{"", berth(t, "", "config", "defaults")}, {"config:\n  " + indented(own), own},
	} {
		var got []string
		for _, managed := range schedulerConfiguration(render(t, c.values)).Extenders[0].ManagedResources {
			got = append(got, managed.Name)
			if managed.IgnoredByScheduler {
				t.Errorf("kube-scheduler would not count %s", managed.Name)
			}
		}
		if want := catalogue(t, c.config); !slices.Equal(got, want) {
			t.Errorf("Berth is asked about %v, want %v", got, want)
		}
	}
}

// The chart's own scheduler gets the pods that ask for accelerators; another one is the user's choice.
func TestPodsAreSentToTheChartsOwnScheduler(t *testing.T) {
	for values, want := range map[string]string{
		"": "berth", `scheduler: {name: ml}`: "ml", `scheduler: {enabled: false}`: "",
		`{scheduler: {enabled: false}, config: {admission: {policies: {schedulerName: {name: mine}}}}}`: "mine",
	} {
		var config struct {
			Admission struct {
				Policies struct{ SchedulerName struct{ Name string } }
			}
		}
		if err := yaml.Unmarshal([]byte(configuration(render(t, values))), &config); err != nil {
			t.Fatal(err)
		}
		if got := config.Admission.Policies.SchedulerName.Name; got != want {
			t.Errorf("%s: pods go to %q, want %q", values, got, want)
		}
	}
	if got := schedulerConfiguration(render(t, `scheduler: {name: ml}`)); *got.Profiles[0].SchedulerName != "ml" {
		t.Errorf("the scheduler is %s", *got.Profiles[0].SchedulerName)
	}
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
