//go:build tools

// Package helm pins helm and what checks its output. build.sh builds them.
package helm

import (
	_ "github.com/yannh/kubeconform/cmd/kubeconform"
	_ "helm.sh/helm/v3/cmd/helm"
)
