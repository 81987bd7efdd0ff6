package box

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const usableTimeout = 30 * time.Second

// CreateNamespace returns when pods can be created in the new namespace.
func (b *Box) CreateNamespace(ctx context.Context, name string, labels map[string]string) error {
	_, err := b.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return b.awaitPodsAllowed(ctx, name)
}

// awaitPodsAllowed waits for the service account without which kube-apiserver takes no pod.
func (b *Box) awaitPodsAllowed(ctx context.Context, namespace string) error {
	what := fmt.Sprintf("service account %s/default", namespace)
	return Retry(ctx, usableTimeout, what, func(ctx context.Context) error {
		_, err := b.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}
