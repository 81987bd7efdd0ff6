package box

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	programVariable = "BOX_TEST_PROGRAM"
	kubeletTimeout  = 30 * time.Second
)

// program is what the pods of these tests run: it serves on the address in the file that its first
// argument names, tells files of the folder that the second names, is ready when one of them says
// so, and knows who it is.
func program() int {
	listen, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	http.HandleFunc("/file/{name}", func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(filepath.Join(os.Args[2], r.PathValue("name")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
		}
		_, _ = w.Write(content)
	})
	http.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if content, _ := os.ReadFile(filepath.Join(os.Args[2], "ready")); string(content) != "yes" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	http.HandleFunc("/whoami", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, whoAmI(r.Context()))
	})
	listener, err := net.Listen("tcp", string(listen))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("serves as", os.Getenv("NAME"))
	go func() { _ = http.Serve(listener, nil) }()
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM)
	<-stopped
	fmt.Println("was told to end")
	return 0
}

func whoAmI(ctx context.Context) string {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err.Error()
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err.Error()
	}
	answer, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx,
		&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return err.Error()
	}
	return answer.Status.UserInfo.Username
}

// nursery is a box whose Kubelet runs what a test creates.
type nursery struct {
	Test
	*Box
}

func startNursery(t *testing.T) *nursery {
	t.Helper()
	b, err := Start(t.Context(), Options{Kubelet: true, Images: map[string]string{"program": os.Args[0]}})
	if err != nil {
		t.Fatal(err)
	}
	n := &nursery{Test{t, kubeletTimeout}, b}
	t.Cleanup(func() {
		if t.Failed() {
			b.KeepLogs(os.Stderr)
		}
		b.Stop()
	})
	_, err = b.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: KubeletNamespace}}, metav1.CreateOptions{})
	n.Check("create the namespace", err)
	_, err = b.Client.CoreV1().ConfigMaps(KubeletNamespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "config"}, Data: map[string]string{"listen": ":8080"},
	}, metav1.CreateOptions{})
	n.Check("create the ConfigMap", err)
	n.Await("a service account", func() bool {
		_, err := b.Client.CoreV1().ServiceAccounts(KubeletNamespace).Get(t.Context(), "default",
			metav1.GetOptions{})
		return err == nil
	})
	return n
}

// secret creates the Secret, or replaces what it holds.
func (n *nursery) secret(data map[string]string) {
	n.Helper()
	secrets := n.Client.CoreV1().Secrets(KubeletNamespace)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "files"}, StringData: data}
	_, err := secrets.Update(n.Context(), secret, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = secrets.Create(n.Context(), secret, metav1.CreateOptions{})
	}
	n.Check("write the Secret", err)
}

// create creates a pod that is bound already, changed by the test.
func (n *nursery) create(name string, change func(*corev1.PodSpec)) {
	n.Helper()
	spec := corev1.PodSpec{
		NodeName:                      "node",
		TerminationGracePeriodSeconds: new(int64(20)),
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "config"}}}},
			{Name: "files", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
				SecretName: "files", Items: []corev1.KeyToPath{{Key: "ready", Path: "ready"}}}}},
		},
		Containers: []corev1.Container{{
			Name: "main", Image: "registry.example/program:1",
			Args:  []string{"/etc/config/listen", "/etc/files"},
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
			Env: []corev1.EnvVar{{Name: programVariable, Value: "1"},
				{Name: "NAME", ValueFrom: &corev1.EnvVarSource{
					FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
			ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, FailureThreshold: 1,
				ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
					Path: "/readyz", Port: intstr.FromString("http")}}},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "config", MountPath: "/etc/config"}, {Name: "files", MountPath: "/etc/files"}},
		}},
	}
	if change != nil {
		change(&spec)
	}
	_, err := n.Client.CoreV1().Pods(KubeletNamespace).Create(n.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "program"}},
		Spec:       spec,
	}, metav1.CreateOptions{})
	n.Check("create "+name, err)
}

func (n *nursery) status(name string) corev1.PodStatus {
	n.Helper()
	pod, err := n.Client.CoreV1().Pods(KubeletNamespace).Get(n.Context(), name, metav1.GetOptions{})
	n.Check("get "+name, err)
	return pod.Status
}

func (n *nursery) isReady(name string) bool {
	n.Helper()
	for _, condition := range n.status(name).Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// get asks a pod by its address.
func (n *nursery) get(name, path string) string {
	n.Helper()
	_, body := n.fetch(http.DefaultClient, "http://"+n.Kubelet.Addresses("http")[name]+path)
	return body
}

func (n *nursery) fetch(client *http.Client, url string) (int, string) {
	n.Helper()
	response, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	n.Check("read the answer of "+url, err)
	return response.StatusCode, string(body)
}

// forget deletes pods and Secret of the tests before.
func (n *nursery) forget() {
	n.Helper()
	core := n.Client.CoreV1()
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	n.Check("delete pods",
		core.Pods(KubeletNamespace).DeleteCollection(n.Context(), now, metav1.ListOptions{}))
	err := core.Secrets(KubeletNamespace).Delete(n.Context(), "files", metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		n.Check("delete the Secret", err)
	}
	n.Await("nothing to run", func() bool { return len(n.Kubelet.all()) == 0 })
}
