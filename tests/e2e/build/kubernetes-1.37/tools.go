//go:build tools

// Package kubernetes pins programs of the next version of Kubernetes: `make check-all` holds the static
// admission policies against its kube-apiserver, and its kube-scheduler to what the planner relies on.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)
