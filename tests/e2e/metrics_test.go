package e2e

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
)

// metric sums the samples of a metric that have all of the labels (`name="value"`). A scrape that
// fails gives -1: Berth may be on its way up.
func (w *world) metric(name string, labels ...string) float64 {
	w.Helper()
	response, err := http.Get(w.box.Berth.MetricsURL + "/metrics")
	if err != nil {
		return -1
	}
	defer response.Body.Close()
	sum := 0.0
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if value, found := sample(lines.Text(), name, labels); found {
			sum += value
		}
	}
	if lines.Err() != nil {
		return -1
	}
	return sum
}

// sample reads a line of the text format: name{label="value",...} 12.5
func sample(line, name string, labels []string) (float64, bool) {
	rest, found := strings.CutPrefix(line, name)
	if !found || rest == "" || (rest[0] != '{' && rest[0] != ' ') {
		return 0, false
	}
	for _, label := range labels {
		if !strings.Contains(rest, label) {
			return 0, false
		}
	}
	value, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
	return value, err == nil
}
