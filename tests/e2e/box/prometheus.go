package box

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Prometheus is a real one.
type Prometheus struct {
	*Process
	URL string
}

// NewPrometheus makes a Prometheus that Start starts; the box stops it at the latest. targets are
// MetricsURLs, scraped every second, by the name of the pod that their series are to have; the
// namespace is berth-system.
func (b *Box) NewPrometheus(targets map[string]string) (*Prometheus, error) {
	var static []any
	for pod, target := range targets {
		static = append(static, map[string]any{
			"targets": []string{strings.TrimPrefix(target, "http://")},
			"labels":  map[string]string{"namespace": "berth-system", "pod": pod},
		})
	}
	return b.newPrometheus("prometheus", map[string]any{
		"global":         map[string]any{"scrape_interval": "1s"},
		"scrape_configs": []any{map[string]any{"job_name": "berth", "static_configs": static}},
	})
}

// NewConfiguredPrometheus is NewPrometheus with a whole configuration.
func (b *Box) NewConfiguredPrometheus(configuration map[string]any) (*Prometheus, error) {
	return b.newPrometheus("prometheus", configuration)
}

// NewDiscoveringPrometheus is NewPrometheus with a whole configuration, which may find targets in
// Kubernetes.
func (b *Box) NewDiscoveringPrometheus(configuration map[string]any) (*Prometheus, error) {
	return b.newPrometheus("prometheus-kubernetes", configuration)
}

func (b *Box) newPrometheus(program string, configuration map[string]any) (*Prometheus, error) {
	process, address, err := b.newMonitor(program, configuration, "--storage.tsdb.path")
	return &Prometheus{Process: process, URL: "http://" + address}, err
}

// newMonitor makes one of Prometheus' programs, and finds it an address. storage is the option that
// names its folder.
func (b *Box) newMonitor(
	name string, configuration map[string]any, storage string, arguments ...string,
) (*Process, string, error) {
	port, portErr := freePort()
	content, err := yaml.Marshal(configuration)
	if err := errors.Join(portErr, err); err != nil {
		return nil, "", fmt.Errorf("configuration of %s: %w", name, err)
	}
	file := filepath.Join(b.Dir, name+".yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return nil, "", err
	}
	process, err := b.newProcess(name, b.httpReady("http://"+address(port)+"/-/ready"),
		slices.Concat([]string{"--config.file", file, storage, filepath.Join(b.Dir, name),
			"--web.listen-address", address(port), "--log.level", "warn"}, arguments)...)
	if err != nil {
		return nil, "", err
	}
	b.add(process)
	return process, address(port), nil
}

// Query evaluates an expression now and returns its samples that are numbers: a quotient of nothing
// by nothing is none.
func (p *Prometheus) Query(ctx context.Context, expression string) ([]float64, error) {
	var data struct{ Result []struct{ Value [2]any } }
	err := p.Get(ctx, "query?"+url.Values{"query": {expression}}.Encode(), &data)
	var numbers []float64
	for _, sample := range data.Result {
		number, err := strconv.ParseFloat(fmt.Sprint(sample.Value[1]), 64)
		if err == nil && !math.IsNaN(number) {
			numbers = append(numbers, number)
		}
	}
	return numbers, err
}

// Get reads the data of what Prometheus' API answers below /api/v1/.
func (p *Prometheus) Get(ctx context.Context, path string, data any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/v1/"+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Error string
		Data  any
	}{Data: data}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("prometheus answers %s: %w", response.Status, err)
	}
	if answer.Error != "" {
		return fmt.Errorf("%s: %s", path, answer.Error)
	}
	return nil
}
