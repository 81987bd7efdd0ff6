//go:build cluster

package node

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// peer is a second node on this machine, of the model that a test gives the first one. No pod goes
// there that asks for that one, as Berth's own do. Its cgroups are beside those of the first one's
// pods, where that kubelet looks for none of its own, and whoever removes those removes these.
var peer = place{name: "peer", address: "10.77.0.2", pods: "10.244.1.0/24", bridge: "pods1",
	cgroups: "/kubepods/peer", logs: "-peer",
	labels: box.LabelRealNode + "=peer," + fleet.LabelProduct + "=" + model}

// startPeer starts it until the test ends: its kubelet and its containerd, which knows the image of
// trainers. Both nodes are in one network, whose kernel routes from one's pods to the other's as two
// machines would that have routes to each other's pods. Nobody here uses plugins for devices, whose
// folder both kubelets share.
func (w *world) startPeer() {
	w.Helper()
	for _, root := range podCgroups() {
		err := os.Mkdir(filepath.Join(root, filepath.Base(peer.cgroups)), 0o755)
		if !errors.Is(err, fs.ErrExist) { // an earlier test's
			w.Check("make a cgroup", err)
		}
	}
	said, err := exec.Command("ip", "address", "replace", peer.address+"/24", "dev", "node").
		CombinedOutput()
	w.Check("give the peer its address: "+string(said), err)
	n, err := newNode(shared, "peer", peer)
	w.Check("make the peer", err)
	w.Cleanup(func() { w.endPeer(n) })
	w.Check("start its containerd", n.startContainerd(w.Context()))
	for reference, name := range map[string]string{pauseImage: "pause", trainerImage: "trainer"} {
		w.Check("import "+name, n.importFile(w.Context(), reference,
			filepath.Join(realNode.folder, name)))
	}
	w.Check("start its kubelet", n.startKubelet(w.Context()))
	w.Check("give it devices", fleet.SetDevices(w.Context(), shared.Client, peer.name,
		fleet.ResourceGPU, devices))
}

// endPeer takes the node away once it is empty: its pods would wait for its kubelet to end.
func (w *world) endPeer(n *Node) {
	w.Helper()
	ctx := context.Background() // the test's is over
	isEmpty := func() bool {
		pods, err := shared.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx,
			metav1.ListOptions{FieldSelector: "spec.nodeName=" + peer.name})
		return err == nil && len(pods.Items) == 0
	}
	if !box.HoldsWithin(w.Timeout, isEmpty) {
		w.Error("the pods on the peer do not end")
	}
	for _, process := range []*box.Process{n.kubelet, n.containerd} {
		if process != nil {
			process.Stop()
		}
	}
	err := shared.Client.CoreV1().Nodes().Delete(ctx, peer.name, metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) { // it has not come so far
		w.Check("delete the peer", err)
	}
	unmountBelow(n.folder)
	w.Check("remove its files", os.RemoveAll(n.folder))
}
