package chart

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// webhook is what mutating and validating webhooks have in common.
type webhook struct {
	configuration, name, path string
	client                    admissionv1.WebhookClientConfig
	namespaces, objects       *metav1.LabelSelector
	rules                     []admissionv1.RuleWithOperations
	conditions                []admissionv1.MatchCondition
	policy                    admissionv1.FailurePolicyType
	timeout                   int32
	annotations               map[string]string
}

// webhooks are those of the release, or those of its hooks.
func webhooks(r *release, hooks bool) []webhook {
	var found []webhook
	for _, c := range all[*admissionv1.MutatingWebhookConfiguration](r) {
		for _, w := range c.Webhooks {
			found = append(found, webhook{c.Name, w.Name, *w.ClientConfig.Service.Path, w.ClientConfig,
				w.NamespaceSelector, w.ObjectSelector, w.Rules, w.MatchConditions, *w.FailurePolicy, *w.TimeoutSeconds,
				c.Annotations})
			if *w.ReinvocationPolicy != admissionv1.IfNeededReinvocationPolicy {
				r.Errorf("%s is not asked about sidecars of others", w.Name)
			}
		}
	}
	for _, c := range all[*admissionv1.ValidatingWebhookConfiguration](r) {
		for _, w := range c.Webhooks {
			found = append(found, webhook{c.Name, w.Name, *w.ClientConfig.Service.Path, w.ClientConfig,
				w.NamespaceSelector, w.ObjectSelector, w.Rules, w.MatchConditions, *w.FailurePolicy, *w.TimeoutSeconds,
				c.Annotations})
		}
	}
	return slices.DeleteFunc(found,
		func(w webhook) bool { return (w.annotations["helm.sh/hook"] != "") != hooks })
}

// route is the path of the admission server that a namespace has for an operation on pods, of the
// webhooks of one verb.
func route(
	t *testing.T, webhooks []webhook, verb string, operation admissionv1.OperationType,
	namespace map[string]string,
) string {
	t.Helper()
	found := ""
	for _, w := range webhooks {
		rest, ours := strings.CutPrefix(w.path, "/"+verb)
		selector, err := metav1.LabelSelectorAsSelector(w.namespaces)
		if err != nil {
			t.Fatal(err)
		}
		if ours && w.asked("", "pods", operation) && selector.Matches(labels.Set(namespace)) {
			found += rest
		}
	}
	return found
}

const (
	name    = corev1.LabelMetadataName
	mode    = "berth.dev/admission"
	allowed = "berth.dev/allow-accelerator-nodes"
)

// Two webhooks for one namespace would do everything twice.
func TestEveryNamespaceHasOneRoute(t *testing.T) {
	const allow = "/allow-accelerator-nodes"
	for _, c := range []struct {
		namespace           map[string]string
		warn, enforce, none string // by the default mode
	}{
		{map[string]string{name: "ml"}, "/warn", "/enforce", ""},
		{map[string]string{mode: "enforce"}, "/enforce", "/enforce", "/enforce"},
		{map[string]string{mode: "warn"}, "/warn", "/warn", "/warn"},
		{map[string]string{mode: "off"}, "", "", ""},
		{map[string]string{mode: "a typing error"}, "/warn", "/enforce", ""},
		{map[string]string{allowed: "true"}, "/warn" + allow, "/enforce" + allow, ""},
		{map[string]string{allowed: "false"}, "/warn", "/enforce", ""},
		{map[string]string{mode: "enforce", allowed: "true"}, "/enforce" + allow, "/enforce" + allow,
			"/enforce" + allow},
		{map[string]string{name: "kube-system", mode: "enforce"}, "", "", ""},
		{map[string]string{name: "berth-system", mode: "enforce"}, "", "", ""},
		{map[string]string{name: "cni", mode: "enforce"}, "", "", ""},
	} {
		for defaultMode, want := range map[string]string{
			"warn": c.warn, "enforce": c.enforce, `"off"`: c.none,
		} {
			all := webhooks(render(t,
				"admission: {excludedNamespaces: [cni], defaultMode: "+defaultMode+"}"), false)
			for _, verb := range []string{"mutate", "validate"} {
				if got := route(t, all, verb, admissionv1.Create, c.namespace); got != want {
					t.Errorf("by default %s, %v goes to %q, want %q", defaultMode, c.namespace, got, want)
				}
			}
			// What is not changed when it is created is not kept from being changed.
			if strings.HasPrefix(want, "/warn") {
				want = ""
			}
			if got := route(t, all, "mutate", admissionv1.Update, c.namespace); got != want {
				t.Errorf("by default %s, updates in %v go to %q, want %q", defaultMode, c.namespace, got, want)
			}
		}
	}
}

func TestLabelsHaveThePrefixOfTheConfiguration(t *testing.T) {
	all := webhooks(render(t, `config: {prefix: ml.example.com}`), false)
	got := route(t, all, "mutate", admissionv1.Create, map[string]string{"ml.example.com/admission": "enforce",
		"ml.example.com/allow-accelerator-nodes": "true"})
	if got != "/enforce/allow-accelerator-nodes" {
		t.Errorf("goes to %q", got)
	}
}

// asked tells whether a webhook is asked about an operation on a resource.
func (w webhook) asked(group, resource string, operation admissionv1.OperationType) bool {
	return slices.ContainsFunc(w.rules, func(rule admissionv1.RuleWithOperations) bool {
		return slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) &&
			slices.Contains(rule.Operations, operation)
	})
}

// A framework that is not listed costs no call, and one that is listed is in the configuration, too.
func TestFrameworksAreWhatIsListed(t *testing.T) {
	r := render(t, `admission: {frameworks: [jobset, kueue]}`)
	for _, w := range webhooks(r, false) {
		validates := strings.HasPrefix(w.path, "/validate")
		enforces := strings.HasPrefix(w.path, "/mutate/enforce") && !strings.Contains(w.name, "updates")
		got := w.asked("jobset.x-k8s.io", "jobsets", admissionv1.Create)
		if got != (validates || enforces) {
			t.Errorf("%s is asked about JobSets: %t", w.path, got)
		}
		if w.asked("kubeflow.org", "mpijobs", admissionv1.Create) {
			t.Errorf("%s is asked about MPIJobs", w.path)
		}
	}
	for values, want := range map[string]bool{`admission: {frameworks: [jobset, kueue]}`: true, "": false} {
		config := named[*corev1.ConfigMap](render(t, values), "berth").Data["config.yaml"]
		if strings.Contains(config, "  frameworks:\n  - jobset\n  - kueue\n") != want {
			t.Errorf("with %q the configuration is\n%s", values, config)
		}
	}
}

func TestWhatWebhooksAreAskedAbout(t *testing.T) {
	const create, update = admissionv1.Create, admissionv1.Update
	for _, w := range webhooks(render(t, everything), false) {
		if strings.Contains(w.name, "-updates.") {
			continue // TestControllersPodsAreUpdatedWithoutACallMore
		}
		validates := strings.HasPrefix(w.path, "/validate")
		enforces := strings.Contains(w.path, "/enforce")
		for _, c := range []struct {
			group, resource string
			operation       admissionv1.OperationType
			want            bool
		}{
			{"", "pods", create, true}, {"", "pods", update, validates},
			{"batch", "jobs", create, true}, {"batch", "jobs", update, validates || enforces},
			{"apps", "deployments", create, validates}, {"apps", "statefulsets", update, validates},
			{"apps", "replicasets", create, validates}, {"batch", "cronjobs", create, validates},
			{"", "replicationcontrollers", create, validates},
			{"kubeflow.org", "pytorchjobs", create, validates || enforces},
			{"kubeflow.org", "pytorchjobs", update, validates},
			{"jobset.x-k8s.io", "jobsets", create, validates || enforces},
			{"jobset.x-k8s.io", "jobsets", update, validates},
			{"batch.volcano.sh", "jobs", create, validates || enforces},
			{"coordination.k8s.io", "leases", create, false}, {"", "nodes", update, false},
		} {
			if got := w.asked(c.group, c.resource, c.operation); got != c.want {
				t.Errorf("%s is asked about %s of %s: %v", w.path, c.operation, c.resource, got)
			}
		}
	}
}

func TestControllersPodsAreUpdatedWithoutACallMore(t *testing.T) {
	found := 0
	for _, w := range webhooks(render(t, everything), false) {
		if !strings.HasPrefix(w.path, "/mutate") || !w.asked("", "pods", admissionv1.Update) {
			continue
		}
		found++
		selector, err := metav1.LabelSelectorAsSelector(w.objects)
		if err != nil {
			t.Fatal(err)
		}
		if !selector.Matches(labels.Set{"app": "train"}) {
			t.Errorf("%s is not asked about a pod that somebody applies", w.name)
		}
		for _, label := range []string{"batch.kubernetes.io/job-name", "pod-template-hash",
			"controller-revision-hash"} {
			if selector.Matches(labels.Set{"app": "train", label: "x"}) {
				t.Errorf("%s is asked about updates of pods with the label %s", w.name, label)
			}
		}
		if w.asked("", "pods", admissionv1.Create) || w.asked("batch", "jobs", admissionv1.Update) {
			t.Errorf("%s is asked about more than updates of pods", w.name)
		}
	}
	if found != 2 {
		t.Errorf("%d webhooks are asked about updates of pods, want 2", found)
	}
}

// The controller takes a gate from each pod of a gang. It need not wait for a call each time; whoever
// else updates a pod is asked about in the same namespaces and on the same paths as without gangs.
func TestThePlannersUpdatesArePassedOver(t *testing.T) {
	r := render(t, "config: {planner: {gangs: {enabled: true}}}")
	account := named[*appsv1.Deployment](r, "berth-controller").Spec.Template.Spec.ServiceAccountName
	want := `request.userInfo.username != "system:serviceaccount:berth-system:` + account + `"`
	asked := map[string]int{}
	for _, w := range webhooks(r, false) {
		if w.asked("", "pods", admissionv1.Update) {
			asked[w.path]++
			if len(w.conditions) != 1 || w.conditions[0].Expression != want {
				t.Errorf("%s has the conditions %v, want %s", w.name, w.conditions, want)
			}
			if len(w.rules) != 1 || w.asked("", "pods", admissionv1.Create) {
				t.Errorf("%s has these conditions for more than updates of pods: %v", w.name, w.rules)
			}
		} else if len(w.conditions) != 0 {
			t.Errorf("%s has the conditions %v", w.name, w.conditions)
		}
	}
	without := map[string]int{}
	for _, w := range webhooks(render(t, ""), false) {
		if w.asked("", "pods", admissionv1.Update) {
			without[w.path]++
		}
	}
	if !maps.Equal(asked, without) {
		t.Errorf("updates of pods go to %v, without gangs to %v", asked, without)
	}
}

func TestWebhooksAreReached(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		for _, w := range webhooks(r, false) {
			service := named[*corev1.Service](r, w.client.Service.Name)
			if service.Namespace != w.client.Service.Namespace ||
				service.Spec.Ports[0].Port != *w.client.Service.Port {
				t.Errorf("%s is reached by %+v", w.name, w.client.Service)
			}
		}
	})
}

// Pods without which a node does not work start although Berth is away. With Ignore the conditions
// would cost more than they save.
func TestNodesNeedNoWebhook(t *testing.T) {
	for policy, conditions := range map[admissionv1.FailurePolicyType]int{"Ignore": 0, "Fail": 2} {
		for _, w := range webhooks(render(t, "admission: {failurePolicy: "+string(policy)+"}"), false) {
			if w.policy != policy || len(w.conditions) != conditions {
				t.Errorf("%s has policy %s and conditions %v", w.name, w.policy, w.conditions)
			}
		}
	}
}

// Helm deletes webhook configurations last, when their webhook has gone. Hooks of the same names have
// it delete them first: the one that denies before the one that makes pods such that it does not.
func TestUninstallLocksNobodyOut(t *testing.T) {
	for _, policy := range []string{"Ignore", "Fail"} {
		r := render(t, "admission: {failurePolicy: "+policy+"}")
		var hooks []object
		for _, o := range r.objects {
			if o.GetAnnotations()["helm.sh/hook"] == "pre-delete" {
				hooks = append(hooks, o)
			}
		}
		if len(hooks) != 2 {
			t.Fatalf("%d hooks, want one for each configuration", len(hooks))
		}
		for _, o := range hooks {
			annotations := o.GetAnnotations()
			_, validates := o.(*admissionv1.ValidatingWebhookConfiguration)
			if o.GetName() != "berth" || (annotations["helm.sh/hook-weight"] == "-1") != validates ||
				annotations["helm.sh/hook-delete-policy"] != "before-hook-creation,hook-succeeded" {
				t.Errorf("%T %s is deleted by %v", o, o.GetName(), annotations)
			}
		}
		for _, w := range webhooks(r, true) {
			if w.policy != admissionv1.Ignore || !strings.HasPrefix(w.path, "/mutate") {
				t.Errorf("%s of a hook has policy %s", w.path, w.policy)
			}
		}
	}
}

// Bundles of the other sources are written by the controller, and by cert-manager.
func TestWhoWritesTheBundles(t *testing.T) {
	for _, c := range configurations {
		isFiles := strings.Contains(c.values, "source: files")
		isCertManager := strings.Contains(c.values, "source: cert-manager")
		for _, w := range webhooks(c.render(t), false) {
			if got := strings.Contains(string(w.client.CABundle), "BEGIN CERTIFICATE"); got != isFiles {
				t.Errorf("%s: %s has bundle %s", c.name, w.name,
					base64.StdEncoding.EncodeToString(w.client.CABundle))
			}
			injected := w.annotations["cert-manager.io/inject-ca-from"]
			if (injected == "berth-system/berth-admission-tls") != isCertManager {
				t.Errorf("%s: %s gets the bundle of %q", c.name, w.name, injected)
			}
		}
	}
}
