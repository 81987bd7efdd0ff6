package doctor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
)

// breakage is one thing that is wrong: what makes it so, for the rest of the test, and returns
// further arguments of doctor; which checks find it, and a part of what each of them says.
type breakage struct {
	name   string
	breaks func(w *world) []string
	found  []string
	says   string
}

var breakages = []breakage{
	{"not registered", scheduler(func(c map[string]any) { delete(c, "extenders") }),
		[]string{"registered"}, "no extender of Berth"},
	{"another is asked later", scheduler(func(c map[string]any) {
		c["extenders"] = append(c["extenders"].([]any), map[string]any{
			"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter"})
	}), []string{"last"}, "http://127.0.0.1:1"},
	{"samples beyond which nobody looks", planned(),
		[]string{"sampling"}, "looks at a sample of a large cluster's nodes, and nobody looks"},
	{"a plan for a scheduler that nobody knows", planned("berth", "mine"),
		[]string{"planner"}, "planner.schedulers names mine"},
	{"nobody plans", func(w *world) []string {
		w.lead(-time.Hour)
		return nil
	}, []string{"sampling", "planner"}, "no controller leads"},
	{"preemption on a sample", plugins("DefaultPreemption"),
		[]string{"preemption"}, "minCandidateNodesPercentage: 100"},
	{"pods spread by themselves", plugins("PodTopologySpread"),
		[]string{"spreading"}, "profile berth of"},
	{"no client certificate", entry(func(e map[string]any) {
		delete(e["tlsConfig"].(map[string]any), "certFile")
		delete(e["tlsConfig"].(map[string]any), "keyFile")
	}), []string{"ca"}, "presents no client certificate"},
	{"no CA", entry(func(e map[string]any) { delete(e, "tlsConfig") }),
		[]string{"ca"}, "accepts any certificate"},
	{"another CA", entry(func(e map[string]any) {
		e["tlsConfig"] = map[string]any{"caData": base64.StdEncoding.EncodeToString(otherCA())}
	}), []string{"ca"}, "does not fit the certificate in Secret berth-extender-tls"},
	{"whole nodes", entry(func(e map[string]any) { e["nodeCacheCapable"] = false }),
		[]string{"node-cache"}, "nodeCacheCapable: true"},
	{"too light", entry(func(e map[string]any) { e["weight"] = 1 }),
		[]string{"weight"}, "weight: 31"},
	{"ignorable", entry(func(e map[string]any) { e["ignorable"] = true }),
		[]string{"ignorable"}, "ignorable: false"},
	{"a resource is missing", entry(func(e map[string]any) {
		e["managedResources"] = e["managedResources"].([]any)[:1]
	}), []string{"managed-resources"}, "preferred.jp/mncore"},

	{"no extender there", with("--extender", "https://127.0.0.1:1"),
		[]string{"extender"}, "https://127.0.0.1:1 cannot answer filter"},
	{"somebody whom the extender does not know", with("--extender", extenderURL, withoutCertificate),
		[]string{"extender"}, "berth-scheduler-tls"},
	{"an extender with another certificate", func(w *world) []string {
		return []string{"--extender", extenderURL, "--ca-file", w.file("ca.crt", otherCA())}
	}, []string{"extender"}, "certificate"},

	{"webhook out of reach", webhooks(func(hook map[string]any) {
		hook["clientConfig"].(map[string]any)["service"].(map[string]any)["name"] = "nothing"
	}), []string{"webhook"}, "did not react to a pod without limits in namespace default"},
	{"webhook takes everything in", webhooks(func(hook map[string]any) {
		hook["namespaceSelector"] = map[string]any{"matchLabels": map[string]any{}}
	}), []string{"webhook-scope"}, "includes namespace kube-system"},
	{"webhook is not trusted", webhooks(func(hook map[string]any) {
		hook["clientConfig"].(map[string]any)["caBundle"] =
			base64.StdEncoding.EncodeToString(otherCA())
	}), []string{"webhook", "webhook-ca"}, ""},
	{"no certificate", func(w *world) []string {
		w.withoutSecret("berth-extender-tls")
		return nil
	}, []string{"extender", "certificates"}, ""},

	{"no label", func(w *world) []string {
		w.patchNode("mn2a-001", label("berth.dev/accelerator", ""),
			label("berth.dev/accelerator", "V100"))
		return nil
	}, []string{"labels"}, "mn2a-001 (V100)"},
	{"another's label", func(w *world) []string {
		w.patchNode("mn2a-001", label("berth.dev/accelerator", "A30"),
			label("berth.dev/accelerator", "V100"))
		return nil
	}, []string{"labels"}, "mn2a-001 (V100, labelled A30)"},
	{"two entries", config(func(c map[string]any) {
		c["accelerators"] = []any{
			map[string]any{"name": "V100", "resource": "nvidia.com/gpu",
				"nodes": []any{matcher("(?i)v100")}},
			map[string]any{"name": "A100", "resource": "nvidia.com/gpu",
				"nodes": []any{matcher("(?i)a100")}},
			map[string]any{"name": "A30", "resource": "nvidia.com/gpu",
				"nodes": []any{matcher("(?i)a30"), matcher("(?i)tesla-v100")}},
			map[string]any{"name": "MN-Core", "resource": "preferred.jp/mncore"},
		}
	}), []string{"catalogue"}, "(V100 and A30)"},
	{"conditions of nobody", config(func(c map[string]any) {
		c["health"] = map[string]any{"conditions": []any{
			map[string]any{"type": "NobodyPublishesThis", "effect": "Exclude"}}}
	}), []string{"conditions"}, "NobodyPublishesThis"},
	{"shares that do not fit", config(func(c map[string]any) {
		c["accelerators"] = []any{
			map[string]any{"name": "V100", "resource": "nvidia.com/gpu", "nodes": []any{matcher("V100")},
				"share": map[string]any{"cpu": "30"}},
			map[string]any{"name": "A100", "resource": "nvidia.com/gpu", "nodes": []any{matcher("A100")}},
			map[string]any{"name": "A30", "resource": "nvidia.com/gpu", "nodes": []any{matcher("A30")}},
			map[string]any{"name": "MN-Core", "resource": "preferred.jp/mncore"},
		}
	}), []string{"shares"}, "8 x 30 cpu"},

	{"more than CPU nodes have", func(w *world) []string {
		w.create(pod(w.team(box.LabelAdmission, "enforce"), "web", quantity("1000")))
		return nil
	}, []string{"cpu-capacity"}, "isolation is enforced in 1 namespace"},
	{"another scheduler", func(w *world) []string {
		w.create(pod(w.team(box.LabelAdmission, "off"), "train", gpus("1")))
		return nil
	}, []string{"bypass"}, "train (default-scheduler)"},
	{"no scheduler at all", func(w *world) []string {
		train := pod(w.team(box.LabelAdmission, "off"), "train", gpus("1"))
		train.Spec.SchedulerName, train.Spec.NodeName = "berth", "mn2a-001"
		w.create(train)
		return nil
	}, []string{"bypass"}, "train (on mn2a-001)"},
	{"a minimum that nobody keeps", func(w *world) []string {
		train := pod(w.team(box.LabelAdmission, "off"), "train", gpus("1"))
		train.Annotations["berth.dev/accelerator-memory"] = "30Gi"
		w.create(train)
		return nil
	}, []string{"bypass", "memory-minimum"}, "default-scheduler"},
	{"affinity that holds no more", func(w *world) []string {
		team := w.team(box.LabelAdmission, "off")
		web := pod(team, "web", quantity("100m"))
		web.Spec.NodeName, web.Spec.NodeSelector = "cpu-001", map[string]string{"rack": "r1"}
		w.create(web)
		return nil
	}, []string{"affinity"}, "web (on cpu-001)"},
	{"a claim that is missing", func(w *world) []string {
		train := pod(w.team(box.LabelAdmission, "off"), "web", quantity("100m"))
		train.Annotations["berth.dev/checkpoint"] = "nowhere"
		w.create(train)
		return nil
	}, []string{"checkpoints"}, "nowhere (for web)"},
	{"a claim of one node", func(w *world) []string {
		team := w.team(box.LabelAdmission, "off")
		w.claim(team, "checkpoints", corev1.ReadWriteOnce)
		train := pod(team, "web", quantity("100m"))
		train.Annotations["berth.dev/checkpoint"] = "true"
		w.create(train)
		return nil
	}, []string{"checkpoints"}, "checkpoints (for web)"},
	{"rights that were taken away", func(w *world) []string {
		w.withoutBinding("berth-controller")
		return nil
	}, []string{"rights"}, "system:serviceaccount:berth-system:berth-controller may not"},
}

func with(arguments ...string) func(*world) []string {
	return func(*world) []string { return arguments }
}

// scheduler has doctor see another configuration of kube-scheduler.
func scheduler(change func(map[string]any)) func(*world) []string {
	return func(w *world) []string {
		return []string{"--scheduler-config", w.changed("berth-scheduler", change)}
	}
}

// plugins is the same with the arguments of one plugin left out.
func plugins(without string) func(*world) []string {
	return scheduler(func(c map[string]any) {
		profile := c["profiles"].([]any)[0].(map[string]any)
		profile["pluginConfig"] = slices.DeleteFunc(profile["pluginConfig"].([]any), func(p any) bool {
			return p.(map[string]any)["name"] == without
		})
	})
}

// entry is the same for Berth's entry among the extenders.
func entry(change func(map[string]any)) func(*world) []string {
	return scheduler(func(c map[string]any) {
		change(c["extenders"].([]any)[0].(map[string]any))
	})
}

// config has doctor judge by another configuration of Berth.
func config(change func(map[string]any)) func(*world) []string {
	return func(w *world) []string { return []string{"--config", w.changed("berth", change)} }
}

// planned is the same with these schedulers' pods to plan for.
func planned(schedulers ...string) func(*world) []string {
	return config(func(c map[string]any) {
		c["planner"] = map[string]any{"schedulers": append([]string{}, schedulers...)}
	})
}

// lead has the Lease say that a controller renewed it so long from now.
func (w *world) lead(fromNow time.Duration) {
	w.Helper()
	patch := fmt.Sprintf(`{"spec":{"holderIdentity":"a-test","renewTime":%q}}`,
		time.Now().Add(fromNow).UTC().Format(metav1.RFC3339Micro))
	_, err := shared.Client.CoordinationV1().Leases(namespace).Patch(w.Context(), "berth-controller",
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("write the Lease", err)
}

// webhooks changes every webhook of both configurations, and puts them back.
func webhooks(change func(hook map[string]any)) func(*world) []string {
	return func(w *world) []string {
		for _, kind := range []string{"mutating", "validating"} {
			w.changeWebhooks("/apis/admissionregistration.k8s.io/v1/"+kind+
				"webhookconfigurations/berth", change)
		}
		return nil
	}
}

func (w *world) changeWebhooks(path string, change func(hook map[string]any)) {
	w.Helper()
	client := shared.Client.AdmissionregistrationV1().RESTClient()
	before, err := client.Get().AbsPath(path).SetHeader("Accept", "application/json").
		DoRaw(w.Context())
	w.Check("get "+path, err)
	var object map[string]any
	w.Check("read "+path, json.Unmarshal(before, &object))
	hooks := object["webhooks"]
	w.Cleanup(func() { putWebhooks(path, before) })
	for _, hook := range hooks.([]any) {
		change(hook.(map[string]any))
	}
	patch, err := json.Marshal(map[string]any{"webhooks": hooks})
	w.Check("write "+path, err)
	_, err = client.Patch(types.MergePatchType).AbsPath(path).Body(patch).DoRaw(w.Context())
	w.Check("change "+path, err)
}

func putWebhooks(path string, before []byte) {
	var object map[string]any
	_ = json.Unmarshal(before, &object)
	patch, _ := json.Marshal(map[string]any{"webhooks": object["webhooks"]})
	_, _ = shared.Client.AdmissionregistrationV1().RESTClient().Patch(types.MergePatchType).
		AbsPath(path).Body(patch).DoRaw(context.Background())
}

func (w *world) withoutSecret(name string) {
	w.Helper()
	secrets := shared.Client.CoreV1().Secrets(namespace)
	secret, err := secrets.Get(w.Context(), name, metav1.GetOptions{})
	w.Check("get "+name, err)
	w.Check("delete "+name, secrets.Delete(w.Context(), name, metav1.DeleteOptions{}))
	w.Cleanup(func() {
		secret.ResourceVersion, secret.UID = "", ""
		_, _ = secrets.Create(context.Background(), secret, metav1.CreateOptions{})
	})
}

func (w *world) withoutBinding(name string) {
	w.Helper()
	bindings := shared.Client.RbacV1().ClusterRoleBindings()
	found, err := bindings.List(w.Context(), metav1.ListOptions{})
	w.Check("list bindings", err)
	for _, binding := range found.Items {
		if binding.RoleRef.Name != name {
			continue
		}
		w.Check("delete "+binding.Name,
			bindings.Delete(w.Context(), binding.Name, metav1.DeleteOptions{}))
		w.Cleanup(func() {
			binding.ResourceVersion, binding.UID = "", ""
			_, _ = bindings.Create(context.Background(), &binding, metav1.CreateOptions{})
		})
		return
	}
	w.Fatalf("nothing is bound to %s", name)
}

func (w *world) claim(team, name string, mode corev1.PersistentVolumeAccessMode) {
	w.Helper()
	_, err := shared.Client.CoreV1().PersistentVolumeClaims(team).Create(w.Context(),
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{mode},
				Resources:   corev1.VolumeResourceRequirements{Requests: storage("1Gi")},
			},
		}, metav1.CreateOptions{})
	w.Check("create claim "+name, err)
}

func matcher(expression string) map[string]any {
	return map[string]any{"label": "nvidia.com/gpu.product", "matches": expression}
}

// label is a patch; an empty value takes the label off.
func label(name, value string) string {
	if value == "" {
		return fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, name)
	}
	return fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, name, value)
}

// otherCA is a certificate that has nothing to do with Berth: that of net/http's test server.
func otherCA() []byte {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

func tokenRequest() *authenticationv1.TokenRequest {
	return &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(3600))}}
}
