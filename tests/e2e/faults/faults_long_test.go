//go:build long

package faults

import (
	"context"

	"berth.dev/berth/tests/e2e/detector"
)

// What a fault does to the program that runs on the node.
const (
	fails = "fails" // as soon as it uses the device
	hangs = "hangs" // until the repair
	none  = ""      // it goes on
)

// fault is one that a node has until it is repaired.
type fault struct {
	name      string
	probe     string
	condition string
	effect    string
	// set breaks the node's hardware, or repairs it.
	set func(d *detector.Detector, well bool) error
	// withRDMA: it keeps off only pods that ask for a network adapter.
	withRDMA bool
	// penalised: the node is the last choice, and not refused.
	penalised bool
	// lie: nothing is wrong but the detectors of more than half of a pool.
	lie bool
	// found is called once when the condition is bad, and may take its time. Default: nothing is.
	found func(c *cluster, d *detector.Detector) error
	// byHand: nobody but an administrator takes the condition back.
	byHand bool
}

// faultsOf are those that are injected, each on a node of its own.
func faultsOf() []fault {
	return []fault{
		{name: "a GPU falls off the bus", probe: "gpu-lost", condition: "GPUIsLost", effect: fails,
			set: lostGPU},
		{name: "a row of GPU memory cannot be remapped", probe: "remapped-rows",
			condition: "GPURowRemapFailure", effect: fails,
			set: func(d *detector.Detector, well bool) error { return d.SetMemory("No", yes(!well)) }},
		{name: "pages of GPU memory are pending", probe: "pending-page", condition: "GPUPendingPage",
			effect: none,
			set:    func(d *detector.Detector, well bool) error { return d.SetMemory(yes(!well), "No") }},
		{name: "nvidia-smi hangs", probe: "gpu-lost", condition: "GPUIsLost", effect: hangs,
			set: hangingNvidiaSMI},
		{name: "a process hangs in state D", probe: "d-state", condition: "DStateProcess",
			effect: hangs, set: hangingProcess()},
		{name: "an NFS mount fails", probe: "nfs", condition: "NFSUnresponsive", effect: hangs,
			set: func(d *detector.Detector, well bool) error { return d.SetMount(well) }},
		{name: "the link of a network adapter is down", probe: "nic", condition: "NICLinkDown",
			effect: hangs, withRDMA: true,
			set: func(d *detector.Detector, well bool) error { return d.SetNIC("eth0", well) }},
		{name: "a port of InfiniBand is down", probe: "ib", condition: "IBLinkDown", effect: hangs,
			withRDMA: true,
			set:      func(d *detector.Detector, well bool) error { return d.SetPort("mlx5_0", well) }},
		{name: "a PCIe link has half of its lanes", probe: "pcie-link", condition: "PCIeLinkDegraded",
			effect: none, penalised: true, set: degradedLink},
		{name: "a GPU is lost, the detector is killed and starts again", probe: "gpu-lost",
			condition: "GPUIsLost", effect: hangs, set: lostGPU, found: restart},
		{name: "a GPU is lost, the detector dies for good", probe: "gpu-lost",
			condition: "GPUIsLost", effect: hangs, set: lostGPU, found: die, byHand: true},
		{name: "nothing, but the detectors of 7 of 12 nodes lie", probe: "gpu-lost",
			condition: "GPUIsLost", effect: none, lie: true, set: lie},
	}
}

func yes(is bool) string { return map[bool]string{true: "Yes", false: "No"}[is] }

func lostGPU(d *detector.Detector, well bool) error {
	return d.SetAnswering(detector.SecondGPU, well)
}

func degradedLink(d *detector.Detector, well bool) error {
	return d.SetLanes(detector.SecondGPU, map[bool]int{true: 16, false: 8}[well])
}

func hangingNvidiaSMI(d *detector.Detector, well bool) error {
	if well {
		return d.SetMemory("No", "No")
	}
	return d.SetNvidiaSMI(detector.Hanging)
}

// lie has nvidia-smi say what it says of a GPU that has fallen off the bus, on a node of which all
// GPUs work: a driver's mistake, that comes with an update to many nodes.
func lie(d *detector.Detector, well bool) error {
	if well {
		return d.SetMemory("No", "No")
	}
	return d.SetNvidiaSMI("exit 15")
}

// hangingProcess keeps a process of the node in state D until the repair.
func hangingProcess() func(d *detector.Detector, well bool) error {
	release := func() {}
	return func(d *detector.Detector, well bool) error {
		release()
		if well {
			return nil
		}
		var err error
		release, err = d.Hang()
		return err
	}
}

func restart(c *cluster, d *detector.Detector) error {
	d.Kill()
	return d.Start(context.WithoutCancel(c.Context()))
}

func die(c *cluster, d *detector.Detector) error {
	d.Kill()
	return c.silence(d.Node, "GPUIsLost")
}
