//go:build cluster

// The command as somebody runs it, who ends it in all the ways there are.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"berth.dev/berth/tests/e2e/node"
)

// What comes to others' ports, addresses and kernel is in the way of nothing, because all of it has a
// network of its own; and nothing of it is left.
func TestShowAndCtrlC(t *testing.T) {
	before := here(t)
	for _, port := range []string{"10250", "10256", "53"} { // kubelet, kube-proxy, CoreDNS
		listener, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err == nil { // else somebody else has it, which serves as well
			defer listener.Close()
		}
	}
	address(t, "replace") // a test that was killed may have left it
	t.Cleanup(func() { address(t, "del") })

	r := start(t)
	r.awaitWords("runs on until Ctrl-C")
	r.awaitWords("/enter\n") // the last of what it says how to look around
	for _, want := range []string{"8 of 8 pods are ready", "passed in", "Warning: berth: ",
		"mn2b-a100-010 (KWOK)"} {
		if !strings.Contains(r.said.String(), want) {
			t.Errorf("does not say %q", want)
		}
	}
	inside := r.enter("kubectl", "get", "pods", "--all-namespaces", "--no-headers")
	if got := strings.Count(inside, " Running "); got != 11 {
		t.Errorf("%d pods run, want 8 of Berth, 1 of the DNS, 2 of Jobs:\n%s", got, inside)
	}
	r.explains()
	if containers := r.enter("ctr", "containers", "list", "--quiet"); containers == "" {
		t.Error("no containers are seen inside")
	}
	r.showsTheBoard()
	r.findsIdleDevices()
	r.end(syscall.SIGINT, 0)
	if connection, err := net.Dial("tcp", r.boardURL().Host); err == nil {
		connection.Close()
		t.Error("somebody still listens at the board's address")
	}
	before.compare()
}

// The show goes on without it.
func TestABoardThatEndsIsMissed(t *testing.T) {
	before := here(t)
	r := start(t)
	r.awaitWords("/enter\n")
	r.Check("kill the board", syscall.Kill(r.inside("\x00board\x00--port\x00"), syscall.SIGKILL))
	r.awaitWords("the board has ended")
	if strings.Contains(r.said.String(), "ending all of it") {
		t.Error("all of it has ended with the board")
	}
	nodes := r.enter("kubectl", "get", "nodes", "--output", "name")
	if !strings.Contains(nodes, "node/"+node.Name) {
		t.Errorf("the cluster has the nodes %s", nodes)
	}
	r.end(syscall.SIGINT, 0)
	before.compare()
}

// Somebody loses patience, and the signal reaches this process alone.
func TestEndWhileItIsSetUp(t *testing.T) {
	for _, moment := range []string{"control plane up", "$ helm install"} {
		t.Run(moment, func(t *testing.T) {
			before := here(t)
			r := start(t)
			r.awaitWords(moment)
			r.end(syscall.SIGTERM, interrupted)
			before.compare()
		})
	}
}

// Whoever kills the first process inside kills all others there; the one outside tidies up.
func TestKilledInside(t *testing.T) {
	before := here(t)
	r := start(t)
	r.awaitWords("a real node up")
	r.Check("kill it", syscall.Kill(r.child(), syscall.SIGKILL))
	r.awaitEnd(1)
	if !strings.Contains(r.said.String(), "ended by signal: killed") {
		t.Error("does not say why it ended")
	}
	before.compare()
}

// The kernel ends all of it; files and cgroups are left, which the next run names and -clean removes.
func TestKilledOutside(t *testing.T) {
	before := here(t)
	r := start(t)
	r.awaitWords("a real node up")
	r.Check("kill it", r.Process.Kill())
	r.awaitEnd(-1)
	before.compareProcesses()
	if said, err := command("-once").CombinedOutput(); err == nil ||
		!strings.Contains(string(said), "make clean-cluster") {
		t.Errorf("the next run: %v\n%s", err, said)
	}
	said, err := command("-clean").CombinedOutput()
	r.Check("clean: "+string(said), err)
	if !strings.Contains(string(said), "removed "+filepath.Join(os.TempDir(), "berth-node-")) {
		t.Errorf("does not say what was removed: %s", said)
	}
	before.compare()
}

// Cleaning what runs ends it.
func TestCleanEndsWhatRuns(t *testing.T) {
	before := here(t)
	r := start(t)
	r.awaitWords("control plane up")
	if said, err := command("-once").CombinedOutput(); err == nil ||
		!strings.Contains(string(said), fmt.Sprintf("process %d,", r.Process.Pid)) {
		t.Errorf("a second run beside it: %v\n%s", err, said)
	}
	said, err := command("-clean").CombinedOutput()
	r.Check("clean: "+string(said), err)
	r.awaitEnd(interrupted)
	if !strings.Contains(string(said), fmt.Sprintf("ended process %d\n", r.Process.Pid)) {
		t.Errorf("does not say what was ended: %s", said)
	}
	before.compare()
}

// The disk is full when images are imported.
func TestFullDisk(t *testing.T) {
	folder, err := os.MkdirTemp("/tmp", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(folder)
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=200m"); err != nil {
		t.Fatal(err)
	}
	defer syscall.Unmount(folder, 0)
	t.Setenv("TMPDIR", folder)
	before := here(t)
	r := start(t)
	r.awaitEnd(1)
	for _, want := range []string{"no space left on device",
		"takes about 500 MiB in " + folder + "; make room"} {
		if !strings.Contains(r.said.String(), want) {
			t.Errorf("does not say %q", want)
		}
	}
	before.compare()
}

// explains has the commands of the hint answer as a plugin of kubectl.
func (r *run) explains() {
	r.Helper()
	waiting := regexp.MustCompile(`kubectl berth explain -n research (\S+)`).FindStringSubmatch(
		r.said.String())
	if waiting == nil {
		r.Fatal("does not say how to explain a pod that waits")
	}
	for _, c := range []struct{ command, want string }{
		{"explain -n research " + waiting[1], "0 have 8 free nvidia.com/gpu"},
		{"capacity", "GPUIsLost"},
		{"who", "nvidia.com/gpu"},
		{"gangs -A", ""},
		{"report", "if their namespaces enforced"},
	} {
		said := r.enter(append([]string{"kubectl", "berth"}, strings.Fields(c.command)...)...)
		if !strings.Contains(said, c.want) {
			r.Errorf("kubectl berth %s does not say %q: %s", c.command, c.want, said)
		}
	}
}

// showsTheBoard asks for the page and its data from outside, as a browser does: the page is for
// everybody, the data for those who know the token.
func (r *run) showsTheBoard() {
	r.Helper()
	address := r.boardURL()
	token := address.Fragment
	address.Fragment = ""
	if status, page := r.fetch(address.String(), ""); status != http.StatusOK ||
		!strings.Contains(page, "<title>Berth board</title>") {
		r.Errorf("the page is answered with %d: %s", status, page)
	}
	state := address.JoinPath("api/state").String()
	if status, said := r.fetch(state, ""); status != http.StatusUnauthorized {
		r.Errorf("without a token the data are answered with %d: %s", status, said)
	}
	r.Await("the board to tell of the nodes", func() bool {
		status, said := r.fetch(state, token)
		return status == http.StatusOK && strings.Contains(said, `"mn2b-a100-010"`)
	})
}

// boardURL is where the hints send browsers.
func (r *run) boardURL() *url.URL {
	r.Helper()
	hint := regexp.MustCompile(`open (http://127\.0\.0\.1:\d+/#[0-9a-f]{64}) in a browser`)
	said := hint.FindStringSubmatch(r.said.String())
	if said == nil {
		r.Fatal("does not say where the board is")
	}
	address, err := url.Parse(said[1])
	r.Check("read the board's address", err)
	return address
}

// fetch asks for a page outside of the cluster; an empty token is not sent.
func (r *run) fetch(address, token string) (int, string) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, address, nil)
	r.Check("make a request", err)
	request.Close = true
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	r.Check("ask for "+address, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	r.Check("read "+address, err)
	return response.StatusCode, string(content)
}

// findsIdleDevices runs the command of the hint until it names who created the Job that holds a
// device.
func (r *run) findsIdleDevices() {
	r.Helper()
	hint := regexp.MustCompile(`/enter (kubectl berth idle .*\S) +# .* known from`).FindStringSubmatch(
		r.said.String())
	if hint == nil {
		r.Fatal("does not say how to find idle devices")
	}
	line := regexp.MustCompile(`(?m)^admin +research +train-\S+ +A100 +1 +1 +0 % .* Job train$`)
	var said string
	defer func() { r.Logf("%s says:\n%s", hint[1], said) }()
	r.Await("the device of Job train to be idle", func() bool {
		said = r.enter(strings.Fields(hint[1])...)
		return line.MatchString(said)
	})
}

// address gives the node's to the machine (replace), or takes it off again (del).
func address(t *testing.T, verb string) {
	t.Helper()
	said, err := exec.Command("ip", "address", verb, node.Address+"/32", "dev", "lo").CombinedOutput()
	if err != nil {
		t.Errorf("ip address %s: %v: %s", verb, err, said)
	}
}
