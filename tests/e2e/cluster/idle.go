package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	idleWindow     = time.Minute // the shortest that `berth idle` takes
	scrapeInterval = 2 * time.Second
	utilization    = "DCGM_FI_DEV_GPU_UTIL"
)

// exporter serves the utilisation of devices with the pods that hold them, as DCGM exporter does.
// KWOK's pods run no program, so it is 0.
type exporter struct {
	address string // host:port
	server  *http.Server
}

// startExporter asks for the pods whenever it is scraped.
func startExporter(pods func(context.Context) ([]corev1.Pod, error)) (*exporter, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	serve := func(writer http.ResponseWriter, request *http.Request) {
		all, err := pods(request.Context())
		if err != nil {
			http.Error(writer, err.Error(), http.StatusServiceUnavailable)
			return
		}
		writer.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		writeUtilization(writer, all)
	}
	e := &exporter{address: listener.Addr().String(),
		server: &http.Server{Handler: http.HandlerFunc(serve)}}
	go func() { _ = e.server.Serve(listener) }() // until stop
	return e, nil
}

func (e *exporter) stop() { _ = e.server.Close() }

// writeUtilization writes a series for each device that a running pod holds.
func writeUtilization(out io.Writer, pods []corev1.Pod) {
	fmt.Fprintf(out, "# HELP %[1]s GPU utilization (in %%).\n# TYPE %[1]s gauge\n", utilization)
	for i := range pods {
		pod := &pods[i]
		if pod.Status.Phase != corev1.PodRunning {
			continue
		}
		gpu := int64(0)
		for _, container := range pod.Spec.Containers {
			held := container.Resources.Limits[fleet.ResourceGPU]
			for range held.Value() {
				fmt.Fprintf(out, "%s{gpu=\"%d\",UUID=\"GPU-%s-%d\",device=\"nvidia%d\",Hostname=%q,"+
					"container=%q,namespace=%q,pod=%q} 0\n", utilization, gpu, pod.UID, gpu, gpu,
					pod.Spec.NodeName, container.Name, pod.Namespace, pod.Name)
				gpu++
			}
		}
	}
}

// startPrometheus starts one that scrapes an exporter of the show's own: the devices are simulated,
// and nobody else measures them.
func (s *show) startPrometheus(ctx context.Context) error {
	var err error
	s.exporter, err = startExporter(func(ctx context.Context) ([]corev1.Pod, error) {
		return s.pods(ctx, metav1.NamespaceAll)
	})
	if err != nil {
		return err
	}
	s.prometheus, err = s.box.NewConfiguredPrometheus(map[string]any{
		"global": map[string]any{"scrape_interval": scrapeInterval.String()},
		"scrape_configs": []any{map[string]any{"job_name": "dcgm",
			"static_configs": []any{map[string]any{"targets": []string{s.exporter.address}}}}},
	})
	if err != nil {
		return err
	}
	return s.prometheus.Start(ctx)
}

// awaitMeasurement waits until the devices of the Jobs are measured. A window later they are known
// to be idle: `berth idle` judges no pod that is younger, nor one that was measured for less.
func (s *show) awaitMeasurement(ctx context.Context) error {
	err := box.Poll(ctx, runTimeout, "Prometheus to measure devices",
		func(ctx context.Context) (bool, error) {
			samples, err := s.prometheus.Query(ctx, utilization)
			return len(samples) > 0, err
		})
	s.idleFrom = time.Now().Add(idleWindow)
	return err
}
