package chart

import (
	"maps"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func TestObjectsAreLabelledAndNamedAfterTheRelease(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		prefix, instance := "berth", "berth"
		if has[*appsv1.Deployment](r, "ml-berth-admission") {
			prefix, instance = "ml-berth", "ml"
		}
		for _, o := range r.objects {
			if name := o.GetName(); name != prefix && !strings.HasPrefix(name, prefix+"-") {
				t.Errorf("%T %s is not named after the release", o, name)
			}
			for _, label := range []string{"name", "instance", "version", "managed-by", "part-of"} {
				if o.GetLabels()["app.kubernetes.io/"+label] == "" {
					t.Errorf("%T %s has no %s", o, o.GetName(), label)
				}
			}
			if got := o.GetLabels()["app.kubernetes.io/instance"]; got != instance {
				t.Errorf("%T %s is of instance %s", o, o.GetName(), got)
			}
		}
	})
}

// Kubernetes takes them for names, YAML takes them for numbers and truths.
func TestNamesMayLookLikeNumbers(t *testing.T) {
	r := installation{name: "123", namespace: "456", values: `
scheduler: {enabled: true, name: "true"}
repair: {enabled: true}
probe: {enabled: true}
board: {enabled: true}
`}.render(t) // decodes every object by its type
	var config struct{ Planner struct{ Schedulers []string } }
	text := named[*corev1.ConfigMap](r, "123-berth").Data["config.yaml"]
	if err := yaml.Unmarshal([]byte(text), &config); err != nil || !slices.Equal(config.Planner.Schedulers, []string{"true"}) {
		t.Errorf("the planner plans for %q: %v", config.Planner.Schedulers, err)
	}
}

func TestAPodsLabelReplacesTheCommonOne(t *testing.T) {
	r := render(t, `
commonLabels: {team: all}
podLabels: {team: pods}
repair: {enabled: true}
probe: {enabled: true}
`)
	for _, d := range all[*appsv1.Deployment](r) {
		if d.Labels["team"] != "all" || d.Spec.Template.Labels["team"] != "pods" {
			t.Errorf("%s has %v, its pods have %v", d.Name, d.Labels, d.Spec.Template.Labels)
		}
	}
	for _, document := range strings.Split(r.text, "\n---\n") {
		if err := yaml.UnmarshalStrict([]byte(document), &map[string]any{}); err != nil {
			t.Errorf("%v in\n%s", err, document)
		}
	}
}

// Twice the same object: Helm would fail on a cluster, where it is too late.
func TestObjectsAreThereOnce(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		seen := map[string]bool{}
		for _, o := range r.objects {
			key := strings.Join([]string{o.GetObjectKind().GroupVersionKind().Kind, o.GetNamespace(),
				o.GetName(), o.GetAnnotations()["helm.sh/hook"]}, "/")
			if seen[key] {
				t.Errorf("%s is there twice", key)
			}
			seen[key] = true
		}
	})
}

// Argo CD takes the last of two objects for the one that is meant, and applies none that is a hook for the
// uninstall.
func TestNothingIsThereTwiceForArgoCD(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range render(t, "admission: {uninstallHooks: false}").objects {
		key := strings.Join([]string{o.GetObjectKind().GroupVersionKind().Kind, o.GetNamespace(), o.GetName()}, "/")
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
	}
	if len(seen) == 0 {
		t.Error("the chart has no objects")
	}
}

// matching are the Deployments whose pods a selector selects.
func matching(r *release, selector map[string]string) []*appsv1.Deployment {
	var found []*appsv1.Deployment
	for _, deployment := range all[*appsv1.Deployment](r) {
		if labels.SelectorFromSet(selector).Matches(labels.Set(deployment.Spec.Template.Labels)) {
			found = append(found, deployment)
		}
	}
	return found
}

func TestServicesLeadToPorts(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		for _, service := range all[*corev1.Service](r) {
			behind := matching(r, service.Spec.Selector)
			if len(behind) == 0 {
				t.Errorf("nothing is behind %s", service.Name)
			}
			for _, deployment := range behind {
				target := service.Spec.Ports[0].TargetPort.String()
				if !slices.ContainsFunc(deployment.Spec.Template.Spec.Containers,
					func(container corev1.Container) bool { return hasPort(container, target) }) {
					t.Errorf("%s has no port %s for %s", deployment.Name, target, service.Name)
				}
			}
		}
	})
}

// That of helm test, which has no metrics, is not to be a target.
func TestMetricsOfAllComponentsAndNothingElse(t *testing.T) {
	r := render(t, "")
	selector := named[*corev1.Service](r, "berth-metrics").Spec.Selector
	if got := len(matching(r, selector)); got != 3 {
		t.Errorf("metrics of %d Deployments, want 3", got)
	}
	test := named[*corev1.Pod](r, "berth-test")
	if labels.SelectorFromSet(selector).Matches(labels.Set(test.Labels)) {
		t.Errorf("the pod of helm test is a target: %v", test.Labels)
	}
}

// selects checks that a selector is that of exactly one Deployment.
func selects(t *testing.T, r *release, what string, selector *metav1.LabelSelector) {
	t.Helper()
	if got := matching(r, selector.MatchLabels); len(got) != 1 {
		t.Errorf("%s selects %d Deployments, want one", what, len(got))
	}
}

func TestSelectorsAreOfOneComponent(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		for _, deployment := range all[*appsv1.Deployment](r) {
			selects(t, r, deployment.Name, deployment.Spec.Selector)
			for _, constraint := range deployment.Spec.Template.Spec.TopologySpreadConstraints {
				selects(t, r, "spread of "+deployment.Name, constraint.LabelSelector)
			}
		}
		for _, budget := range all[*policyv1.PodDisruptionBudget](r) {
			selects(t, r, "budget "+budget.Name, budget.Spec.Selector)
		}
		for _, policy := range all[*networkingv1.NetworkPolicy](r) {
			selects(t, r, "network policy "+policy.Name, &policy.Spec.PodSelector)
		}
	})
}

func TestEveryComponentHasABudgetAndAPolicy(t *testing.T) {
	r := render(t, everything)
	for _, deployment := range all[*appsv1.Deployment](r) {
		named[*policyv1.PodDisruptionBudget](r, deployment.Name)
		policy := named[*networkingv1.NetworkPolicy](r, deployment.Name)
		if len(policy.Spec.PolicyTypes) != 2 {
			t.Errorf("%s governs %v", policy.Name, policy.Spec.PolicyTypes)
		}
	}
	if egress := named[*networkingv1.NetworkPolicy](r, "berth-admission").Spec.Egress; len(egress) > 0 {
		t.Errorf("the webhook may call %v", egress)
	}
}

// kube-scheduler looks up the extender's Service and calls the pods behind it, which let it in.
func TestSchedulerReachesTheExtender(t *testing.T) {
	r := render(t, "networkPolicy: {enabled: true, dnsPorts: [53, 5353]}")
	pods := named[*appsv1.Deployment](r, "berth-extender").Spec.Template
	port := pods.Spec.Containers[0].Ports[0]
	egress := named[*networkingv1.NetworkPolicy](r, "berth-scheduler").Spec.Egress
	if !slices.ContainsFunc(egress, func(rule networkingv1.NetworkPolicyEgressRule) bool {
		return len(rule.To) == 1 && rule.Ports[0].Port.IntVal == port.ContainerPort &&
			labels.SelectorFromSet(rule.To[0].PodSelector.MatchLabels).Matches(labels.Set(pods.Labels))
	}) {
		t.Errorf("kube-scheduler may call %+v", egress)
	}
	for _, want := range []int32{53, 5353} {
		for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
			if !slices.ContainsFunc(egress, func(rule networkingv1.NetworkPolicyEgressRule) bool {
				return len(rule.To) == 0 && slices.ContainsFunc(rule.Ports,
					func(p networkingv1.NetworkPolicyPort) bool {
						return p.Port.IntVal == want && *p.Protocol == protocol
					})
			}) {
				t.Errorf("kube-scheduler may not ask for names at port %d by %s", want, protocol)
			}
		}
	}
	ingress := named[*networkingv1.NetworkPolicy](r, "berth-extender").Spec.Ingress
	if !slices.ContainsFunc(ingress, func(rule networkingv1.NetworkPolicyIngressRule) bool {
		return rule.Ports[0].Port.StrVal == port.Name && len(rule.From) == 1
	}) {
		t.Errorf("the extender lets in %+v", ingress)
	}
}

// isCertified tells whether a Secret is filled by the controller or cert-manager, or is the user's.
func isCertified(r *release, secret string) bool {
	for _, certificate := range all[*certmanagerv1.Certificate](r) {
		if certificate.Spec.SecretName == secret {
			return true
		}
	}
	return slices.Contains([]string{"extender", "admission", "scheduler"}, secret) ||
		slices.Contains(slices.Collect(maps.Keys(certified(r))), secret)
}

// certified are the Services of the certificates that the controller makes, by Secret; those of clients
// have none.
func certified(r *release) map[string]string {
	found := map[string]string{}
	certificates := berthConfiguration(r).Controller.Certificates
	for _, server := range certificates.Servers {
		found[server.Secret] = server.Service
	}
	for _, client := range certificates.Clients {
		found[client.Secret] = ""
	}
	return found
}

// berthConfig is what tests look at of Berth's configuration.
type berthConfig struct {
	Extender struct {
		TLS       struct{ CertFile, KeyFile, ClientCAFile string }
		Shortlist struct{ DefaultSpreading *bool }
	}
	Planner    struct{ Schedulers []string }
	Controller struct {
		Certificates struct {
			Servers []struct{ Secret, Service string }
			Clients []struct{ Secret, Name string }
		}
	}
}

func berthConfiguration(r *release) berthConfig {
	r.Helper()
	var config berthConfig
	if err := yaml.Unmarshal([]byte(configuration(r)), &config); err != nil {
		r.Fatal(err)
	}
	return config
}

func TestCertificatesAreForTheServicesThatShowThem(t *testing.T) {
	r := render(t, "")
	for secret, service := range certified(r) {
		if secret != "berth-scheduler-tls" {
			named[*corev1.Service](r, service)
		}
	}
	if len(certified(r)) != 3 {
		t.Errorf("certificates are made for %v", certified(r))
	}
	r = render(t, `certificates: {source: cert-manager, certManager: {issuerRef: {name: ml}}}`)
	if got := certified(r); len(got) != 0 {
		t.Errorf("beside cert-manager the controller makes %v", got)
	}
	got := named[*certmanagerv1.Certificate](r, "berth-admission-tls").Spec
	if got.DNSNames[0] != "berth-admission.berth-system.svc" || got.IssuerRef.Name != "ml" {
		t.Errorf("the webhook's certificate is %+v", got)
	}
	client := named[*certmanagerv1.Certificate](r, "berth-scheduler-tls").Spec
	if want := []certmanagerv1.KeyUsage{certmanagerv1.UsageDigitalSignature,
		certmanagerv1.UsageClientAuth}; !slices.Equal(client.Usages, want) {
		t.Errorf("kube-scheduler's certificate is for %v", client.Usages)
	}
}

// Some clusters allow the system's classes outside of kube-system only where a quota does.
func TestPriorityIsAllowedByAQuota(t *testing.T) {
	quota := named[*corev1.ResourceQuota](render(t, ""), "berth")
	scope := quota.Spec.ScopeSelector.MatchExpressions[0]
	if !slices.Equal(scope.Values, []string{"system-cluster-critical"}) {
		t.Errorf("the quota is for %v", scope)
	}
	// It counts all pods of the class in the namespace, which may be kube-system.
	if pods := quota.Spec.Hard.Pods(); pods.Value() < 10_000 {
		t.Errorf("the quota allows %s pods", pods)
	}
	if r := render(t, `priorityClassName: infrastructure`); len(all[*corev1.ResourceQuota](r)) > 0 {
		t.Error("a class of the user's own needs no quota")
	}
}
