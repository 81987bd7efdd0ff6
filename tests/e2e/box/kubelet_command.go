package box

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commandLine is what the program is started with: arguments, and variables of the environment.
func (c *container) commandLine() (words, environment []string) {
	words = slices.Clone(c.spec.Args)
	if len(c.spec.Command) > 0 {
		words = append(slices.Clone(c.spec.Command[1:]), words...)
	}
	environment = c.environment()
	expand := expander(environment)
	for i, word := range words {
		words[i] = c.pod.translation.argument(expand.Replace(word))
	}
	if filepath.Base(c.path) == "kube-scheduler" {
		words = append(words, c.schedulerFlags()...)
	}
	return words, environment
}

// environment is that of the container, and the way to the API server and to Services.
func (c *container) environment() []string {
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOSTNAME=" + c.pod.name}
	if proxy := c.pod.kubelet.box.Services; proxy != nil {
		environment = append(environment, "HTTPS_PROXY="+proxy.URL)
	}
	if config := c.pod.volumes.kubeconfig; config != "" {
		environment = append(environment, "KUBECONFIG="+config)
	}
	for _, variable := range c.spec.Env {
		value := variable.Value
		if variable.ValueFrom != nil {
			value = fieldOf(c.pod.object, variable.ValueFrom.FieldRef.FieldPath)
		}
		environment = append(environment, variable.Name+"="+c.pod.translation.text(value))
	}
	return environment
}

// schedulerFlags stand for the credentials that kube-scheduler finds in its pod, and keep it off
// other addresses.
func (c *container) schedulerFlags() []string {
	config := c.pod.volumes.kubeconfig
	return []string{"--bind-address=127.0.0.1",
		"--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config}
}

// expander replaces $(NAME) in arguments.
func expander(environment []string) *strings.Replacer {
	var pairs []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		pairs = append(pairs, "$("+name+")", value)
	}
	return strings.NewReplacer(pairs...)
}

// byLength orders the longest first.
func byLength(a, b string) int { return cmp.Compare(len(b), len(a)) }
