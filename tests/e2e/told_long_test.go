//go:build long

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// The node, and who runs there, are told by Events, once, with the rights that the controller prints.
func TestEventsTellOfBrokenNodes(t *testing.T) {
	w := fresh(t)
	pod := gpus(1, "V100")
	node := w.place(pod)
	both := w.controllers(2, nil)
	w.Await("a controller to lead", func() bool { return w.leads(both[0]) || w.leads(both[1]) })
	w.breaks("GPUIsLost", "Exclude", node)
	w.tells(node, "Excluded", "which has had GPUIsLost since ")
	w.tells(pod.Name, "NodeExcluded", "Node "+node+" has had GPUIsLost since ")
	w.repairs("GPUIsLost", node)
	w.tells(node, "Returned", "GPUIsLost is over, after ")

	for about, want := range map[string][]string{
		node: {"Excluded", "Returned"}, pod.Name: {"NodeExcluded"},
	} {
		if got := w.told(about); !slices.Equal(got, want) {
			t.Errorf("%s is told %v, want %v, each once", about, got, want)
		}
	}
}

// tells awaits Berth's Event of that reason about an object, and compares a part of its message.
func (w *world) tells(about, reason, part string) {
	w.Helper()
	w.Await(fmt.Sprintf("an Event %s of %s", reason, about), func() bool {
		return slices.Contains(w.told(about), reason)
	})
	for _, event := range w.eventsOf(about) {
		if event[0] == reason && !strings.Contains(event[1], part) {
			w.Errorf("%s of %s says %q, without %q", reason, about, event[1], part)
		}
	}
}

// told are the reasons of Berth's Events about an object, in order.
func (w *world) told(about string) []string {
	w.Helper()
	var reasons []string
	for _, event := range w.eventsOf(about) {
		reasons = append(reasons, event[0])
	}
	slices.Sort(reasons)
	return reasons
}

// eventsOf are reason and message of Berth's Events about an object.
func (w *world) eventsOf(about string) [][2]string {
	w.Helper()
	list, err := w.box.Client.CoreV1().Events(metav1.NamespaceDefault).List(w.Context(),
		metav1.ListOptions{FieldSelector: fields.Set{"involvedObject.name": about,
			"source": "berth"}.String()})
	w.Check("list events", err)
	var events [][2]string
	for _, event := range list.Items {
		events = append(events, [2]string{event.Reason, event.Message})
	}
	return events
}
