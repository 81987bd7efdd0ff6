package box

import (
	"reflect"
	"strings"
	"testing"
)

const scrape = `# HELP berth_nodes Nodes
# TYPE berth_nodes gauge
berth_nodes{accelerator="A100"} 42
berth_nodes{accelerator="V100"} 128
berth_rejections_total{policy="health",reason="node(s) had condition GPUIsLost"} 1.5e3
berth_snapshot_synced 1
`

func TestScrapeIsRead(t *testing.T) {
	samples, err := readSamples(strings.NewReader(scrape))
	if err != nil {
		t.Fatal(err)
	}
	want := Samples{
		{"berth_nodes", `accelerator="A100"`, 42},
		{"berth_nodes", `accelerator="V100"`, 128},
		{"berth_rejections_total", `policy="health",reason="node(s) had condition GPUIsLost"`, 1500},
		{"berth_snapshot_synced", "", 1},
	}
	if !reflect.DeepEqual(samples, want) {
		t.Errorf("read %+v, want %+v", samples, want)
	}
}

func TestSamplesAreSelectedByLabel(t *testing.T) {
	samples, err := readSamples(strings.NewReader(scrape))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		labels []string
		want   float64
	}{
		{"berth_nodes", nil, 170},
		{"berth_nodes", []string{`accelerator="V100"`}, 128},
		{"berth_nodes", []string{`accelerator="A30"`}, 0},
		{"berth_node", nil, 0},
		{"berth_snapshot_synced", nil, 1},
	}
	for _, c := range cases {
		if got := samples.Sum(c.name, c.labels...); got != c.want {
			t.Errorf("%s%v: %v, want %v", c.name, c.labels, got, c.want)
		}
	}
}

func TestLabelOfASample(t *testing.T) {
	sample := Sample{Labels: `resources="rdma/*",effect="Exclude",type="x"`}
	for name, want := range map[string]string{
		"resources": "rdma/*", "effect": "Exclude", "type": "x", "ffect": "", "none": "",
	} {
		if got := sample.Label(name); got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}
