package box

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Prometheus is a real one that scrapes servers of a box every second.
type Prometheus struct {
	*Process
	URL string
}

// NewPrometheus makes a Prometheus that Start starts; the box stops it at the latest. targets are
// MetricsURLs by the name of the pod that their series are to have; the namespace is berth-system.
func (b *Box) NewPrometheus(targets map[string]string) (*Prometheus, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	file, err := b.writePrometheusConfig(targets)
	if err != nil {
		return nil, err
	}
	p := &Prometheus{URL: "http://" + address(port)}
	p.Process, err = b.newProcess("prometheus", b.httpReady(p.URL+"/-/ready"),
		"--config.file", file, "--storage.tsdb.path", filepath.Join(b.Dir, "prometheus"),
		"--web.listen-address", address(port), "--log.level", "warn")
	if err != nil {
		return nil, err
	}
	b.add(p.Process)
	return p, nil
}

func (b *Box) writePrometheusConfig(targets map[string]string) (string, error) {
	var static []any
	for pod, target := range targets {
		static = append(static, map[string]any{
			"targets": []string{strings.TrimPrefix(target, "http://")},
			"labels":  map[string]string{"namespace": "berth-system", "pod": pod},
		})
	}
	content, err := yaml.Marshal(map[string]any{
		"global":         map[string]any{"scrape_interval": "1s"},
		"scrape_configs": []any{map[string]any{"job_name": "berth", "static_configs": static}},
	})
	if err != nil {
		return "", fmt.Errorf("configuration of prometheus: %w", err)
	}
	file := filepath.Join(b.Dir, "prometheus.yaml")
	return file, os.WriteFile(file, content, 0o600)
}

// Query evaluates an expression now and returns its samples that are numbers: a quotient of nothing
// by nothing is none.
func (p *Prometheus) Query(ctx context.Context, expression string) ([]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		p.URL+"/api/v1/query?"+url.Values{"query": {expression}}.Encode(), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Error string
		Data  struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("prometheus answers %s: %w", response.Status, err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("%s: %s", expression, answer.Error)
	}
	var numbers []float64
	for _, sample := range answer.Data.Result {
		number, err := strconv.ParseFloat(fmt.Sprint(sample.Value[1]), 64)
		if err == nil && !math.IsNaN(number) {
			numbers = append(numbers, number)
		}
	}
	return numbers, nil
}
