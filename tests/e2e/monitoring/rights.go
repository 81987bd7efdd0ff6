package monitoring

import (
	"context"
	"errors"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// account is the service account's name, and that of its role and of what binds them.
const account = "prometheus"

// Grant makes a service account that may find what is to be scraped in the namespace, and no more,
// and returns a token of it.
func Grant(ctx context.Context, client kubernetes.Interface, namespace string) (string, error) {
	meta := metav1.ObjectMeta{Name: account}
	options := metav1.CreateOptions{}
	_, accountErr := client.CoreV1().ServiceAccounts(namespace).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: meta}, options)
	_, roleErr := client.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta,
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"pods", "services"},
				Verbs: []string{"list", "watch"}},
			{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"},
				Verbs: []string{"list", "watch"}},
		}}, options)
	_, bindingErr := client.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account},
		Subjects: []rbacv1.Subject{
			{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: namespace}},
	}, options)
	if err := errors.Join(accountErr, roleErr, bindingErr); err != nil {
		return "", err
	}
	request, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account,
		&authenticationv1.TokenRequest{}, options)
	if err != nil {
		return "", err
	}
	return request.Status.Token, nil
}

// Revoke takes away what Grant has made.
func Revoke(ctx context.Context, client kubernetes.Interface, namespace string) error {
	options := metav1.DeleteOptions{}
	return errors.Join(
		client.RbacV1().RoleBindings(namespace).Delete(ctx, account, options),
		client.RbacV1().Roles(namespace).Delete(ctx, account, options),
		client.CoreV1().ServiceAccounts(namespace).Delete(ctx, account, options))
}
