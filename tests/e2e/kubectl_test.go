package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// plugin is the real kubectl with Berth as its plugin, as docs/kubectl.md has it installed.
func (w *world) plugin(arguments ...string) *exec.Cmd {
	w.Helper()
	kubectl, err := box.Program("kubectl")
	w.Check("find kubectl", err)
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	folder := w.TempDir()
	for _, name := range []string{"kubectl-berth", "kubectl_complete-berth"} {
		w.Check("link "+name, os.Symlink(berth, filepath.Join(folder, name)))
	}
	command := exec.CommandContext(w.Context(), kubectl, arguments...)
	command.Env = []string{"PATH=" + folder, "HOME=" + folder, "KUBECONFIG=" + w.box.Kubeconfig}
	return command
}

// kubectl runs it to its end and returns what it says, and its exit code.
func (w *world) kubectl(arguments ...string) (string, int) {
	w.Helper()
	command := w.plugin(arguments...)
	said, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(said) + string(exit.Stderr), exit.ExitCode()
	}
	w.Check("run kubectl", err)
	return string(said), 0
}

// follower is a `kubectl berth explain --watch` that runs.
type follower struct {
	w       *world
	command *exec.Cmd
	said    box.Output
}

func (w *world) follow(pod *corev1.Pod) *follower {
	w.Helper()
	f := &follower{w: w, command: w.plugin("berth", "explain", "--watch", pod.Name, "-n", pod.Namespace)}
	f.command.Stdout, f.command.Stderr = &f.said, &f.said
	w.Check("start kubectl", f.command.Start())
	w.Cleanup(func() { _ = f.command.Process.Kill() }) // it has ended, unless the test failed
	return f
}

func (f *follower) awaits(line string) {
	f.w.Helper()
	pattern := regexp.MustCompile(line)
	if !box.HoldsWithin(f.w.Timeout, func() bool { return pattern.MatchString(f.said.String()) }) {
		f.w.Fatalf("no %q in what explain --watch says:\n%s", line, f.said.String())
	}
}

// ends waits for its end and checks the exit code.
func (f *follower) ends(code int) {
	f.w.Helper()
	_ = f.command.Wait() // an error is an exit code, which is checked
	if got := f.command.ProcessState.ExitCode(); got != code {
		f.w.Errorf("explain --watch ended with %d, want %d:\n%s", got, code, f.said.String())
	}
}

// waiting is a pod for which all nodes are broken, and these.
func (w *world) waiting() (*corev1.Pod, []string) {
	w.Helper()
	pool := nodesOf("mn2b-a30")
	w.breaks("GPUIsLost", "Exclude", pool...)
	pod := gpus(1, "A30")
	w.refused(pod)
	return pod, pool
}

func TestKubectlExplainsAsAPlugin(t *testing.T) {
	w := fresh(t)
	pod, pool := w.waiting()
	said, code := w.kubectl("berth", "explain", pod.Name)
	want := fmt.Sprintf("Pod default/%s asks for 1 nvidia.com/gpu\n0 fit; ", pod.Name)
	if code != 1 || !strings.HasPrefix(said, want) ||
		!strings.Contains(said, fmt.Sprintf("%d GPUIsLost", len(pool))) {
		t.Errorf("kubectl berth explain ended with %d and said:\n%s", code, said)
	}
	if strings.Contains(said, "\x1b") {
		t.Errorf("there are colours in a pipe:\n%q", said)
	}
	if said, code = w.kubectl("berth", "explain", pod.Name, "-n", "elsewhere"); code != 1 ||
		!strings.Contains(said, "there is no pod "+pod.Name+" in namespace elsewhere") {
		t.Errorf("of a pod elsewhere kubectl berth ended with %d and said:\n%s", code, said)
	}
	if said, code = w.kubectl("berth", "capacity", "-o", "yaml"); code != 0 ||
		!strings.Contains(said, "  - accelerator: A30\n    resource: nvidia.com/gpu\n") {
		t.Errorf("kubectl berth capacity -o yaml ended with %d and said:\n%s", code, said)
	}
}

func TestKubectlListsGangs(t *testing.T) {
	w := fresh(t)
	if said, code := w.kubectl("berth", "gangs"); code != 0 ||
		said != "no gangs in namespace default\n" {
		t.Errorf("without gangs kubectl berth gangs ended with %d and said:\n%s", code, said)
	}
	for range 2 {
		pod := gpus(1, "A30")
		pod.Annotations["berth.dev/gang-name"], pod.Annotations["berth.dev/gang-size"] = "train", "2"
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "berth.dev/gang"}}
		w.create(pod)
	}
	line := regexp.MustCompile(`(?m)^default +train +2 +waiting +0 +0 +2 +\d+s +0$`)
	for _, arguments := range [][]string{{"berth", "gangs"}, {"berth", "gangs", "-A"},
		{"berth", "gangs", "--context", "box", "-n", "default"}} {
		if said, code := w.kubectl(arguments...); code != 0 || !line.MatchString(said) {
			t.Errorf("kubectl %v ended with %d and said:\n%s", arguments, code, said)
		}
	}
	if said, code := w.kubectl("berth", "gangs", "-A", "-o", "json"); code != 0 ||
		!strings.Contains(said, `"gang": "train"`) {
		t.Errorf("kubectl berth gangs -o json ended with %d and said:\n%s", code, said)
	}
}

func TestKubectlCompletesThePlugin(t *testing.T) {
	w := fresh(t)
	pod := gpus(1, "A30")
	w.place(pod)
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"berth", "ca"}, "capacity\tCount"},
		{[]string{"berth", "gangs", "-o", "j"}, "json\n:4\n"},
		{[]string{"berth", "explain", "-n", "defa"}, "default\n:4\n"},
		{[]string{"berth", "explain", pod.Name[:len(pod.Name)-1]}, pod.Name + "\n"},
		{[]string{"berth", "explain", "--node", nodesOf("mn2b-a30")[0]}, nodesOf("mn2b-a30")[0] + "\n"},
	} {
		said, code := w.kubectl(append([]string{"__complete"}, c.words...)...)
		if code != 0 || !strings.Contains(said, c.want) {
			t.Errorf("kubectl %q offers, with code %d:\n%s\nwant %q", c.words, code, said, c.want)
		}
	}
}

func TestWatchFollowsAPodUntilItRuns(t *testing.T) {
	w := fresh(t)
	w.controllers(1, nil) // kube-scheduler may retry before Berth knows of the repair
	pod, pool := w.waiting()
	f := w.follow(pod)
	f.awaits(fmt.Sprintf(`(?m)^0 fit; .*%d GPUIsLost`, len(pool)))
	f.awaits(`(?m)^\d\d:\d\d:\d\d  not bound, and no node is nominated$`)
	f.awaits(`(?m)^\d\d:\d\d:\d\d  default-scheduler, FailedScheduling: `)
	// One node still has another fault, so that the pod goes on waiting.
	w.breaks("DStateProcess", "Exclude", pool[0])
	w.mend("GPUIsLost", pool[0])
	f.awaits(`(?m)^\S+  DStateProcess: 1 node refused, was 0$`)
	f.awaits(fmt.Sprintf(`(?m)^\S+  GPUIsLost: %d nodes refused, was %d$`, len(pool)-1, len(pool)))
	w.mend("DStateProcess", pool[0])
	f.awaits(`(?m)^\S+  1 node fits, was 0$`)
	f.awaits(`(?m)^\S+  it runs on ` + pool[0] + `$`)
	f.ends(0)
}

// mend takes a condition off a node, as if it had been gone for an hour: recovery is over.
func (w *world) mend(condition, node string) {
	w.Helper()
	w.Check("mend "+node, fleet.PatchCondition(w.Context(), w.box.Client, node,
		healed([]corev1.NodeCondition{{Type: corev1.NodeConditionType(condition),
			Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}})...))
}

func TestWatchEndsWithThePodAndByCtrlC(t *testing.T) {
	w := fresh(t)
	pod, _ := w.waiting()
	interrupted, deleted := w.follow(pod), w.follow(pod)
	interrupted.awaits(`not bound`)
	deleted.awaits(`not bound`)
	// kubectl becomes the plugin (exec), so the signal reaches berth.
	w.Check("interrupt", interrupted.command.Process.Signal(syscall.SIGINT))
	interrupted.ends(130)
	w.Check("delete", w.box.Client.CoreV1().Pods(pod.Namespace).Delete(w.Context(), pod.Name,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	deleted.awaits(`(?m)^\S+  it is gone$`)
	deleted.ends(1)
	if said, code := w.kubectl("berth", "explain", "--watch", pod.Name); code != 1 ||
		!strings.Contains(said, "there is no pod "+pod.Name) {
		t.Errorf("of a pod that is gone explain --watch ended with %d and said:\n%s", code, said)
	}
}

func TestWatchSurvivesTheAPIServer(t *testing.T) {
	w := fresh(t)
	pod, pool := w.waiting()
	f := w.follow(pod)
	f.awaits(`not bound`)
	w.killAPIServer()
	f.awaits(`(?m)^\S+  no answer, trying again: `)
	w.Check("start kube-apiserver", w.box.APIServer.Start(t.Context()))
	f.awaits(`(?m)^\S+  the API server answers again$`)
	// The node has another fault still, so that the pod is not bound before it is deleted.
	w.breaks("DStateProcess", "Exclude", pool[0])
	w.mend("GPUIsLost", pool[0])
	f.awaits(`(?m)^\S+  DStateProcess: 1 node refused, was 0$`)
	w.Check("delete", w.box.Client.CoreV1().Pods(pod.Namespace).Delete(w.Context(), pod.Name,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	f.awaits(`(?m)^\S+  it is gone$`)
	f.ends(1)
}

// execVersion is that of the plugins by which people log in.
const execVersion = "client.authentication.k8s.io/v1"

// login is a plugin of kubeconfigs that answers this credential, and where its kubeconfig has it.
func (w *world) login(folder, name string, status map[string]any) *clientcmdapi.ExecConfig {
	w.Helper()
	answer, err := json.Marshal(map[string]any{"kind": "ExecCredential",
		"apiVersion": execVersion, "status": status})
	w.Check("encode a credential", err)
	w.Check("write it", os.WriteFile(filepath.Join(folder, name+".json"), answer, 0o600))
	script := "#!/bin/sh\nexec /bin/cat \"$1\"\n"
	w.Check("write the plugin", os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700))
	return &clientcmdapi.ExecConfig{APIVersion: execVersion, Command: "./" + name,
		Args:            []string{filepath.Join(folder, name+".json")},
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
}

// As people have it who use a cloud: one file has the cluster, another one the users, who log in by
// plugins.
func TestPeopleLogInByPluginsOfSeveralKubeconfigs(t *testing.T) {
	w := fresh(t)
	admin, err := clientcmd.LoadFromFile(w.box.Kubeconfig)
	w.Check("read the administrator's kubeconfig", err)
	context := admin.Contexts[admin.CurrentContext]
	user := admin.AuthInfos[context.AuthInfo]
	certificate, err := os.ReadFile(user.ClientCertificate)
	w.Check("read the administrator's certificate", err)
	key, err := os.ReadFile(user.ClientKey)
	w.Check("read the administrator's key", err)
	token, err := w.box.Client.CoreV1().ServiceAccounts("default").CreateToken(w.Context(), "default",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	w.Check("create a token", err)

	folder := t.TempDir()
	users, clusters := clientcmdapi.NewConfig(), admin.DeepCopy()
	users.AuthInfos[context.AuthInfo] = &clientcmdapi.AuthInfo{Exec: w.login(folder, "by-certificate",
		map[string]any{"clientCertificateData": string(certificate), "clientKeyData": string(key)})}
	users.AuthInfos["account"] = &clientcmdapi.AuthInfo{Exec: w.login(folder, "by-token",
		map[string]any{"token": token.Status.Token})}
	users.AuthInfos["nobody"] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: execVersion, Command: "berth-login", InstallHint: "Ask your administrator for it.",
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode}}
	// What the first file has of a user counts.
	clusters.AuthInfos = map[string]*clientcmdapi.AuthInfo{context.AuthInfo: {Token: "of nobody"}}
	for _, name := range []string{"account", "nobody"} {
		clusters.Contexts[name] = &clientcmdapi.Context{Cluster: context.Cluster, AuthInfo: name}
	}
	files := []string{filepath.Join(folder, "users"), filepath.Join(folder, "missing"),
		filepath.Join(folder, "clusters")}
	w.Check("write the users", clientcmd.WriteToFile(*users, files[0]))
	w.Check("write the clusters", clientcmd.WriteToFile(*clusters, files[2]))

	for _, c := range []struct {
		arguments []string
		want      string
		code      int
	}{
		{[]string{"auth", "whoami"}, "admin", 0}, // kubectl itself
		{[]string{"berth", "capacity"}, "A30", 0},
		{[]string{"berth", "capacity", "--context", "account"},
			`"system:serviceaccount:default:default" cannot list resource`, 1},
		{[]string{"berth", "capacity", "--context", "nobody"}, "Ask your administrator for it.", 1},
		{[]string{"__complete", "berth", "explain", "--context", ""}, "account\n", 0},
		{[]string{"__complete", "berth", "explain", "--node", "mn2b-a30"}, nodesOf("mn2b-a30")[0], 0},
	} {
		command := w.plugin(c.arguments...)
		command.Env = append(command.Env, "KUBECONFIG="+strings.Join(files, ":"))
		said, _ := command.CombinedOutput() // an error is an exit code, which is checked
		if code := command.ProcessState.ExitCode(); code != c.code ||
			!strings.Contains(string(said), c.want) {
			t.Errorf("kubectl %q ended with %d, want %d and %q:\n%s", c.arguments, code, c.code, c.want,
				said)
		}
	}
}
