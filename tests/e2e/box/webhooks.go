package box

import (
	"context"
	"errors"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// LabelAdmission on a namespace is its mode of admission: enforce, warn or off; without it, warn.
	LabelAdmission = "berth.dev/admission"
	// LabelAllowAcceleratorNodes on a namespace lets its pods without accelerators ask for nodes
	// that have some.
	LabelAllowAcceleratorNodes = "berth.dev/allow-accelerator-nodes"

	webhookTimeoutSeconds = 5
)

// Registration says for what kube-apiserver asks a webhook.
type Registration struct {
	Name string // of the webhook configurations
	// Probe is a namespace for which the webhook is asked: Register returns when it is, and
	// Deregister when it is no more.
	Probe string
	// FailurePolicy of mutating and validating webhooks alike. Default: Ignore.
	FailurePolicy admissionv1.FailurePolicyType
	// Namespaces narrows them down, beside what decides their mode. Default: all but kube-system.
	Namespaces []metav1.LabelSelectorRequirement
	// WithoutValidation leaves the validating webhooks out.
	WithoutValidation bool
	// Planner is the user whose updates of pods the webhooks are not asked about, as the chart has it
	// where gangs are planned. Default: they are asked about everybody's.
	Planner string
	// Others are further resources that the webhooks are asked about, as those of configured kinds:
	// the mutating ones when they are created in namespaces that enforce.
	Others []admissionv1.Rule
}

// RegisterAdmission has kube-apiserver ask the admission server by one webhook for every path that
// it has, and returns when it does.
func (b *Box) RegisterAdmission(ctx context.Context, r Registration, a *Admission) error {
	mutating := &admissionv1.MutatingWebhookConfiguration{ObjectMeta: r.meta()}
	validating := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: r.meta()}
	for _, route := range r.routes() {
		webhook := r.mutating(route.name, b.reach(a.URL+"/mutate"+route.path), route.namespaces)
		if route.enforces {
			webhook.Rules = slices.Concat(webhook.Rules, updates(jobsAlone), creations(r.Others...))
			mutating.Webhooks = append(mutating.Webhooks, r.keeping(route, webhook.ClientConfig))
		}
		mutating.Webhooks = append(mutating.Webhooks, webhook)
		validating.Webhooks = append(validating.Webhooks,
			r.allValidating(route, b.reach(a.URL+"/validate"+route.path))...)
	}
	webhooks := b.Client.AdmissionregistrationV1()
	_, err := webhooks.MutatingWebhookConfigurations().Create(ctx, mutating, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("register %s: %w", r.Name, err)
	}
	if err := b.awaitAsked(ctx, r, "admit", true); err != nil || r.WithoutValidation {
		return err
	}
	_, err = webhooks.ValidatingWebhookConfigurations().Create(ctx, validating, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("register %s: %w", r.Name, err)
	}
	return b.awaitAsked(ctx, r, "validating", true)
}

// RegisterMutator has kube-apiserver ask a mutating webhook about every pod that is created, and
// returns when it does.
func (b *Box) RegisterMutator(ctx context.Context, r Registration, m *Mutator) error {
	webhook := r.mutating("mutator", b.reach(m.URL), r.selectors())
	webhook.Rules = creations(podsAlone)
	_, err := b.Client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(ctx,
		&admissionv1.MutatingWebhookConfiguration{
			ObjectMeta: r.meta(), Webhooks: []admissionv1.MutatingWebhook{webhook},
		}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("register %s: %w", r.Name, err)
	}
	return b.awaitAsked(ctx, r, "admit", true)
}

// Deregister ends what RegisterAdmission or RegisterMutator began, and returns when kube-apiserver
// asks no more.
func (b *Box) Deregister(ctx context.Context, r Registration) error {
	webhooks := b.Client.AdmissionregistrationV1()
	err := webhooks.MutatingWebhookConfigurations().Delete(ctx, r.Name, metav1.DeleteOptions{})
	if err != nil {
		return err
	}
	err = webhooks.ValidatingWebhookConfigurations().Delete(ctx, r.Name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) { // a mutator has none
		return err
	}
	return errors.Join(b.awaitAsked(ctx, r, "admit", false), b.awaitAsked(ctx, r, "validating", false))
}

func (r Registration) meta() metav1.ObjectMeta { return metav1.ObjectMeta{Name: r.Name} }

// webhookName is what kube-apiserver's metrics call a webhook of the registration.
func (r Registration) webhookName(route string) string {
	return route + "." + r.Name + ".berth.dev"
}

// route is a path of the admission server and the namespaces for which it is asked.
type route struct {
	name, path string
	enforces   bool
	namespaces []metav1.LabelSelectorRequirement
}

// routes are disjoint: every namespace is in one of them, or in none.
func (r Registration) routes() []route {
	var all []route
	for _, mode := range []route{
		{name: "enforce", enforces: true,
			namespaces: requirement(LabelAdmission, metav1.LabelSelectorOpIn, "enforce")},
		{name: "warn",
			namespaces: requirement(LabelAdmission, metav1.LabelSelectorOpNotIn, "enforce", "off")},
	} {
		namespaces := slices.Concat(r.selectors(), mode.namespaces)
		all = append(all,
			route{name: mode.name, path: "/" + mode.name, enforces: mode.enforces,
				namespaces: slices.Concat(namespaces,
					requirement(LabelAllowAcceleratorNodes, metav1.LabelSelectorOpNotIn, "true"))},
			route{name: mode.name + "-allowed", path: "/" + mode.name + "/allow-accelerator-nodes",
				enforces: mode.enforces, namespaces: slices.Concat(namespaces,
					requirement(LabelAllowAcceleratorNodes, metav1.LabelSelectorOpIn, "true"))})
	}
	return all
}

func (r Registration) selectors() []metav1.LabelSelectorRequirement {
	return slices.Concat(r.Namespaces, requirement(corev1.LabelMetadataName,
		metav1.LabelSelectorOpNotIn, metav1.NamespaceSystem))
}

func requirement(
	key string, operator metav1.LabelSelectorOperator, values ...string,
) []metav1.LabelSelectorRequirement {
	return []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}
}

func (b *Box) reach(url string) admissionv1.WebhookClientConfig {
	return admissionv1.WebhookClientConfig{URL: &url, CABundle: b.ca.CertPEM}
}

func (r Registration) mutating(
	route string, client admissionv1.WebhookClientConfig, namespaces []metav1.LabelSelectorRequirement,
) admissionv1.MutatingWebhook {
	return admissionv1.MutatingWebhook{
		Name: r.webhookName(route), ClientConfig: client,
		Rules:              creations(podsAlone, jobsAlone),
		NamespaceSelector:  &metav1.LabelSelector{MatchExpressions: namespaces},
		MatchConditions:    r.matchConditions(),
		FailurePolicy:      r.failurePolicy(),
		ReinvocationPolicy: new(admissionv1.IfNeededReinvocationPolicy),
		MatchPolicy:        new(admissionv1.Equivalent),
		SideEffects:        new(admissionv1.SideEffectClassNone),
		TimeoutSeconds:     new(int32(webhookTimeoutSeconds)), AdmissionReviewVersions: []string{"v1"},
	}
}

// keeping is a webhook for updates of pods that no controller of Kubernetes makes.
func (r Registration) keeping(
	of route, client admissionv1.WebhookClientConfig,
) admissionv1.MutatingWebhook {
	webhook := r.mutating(of.name+"-updates", client, of.namespaces)
	webhook.Rules = updates(podsAlone)
	webhook.MatchConditions = r.updateConditions()
	webhook.ObjectSelector = &metav1.LabelSelector{}
	for _, label := range []string{batchv1.JobNameLabel, appsv1.ControllerRevisionHashLabelKey,
		appsv1.DefaultDeploymentUniqueLabelKey} {
		webhook.ObjectSelector.MatchExpressions = append(webhook.ObjectSelector.MatchExpressions,
			metav1.LabelSelectorRequirement{Key: label, Operator: metav1.LabelSelectorOpDoesNotExist})
	}
	return webhook
}

// allValidating are the webhooks of a route. That of updates of pods is one of its own where it is
// not asked about the planner's: the others need no conditions.
func (r Registration) allValidating(
	of route, client admissionv1.WebhookClientConfig,
) []admissionv1.ValidatingWebhook {
	webhook := r.validating(of.name, client, of.namespaces)
	if r.Planner == "" {
		return []admissionv1.ValidatingWebhook{webhook}
	}
	keeping := r.validating(of.name+"-updates", client, of.namespaces)
	keeping.Rules, keeping.MatchConditions = updates(podsAlone), r.updateConditions()
	webhook.Rules = slices.Concat(creations(podsAlone),
		changes(append([]resources{jobsAlone, templates}, r.Others...)...))
	return []admissionv1.ValidatingWebhook{webhook, keeping}
}

func (r Registration) validating(
	route string, client admissionv1.WebhookClientConfig, namespaces []metav1.LabelSelectorRequirement,
) admissionv1.ValidatingWebhook {
	return admissionv1.ValidatingWebhook{
		Name: r.webhookName(route), ClientConfig: client,
		Rules:             changes(append([]resources{podsAlone, jobsAlone, templates}, r.Others...)...),
		NamespaceSelector: &metav1.LabelSelector{MatchExpressions: namespaces},
		MatchConditions:   r.matchConditions(),
		FailurePolicy:     r.failurePolicy(),
		MatchPolicy:       new(admissionv1.Equivalent),
		SideEffects:       new(admissionv1.SideEffectClassNone),
		TimeoutSeconds:    new(int32(webhookTimeoutSeconds)), AdmissionReviewVersions: []string{"v1"},
	}
}

func (r Registration) failurePolicy() *admissionv1.FailurePolicyType {
	if r.FailurePolicy == "" {
		return new(admissionv1.Ignore)
	}
	return &r.FailurePolicy
}

// matchConditions leave out pods that belong to their node, those of DaemonSets and what kubelets
// create, where the policy is Fail: they have to start even when Berth is away. Else it is cheaper
// to let Berth tell them by itself: for each condition list kube-apiserver converts the whole object
// (newActivation in k8s.io/apiserver/pkg/admission/plugin/cel), which takes it as long as the call.
func (r Registration) matchConditions() []admissionv1.MatchCondition {
	if r.FailurePolicy != admissionv1.Fail {
		return nil
	}
	return notOfNodes
}

// updateConditions are those of webhooks for updates of pods alone.
func (r Registration) updateConditions() []admissionv1.MatchCondition {
	if r.Planner == "" {
		return r.matchConditions()
	}
	return append(slices.Clone(r.matchConditions()), admissionv1.MatchCondition{
		Name:       "not-of-the-planner",
		Expression: fmt.Sprintf("request.userInfo.username != %q", r.Planner)})
}

var notOfNodes = []admissionv1.MatchCondition{
	{Name: "not-a-daemon", Expression: `request.userInfo.username != ` +
		`"system:serviceaccount:kube-system:daemon-set-controller"`},
	{Name: "not-by-a-node", Expression: `!("system:nodes" in request.userInfo.groups)`},
}

type resources = admissionv1.Rule

var (
	podsAlone = resources{APIGroups: []string{corev1.GroupName}, APIVersions: []string{"v1"},
		Resources: []string{"pods"}}
	jobsAlone = resources{APIGroups: []string{batchv1.GroupName}, APIVersions: []string{"v1"},
		Resources: []string{"jobs"}}
	templates = resources{APIGroups: []string{"", "apps", batchv1.GroupName},
		APIVersions: []string{"v1"}, Resources: []string{"cronjobs", "deployments", "replicasets",
			"replicationcontrollers", "statefulsets"}}
)

func creations(of ...resources) []admissionv1.RuleWithOperations {
	return rules(of, admissionv1.Create)
}

func updates(of ...resources) []admissionv1.RuleWithOperations {
	return rules(of, admissionv1.Update)
}

func changes(of ...resources) []admissionv1.RuleWithOperations {
	return rules(of, admissionv1.Create, admissionv1.Update)
}

func rules(of []resources, operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
	var all []admissionv1.RuleWithOperations
	for _, rule := range of {
		rule.Scope = new(admissionv1.NamespacedScope)
		all = append(all, admissionv1.RuleWithOperations{Operations: operations, Rule: rule})
	}
	return all
}
