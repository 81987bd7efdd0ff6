//go:build browser

// Package board looks at `berth board` in a real Chromium, on a real kube-apiserver whose nodes are
// KWOK's. Chromium is Debian's: .ci/install-dependencies --with-browser.
package board

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout = 30 * time.Second
	nodesPerPool = 24
	viewer       = "viewer"
)

var (
	screenshots = flag.String("screenshots", "", "folder for screenshots of the board; empty: none")
	manyNodes   = flag.Int("nodes", 7500, "nodes of the large cluster")

	shared           *box.Box
	viewerKubeconfig string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(box.RunSuite(m, box.Suite{Options: box.Options{}, Fill: fill}))
}

// fill gives the box a small fleet in racks, and a user who may read nodes and pods.
func fill(ctx context.Context, b *box.Box) error {
	shared = b
	if err := fleet.CreateNodes(ctx, b.Client, pools(nodesPerPool*5)); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: viewer},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes", "pods"},
			Verbs: []string{"get", "list", "watch"}}}}
	if _, err := b.Client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := bindViewer(ctx); err != nil {
		return err
	}
	var err error
	viewerKubeconfig, err = b.KubeconfigFor(viewer)
	return err
}

// bindViewer gives the user the role.
func bindViewer(ctx context.Context) error {
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: viewer},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: viewer},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: viewer}}}
	_, err := shared.Client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	return err
}

// pools are the reference cluster with so many nodes in all, in racks.
func pools(nodes int) []fleet.Pool {
	pools := fleet.Scaled(nodes)
	for i := range pools {
		pools[i].RackNodes = 8
	}
	return pools
}
