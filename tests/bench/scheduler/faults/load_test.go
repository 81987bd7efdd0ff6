package faults

import (
	"testing"

	"berth.dev/berth/tests/e2e/fleet"
)

// A pod that has no node must not be one that nothing fits.
func TestEveryModelHasRoomForItsPods(t *testing.T) {
	pools := fleet.Scaled(280)
	pods := load(pools, 1, 900)
	wants := map[string]int{}
	names := map[string]bool{}
	for _, pod := range pods {
		wants[pod.Annotations[fleet.AnnotationAccelerators]]++
		names[pod.Name] = true
	}
	if len(pods) != 900 || len(names) != 900 {
		t.Errorf("%d pods, %d names", len(pods), len(names))
	}
	for _, pool := range pools {
		devices := pool.Nodes * int(pool.Devices)
		if wanted := wants[pool.Accelerator]; devices > 0 && (wanted == 0 || 10*wanted > 7*devices) {
			t.Errorf("%d pods for %d %s", wanted, devices, pool.Accelerator)
		}
	}
	if pods[0].Name == load(pools, 2, 900)[0].Name && pods[1].Name == load(pools, 2, 900)[1].Name {
		t.Error("every seed has the same order")
	}
}
