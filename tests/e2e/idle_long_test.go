//go:build long

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	createdBy  = "berth.dev/created-by"
	keepUntil  = "berth.dev/keep-idle-until"
	idleWindow = "1m"
	// The window, the grace period of a minute, and two looks.
	idleLimit = 5 * time.Minute
)

// exporter serves utilisation as DCGM exporter does: a series for each device, with the pod that
// holds it.
type exporter struct {
	URL string

	mutex sync.Mutex
	away  bool
	used  map[string]int // percent, by pod
}

func startExporter(t *testing.T) *exporter {
	t.Helper()
	e := &exporter{used: map[string]int{}}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.URL = strings.TrimPrefix(server.URL, "http://")
	return e
}

func (e *exporter) ServeHTTP(writer http.ResponseWriter, _ *http.Request) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.away {
		http.Error(writer, "the exporter starts", http.StatusServiceUnavailable)
		return
	}
	writer.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(writer, "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).\n"+
		"# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n")
	gpu := 0
	for pod, percent := range e.used {
		fmt.Fprintf(writer, "DCGM_FI_DEV_GPU_UTIL{gpu=\"%d\",UUID=\"GPU-%s\","+
			"pci_bus_id=\"00000000:0%d:00.0\",device=\"nvidia%d\",modelName=\"NVIDIA A30\","+
			"Hostname=\"gpu-node\",DCGM_FI_DRIVER_VERSION=\"550.54.15\",container=\"main\","+
			"namespace=\"default\",pod=\"%s\"} %d\n", gpu, pod, gpu, gpu, pod, percent)
		gpu++
	}
}

func (e *exporter) set(pod string, percent int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.used[pod] = percent
}

func (e *exporter) goAway(away bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.away = away
}

// idleWorld is a box with a Prometheus that scrapes the exporter and Berth, and gives them the labels
// of their own pods, as the Prometheus operator does. The controller is not started.
type idleWorld struct {
	*world
	exporter   *exporter
	prometheus *box.Prometheus
	controller *box.Controller
}

func startIdle(t *testing.T) *idleWorld {
	t.Helper()
	w := &idleWorld{world: withJobs(t), exporter: startExporter(t)}
	w.Timeout = idleLimit
	var err error
	w.controller, err = w.box.NewController("idle", nil)
	w.Check("make a controller", err)
	job := func(name, target, namespace, pod string) any {
		return map[string]any{"job_name": name, "static_configs": []any{map[string]any{
			"targets": []string{strings.TrimPrefix(target, "http://")},
			"labels":  map[string]string{"namespace": namespace, "pod": pod}}}}
	}
	w.prometheus, err = w.box.NewConfiguredPrometheus(map[string]any{
		"global": map[string]any{"scrape_interval": "1s"},
		"scrape_configs": []any{job("dcgm", w.exporter.URL, "gpu-operator", "dcgm-exporter-7xk2p"),
			job("extender", w.box.Berth.MetricsURL, "berth-system", "berth-extender-0"),
			job("controller", w.controller.MetricsURL, "berth-system", "berth-controller-0")}})
	w.Check("configure Prometheus", err)
	t.Cleanup(w.prometheus.Stop)
	w.Check("start Prometheus", w.prometheus.Start(t.Context()))
	return w
}

// hold places a pod that holds one device, of which so much is used.
func (w *idleWorld) hold(creator string, percent int, change func(*corev1.Pod)) *corev1.Pod {
	w.Helper()
	pod := ofPool(runningPool)
	pod.Annotations = map[string]string{createdBy: creator}
	pod.Labels = map[string]string{}
	if change != nil {
		change(pod)
	}
	w.exporter.set(pod.Name, percent)
	w.place(pod)
	return pod
}

func notebook(pod *corev1.Pod) { pod.Labels["notebook-name"] = pod.Name }

// berth runs a subcommand against the box and this Prometheus.
func (w *idleWorld) berth(subcommand string, arguments ...string) string {
	w.Helper()
	path, err := box.BerthBinary()
	w.Check("find berth", err)
	command := exec.CommandContext(w.Context(), path, slices.Concat([]string{subcommand,
		"--kubeconfig", w.box.Kubeconfig, "--prometheus", w.prometheus.URL}, arguments)...)
	var said, complaint bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaint
	if err := command.Run(); err != nil {
		w.Fatalf("berth %s: %v: %s", subcommand, err, complaint.String())
	}
	return said.String()
}

// use is what berth idle says of a pod.
func (w *idleWorld) use(pod *corev1.Pod) string {
	w.Helper()
	var answer struct{ Pods []struct{ Pod, Use string } }
	text := w.berth("idle", "--window", idleWindow, "-o", "json")
	w.Check("read what berth idle says", json.Unmarshal([]byte(text), &answer))
	for _, each := range answer.Pods {
		if each.Pod == pod.Name {
			return each.Use
		}
	}
	return ""
}

func (w *idleWorld) awaitUse(pod *corev1.Pod, use string) {
	w.Helper()
	w.Await(fmt.Sprintf("%s to be %s", pod.Name, use), func() bool { return w.use(pod) == use })
}

func (w *idleWorld) exists(pod *corev1.Pod) bool {
	w.Helper()
	got, err := w.box.Client.CoreV1().Pods(pod.Namespace).Get(w.Context(), pod.Name,
		metav1.GetOptions{})
	if errors.IsNotFound(err) {
		return false
	}
	w.Check("get "+pod.Name, err)
	return got.DeletionTimestamp == nil
}

// What Prometheus has measured of what pods hold is told to people, and idle notebooks go, but not
// those that are used, that somebody keeps, or that are none.
func TestIdleDevices(t *testing.T) {
	w := startIdle(t)
	idle := w.hold("alice", 0, notebook)
	busy := w.hold("alice", 80, notebook)
	kept := w.hold("bob", 2, func(pod *corev1.Pod) {
		notebook(pod)
		pod.Annotations[keepUntil] = time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	})
	train := w.hold("bob", 0, nil)
	if use := w.use(idle); use != "young" {
		t.Errorf("a pod that has just begun is %q, want young", use)
	}
	w.awaitUse(idle, "idle")
	w.awaitUse(kept, "idle")
	w.awaitUse(train, "idle")
	w.awaitUse(busy, "used")
	unmeasured := w.hold("carol", 0, notebook)
	w.exporter.mutex.Lock()
	delete(w.exporter.used, unmeasured.Name)
	w.exporter.mutex.Unlock()

	report := w.berth("idle", "--window", idleWindow, "--report", "--creator", "alice")
	if !strings.Contains(report, "Creator: alice\n") || !strings.Contains(report, idle.Name) ||
		strings.Contains(report, busy.Name) {
		t.Errorf("the report to alice names other pods than %s:\n%s", idle.Name, report)
	}
	w.hasDeviceHours("alice")

	c := w.controller
	w.Check("configure the controller", c.Configure(map[string]any{
		"prometheus": map[string]any{"url": w.prometheus.URL},
		"idle":       map[string]any{"window": idleWindow},
		"controller": map[string]any{"idle": map[string]any{"enabled": true, "every": "1m",
			"evictNotebooksAfter": "1m", "minAge": "0s"}}}))
	w.Check("grant its rights", w.box.GrantController(w.Context(), c))
	w.Check("start the controller", c.Start(w.Context()))
	w.tells(idle.Name, "Idle", "This pod holds 1 A30 and did not use any of it in the last 1m")
	w.tells(train.Name, "Idle", "It is not evicted, because it is no notebook.")
	w.Await("idle devices to be counted", func() bool {
		samples, err := c.Metrics(w.Context())
		w.Check("scrape the controller", err)
		return samples.Sum("berth_idle_devices", `creator="alice"`) == 1 &&
			samples.Sum("berth_idle_devices", `creator="bob"`) == 2
	})
	w.dashboardShowsHolders()
	w.Await("the idle notebook to be evicted", func() bool { return !w.exists(idle) })
	w.tells(idle.Name, "IdleEvicted", "Berth evicted this notebook")
	w.tells(kept.Name, "NotEvicted", "its annotation "+keepUntil+" says so until ")
	for _, pod := range []*corev1.Pod{busy, kept, train, unmeasured} {
		if !w.exists(pod) {
			t.Errorf("%s is gone", pod.Name)
		}
	}
	for _, pod := range []*corev1.Pod{busy, unmeasured} {
		if told := w.told(pod.Name); len(told) > 0 {
			t.Errorf("%s is told %v", pod.Name, told)
		}
	}
	w.awaitUse(unmeasured, "noData")
}

// What was not measured while the exporter was away is not taken for idleness.
func TestAnExporterThatRestartsMakesNothingIdle(t *testing.T) {
	w := startIdle(t)
	pod := w.hold("alice", 0, notebook)
	w.awaitUse(pod, "idle")
	w.exporter.goAway(true)
	w.awaitUse(pod, "noData")
	w.exporter.goAway(false)
	w.Await("the exporter to be scraped again", func() bool {
		up, err := w.prometheus.Query(w.Context(), `up{job="dcgm"} == 1`)
		w.Check("ask Prometheus", err)
		return len(up) == 1
	})
	if use := w.use(pod); use != "noData" {
		t.Errorf("after the gap the pod is %q, want noData", use)
	}
	w.awaitUse(pod, "idle")
}

// dashboardShowsHolders checks that every panel about holders and idle devices shows something.
func (w *idleWorld) dashboardShowsHolders() {
	w.Helper()
	root, err := box.RepoRoot()
	w.Check("find the repository", err)
	text, err := os.ReadFile(filepath.Join(root, "charts", "berth", "files", "dashboard.json"))
	w.Check("read the dashboard", err)
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	w.Check("decode the dashboard", json.Unmarshal(text, &dashboard))
	about := regexp.MustCompile(`berth_(devices_in_use|idle_)`)
	asked := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			if !about.MatchString(target.Expr) {
				continue
			}
			asked++
			query := strings.ReplaceAll(target.Expr, "$namespace", "berth-system")
			w.Await("samples of "+query, func() bool {
				samples, err := w.prometheus.Query(w.Context(), query)
				w.Check("ask Prometheus", err)
				return len(samples) > 0
			})
		}
	}
	if asked < 3 {
		w.Errorf("%d queries of the dashboard are about holders, want 3 or more", asked)
	}
}

// hasDeviceHours checks that berth who tells them.
func (w *idleWorld) hasDeviceHours(creator string) {
	w.Helper()
	var answer struct {
		Holders []struct {
			Creators    []string
			Devices     int
			DeviceHours struct{ Day, Week, Month float64 }
		}
	}
	w.Await("device-hours of "+creator, func() bool {
		w.Check("read what berth who says",
			json.Unmarshal([]byte(w.berth("who", "-o", "json")), &answer))
		for _, holder := range answer.Holders {
			if slices.Equal(holder.Creators, []string{creator}) {
				// Two devices for a minute or more.
				return holder.Devices == 2 && holder.DeviceHours.Day > 0.01 && holder.DeviceHours.Day < 1
			}
		}
		return false
	})
}
