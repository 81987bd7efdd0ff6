// Over how many racks the pods of gangs are spread: where the planner places gangs whole, and where
// each pod gets the best of all nodes by itself, as packing scores them. Both place the same stream
// of gangs and single pods, which come and go, on nodes of eight devices in racks of 32; a gang
// that does not fit at once is left out. Prints a table in Markdown. The argument is the seed, 1 by
// default. Takes some seconds, and does not measure time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/candidates.h"
#include "planner/gang_placer.h"
#include "planner/planned_view.h"
#include "planner/topology.h"
#include "policies/fit/fit.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::planner {
namespace {

using model::NodeIndex;
using policies::scheduling::kGpu;
using policies::scheduling::kNow;
using policies::scheduling::SchedulingEngine;
using Nodes = std::vector<NodeIndex>;

constexpr std::size_t kRacks = 32;
constexpr std::size_t kRackNodes = 32;
constexpr std::int64_t kDevices = 8;  // of a node
constexpr double kLoad = 0.8;         // share of the devices that is in use in the mean
constexpr std::size_t kArrivals = 4000;
constexpr char kRackLabel[] = "topology.kubernetes.io/rack";

// A gang; a single pod is one of one.
struct Gang {
  std::size_t pods;
  std::int64_t devices;  // of each pod
  std::size_t ends = 0;  // with which arrival
};

const SchedulingEngine& Engine() {
  static const SchedulingEngine engine(policies::scheduling::Catalog(), "berth.dev", {});
  return engine;
}

model::Pod PodOf(const Gang& gang) {
  return policies::scheduling::PodAskingFor(kGpu, gang.devices);
}

// Racks of equal nodes, and what runs there.
class Cluster final : public model::ClusterView {
 public:
  Cluster() : pools_(MakeNodes()), nodes_(MakeNodes()) {}

  NodeIndex EndIndex() const override { return static_cast<NodeIndex>(nodes_.size()); }
  const model::NodeState* At(NodeIndex index) const override { return &nodes_[index]; }
  std::optional<NodeIndex> Find(std::string_view name) const override { return pools_.Find(name); }
  const model::PoolStats& Pools() const override { return pools_; }
  std::optional<model::PlanningPlace> LastKept(const model::PlanningPlace& place) const override {
    return pools_.LastKept(place);
  }
  std::uint64_t Generation() const override { return generation_; }

  void Start(const Gang& gang, const Nodes& places) {
    for (const NodeIndex node : places) {
      policies::fit::Book(PodOf(gang), nodes_[node]);
      nodes_[node].version = ++generation_;
    }
  }
  void End(const Gang& gang, const Nodes& places) {
    for (const NodeIndex node : places) {
      nodes_[node].used.Add(kGpu, -gang.devices);
      --nodes_[node].pods;
      nodes_[node].version = ++generation_;
    }
  }

 private:
  static std::vector<model::NodeState> MakeNodes() {
    std::vector<model::NodeState> nodes;
    for (std::size_t i = 0; i < kRacks * kRackNodes; ++i) {
      nodes.push_back(policies::scheduling::NodeWith(
          "node-" + std::to_string(i), kGpu, kDevices,
          {{"nvidia.com/gpu.product", "Tesla-V100-SXM2-32GB"},
           {kRackLabel, "rack-" + std::to_string(100 + i / kRackNodes)}}));
      nodes.back().node.allocatable.Set("pods", 110);
    }
    return nodes;
  }

  const policies::scheduling::FixedView pools_;  // whose nodes have no pods
  std::vector<model::NodeState> nodes_;
  std::uint64_t generation_ = 1;
};

// Nodes for all pods, or none.
using Way = Nodes (*)(const Cluster& cluster, const Topology& topology, const Gang& gang);

Nodes PlaceEachPod(const Cluster& cluster, const Topology&, const Gang& gang) {
  const model::Pod pod = PodOf(gang);
  PlannedView ledger(cluster);
  Candidates candidates(Engine(), pod, ledger, kNow);
  Nodes places;
  for (std::size_t i = 0; i < gang.pods; ++i) {
    const auto best = candidates.Best();
    if (!best) return {};
    ledger.Book(pod, *best);
    places.push_back(*best);
  }
  return places;
}

Nodes PlaceWhole(const Cluster& cluster, const Topology& topology, const Gang& gang) {
  if (gang.pods == 1) return PlaceEachPod(cluster, topology, gang);
  const model::Pod pod = PodOf(gang);
  const PlannedView ledger(cluster);
  Candidates candidates(Engine(), pod, ledger, kNow);
  GangPlacer placer(topology, ledger,
                    {{.pod = &pod, .candidates = &candidates, .count = gang.pods}});
  const auto places = placer.Place({});
  return places ? places->front() : Nodes{};
}

// How many racks each gang got, by its number of pods, and how many gangs did not fit.
struct Spans {
  std::map<std::size_t, std::vector<std::size_t>> racks;
  std::size_t left_out = 0;
};

Spans Run(const std::vector<Gang>& stream, Way place) {
  Cluster cluster;
  const Topology topology(cluster, {kRackLabel});
  std::multimap<std::size_t, std::pair<Gang, Nodes>> running;  // by when it ends
  Spans spans;
  for (std::size_t now = 0; now < stream.size(); ++now) {
    for (; !running.empty() && running.begin()->first <= now; running.erase(running.begin())) {
      cluster.End(running.begin()->second.first, running.begin()->second.second);
    }
    const Gang& gang = stream[now];
    Nodes places = place(cluster, topology, gang);
    if (places.empty()) {
      spans.left_out += gang.pods > 1 ? 1 : 0;
      continue;
    }
    cluster.Start(gang, places);
    if (gang.pods > 1) {
      std::set<std::size_t> racks;
      for (const NodeIndex node : places) racks.insert(node / kRackNodes);
      spans.racks[gang.pods].push_back(racks.size());
    }
    running.emplace(gang.ends, std::pair(gang, std::move(places)));
  }
  return spans;
}

// Half are single pods, and small gangs are as many as large ones.
std::vector<Gang> MakeStream(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Gang> stream;
  std::int64_t devices = 0;
  while (stream.size() < kArrivals) {
    const std::size_t pods = random() % 2 == 0 ? 1 : std::size_t{2} << (random() % 6);
    // Large ones take whole nodes, as training runs do.
    const std::int64_t each = pods > 8 ? kDevices : std::int64_t{1} << (random() % 4);
    stream.push_back({pods, each});
    devices += static_cast<std::int64_t>(pods) * each;
  }
  const double all = kLoad * kRacks * kRackNodes * kDevices;
  const auto mean = static_cast<std::size_t>(all * kArrivals / static_cast<double>(devices));
  for (std::size_t i = 0; i < stream.size(); ++i) {
    stream[i].ends = i + 1 + mean / 2 + random() % mean;
  }
  return stream;
}

std::vector<std::size_t> AllOf(const Spans& spans) {
  std::vector<std::size_t> all;
  for (const auto& [pods, racks] : spans.racks) all.insert(all.end(), racks.begin(), racks.end());
  return all;
}

double MeanOf(const std::vector<std::size_t>& racks) {
  return static_cast<double>(std::accumulate(racks.begin(), racks.end(), std::size_t{0})) /
         static_cast<double>(racks.size());
}

void PrintRow(const std::string& pods, const char* way, std::vector<std::size_t> racks) {
  if (racks.empty()) return;
  std::ranges::sort(racks);
  std::printf("| %s | %s | %zu | %zu | %.2f | %zu | %.0f %% |\n", pods.c_str(), way, racks.size(),
              racks[racks.size() / 2], MeanOf(racks), racks.back(),
              100.0 * static_cast<double>(std::ranges::count(racks, 1)) /
                  static_cast<double>(racks.size()));
}

int Main(std::uint64_t seed) {
  const std::vector<Gang> stream = MakeStream(seed);
  const Spans alone = Run(stream, PlaceEachPod);
  const Spans planned = Run(stream, PlaceWhole);
  std::printf(
      "%zu racks of %zu nodes, seed %llu; gangs that did not fit: packing alone %zu, planner "
      "%zu\n\n",
      kRacks, kRackNodes, static_cast<unsigned long long>(seed), alone.left_out, planned.left_out);
  std::printf(
      "| pods | placed by | gangs | racks, median | mean | worst | in one rack |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const auto& [pods, racks] : alone.racks) {
    PrintRow(std::to_string(pods), "packing alone", racks);
    const auto found = planned.racks.find(pods);
    if (found != planned.racks.end()) PrintRow("", "planner", found->second);
  }
  PrintRow("all", "packing alone", AllOf(alone));
  PrintRow("", "planner", AllOf(planned));
  return 0;
}

}  // namespace
}  // namespace berth::planner

int main(int argc, char** argv) {
  return berth::planner::Main(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
}
