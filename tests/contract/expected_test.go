package contract

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/inf.v0"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresources "k8s.io/component-helpers/resource"
)

// What decode_corpus prints.

type conditionModel struct {
	Type           string
	Status         string
	LastTransition int64
	LastHeartbeat  int64
}

type taintModel struct {
	Key    string
	Value  string
	Effect string
}

type tolerationModel struct {
	Key      string
	Operator string
	Value    string
	Effect   string
}

type nodeModel struct {
	Name        string
	UID         string
	Labels      map[string]string
	Taints      []taintModel
	Conditions  []conditionModel
	Capacity    map[string]int64
	Allocatable map[string]int64
	Annotations map[string]string
}

type scoredModel struct {
	NodePreferences   bool
	PodAffinity       bool
	SpreadConstraints bool
	SoftSpread        bool
	Replicated        bool
	Claims            bool
}

type requirementModel struct {
	Key      string
	Operator string
	Values   []string
}

type selectorModel struct {
	Namespaces []string
	Labels     []requirementModel
}

type serviceModel struct {
	Namespace string
	Name      string
	Selector  map[string]string
}

type podModel struct {
	Namespace      string
	Name           string
	UID            string
	NodeName       string
	Annotations    map[string]string
	Tolerations    []tolerationModel
	Requests       map[string]int64
	Created        int64
	Deleted        int64
	Job            string
	ControllerUID  string
	FailedByItself bool
	Priority       int32
	Unschedulable  string
	WhyGangWaits   *string
	Terminated     bool
	Labels         map[string]string
	Scored         scoredModel
	AffinityTerms  []selectorModel
}

// units is q in multiples of 10^-scale, fractions rounded away from zero, at most 2^63-1 units. Where
// Quantity.Value and MilliValue do not overflow they say the same, which TestQuantities checks.
func units(q resource.Quantity, scale inf.Scale) int64 {
	most := inf.NewDec(math.MaxInt64, 0)
	amount := new(inf.Dec).Set(q.AsDec())
	if amount.Cmp(most) > 0 {
		amount.Set(most)
	} else if least := new(inf.Dec).Neg(most); amount.Cmp(least) < 0 {
		amount.Set(least)
	}
	rounded := new(inf.Dec).Round(amount, scale, inf.RoundUp).UnscaledBig()
	return saturate(rounded)
}

func saturate(value *big.Int) int64 {
	switch {
	case value.IsInt64():
		return value.Int64()
	case value.Sign() < 0:
		return math.MinInt64
	default:
		return math.MaxInt64
	}
}

func amounts(list corev1.ResourceList) map[string]int64 {
	result := map[string]int64{}
	for name, quantity := range list {
		scale := inf.Scale(0)
		if name == corev1.ResourceCPU {
			scale = 3
		}
		result[string(name)] = units(quantity.DeepCopy(), scale)
	}
	return result
}

func notNil(entries map[string]string) map[string]string {
	if entries == nil {
		return map[string]string{}
	}
	return entries
}

// seconds is 0 of times outside the years 1 to 9999: they count as nobody's.
func seconds(t metav1.Time) int64 {
	if t.IsZero() || t.UTC().Year() < 1 || t.UTC().Year() > 9999 {
		return 0
	}
	return t.Unix()
}

func expectedNode(node *corev1.Node) nodeModel {
	conditions := []conditionModel{}
	for _, condition := range node.Status.Conditions {
		status := condition.Status
		if status != corev1.ConditionTrue && status != corev1.ConditionFalse {
			status = corev1.ConditionUnknown
		}
		conditions = append(conditions, conditionModel{
			Type:           string(condition.Type),
			Status:         string(status),
			LastTransition: seconds(condition.LastTransitionTime),
			LastHeartbeat:  seconds(condition.LastHeartbeatTime),
		})
	}
	taints := []taintModel{}
	for _, taint := range node.Spec.Taints {
		taints = append(taints, taintModel{taint.Key, taint.Value, string(taint.Effect)})
	}
	return nodeModel{
		Name:        node.Name,
		UID:         string(node.UID),
		Labels:      notNil(node.Labels),
		Taints:      taints,
		Conditions:  conditions,
		Capacity:    amounts(node.Status.Capacity),
		Allocatable: amounts(node.Status.Allocatable),
		Annotations: keptAnnotations(node),
	}
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

func expectedPod(pod *corev1.Pod) podModel {
	requests := podresources.PodRequests(defaulted(pod), podresources.PodResourcesOptions{})
	tolerations := []tolerationModel{}
	for _, t := range pod.Spec.Tolerations {
		tolerations = append(tolerations, tolerationModel{t.Key, string(t.Operator), t.Value, string(t.Effect)})
	}
	return podModel{
		Namespace:      pod.Namespace,
		Name:           pod.Name,
		UID:            string(pod.UID),
		NodeName:       pod.Spec.NodeName,
		Annotations:    notNil(pod.Annotations),
		Tolerations:    tolerations,
		Requests:       amounts(requests),
		Created:        seconds(pod.CreationTimestamp),
		Deleted:        seconds(deletion(pod)),
		Job:            jobOfDeleted(pod),
		ControllerUID:  controllerUID(pod),
		FailedByItself: failedByItself(pod),
		Priority:       priority(pod),
		Unschedulable:  unschedulable(pod),
		WhyGangWaits:   whyGangWaits(pod),
		Terminated:     pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed,
		Labels:         labelsUntilBound(pod),
		Scored:         expectedScored(pod),
		AffinityTerms:  expectedAffinityTerms(pod),
	}
}

func deletion(pod *corev1.Pod) metav1.Time {
	if pod.DeletionTimestamp == nil {
		return metav1.Time{}
	}
	return *pod.DeletionTimestamp
}

// jobOfDeleted is the Job that controls a pod, where seconds tells that somebody has deleted the pod.
func jobOfDeleted(pod *corev1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	isJob := owner != nil && owner.Kind == "Job" && strings.HasPrefix(owner.APIVersion, "batch/")
	if !isJob || seconds(deletion(pod)) == 0 {
		return ""
	}
	return owner.Name
}

func controllerUID(pod *corev1.Pod) string {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		return string(owner.UID)
	}
	return ""
}

func failedByItself(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed &&
		!slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue
		})
}

// keptAnnotations is what is kept of a node's annotations.
func keptAnnotations(node *corev1.Node) map[string]string {
	kept := map[string]string{}
	for name, value := range node.Annotations {
		if strings.HasSuffix(name, "/avoid") || strings.HasSuffix(name, "/kept") {
			kept[name] = value
		}
	}
	return kept
}

func labelsUntilBound(pod *corev1.Pod) map[string]string {
	if pod.Spec.NodeName != "" {
		return map[string]string{}
	}
	return notNil(pod.Labels)
}

func expectedScored(pod *corev1.Pod) scoredModel {
	scored := scoredModel{
		SpreadConstraints: len(pod.Spec.TopologySpreadConstraints) > 0,
		Claims:            len(pod.Spec.ResourceClaims) > 0,
	}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		scored.SoftSpread = scored.SoftSpread || constraint.WhenUnsatisfiable != corev1.DoNotSchedule
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		scored.Replicated = slices.Contains([]string{"ReplicaSet", "StatefulSet", "ReplicationController"}, owner.Kind)
	}
	if affinity := pod.Spec.Affinity; affinity != nil {
		scored.PodAffinity = affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil
		scored.NodePreferences = affinity.NodeAffinity != nil &&
			len(affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0
	}
	return scored
}

// expectedAffinityTerms are the terms that processExistingPod reads of an existing pod, in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/scoring.go (v1.36.3).
func expectedAffinityTerms(pod *corev1.Pod) []selectorModel {
	var terms []corev1.PodAffinityTerm
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAffinity != nil {
		terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		for _, weighted := range affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
			terms = append(terms, weighted.PodAffinityTerm)
		}
	}
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAntiAffinity != nil {
		for _, weighted := range affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
			terms = append(terms, weighted.PodAffinityTerm)
		}
	}
	selectors := []selectorModel{}
	for _, term := range terms {
		if term.LabelSelector != nil {
			selectors = append(selectors, expectedSelector(pod.Namespace, term))
		}
	}
	return selectors
}

func expectedSelector(namespace string, term corev1.PodAffinityTerm) selectorModel {
	selector := selectorModel{Namespaces: []string{}, Labels: []requirementModel{}}
	if term.NamespaceSelector == nil {
		selector.Namespaces = slices.Clone(term.Namespaces)
		if len(term.Namespaces) == 0 {
			selector.Namespaces = []string{namespace}
		}
		slices.Sort(selector.Namespaces)
		selector.Namespaces = slices.Compact(selector.Namespaces)
	}
	for key, value := range term.LabelSelector.MatchLabels {
		selector.Labels = append(selector.Labels, requirementModel{key, "In", []string{value}})
	}
	for _, expression := range term.LabelSelector.MatchExpressions {
		values := append([]string{}, expression.Values...)
		selector.Labels = append(selector.Labels, requirementModel{expression.Key, string(expression.Operator), values})
	}
	slices.SortFunc(selector.Labels, func(a, b requirementModel) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Operator, b.Operator), slices.Compare(a.Values, b.Values))
	})
	return selector
}

func expectedService(service *corev1.Service) serviceModel {
	return serviceModel{service.Namespace, service.Name, notNil(service.Spec.Selector)}
}

func unschedulable(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if pod.Spec.NodeName == "" && condition.Type == corev1.PodScheduled &&
			condition.Status == corev1.ConditionFalse &&
			condition.Reason == corev1.PodReasonUnschedulable {
			return condition.Message
		}
	}
	return ""
}

// whyGangWaits is nil where no condition says that the gang of the pod waits.
func whyGangWaits(pod *corev1.Pod) *string {
	if pod.Spec.NodeName != "" {
		return nil
	}
	for _, each := range pod.Status.Conditions {
		if strings.HasSuffix(string(each.Type), "/gang") && each.Status == corev1.ConditionFalse {
			message := cutMessage(each.Message)
			return &message
		}
	}
	return nil
}

// cutMessage has whole characters of a long message, and dots after them, in 512 bytes at most.
func cutMessage(message string) string {
	const most, dots = 512, "..."
	if len(message) <= most {
		return message
	}
	end := most - len(dots)
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + dots
}

// defaulted does to the requests of a copy what SetDefaults_Pod does in
// k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (v1.36.3), a package that cannot be imported without
// all of Kubernetes.
func defaulted(original *corev1.Pod) *corev1.Pod {
	pod := original.DeepCopy()
	for i := range pod.Spec.Containers {
		limitsForMissingRequests(&pod.Spec.Containers[i].Resources, nil)
	}
	for i := range pod.Spec.InitContainers {
		limitsForMissingRequests(&pod.Spec.InitContainers[i].Resources, nil)
	}
	if pod.Spec.Resources != nil && len(pod.Spec.Resources.Limits) > 0 {
		containers := podresources.AggregateContainerRequests(pod, podresources.PodResourcesOptions{})
		limitsForMissingRequests(pod.Spec.Resources, func(name corev1.ResourceName) bool {
			_, known := containers[name]
			hugePages := strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
			return podresources.IsSupportedPodLevelResource(name) && (hugePages || !known)
		})
	}
	return pod
}

// limitsForMissingRequests makes requests of the limits that `counts`, by default all.
func limitsForMissingRequests(resources *corev1.ResourceRequirements, counts func(corev1.ResourceName) bool) {
	for name, limit := range resources.Limits {
		if _, exists := resources.Requests[name]; exists || (counts != nil && !counts(name)) {
			continue
		}
		if resources.Requests == nil {
			resources.Requests = corev1.ResourceList{}
		}
		resources.Requests[name] = limit.DeepCopy()
	}
}
