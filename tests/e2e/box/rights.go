package box

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// leaseNamespace is where controllers of the box compete.
const leaseNamespace = metav1.NamespaceDefault

// grantBerth gives the users of Berth what its subcommands say they need by default, where that is
// most, and no more.
func (b *Box) grantBerth(ctx context.Context) error {
	if b.options.Berth == nil {
		return nil
	}
	return errors.Join(b.grant(ctx, userBerth, "extender"),
		b.grant(ctx, userBerthController, "controller"))
}

// GrantController gives controllers what one of that configuration says it needs, and no more.
func (b *Box) GrantController(ctx context.Context, c *Controller) error {
	return b.grant(ctx, userBerthController, "controller", "--config", c.ConfigFile)
}

// grant creates the roles that `berth <subcommand> --rbac` prints and binds them to the user; it
// replaces roles of the same name.
func (b *Box) grant(ctx context.Context, user, subcommand string, options ...string) error {
	berth, err := BerthBinary()
	if err != nil {
		return err
	}
	manifest, err := exec.CommandContext(ctx, berth,
		slices.Concat([]string{subcommand, "--rbac"}, options)...).Output()
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
		object := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: role.Rules}
		_, roleErr = rbac.ClusterRoles().Create(ctx, object, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(roleErr) {
			_, roleErr = rbac.ClusterRoles().Update(ctx, object, metav1.UpdateOptions{})
		}
		_, bindingErr = rbac.ClusterRoleBindings().Create(ctx,
			&rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects},
			metav1.CreateOptions{})
	} else {
		in := cmp.Or(role.Namespace, leaseNamespace)
		object := &rbacv1.Role{ObjectMeta: meta, Rules: role.Rules}
		_, roleErr = rbac.Roles(in).Create(ctx, object, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(roleErr) {
			_, roleErr = rbac.Roles(in).Update(ctx, object, metav1.UpdateOptions{})
		}
		_, bindingErr = rbac.RoleBindings(in).Create(ctx,
			&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects},
			metav1.CreateOptions{})
	}
	if apierrors.IsAlreadyExists(bindingErr) {
		bindingErr = nil // it names the role, whose rules are others now
	}
	return errors.Join(roleErr, bindingErr)
}
