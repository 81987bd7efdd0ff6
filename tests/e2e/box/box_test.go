package box

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
)

const (
	helperVariable = "BOX_TEST_HELPER"
	goneTimeout    = 20 * time.Second
)

// TestMain makes the test program serve as the helper that TestNothingOutlivesASignal signals, and
// as what the pods of a Kubelet run.
func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Exit(program())
	}
	if os.Getenv(helperVariable) != "" {
		os.Exit(helper())
	}
	os.Exit(m.Run())
}

// helper holds a box until it is interrupted and prints the process ids of the box's programs.
func helper() int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	b, err := Start(ctx, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(strings.Trim(fmt.Sprint(pids(b)), "[]"))
	<-ctx.Done()
	b.Stop()
	return 0
}

func pids(b *Box) []int {
	var all []int
	for _, process := range b.Processes() {
		all = append(all, process.Pid())
	}
	return all
}

func awaitGone(t *testing.T, pids []int) {
	t.Helper()
	deadline := time.Now().Add(goneTimeout)
	for slices.ContainsFunc(pids, alive) {
		if time.Now().After(deadline) {
			t.Fatalf("some of the processes %v still run", pids)
		}
		time.Sleep(readyInterval)
	}
}

func TestStopEndsAllAndRemovesTheFolder(t *testing.T) {
	b, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	running := pids(b)
	if len(running) != 5 || slices.ContainsFunc(running, func(pid int) bool { return !alive(pid) }) {
		t.Errorf("processes %v, want 5 that run", running)
	}
	b.Stop()
	b.Stop() // as a deferred stop after an explicit one does
	awaitGone(t, running)
	if _, err := os.Stat(b.Dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", b.Dir, err)
	}
}

func TestFailingStartEndsAllAndShowsTheLog(t *testing.T) {
	nonsense := func(c *schedulerconfig.KubeSchedulerConfiguration) { c.Parallelism = new(int32(-1)) }
	_, err := Start(t.Context(), Options{Scheduler: nonsense})
	if err == nil {
		t.Fatal("kube-scheduler took a nonsense configuration")
	}
	if !strings.Contains(err.Error(), "parallelism") {
		t.Errorf("error without kube-scheduler's own words: %v", err)
	}
	_, dir, found := strings.Cut(strings.TrimSuffix(err.Error(), ")"), "logs are kept in ")
	if !found {
		t.Fatalf("error does not name the folder: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if left := programsOf(t, dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// programsOf lists the programs that name the folder in their arguments.
func programsOf(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		arguments, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && strings.Contains(string(arguments), dir) {
			found = append(found, entry.Name()+" "+string(arguments))
		}
	}
	return found
}

func TestNothingOutlivesASignal(t *testing.T) {
	cases := []struct {
		name   string
		signal os.Signal
	}{
		{"Ctrl-C", os.Interrupt},
		{"SIGTERM", syscall.SIGTERM},
		{"kill -9", syscall.SIGKILL},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), helperVariable+"=1", "TMPDIR="+t.TempDir())
			command.Stderr = os.Stderr
			output, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(output).ReadString('\n')
			if err != nil {
				t.Fatalf("the helper did not start a box: %v", err)
			}
			running := numbers(t, line)
			if err := command.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait() // a killed helper has no good exit status
			awaitGone(t, running)
		})
	}
}

func numbers(t *testing.T, line string) []int {
	t.Helper()
	var all []int
	for _, word := range strings.Fields(line) {
		number, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, number)
	}
	if len(all) != 5 {
		t.Fatalf("helper printed %q, want five process ids", line)
	}
	return all
}

func TestKilledAPIServerComesBackWithAddressAndObjects(t *testing.T) {
	b, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Stop()
	maps := b.Client.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	if _, err := maps.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.APIServer.Kill()
	if err := b.APIServer.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}
