//go:build cluster

package node

import (
	"context"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

var (
	manyNodes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	oneGiB    = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
)

// groupClaim makes a claim that kubelet gives to the pod's fsGroup, and returns its folder.
func (t *team) groupClaim(name string) string {
	t.Helper()
	folder := t.folder(name)
	t.claim(name, corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: folder}})
	return folder
}

// openClaim makes a claim that kubelet leaves as it is, as it does with most that several nodes can
// mount, and into which everybody may write; it returns its folder.
func (t *team) openClaim(name string) string {
	t.Helper()
	folder := t.folder(name)
	t.Check("open "+folder, os.Chmod(folder, 0o777|os.ModeSticky))
	t.claim(name, corev1.PersistentVolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: folder}})
	return folder
}

func (t *team) folder(name string) string {
	t.Helper()
	folder := filepath.Join(shared.Dir, "volumes", t.namespace, name)
	t.Check("make "+folder, os.MkdirAll(folder, 0o755))
	return folder
}

// claim makes a claim with a volume of its own, which is deleted when the test ends.
func (t *team) claim(name string, source corev1.PersistentVolumeSource) {
	t.Helper()
	volumes := shared.Client.CoreV1().PersistentVolumes()
	volume, err := volumes.Create(t.Context(), t.volume(name, source), metav1.CreateOptions{})
	t.Check("create the volume of "+name, err)
	t.Cleanup(func() {
		t.Check("delete "+volume.Name, volumes.Delete(context.Background(), volume.Name,
			metav1.DeleteOptions{}))
	})
	_, err = shared.Client.CoreV1().PersistentVolumeClaims(t.namespace).Create(t.Context(),
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: new(string), AccessModes: manyNodes, VolumeName: volume.Name,
				Resources: corev1.VolumeResourceRequirements{Requests: oneGiB}},
		}, metav1.CreateOptions{})
	t.Check("create claim "+name, err)
}

// volume is for a claim of the team, on the real node alone.
func (t *team) volume(claim string, source corev1.PersistentVolumeSource) *corev1.PersistentVolume {
	onReal := corev1.NodeSelectorRequirement{
		Key: box.LabelRealNode, Operator: corev1.NodeSelectorOpExists}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: t.namespace + "-" + claim},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeSource: source, Capacity: oneGiB, AccessModes: manyNodes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef:                      &corev1.ObjectReference{Namespace: t.namespace, Name: claim},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{onReal}}}}},
		},
	}
}
