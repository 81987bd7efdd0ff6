package box

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// translation puts ports, folders and credentials of the host in the place of a pod's own. Immutable.
type translation struct {
	steps      []replacement
	numbers    map[string]string // ports, as arguments of flags name them
	kubeconfig string            // empty: the pod has no credentials
}

type replacement struct {
	pattern *regexp.Regexp
	by      string
}

// newTranslation makes one for the ports of a pod and the folders at its mount paths.
func newTranslation(ports map[int32]int, folders map[string]string, kubeconfig string) translation {
	t := translation{numbers: map[string]string{}, kubeconfig: kubeconfig}
	for _, path := range slices.SortedFunc(maps.Keys(folders), byLength) {
		t.replace(regexp.QuoteMeta(path)+`([/"'\s,]|$)`, folders[path]+"$1")
	}
	for port, host := range ports {
		// Whoever listens on all addresses listens on loopback here.
		t.replace(fmt.Sprintf(`(^|[\s"'=])(?:0\.0\.0\.0|\[::\])?:%d\b`, port), "${1}"+address(host))
		t.replace(fmt.Sprintf(`:%d\b`, port), fmt.Sprintf(":%d", host))
		t.numbers[fmt.Sprint(port)] = fmt.Sprint(host)
	}
	return t
}

func (t *translation) replace(pattern, by string) {
	t.steps = append(t.steps, replacement{regexp.MustCompile("(?m)" + pattern), by})
}

// text translates what names ports as :PORT or HOST:PORT, and mount paths.
func (t translation) text(text string) string {
	for _, step := range t.steps {
		text = step.pattern.ReplaceAllString(text, step.by)
	}
	return text
}

// argument translates an argument, also --flag=PORT.
func (t translation) argument(argument string) string {
	flag, value, found := strings.Cut(argument, "=")
	if number := t.numbers[value]; found && number != "" {
		return flag + "=" + number
	}
	return t.text(argument)
}

// file translates a file of a ConfigMap; one that configures Berth or kube-scheduler says afterwards
// what these would otherwise learn from the credentials of their pod.
func (t translation) file(content string) (string, error) {
	content = t.text(content)
	var config map[string]any
	if t.kubeconfig == "" || yaml.Unmarshal([]byte(content), &config) != nil {
		return content, nil
	}
	switch config["kind"] {
	case "BerthConfiguration":
		set(config, t.kubeconfig, "kubernetes", "kubeconfig")
		set(config, KubeletNamespace, "controller", "lease", "namespace")
	case "KubeSchedulerConfiguration":
		set(config, t.kubeconfig, "clientConnection", "kubeconfig")
	default:
		return content, nil
	}
	changed, err := yaml.Marshal(config)
	return string(changed), err
}

// set sets a field, unless it says something.
func set(fields map[string]any, value string, path ...string) {
	for _, name := range path[:len(path)-1] {
		inner, _ := fields[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			fields[name] = inner
		}
		fields = inner
	}
	if last := path[len(path)-1]; fields[last] == nil || fields[last] == "" {
		fields[last] = value
	}
}

// foldersOf are the folders at the mount paths of a pod's containers.
func foldersOf(object *corev1.Pod, folder func(volume string) string) map[string]string {
	folders := map[string]string{}
	for _, c := range object.Spec.Containers {
		for _, mount := range c.VolumeMounts {
			folders[strings.TrimSuffix(mount.MountPath, "/")] = folder(mount.Name)
		}
	}
	return folders
}
