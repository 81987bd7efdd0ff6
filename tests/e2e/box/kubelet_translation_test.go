package box

import (
	"strings"
	"testing"
)

func inPod(kubeconfig string) translation {
	return newTranslation(map[int32]int{8443: 11111, 9090: 22222}, map[string]string{
		"/etc/berth": "/box/all", "/etc/berth/tls": "/box/certificates",
	}, kubeconfig)
}

func TestTextIsTranslated(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"listen: :8443", "listen: 127.0.0.1:11111"},
		{`listen: ":9090"`, `listen: "127.0.0.1:22222"`},
		{"0.0.0.0:9090", "127.0.0.1:22222"},
		{"listen: '[::]:9090'", "listen: '127.0.0.1:22222'"},
		{"url: https://localhost:8443/x", "url: https://localhost:11111/x"},
		{"127.0.0.1:8443", "127.0.0.1:11111"},
		{"[::1]:8443", "[::1]:11111"},
		{"a :8443\n:9090", "a 127.0.0.1:11111\n127.0.0.1:22222"},
		{"port: 8443", "port: 8443"}, // nobody listens on a number alone
		{":84430", ":84430"},
		{":10259", ":10259"}, // not one of the pod's
		{"/etc/berth/tls/tls.crt", "/box/certificates/tls.crt"},
		{"/etc/berth/config.yaml", "/box/all/config.yaml"},
		{`["/etc/berth"]`, `["/box/all"]`},
		{"/etc/berth-other", "/etc/berth-other"},
		{"--config=/etc/berth/tls", "--config=/box/certificates"},
	} {
		if got := inPod("").text(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

func TestArgumentsNamePortsByNumber(t *testing.T) {
	for _, c := range []struct{ argument, want string }{
		{"--secure-port=8443", "--secure-port=11111"},
		{"--listen=:8443", "--listen=127.0.0.1:11111"},
		{"--secure-port=443", "--secure-port=443"},
		{"extender", "extender"},
	} {
		if got := inPod("").argument(c.argument); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.argument, got, c.want)
		}
	}
}

func TestConfigurationsKnowTheirPod(t *testing.T) {
	for _, c := range []struct{ name, kubeconfig, file, want string }{
		{"Berth's", "/k", "kind: BerthConfiguration\n", "kubernetes:\n  kubeconfig: /k\n"},
		{"the lease's namespace", "/k", "kind: BerthConfiguration\ncontroller: {lease: {name: a}}\n",
			"  lease:\n    name: a\n    namespace: berth-system\n"},
		{"another namespace", "/k",
			"kind: BerthConfiguration\ncontroller: {lease: {namespace: b}}\n", "namespace: b\n"},
		{"kube-scheduler's", "/k", "kind: KubeSchedulerConfiguration\nclientConnection: {qps: 5}\n",
			"clientConnection:\n  kubeconfig: /k\n  qps: 5\n"},
		{"of a pod without credentials", "", "kind: BerthConfiguration\n", "kind: BerthConfiguration\n"},
		{"no configuration", "/k", "kind: [\n", "kind: [\n"},
		{"certificates", "/k", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := inPod(c.kubeconfig).file(c.file)
			if err != nil || !strings.Contains(got, c.want) {
				t.Errorf("becomes %q (%v), want %q in it", got, err, c.want)
			}
		})
	}
}
