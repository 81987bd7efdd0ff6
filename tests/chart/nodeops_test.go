package chart

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The fields of node-operation-controller's kinds, which are no module that Go can fetch: api/v1alpha1 and
// config/crd/bases of pfnet-research/node-operation-controller at 29bb1192. What is decoded into them
// strictly has no field that the controller does not read.

type (
	nodeOperationTemplate struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Template struct {
				Metadata metav1.ObjectMeta `json:"metadata"`
				Spec     struct {
					EvictionStrategy             string            `json:"evictionStrategy"`
					SkipWaitingForEviction       bool              `json:"skipWaitingForEviction"`
					NodeDisruptionBudgetSelector map[string]string `json:"nodeDisruptionBudgetSelector"`
					JobTemplate                  struct {
						Metadata metav1.ObjectMeta `json:"metadata"`
						Spec     batchv1.JobSpec   `json:"spec"`
					} `json:"jobTemplate"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}

	nodeRemediationTemplate struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			NodeSelector map[string]string `json:"nodeSelector"`
			Template     struct {
				Metadata metav1.ObjectMeta `json:"metadata"`
				Spec     struct {
					NodeOperationTemplateName string `json:"nodeOperationTemplateName"`
					Rule                      struct {
						Conditions []nodeOperationCondition `json:"conditions"`
					} `json:"rule"`
				} `json:"spec"`
			} `json:"template"`
		} `json:"spec"`
	}

	nodeOperationCondition struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	}

	nodeDisruptionBudget struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Selector       map[string]string `json:"selector"`
			MaxUnavailable *uint64           `json:"maxUnavailable"`
			MinAvailable   *uint64           `json:"minAvailable"`
		} `json:"spec"`
	}
)

func (o *nodeOperationTemplate) DeepCopyObject() runtime.Object   { c := *o; return &c }
func (o *nodeRemediationTemplate) DeepCopyObject() runtime.Object { c := *o; return &c }
func (o *nodeDisruptionBudget) DeepCopyObject() runtime.Object    { c := *o; return &c }

func addNodeOperations(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: "nodeops.k8s.preferred.jp", Version: "v1alpha1"}
	for kind, object := range map[string]runtime.Object{
		"NodeOperationTemplate":   &nodeOperationTemplate{},
		"NodeRemediationTemplate": &nodeRemediationTemplate{},
		"NodeDisruptionBudget":    &nodeDisruptionBudget{},
	} {
		scheme.AddKnownTypeWithName(version.WithKind(kind), object)
	}
	return nil
}
