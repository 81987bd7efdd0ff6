package rivals

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

// contender is a way to have gangs start.
type contender struct {
	name, title string
	way         placing.Way
	join        func(pod *corev1.Pod, g gang) // makes a pod a member. Nil: it is a single pod
	helper      string                        // name of what else is needed. Empty: nothing
}

// helper is what ways need beside kube-scheduler and Berth.
type helper interface {
	// install is called once, when nothing runs yet. The gangs may use so many devices.
	install(ctx context.Context, devices int64) error
	// start runs programs.
	start(ctx context.Context) error
	// announce creates what has to be there before the pods of gangs are.
	announce(ctx context.Context, gangs []gang) error
	// stop ends the programs.
	stop()
	// forget removes what is left of the gangs when their pods are gone.
	forget(ctx context.Context) error
}

var helpers = map[string]func(*placing.Cluster) helper{
	schedulerPlugins: newCoscheduling, kueueProgram: newKueue}

// gang are pods that start together.
type gang struct {
	name string
	pods []*corev1.Pod
}

var contenders = []contender{
	{name: "alone", title: "kube-scheduler alone, single pods", way: way("alone")},
	{name: "berth", title: "Berth", join: joinBerth,
		way: way("berth+planner.gangs.enabled=true+planner.topology=" +
			`[{"label":"` + fleet.LabelRack + `"}]`)},
	{name: "coscheduling", title: "scheduler-plugins' coscheduling", join: joinPodGroup,
		way: way("alone").With(schedulerPlugins, configureCoscheduling), helper: schedulerPlugins},
	{name: "kueue", title: "Kueue, all-or-nothing", join: joinKueue, way: way("alone"),
		helper: kueueProgram},
	{name: "kueue-topology", title: "Kueue, the same and by topology", join: joinKueueTopology,
		way: way("alone"), helper: kueueProgram},
}

func wayNames() string {
	var names []string
	for _, c := range contenders {
		names = append(names, c.name)
	}
	return strings.Join(names, ",")
}

// way is one of placing's.
func way(text string) placing.Way {
	ways, err := placing.ParseWays(text)
	if err != nil {
		panic(err)
	}
	return ways[0]
}

// joinBerth makes a pod what Berth's webhook makes it.
func joinBerth(pod *corev1.Pod, g gang) {
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "berth.dev/gang"}}
	pod.Annotations["berth.dev/gang-name"] = g.name
	pod.Annotations["berth.dev/gang-size"] = fmt.Sprint(len(g.pods))
}
