//go:build tools

// Package kubernetes pins the kube-scheduler of an earlier version of Kubernetes, which `make check-all`
// holds to what the planner relies on.
package kubernetes

import _ "k8s.io/kubernetes/cmd/kube-scheduler"
