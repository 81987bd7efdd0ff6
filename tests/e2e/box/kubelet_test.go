package box

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// One box serves all of these: a control plane takes longer to start than each of them.
func TestKubelet(t *testing.T) {
	n := startNursery(t)
	for _, c := range []struct {
		name string
		run  func(*nursery, *testing.T)
	}{
		{"a pod runs when its volumes are there", (*nursery).podRunsWhenItsVolumesAreThere},
		{"a pod ends and comes back", (*nursery).podEndsAndComesBack},
		{"kube-apiserver reaches pods", (*nursery).apiServerReachesPods},
		{"pods fail", (*nursery).podsThatFail},
		{"a Service is served by its ready pods in turn",
			(*nursery).serviceIsServedByItsReadyPodsInTurn},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := &nursery{Test{t, kubeletTimeout}, n.Box}
			inner.forget()
			c.run(inner, t)
		})
	}
}

func (n *nursery) podRunsWhenItsVolumesAreThere(t *testing.T) {
	n.create("waiting", nil)
	n.Await("the pod to tell what it waits for", func() bool {
		statuses := n.status("waiting").ContainerStatuses
		return len(statuses) == 1 && statuses[0].State.Waiting != nil &&
			strings.Contains(statuses[0].State.Waiting.Message, "there is no Secret files")
	})
	n.secret(map[string]string{"other": "x"})
	n.Await("the missing key to be told", func() bool {
		return strings.Contains(n.status("waiting").ContainerStatuses[0].State.Waiting.Message,
			"there is no key ready")
	})
	n.secret(map[string]string{"ready": "no"})
	n.Await("the program to run", func() bool {
		return n.status("waiting").Phase == corev1.PodRunning
	})
	if n.isReady("waiting") {
		t.Error("the pod is ready before its probe says so")
	}
	n.secret(map[string]string{"ready": "yes"})
	n.Await("the pod to be ready", func() bool { return n.isReady("waiting") })
	n.secret(map[string]string{"ready": "no more"})
	n.Await("the pod to be ready no more", func() bool { return !n.isReady("waiting") })
	if got := n.get("waiting", "/file/ready"); got != "no more" {
		t.Errorf("the program reads %q", got)
	}
	if got := n.get("waiting", "/whoami"); got != "system:serviceaccount:berth-system:default" {
		t.Errorf("the program is %q", got)
	}
}

func (n *nursery) podEndsAndComesBack(t *testing.T) {
	n.secret(map[string]string{"ready": "yes"})
	n.create("mortal", nil)
	n.Await("the pod to be ready", func() bool { return n.isReady("mortal") })
	n.Check("kill the program", n.Kubelet.Kill("mortal", "main"))
	n.Await("the program to be started again", func() bool {
		statuses := n.status("mortal").ContainerStatuses
		return statuses[0].RestartCount == 1 && statuses[0].Ready
	})
	pods := n.Client.CoreV1().Pods(KubeletNamespace)
	n.Check("delete the pod", pods.Delete(t.Context(), "mortal", metav1.DeleteOptions{}))
	n.Await("the pod to be gone", func() bool {
		_, err := pods.Get(t.Context(), "mortal", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	log, err := n.Kubelet.Log("mortal", "main")
	want := "serves as mortal\nserves as mortal\nwas told to end\n"
	if err != nil || log != want {
		t.Errorf("log %q (%v), want %q", log, err, want)
	}
}

// As kubectl does.
func (n *nursery) apiServerReachesPods(t *testing.T) {
	n.secret(map[string]string{"ready": "yes"})
	n.create("talking", nil)
	_, err := n.Client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node"},
		Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeHostName, Address: "node"}}},
	}, metav1.CreateOptions{})
	n.Check("create the node", err)
	n.Await("the pod to be ready", func() bool { return n.isReady("talking") })
	log, err := n.Client.CoreV1().Pods(KubeletNamespace).
		GetLogs("talking", &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil || string(log) != "serves as talking\n" {
		t.Errorf("log %q (%v)", log, err)
	}
	file, err := n.Client.CoreV1().Pods(KubeletNamespace).
		ProxyGet("http", "talking", "8080", "/file/ready", nil).DoRaw(t.Context())
	if err != nil || string(file) != "yes" {
		t.Errorf("the pod answers %q (%v)", file, err)
	}
}

func (n *nursery) podsThatFail(t *testing.T) {
	n.secret(map[string]string{"ready": "yes"})
	for _, c := range []struct {
		name    string
		change  func(*corev1.PodSpec)
		message string
	}{
		{"failing", func(spec *corev1.PodSpec) {
			spec.RestartPolicy = corev1.RestartPolicyNever
			spec.Containers[0].Args[0] = "/etc/config/missing"
		}, ""},
		{"with-init", func(spec *corev1.PodSpec) {
			spec.InitContainers = []corev1.Container{{Name: "init", Image: "program"}}
		}, "no init containers here"},
		{"of-the-host", func(spec *corev1.PodSpec) {
			spec.Volumes[0].VolumeSource = corev1.VolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
		}, "no volume of the kind of config here"},
		{"unknown", func(spec *corev1.PodSpec) {
			spec.Containers[0].Image = "registry.example/unknown@sha256:" + strings.Repeat("0", 64)
		}, "/bin/unknown is missing"},
	} {
		n.create(c.name, c.change)
		n.Await(c.name+" to have failed", func() bool {
			status := n.status(c.name)
			return status.Phase == corev1.PodFailed && strings.Contains(status.Message, c.message)
		})
	}
}

func TestProgramsOfPodsEndWithTheBox(t *testing.T) {
	n := startNursery(t)
	n.secret(map[string]string{"ready": "yes"})
	n.create("running", nil)
	n.Await("the pod to be ready", func() bool { return n.isReady("running") })
	pid := n.Kubelet.all()[0].containers[0].cmd.Process.Pid
	if !alive(pid) {
		t.Error("the program does not run")
	}
	n.Stop()
	if alive(pid) {
		t.Error("the program outlives its box")
	}
}

func (n *nursery) serviceIsServedByItsReadyPodsInTurn(t *testing.T) {
	n.secret(map[string]string{"ready": "yes"})
	service, err := n.Client.CoreV1().Services(KubeletNamespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "program"},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "program"},
			Ports: []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromString("http")}}},
	}, metav1.CreateOptions{})
	n.Check("create the Service", err)
	byName, byIP := "program.berth-system.svc:443", net.JoinHostPort(service.Spec.ClusterIP, "443")
	n.Await("the Service to be known", func() bool {
		_, err := n.Services.dial(byName)
		return err != nil && strings.Contains(err.Error(), "no pod behind Service program is ready")
	})
	for _, name := range []string{"one", "two"} {
		n.create(name, nil)
		n.Await(name+" to be ready", func() bool { return n.isReady(name) })
	}
	proxy, err := url.Parse(n.Services.URL)
	n.Check("read the URL of the Services", err)
	for _, target := range []string{byName, byIP} {
		met := map[string]int{}
		for range 4 {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
				DialContext: tunnel(proxy.Host, target)}}
			status, _ := n.fetch(client, "http://program/readyz")
			met[fmt.Sprint(status)]++
		}
		if met["200"] != 4 {
			t.Errorf("%s answers %v", target, met)
		}
	}
	if _, err := n.Services.dial("elsewhere:443"); err == nil {
		t.Error("a host that no Service has is reached")
	}
	n.secret(map[string]string{"ready": "no"})
	n.Await("nobody to be reached", func() bool {
		connection, err := n.Services.dial(byIP)
		if err == nil {
			_ = connection.Close()
		}
		return err != nil
	})
}

// tunnel dials as a client does that has a proxy for https.
func tunnel(proxy, target string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", proxy)
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(connection, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", target); err != nil {
			return nil, err
		}
		answer := make([]byte, len("HTTP/1.1 200 OK\r\n\r\n"))
		_, err = connection.Read(answer)
		return connection, err
	}
}
