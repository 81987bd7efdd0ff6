package chart

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// unknownRights is the right to do whatever one wants, which stands for roles that are not the release's.
var unknownRights = right{"*", "*", "", "*"}

// tokensOf are the service accounts whose tokens a container can read.
func tokensOf(r *release, pod corev1.PodSpec, container corev1.Container) []string {
	var accounts []string
	account := named[*corev1.ServiceAccount](r, pod.ServiceAccountName)
	automounts := account.AutomountServiceAccountToken
	if pod.AutomountServiceAccountToken != nil {
		automounts = pod.AutomountServiceAccountToken
	}
	if automounts == nil || *automounts {
		accounts = append(accounts, account.Name) // in every container of the pod
	}
	for _, volume := range pod.Volumes {
		if !mounts(container, volume.Name) {
			continue
		}
		accounts = append(accounts, tokensIn(r, volume, account.Name)...)
	}
	slices.Sort(accounts)
	return slices.Compact(accounts)
}

// tokensIn are the accounts whose tokens a volume of a pod of the account holds.
func tokensIn(r *release, volume corev1.Volume, account string) []string {
	var accounts []string
	if volume.Projected != nil {
		for _, source := range volume.Projected.Sources {
			if source.ServiceAccountToken != nil {
				accounts = append(accounts, account)
			}
		}
	}
	if volume.HostPath != nil {
		r.Errorf("volume %s is a folder of the node, where tokens of other pods are", volume.Name)
	}
	if volume.Secret == nil {
		return accounts
	}
	for _, secret := range all[*corev1.Secret](r) {
		if secret.Name == volume.Secret.SecretName && secret.Type == corev1.SecretTypeServiceAccountToken {
			accounts = append(accounts, secret.Annotations[corev1.ServiceAccountNameKey])
		}
	}
	return accounts
}

// rightsOf are all that a service account of the release is given, in any namespace.
func rightsOf(r *release, account string) []right {
	var held []right
	add := func(ref rbacv1.RoleRef, subjects []rbacv1.Subject) {
		for _, subject := range subjects {
			switch {
			case subject.Kind != rbacv1.ServiceAccountKind:
				r.Errorf("%s is bound to %s %s, which may be anybody", ref.Name, subject.Kind, subject.Name)
			case subject.Name == account && subject.Namespace == namespaceOf(r):
				held = append(held, rightsIn(r, ref)...)
			}
		}
	}
	for _, binding := range all[*rbacv1.ClusterRoleBinding](r) {
		add(binding.RoleRef, binding.Subjects)
	}
	for _, binding := range all[*rbacv1.RoleBinding](r) {
		add(binding.RoleRef, binding.Subjects)
	}
	return held
}

func rightsIn(r *release, ref rbacv1.RoleRef) []right {
	if ref.Kind == "ClusterRole" && has[*rbacv1.ClusterRole](r, ref.Name) {
		return rights(named[*rbacv1.ClusterRole](r, ref.Name).Rules)
	}
	if ref.Kind == "Role" && has[*rbacv1.Role](r, ref.Name) {
		return rights(named[*rbacv1.Role](r, ref.Name).Rules)
	}
	return []right{unknownRights}
}

// rightsOfContainer are those of all tokens that it can read.
func rightsOfContainer(r *release, pod corev1.PodSpec, container corev1.Container) []right {
	var held []right
	for _, account := range tokensOf(r, pod, container) {
		held = append(held, rightsOf(r, account)...)
	}
	return held
}

// parsers are the programs that read what users write, by subcommand, and those of their rights that
// they say they need.
var parsers = map[string]func(r *release) []right{
	"extender": func(r *release) []right {
		cluster, namespaced := printed(r, "extender")
		return append(cluster, namespaced...)
	},
	"admission": func(*release) []right { return nil },
	"board": func(r *release) []right {
		cluster, _ := printed(r, "board")
		return cluster
	},
}

// Whoever takes over a program by what users send it can list and watch what that program needs, and
// nothing else: whatever else runs, in whatever pod.
func TestWhoParsesUsersBodiesCanOnlyRead(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		seen := 0
		for name, pod := range podsOf(r) {
			for _, container := range pod.Spec.Containers {
				needs, parses := parsers[subcommand(container)]
				if !parses {
					continue
				}
				seen++
				expectReadOnly(t, container.Name+" of "+name,
					rightsOfContainer(r, pod.Spec, container), needs(r))
				if shared := pod.Spec.ShareProcessNamespace; shared != nil && *shared {
					t.Errorf("%s of %s reaches the files of its neighbours", container.Name, name)
				}
			}
		}
		if seen == 0 {
			t.Error("nobody parses anything")
		}
	})
}

func expectReadOnly(t *testing.T, who string, held, needed []right) {
	t.Helper()
	for _, one := range held {
		if !slices.Contains([]string{"get", "list", "watch"}, one.Verb) {
			t.Errorf("%s may %s %s %s", who, one.Verb, one.Resource, one.Name)
		}
		if slices.Contains([]string{"*", "secrets"}, one.Resource) {
			t.Errorf("%s may read %s", who, one.Resource)
		}
	}
	if !equality.Semantic.DeepEqual(held, needed) {
		t.Errorf("%s may do\n%v\nand needs\n%v", who, held, needed)
	}
}

// subcommand is that of Berth which a container runs; empty: it runs something else.
func subcommand(container corev1.Container) string {
	if !slices.Equal(container.Command, []string{"berth"}) || len(container.Args) == 0 {
		return ""
	}
	return container.Args[0]
}

// writers are the containers that hold a right to change something, besides the controller, whose
// rights are those that it prints, and kube-scheduler; each with all that it may ever be given.
var writers = map[string][]string{
	"doctor":                {"create pods"},
	"config":                told, // it writes the detector's files, before that reads anything
	"node-problem-detector": told,
	"release":               cleaned,
	"untaint":               cleaned,
}

// The containers of a pod share its token.
var (
	told    = []string{"create events", "patch events", "patch nodes/status"}
	cleaned = []string{"patch nodes", "patch pods", "create podgroups", "patch podgroups"}
)

func TestNoContainerMayChangeMoreThanItIsFor(t *testing.T) {
	changes := map[string]bool{}
	forEach(t, func(t *testing.T, r *release) {
		pods := podsOf(r)
		for _, set := range all[*appsv1.DaemonSet](r) {
			// What it mounts of its node reaches other pods' tokens, as its being privileged does.
			template := set.Spec.Template.DeepCopy()
			template.Spec.Volumes = slices.DeleteFunc(template.Spec.Volumes,
				func(volume corev1.Volume) bool { return volume.HostPath != nil })
			pods[set.Name] = *template
		}
		for name, pod := range pods {
			for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
				if container.Name == "controller" || container.Name == "kube-scheduler" {
					continue
				}
				for _, held := range rightsOfContainer(r, pod.Spec, container) {
					what := held.Verb + " " + held.Resource
					if held.Resource == "secrets" || held.Resource == "*" {
						t.Errorf("%s of %s may %s", container.Name, name, what)
					}
					if slices.Contains([]string{"get", "list", "watch"}, held.Verb) {
						continue
					}
					changes[container.Name] = true
					if !slices.Contains(writers[container.Name], what) {
						t.Errorf("%s of %s may %s", container.Name, name, what)
					}
				}
			}
		}
	})
	for container := range writers {
		if !changes[container] {
			t.Errorf("no configuration has a container %s that may change anything", container)
		}
	}
}

// What the tests above read is there: without it a mistake in it would find nothing.
func TestTokensAndRightsAreRead(t *testing.T) {
	r := render(t, "")
	for container, want := range map[string]string{"kube-scheduler": "*", "controller": "patch"} {
		for _, pod := range podsOf(r) {
			for _, c := range pod.Spec.Containers {
				if c.Name == container && !slices.ContainsFunc(rightsOfContainer(r, pod.Spec, c),
					func(held right) bool { return held.Verb == want }) {
					t.Errorf("%s has no right to %s", container, want)
				}
			}
		}
	}
	pod := podsOf(r)["berth-admission"].Spec
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "token", VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}}}}})
	container := pod.Containers[0]
	if got := tokensOf(r, pod, container); len(got) != 0 {
		t.Errorf("what is not mounted is read: %v", got)
	}
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: "token"})
	if got := tokensOf(r, pod, container); !slices.Equal(got, []string{"berth-admission"}) {
		t.Errorf("a projected token is that of %v", got)
	}
}
