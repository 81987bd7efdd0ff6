//go:build tools

// Package kubernetes pins programs of an earlier version of Kubernetes: `make check-all` holds its
// kube-scheduler to what the planner relies on, and plans gangs for both.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)
