package box

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// unsupported says what of a pod a Kubelet does not do, and would leave a test without what its pod
// asks for; nil where that is nothing.
func unsupported(object *corev1.Pod) error {
	var problems []error
	refuse := func(there bool, format string, arguments ...any) {
		if there {
			problems = append(problems, fmt.Errorf("no "+format+" here", arguments...))
		}
	}
	refuse(len(object.Spec.InitContainers) > 0, "init containers")
	for _, v := range object.Spec.Volumes {
		refuse(v.ConfigMap == nil && v.Secret == nil && v.Projected == nil && v.EmptyDir == nil,
			"volume of the kind of %s", v.Name)
	}
	for _, c := range object.Spec.Containers {
		probe := c.ReadinessProbe
		refuse(probe != nil && probe.HTTPGet == nil, "readiness probe but httpGet (%s)", c.Name)
		refuse(len(c.EnvFrom) > 0, "envFrom (%s)", c.Name)
		for _, variable := range c.Env {
			from := variable.ValueFrom
			refuse(from != nil && (from.FieldRef == nil || fieldOf(object, from.FieldRef.FieldPath) == ""),
				"source for variable %s (%s)", variable.Name, c.Name)
		}
		for _, mount := range c.VolumeMounts {
			refuse(mount.SubPath != "" || mount.SubPathExpr != "", "subPath (%s)", c.Name)
		}
		if hooks := c.Lifecycle; hooks != nil {
			refuse(hooks.PostStart != nil, "postStart (%s)", c.Name)
			refuse(hooks.PreStop != nil && hooks.PreStop.Sleep == nil, "preStop but sleep (%s)", c.Name)
		}
	}
	return errors.Join(problems...)
}

// preStopOf is how long preStop takes.
func preStopOf(c *corev1.Container) time.Duration {
	if c.Lifecycle == nil || c.Lifecycle.PreStop == nil {
		return 0
	}
	return time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
}

// fieldOf is a field of the downward API; empty for those that nobody here asks for.
func fieldOf(object *corev1.Pod, path string) string {
	switch path {
	case "metadata.name":
		return object.Name
	case "metadata.namespace":
		return object.Namespace
	case "metadata.uid":
		return string(object.UID)
	case "spec.nodeName":
		return object.Spec.NodeName
	case "spec.serviceAccountName":
		return object.Spec.ServiceAccountName
	case "status.podIP", "status.hostIP":
		return "127.0.0.1"
	}
	return ""
}
