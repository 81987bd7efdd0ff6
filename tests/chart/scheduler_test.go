package chart

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

func schedulerConfiguration(r *release) schedulerconfig.KubeSchedulerConfiguration {
	r.Helper()
	var config schedulerconfig.KubeSchedulerConfiguration
	text := named[*corev1.ConfigMap](r, prefixOf(r)+"scheduler").Data["config.yaml"]
	if err := yaml.UnmarshalStrict([]byte(text), &config); err != nil {
		r.Fatalf("%v in\n%s", err, text)
	}
	return config
}

func TestSchedulersConfiguration(t *testing.T) {
	config := schedulerConfiguration(render(t, ""))
	if *config.Profiles[0].SchedulerName != "berth" || len(config.Profiles) != 1 {
		t.Errorf("the configuration is %+v", config)
	}
	// By default kube-scheduler would bind 50 pods a second at most.
	if client := config.ClientConnection; client.QPS != 1000 || client.Burst != 2000 {
		t.Errorf("its requests are limited by %+v", client)
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
		extender.URLPrefix != "https://berth-extender.berth-system.svc:443" {
		t.Errorf("the extender is %+v", extender)
	}
	// Without a CA kube-scheduler would not verify anything.
	if extender.TLSConfig.CAFile != "/etc/berth/ca/ca.crt" || extender.TLSConfig.Insecure {
		t.Errorf("the extender is trusted by %+v", extender.TLSConfig)
	}
}

func TestSchedulersFeatureGates(t *testing.T) {
	flags := func(values string) []string {
		args := podsOf(render(t, values))["berth-scheduler"].Spec.Containers[0].Args
		return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
			return !strings.HasPrefix(arg, "--feature-gates")
		})
	}
	if got := flags(""); len(got) != 0 {
		t.Errorf("by default kube-scheduler gets %v", got)
	}
	got := flags(`scheduler: {featureGates: {GenericWorkload: true, AsyncPreemption: false}}`)
	if !slices.Equal(got, []string{"--feature-gates=AsyncPreemption=false,GenericWorkload=true"}) {
		t.Errorf("kube-scheduler gets %v", got)
	}
}

// What the planner looks at, kube-scheduler need not. The rights follow, too.
func TestSomebodyLooksAtEveryNode(t *testing.T) {
	for _, c := range []struct {
		values  string
		planned []string
		sampled bool
	}{
		{"", []string{"berth"}, true},
		{`scheduler: {name: ml}`, []string{"ml"}, true},
		{`config: {planner: {backlog: {pods: 0}}}`, []string{"berth"}, true},
		{`config: {planner: {schedulers: [berth, default-scheduler]}}`,
			[]string{"berth", "default-scheduler"}, true},
		{`config: {planner: {schedulers: [default-scheduler]}}`, []string{"default-scheduler"}, false},
		{`config: {planner: {schedulers: []}}`, nil, false},
		{`scheduler: {enabled: false}`, nil, true},
		{`{scheduler: {enabled: false}, config: {planner: {schedulers: [default-scheduler]}}}`,
			[]string{"default-scheduler"}, true},
	} {
		r := render(t, c.values)
		if got := berthConfiguration(r).Planner.Schedulers; !slices.Equal(got, c.planned) {
			t.Errorf("%q: plans for %v, want %v", c.values, got, c.planned)
		}
		if hasScheduler(r) {
			percentage := *schedulerConfiguration(r).PercentageOfNodesToScore
			if sampled := percentage <= 50; sampled != c.sampled || (!sampled && percentage != 100) {
				t.Errorf("%q: kube-scheduler looks at %d %% of the nodes", c.values, percentage)
			}
		}
		held := rights(named[*rbacv1.ClusterRole](r, "berth-controller").Rules)
		if _, writes := find(held, "pods/status"); writes != (len(c.planned) > 0) {
			t.Errorf("%q: the controller may nominate nodes: %v", c.values, writes)
		}
		if asks := has[*rbacv1.Role](r, "berth-extender"); asks != (len(c.planned) > 0) {
			t.Errorf("%q: the extender may see who leads: %v", c.values, asks)
		}
	}
}

// Whoever else reaches the extender of the chart's own scheduler gets no answer.
func TestExtenderAnswersTheChartsOwnSchedulerAlone(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		asked := berthConfiguration(r).Extender.TLS.ClientCAFile
		if !hasScheduler(r) {
			if asked != "" {
				t.Errorf("a scheduler of the user's own has to show a certificate of %s", asked)
			}
			return
		}
		if asked == "" {
			t.Fatal("the extender answers anybody")
		}
		expectFile(t, r, "extender", asked)
		shown := schedulerConfiguration(r).Extenders[0].TLSConfig
		for _, path := range []string{shown.CAFile, shown.CertFile, shown.KeyFile} {
			expectFile(t, r, "kube-scheduler", path)
		}
		for _, argument := range doctorArguments(r) {
			if flag, path, _ := strings.Cut(argument, "="); slices.Contains(
				[]string{"--ca-file", "--cert", "--key"}, flag) {
				expectFile(t, r, "doctor", path)
			}
		}
		if !slices.Contains(doctorArguments(r), "--cert="+shown.CertFile) {
			t.Error("helm test shows no certificate")
		}
	})
}

func hasScheduler(r *release) bool {
	for name := range podsOf(r) {
		if strings.HasSuffix(name, "-scheduler") {
			return true
		}
	}
	return false
}

// expectFile fails the test unless a container has a file of a Secret at the path.
func expectFile(t *testing.T, r *release, container, path string) {
	t.Helper()
	for _, pod := range podsOf(r) {
		for _, c := range pod.Spec.Containers {
			if c.Name == container && !slices.Contains(secretFiles(pod.Spec, c), path) {
				t.Errorf("%s has no %s, but %v", container, path, secretFiles(pod.Spec, c))
			}
		}
	}
}

// secretFiles are the paths of what a container mounts of Secrets.
func secretFiles(pod corev1.PodSpec, container corev1.Container) []string {
	var files []string
	for _, mount := range container.VolumeMounts {
		for _, volume := range pod.Volumes {
			if volume.Name != mount.Name || volume.Secret == nil {
				continue
			}
			for _, item := range volume.Secret.Items {
				files = append(files, mount.MountPath+"/"+item.Path)
			}
		}
	}
	return files
}

// pluginArguments are those of a plugin in the one profile; nothing where it has none.
func pluginArguments[T any](t *testing.T, r *release, plugin string) *T {
	t.Helper()
	return argumentsIn[T](t, schedulerConfiguration(r), plugin)
}

func argumentsIn[T any](
	t *testing.T, config schedulerconfig.KubeSchedulerConfiguration, plugin string,
) *T {
	t.Helper()
	for _, config := range config.Profiles[0].PluginConfig {
		if config.Name != plugin {
			continue
		}
		arguments := new(T)
		if err := yaml.UnmarshalStrict(config.Args.Raw, arguments); err != nil {
			t.Fatalf("%s: %v", plugin, err)
		}
		return arguments
	}
	return nil
}

// Of a sample Berth may refuse all, although the pod could preempt elsewhere.
func TestPreemptionIsTriedOnAllNodes(t *testing.T) {
	got := pluginArguments[schedulerconfig.DefaultPreemptionArgs](t, render(t, ""), "DefaultPreemption")
	if got == nil || got.MinCandidateNodesPercentage == nil || *got.MinCandidateNodesPercentage != 100 {
		t.Errorf("preemption is %+v", got)
	}
}

// What kube-scheduler does and what Berth takes it to do are written in two files.
func TestSpreadingIsTheSameForSchedulerAndExtender(t *testing.T) {
	for _, c := range []struct {
		values string
		spread bool
	}{
		{"", false}, {`scheduler: {defaultSpreading: true}`, true},
	} {
		r := render(t, c.values)
		got := pluginArguments[schedulerconfig.PodTopologySpreadArgs](t, r, "PodTopologySpread")
		none := got != nil && got.DefaultingType == schedulerconfig.ListDefaulting &&
			len(got.DefaultConstraints) == 0
		if none == c.spread {
			t.Errorf("%q: kube-scheduler spreads by %+v", c.values, got)
		}
		expected := berthConfiguration(r).Extender.Shortlist.DefaultSpreading
		if spread := expected == nil || *expected; spread != c.spread {
			t.Errorf("%q: the extender takes it to spread: %v", c.values, spread)
		}
		_, services := find(rights(named[*rbacv1.ClusterRole](r, "berth-extender").Rules), "services")
		if services != c.spread {
			t.Errorf("%q: the extender may watch Services: %v", c.values, services)
		}
	}
	own := berthConfiguration(render(t, `scheduler: {enabled: false}`))
	if own.Extender.Shortlist.DefaultSpreading != nil {
		t.Error("what a scheduler of the user's own does is not the chart's to say")
	}
}

// find is the first right over a resource.
func find(held []right, resource string) (right, bool) {
	at := slices.IndexFunc(held, func(r right) bool { return r.Resource == resource })
	if at < 0 {
		return right{}, false
	}
	return held[at], true
}

func TestBackoffOfWaitingPods(t *testing.T) {
	for values, want := range map[string]int64{
		"": 60, `scheduler: {podMaxBackoffSeconds: 10}`: 10,
	} {
		if got := schedulerConfiguration(render(t, values)).PodMaxBackoffSeconds; *got != want {
			t.Errorf("%q: pods wait %d s at most, want %d", values, *got, want)
		}
	}
}

func TestSampleOfNodes(t *testing.T) {
	for values, want := range map[string]int32{
		"": 2, `scheduler: {percentageOfNodesToScore: 1}`: 1, `scheduler: {percentageOfNodesToScore: 0}`: 0,
		`config: {planner: {schedulers: []}}`: 100,
	} {
		if got := schedulerConfiguration(render(t, values)).PercentageOfNodesToScore; got == nil || *got != want {
			t.Errorf("%q: kube-scheduler looks at %v %% of the nodes, want %d", values, got, want)
		}
	}
}

// catalogue are the resources of a configuration's accelerators and their slices, each once.
func catalogue(t *testing.T, text string) []string {
	t.Helper()
	type device struct{ Resource string }
	var config struct {
		Accelerators []struct {
			device
			Slices []device
		}
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	var resources []string
	for _, accelerator := range config.Accelerators {
		for _, each := range append([]device{accelerator.device}, accelerator.Slices...) {
			if !slices.Contains(resources, each.Resource) {
				resources = append(resources, each.Resource)
			}
		}
	}
	return resources
}

// Pods of a resource that is missing would be placed without Berth.
func TestSchedulerAsksAboutTheCatalogue(t *testing.T) {
	const own = `accelerators:
- {name: H100, resource: nvidia.com/gpu, slices: [{resource: nvidia.com/mig-1g.10gb}], nodes: [{label: gpu, matches: h100}]}
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
			t.Errorf("kube-scheduler calls Berth for %v, want %v", got, want)
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
