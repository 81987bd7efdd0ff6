package box

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Sample is a line of Prometheus' text format.
type Sample struct {
	Name   string
	Labels string // as they stand between the braces
	Value  float64
}

// Samples are what one scrape says.
type Samples []Sample

// Metrics scrapes Berth.
func (berth *Berth) Metrics(ctx context.Context) (Samples, error) {
	return readMetrics(ctx, berth.MetricsURL)
}

// APIMetrics scrapes kube-apiserver.
func (b *Box) APIMetrics(ctx context.Context) (Samples, error) {
	text, err := b.Client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	return readSamples(bytes.NewReader(text))
}

func readMetrics(ctx context.Context, url string) (Samples, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	return readSamples(response.Body)
}

// Sum adds up the samples of a metric that have all of the labels (`name="value"`).
func (s Samples) Sum(name string, labels ...string) float64 {
	sum := 0.0
	for _, sample := range s.With(name, labels...) {
		sum += sample.Value
	}
	return sum
}

// With selects the samples of a metric that have all of the labels (`name="value"`).
func (s Samples) With(name string, labels ...string) Samples {
	var found Samples
	for _, sample := range s {
		if sample.Name == name && sample.has(labels) {
			found = append(found, sample)
		}
	}
	return found
}

// Label is the value of a label, empty if the sample has no such label.
func (s Sample) Label(name string) string {
	_, rest, found := strings.Cut(","+s.Labels, ","+name+`="`)
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func (s Sample) has(labels []string) bool {
	for _, label := range labels {
		if !strings.Contains(s.Labels, label) {
			return false
		}
	}
	return true
}

func readSamples(text io.Reader) (Samples, error) {
	var samples Samples
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		if sample, ok := readSample(lines.Text()); ok {
			samples = append(samples, sample)
		}
	}
	return samples, lines.Err()
}

// readSample reads a line like name{label="value",...} 12.5; comments are no samples.
func readSample(line string) (Sample, bool) {
	space := strings.LastIndexByte(line, ' ')
	if space < 0 || strings.HasPrefix(line, "#") {
		return Sample{}, false
	}
	value, err := strconv.ParseFloat(line[space+1:], 64)
	name, labels, _ := strings.Cut(line[:space], "{")
	return Sample{name, strings.TrimSuffix(labels, "}"), value}, err == nil
}
