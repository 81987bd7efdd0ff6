package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// leaseNamespace is where controllers of the box compete.
const leaseNamespace = metav1.NamespaceDefault

// grantBerth gives the users of Berth what its subcommands say they need, and no more.
func (b *Box) grantBerth(ctx context.Context) error {
	if b.options.Berth == nil {
		return nil
	}
	return errors.Join(b.grant(ctx, userBerth, "extender"),
		b.grant(ctx, userBerthController, "controller"))
}

// grant creates the roles that `berth <subcommand> --rbac` prints and binds them to the user.
func (b *Box) grant(ctx context.Context, user, subcommand string) error {
	berth, err := BerthBinary()
	if err != nil {
		return err
	}
	manifest, err := exec.CommandContext(ctx, berth, subcommand, "--rbac").Output()
	if err != nil {
		return fmt.Errorf("berth %s --rbac: %w", subcommand, err)
	}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), len(manifest))
	for {
		var role rbacv1.Role // a ClusterRole has the same fields
		if err := documents.Decode(&role); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("berth %s --rbac: %w", subcommand, err)
		}
		if err := b.bind(ctx, user, &role); err != nil {
			return fmt.Errorf("bind %s %s: %w", role.Kind, role.Name, err)
		}
	}
}

func (b *Box) bind(ctx context.Context, user string, role *rbacv1.Role) error {
	rbac := b.Client.RbacV1()
	meta := metav1.ObjectMeta{Name: role.Name}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: role.Kind, Name: role.Name}
	subjects := []rbacv1.Subject{
		{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user},
	}
	var roleErr, bindingErr error
	if role.Kind == "ClusterRole" {
		_, roleErr = rbac.ClusterRoles().Create(ctx,
			&rbacv1.ClusterRole{ObjectMeta: meta, Rules: role.Rules}, metav1.CreateOptions{})
		_, bindingErr = rbac.ClusterRoleBindings().Create(ctx,
			&rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects},
			metav1.CreateOptions{})
	} else {
		_, roleErr = rbac.Roles(leaseNamespace).Create(ctx,
			&rbacv1.Role{ObjectMeta: meta, Rules: role.Rules}, metav1.CreateOptions{})
		_, bindingErr = rbac.RoleBindings(leaseNamespace).Create(ctx,
			&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects},
			metav1.CreateOptions{})
	}
	return errors.Join(roleErr, bindingErr)
}
