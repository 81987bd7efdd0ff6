// Package fleet makes the reference cluster as API objects: nodes with the labels, resources and
// conditions that operators see, and machine-learning pods for them.
package fleet

import "fmt"

const (
	ResourceGPU    = "nvidia.com/gpu"
	ResourceMNCore = "preferred.jp/mncore"

	LabelProduct = "nvidia.com/gpu.product"
	LabelPool    = "e2e.berth.dev/pool"
	LabelRack    = "topology.kubernetes.io/rack"
)

// Pool is a number of equal machines.
type Pool struct {
	Name        string
	Nodes       int
	Cores       int64
	MemoryGiB   int64
	Accelerator string // name in Berth's catalogue; empty for CPU nodes
	Resource    string // empty for CPU nodes
	Devices     int64  // per node
	GPUs        []GPU  // models, dealt to the pool's nodes in turn; empty for what is not NVIDIA's
	Labelled    bool   // as `berth controller` labels nodes. Default: without its labels
	RackNodes   int    // side by side in each rack, which LabelRack names. Default: without racks
}

// GPU is a model as GPU feature discovery labels it.
type GPU struct {
	Product   string // nvidia.com/gpu.product
	MemoryMiB int    // nvidia.com/gpu.memory: below the nominal size, as drivers report it
	Family    string
	Major     int // compute capability
	Minor     int
}

var (
	v100x16 = GPU{"Tesla-V100-SXM2-16GB", 16384, "volta", 7, 0}
	v100x32 = GPU{"Tesla-V100-SXM2-32GB", 32510, "volta", 7, 0}
	a100x40 = GPU{"NVIDIA-A100-SXM4-40GB", 39538, "ampere", 8, 0}
	a100x80 = GPU{"NVIDIA-A100-SXM4-80GB", 81920, "ampere", 8, 0}
	a30     = GPU{"NVIDIA-A30", 24258, "ampere", 8, 0}
)

// Reference is the cluster of demo, tests and benchmarks: 280 nodes, 1,444 GPUs, 192 MN-Core.
func Reference() []Pool {
	return []Pool{
		{Name: "mn2a", Nodes: 128, Cores: 36, MemoryGiB: 384, Accelerator: "V100",
			Resource: ResourceGPU, Devices: 8, GPUs: []GPU{v100x16, v100x32}},
		{Name: "mn3", Nodes: 48, Cores: 48, MemoryGiB: 384, Accelerator: "MN-Core",
			Resource: ResourceMNCore, Devices: 4},
		{Name: "mn2b-a100", Nodes: 42, Cores: 128, MemoryGiB: 1024, Accelerator: "A100",
			Resource: ResourceGPU, Devices: 4, GPUs: []GPU{a100x40, a100x40, a100x80}},
		{Name: "mn2b-a30", Nodes: 42, Cores: 80, MemoryGiB: 512, Accelerator: "A30",
			Resource: ResourceGPU, Devices: 6, GPUs: []GPU{a30}},
		{Name: "cpu", Nodes: 20, Cores: 64, MemoryGiB: 256},
	}
}

// Small is the reference cluster with so many nodes of each pool.
func Small(nodesPerPool int) []Pool {
	pools := Reference()
	for i := range pools {
		pools[i].Nodes = nodesPerPool
	}
	return pools
}

// Scaled is the reference cluster with so many nodes in all, its pools in proportion; what
// rounding leaves over is added to the first.
func Scaled(nodes int) []Pool {
	pools := Reference()
	all, left := 0, nodes
	for _, pool := range pools {
		all += pool.Nodes
	}
	for i := range pools {
		pools[i].Nodes = pools[i].Nodes * nodes / all
		left -= pools[i].Nodes
	}
	pools[0].Nodes += left
	return pools
}

// NodeName is the name of the pool's node at index, from 0.
func (p Pool) NodeName(index int) string { return fmt.Sprintf("%s-%03d", p.Name, index+1) }

// gpu is the model of the node at index, nil where the pool has none of NVIDIA's.
func (p Pool) gpu(index int) *GPU {
	if len(p.GPUs) == 0 {
		return nil
	}
	return &p.GPUs[index%len(p.GPUs)]
}
