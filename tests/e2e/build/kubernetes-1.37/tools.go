//go:build tools

// Package kubernetes pins the kube-apiserver of the next version of Kubernetes, which `make check-all`
// holds the static admission policies against.
package kubernetes

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
