package box

import (
	"strings"
	"testing"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"
)

func TestSchedulersAreToldOfNoExtensionPointsThatAreEmpty(t *testing.T) {
	enabled := schedulerconfig.PluginSet{Enabled: []schedulerconfig.Plugin{{Name: "Gangs"}}}
	got, err := schedulerYAML(schedulerconfig.KubeSchedulerConfiguration{
		Profiles: []schedulerconfig.KubeSchedulerProfile{{
			Plugins: &schedulerconfig.Plugins{MultiPoint: enabled}}}})
	text := string(got)
	if err != nil || !strings.Contains(text, "multiPoint") || !strings.Contains(text, "name: Gangs") ||
		strings.Contains(text, "placement") || strings.Contains(text, "{}") {
		t.Errorf("%s (%v)", text, err)
	}
}
