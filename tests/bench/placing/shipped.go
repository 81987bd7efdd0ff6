package placing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

// ConfigMaps of the chart, released as "berth", and their key.
const (
	berthConfigMap     = "berth"
	schedulerConfigMap = "berth-scheduler"
	configKey          = "config.yaml"
)

// Shipped is how the chart configures Berth and its kube-scheduler by default, as Helm renders it.
type Shipped struct {
	scheduler, berth string // YAML
}

// Ship renders the chart.
func Ship(ctx context.Context) (Shipped, error) {
	rendered, err := box.RenderChart(ctx, "--namespace", metav1.NamespaceDefault)
	if err != nil {
		return Shipped{}, err
	}
	files, err := configFiles(rendered)
	if err != nil {
		return Shipped{}, err
	}
	s := Shipped{scheduler: files[schedulerConfigMap], berth: files[berthConfigMap]}
	if config, err := s.Scheduler(); err != nil || len(config.Extenders) != 1 ||
		len(config.Profiles) != 1 {
		return Shipped{}, fmt.Errorf("ConfigMap %s is to have one extender and one profile: %+v (%w)",
			schedulerConfigMap, config, err)
	}
	_, err = s.Berth()
	return s, err
}

// configFiles are the contents of the key of all ConfigMaps, by their names.
func configFiles(rendered []byte) (map[string]string, error) {
	files := map[string]string{}
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(rendered), len(rendered))
	for {
		var object corev1.ConfigMap // of other kinds only what has the same names is read
		if err := documents.Decode(&object); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the chart's objects: %w", err)
		}
		if object.Kind == "ConfigMap" {
			files[object.Name] = object.Data[configKey]
		}
	}
}

// Scheduler is kube-scheduler's configuration.
func (s Shipped) Scheduler() (schedulerconfig.KubeSchedulerConfiguration, error) {
	var config schedulerconfig.KubeSchedulerConfiguration
	err := yaml.UnmarshalStrict([]byte(s.scheduler), &config)
	return config, err
}

// Berth is Berth's configuration without what depends on the cluster: addresses, certificates, the
// release's own objects.
func (s Shipped) Berth() (map[string]any, error) {
	var config map[string]any
	if err := yaml.Unmarshal([]byte(s.berth), &config); err != nil || len(config) == 0 {
		return nil, fmt.Errorf("ConfigMap %s has no configuration of Berth: %q (%w)", berthConfigMap,
			s.berth, err)
	}
	for _, path := range [][]string{{"admission"}, {"grpc"}, {"kubernetes"}, {"metrics"}, {"probes"},
		{"extender", "listen"}, {"extender", "tls"}, {"controller", "certificates"},
		{"controller", "owner"}, {"controller", "ownedLeases"}} {
		remove(config, path)
	}
	if _, says := config["log"]; !says {
		config["log"] = map[string]any{"level": "info"} // which is Berth's default, but not the box's
	}
	set(config, "controller.lease.namespace", metav1.NamespaceDefault) // else that of a pod
	return config, nil
}

// remove takes the key at the path out, if it is there.
func remove(config map[string]any, path []string) {
	if inner, isMap := config[path[0]].(map[string]any); isMap && len(path) > 1 {
		remove(inner, path[1:])
		return
	}
	if len(path) == 1 {
		delete(config, path[0])
	}
}
