package chart

import (
	"strings"
	"testing"
)

// notes are what helm install says at its end.
func notes(t *testing.T, kubeconfig, values string) string {
	t.Helper()
	text, err := run(t, values, program(t, "helm"), "install", "berth", chartFolder(t),
		"--namespace", "berth-system", "--dry-run=client", "--kubeconfig", kubeconfig, "--values", "-")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = strings.Cut(text, "\nNOTES:\n")
	return text
}

func testNotes(t *testing.T, kubeconfig string) {
	for _, c := range []struct {
		values        string
		want, wantNot []string
	}{
		{"", []string{
			"helm test berth -n berth-system\n", "berth doctor --namespace berth-system\n",
			"--set config.scheduling.policies.health.mode=Observe",
			"without the label berth.dev/admission are in mode warn: nothing in",
			"kubectl label namespace <name> berth.dev/admission=enforce",
			"go to the scheduler berth:", "--set admission.defaultMode=enforce",
		}, []string{"WARNING", "berth stanza", "failurePolicy", "board"}},
		{`board: {enabled: true}`, []string{"kubectl logs -n berth-system deployment/berth-board\n",
			"kubectl port-forward -n berth-system deployment/berth-board 8080\n"}, nil},
		{`scheduler: {enabled: false}`, []string{"berth stanza --namespace berth-system\n",
			"--set 'config.planner.schedulers={default-scheduler}'\n"}, []string{"go to the scheduler"}},
		{`{scheduler: {enabled: false}, config: {planner: {schedulers: [default-scheduler]}}}`,
			[]string{"berth stanza"}, []string{"config.planner.schedulers"}},
		{`scheduler: {image: {tag: v1.37.1}}`, []string{
			"WARNING: kube-scheduler v1.37.1 is newer than this cluster, v1.36.3.",
			"--set scheduler.image.tag=v1.36.3"}, nil},
		{`{config: {admission: {policies: {gangs: {mode: Enforce}}}, planner: {gangs: {enabled: true}}}}`, nil,
			[]string{"WARNING"}},
		{`config: {admission: {policies: {gangs: {mode: Enforce}}}}`, []string{
			"WARNING: the webhook holds the pods of gangs back, and nobody plans gangs",
			"--set config.planner.gangs.enabled=true"}, nil},
		{`config: {planner: {gangs: {enabled: true}}}`, []string{
			"WARNING: the controller plans gangs, and nobody holds their pods back",
			"--set config.admission.policies.gangs.mode=Enforce"}, nil},
		{`admission: {failurePolicy: Fail}`, []string{
			"kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration berth\n"}, nil},
		{`admission: {enabled: false}`, []string{"Pods that ask for accelerators need schedulerName: berth"},
			[]string{"berth.dev/admission"}},
		{`{admission: {defaultMode: off}, config: {prefix: ml.example.com}}`, []string{
			"label ml.example.com/admission are in mode off.", "<name> ml.example.com/admission=enforce"},
			[]string{"berth.dev/"}},
	} {
		said := notes(t, kubeconfig, c.values)
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("%q: %q is missing in\n%s", c.values, want, said)
			}
		}
		for _, not := range c.wantNot {
			if strings.Contains(said, not) {
				t.Errorf("%q: %q is in\n%s", c.values, not, said)
			}
		}
	}
}
