// A stream of changes, however it goes, ends in the snapshot that the final state alone makes.
#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

/// The cluster as the API server has it.
struct Truth {
  /// In quarantine as they were last known, or with nothing but a name.
  std::map<std::string, model::Node> nodes;
  std::set<std::string> quarantined;
  std::map<std::string, model::Pod> pods;
};

class Stream {
 public:
  Stream(unsigned seed, Snapshot* snapshot) : random_(seed), snapshot_(snapshot) {}

  void Step() {
    switch (Below(10)) {
      case 8:
        return QuarantineNode(Name('n'));
      case 9:
        return QuarantinePod();
      case 0:
        return RemoveNode();
      case 1:
        return RemovePod();
      case 2:
        return Relist();
      case 3:
      case 4:
        return ChangeNode();
      default:
        return ChangePod();
    }
  }

  const Truth& truth() const { return truth_; }

 private:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

  int Below(int end) { return std::uniform_int_distribution<>(0, end - 1)(random_); }
  std::string Name(char first) { return first + std::to_string(Below(6)); }

  model::Pod RandomPod() {
    model::Pod pod = MakePod(Name('p'), Below(5) == 0 ? "" : Name('n'), Below(4));
    pod.uid = std::to_string(Below(2));
    pod.terminated = Below(6) == 0;
    pod.priority = Below(3);
    if (Below(3) == 0) pod.requests.Set(kMnCore, Below(3));
    if (Below(2) == 0) pod.requests.Set("cpu", 1000 * Below(3));
    if (Below(3) == 0) pod.requests.Set("memory", Below(2) == 0 ? 1 << 30 : kMost);
    for (int more = Below(3); more > 0; --more) pod.host_ports.push_back(RandomPort());
    return pod;
  }

  model::HostPort RandomPort() {
    return {.ip = Below(2) == 0 ? "0.0.0.0" : "10.0.0.1", .port = 80 + Below(2)};
  }

  model::Condition RandomCondition() {
    const auto time = [this] { return model::Time(model::Duration(Below(4))); };  // 0 is kNoTime
    return {.type = Name('c'),
            .status = static_cast<model::ConditionStatus>(Below(3)),
            .last_transition = time(),
            .last_heartbeat = time()};
  }

  void ChangeNode() {
    model::Node node = MakeNode(Name('n'), Below(9));
    if (Below(2) == 0) node.labels.clear();
    if (Below(3) == 0) node.capacity.Set(kMnCore, 4);
    for (int more = Below(4); more > 0; --more) node.conditions.push_back(RandomCondition());
    truth_.nodes[node.name] = node;
    truth_.quarantined.erase(node.name);
    snapshot_->UpsertNode(node);
  }

  void QuarantineNode(const std::string& name) {
    truth_.nodes.try_emplace(name, model::Node{.name = name});
    truth_.quarantined.insert(name);
    snapshot_->QuarantineNode({.kind = "Node", .name = name, .error = "odd"});
  }

  // It holds what it held.
  void QuarantinePod() {
    const auto found = truth_.pods.find(Name('p'));
    if (found == truth_.pods.end()) return;
    const model::Pod& pod = found->second;
    snapshot_->QuarantinePod({.kind = "Pod",
                              .namespace_ = pod.namespace_,
                              .name = pod.name,
                              .uid = pod.uid,
                              .error = "odd"});
  }

  void EraseNode(const std::string& name) {
    truth_.nodes.erase(name);
    truth_.quarantined.erase(name);
  }

  void RemoveNode() {
    const std::string name = Name('n');
    EraseNode(name);
    snapshot_->DeleteNode(name);
  }

  void ChangePod() {
    const model::Pod pod = RandomPod();
    truth_.pods[pod.name] = pod;
    snapshot_->UpsertPod(pod);
  }

  void RemovePod() {
    const auto found = truth_.pods.find(Name('p'));
    if (found == truth_.pods.end()) return;
    snapshot_->DeletePod(found->second);
    truth_.pods.erase(found);
  }

  // Much has happened unseen; some lists break off half-way and start over.
  void Relist() {
    for (int unseen = Below(5); unseen > 0; --unseen) {
      const model::Pod pod = RandomPod();
      truth_.pods[pod.name] = pod;
      EraseNode(Name('n'));
      truth_.pods.erase(Name('p'));
    }
    if (Below(2) == 0) ListHalf();
    snapshot_->BeginReplace(Kind::kPods);
    for (const auto& [name, pod] : truth_.pods) snapshot_->UpsertPod(pod);
    snapshot_->EndReplace(Kind::kPods);
    snapshot_->BeginReplace(Kind::kNodes);
    for (const auto& [name, node] : truth_.nodes) {
      truth_.quarantined.contains(name) ? QuarantineNode(name) : snapshot_->UpsertNode(node);
    }
    snapshot_->EndReplace(Kind::kNodes);
  }

  void ListHalf() {
    snapshot_->BeginReplace(Kind::kPods);
    for (const auto& [name, pod] : truth_.pods) {
      if (Below(2) == 0) snapshot_->UpsertPod(pod);
    }
  }

  std::mt19937 random_;
  Snapshot* snapshot_;
  Truth truth_;
};

std::vector<model::HostPort> Sorted(std::vector<model::HostPort> ports) {
  std::ranges::sort(ports, {}, [](const model::HostPort& port) {
    return std::tie(port.protocol, port.ip, port.port);
  });
  return ports;
}

void ExpectEqual(const Snapshot& left, const Snapshot& right) {
  const Snapshot::Reader a = left.Read();
  const Snapshot::Reader b = right.Read();
  for (model::NodeIndex index = 0; index < b.EndIndex(); ++index) {
    const model::NodeState* expected = b.At(index);
    if (expected == nullptr) continue;
    const std::optional<model::NodeIndex> found = a.Find(expected->node.name);
    ASSERT_TRUE(found.has_value()) << expected->node.name;
    EXPECT_EQ(a.At(*found)->node, expected->node);
    EXPECT_EQ(a.At(*found)->used, expected->used) << expected->node.name;
    EXPECT_EQ(a.At(*found)->pods, expected->pods) << expected->node.name;
    EXPECT_EQ(Sorted(a.At(*found)->ports), Sorted(expected->ports)) << expected->node.name;
    EXPECT_EQ(a.At(*found)->accelerator, expected->accelerator);
    EXPECT_EQ(a.At(*found)->quarantined, expected->quarantined);
  }
}

// Whether the condition of the node is Unknown and was `bad` before, for at least that long.
bool WasBadFor(const model::NodeState& node, const model::Condition& condition,
               model::ConditionStatus bad, model::Duration long_bad) {
  if (condition.status != model::ConditionStatus::kUnknown) return false;
  return std::ranges::any_of(node.past, [&](const model::PastStatus& past) {
    const bool is_it = past.type == condition.type && past.status == bad;
    return is_it && past.lasts && model::LastedFor(past) >= long_bad;
  });
}

// What PoolStats says, by looking at every node.
model::ConditionShare Scan(const model::ClusterView& view,
                           model::AcceleratorCatalog::Index accelerator, const std::string& type,
                           model::ConditionStatus bad, model::Time stale_before,
                           model::Duration long_bad, std::size_t* nodes) {
  model::ConditionShare share;
  for (model::NodeIndex index = 0; index < view.EndIndex(); ++index) {
    const model::NodeState* node = view.At(index);
    if (node == nullptr || node->accelerator != accelerator) continue;
    ++*nodes;
    for (const model::Condition& condition : node->node.conditions) {
      if (condition.type != type) continue;
      const bool is_bad = condition.status == bad;
      const bool stale =
          condition.last_heartbeat != model::kNoTime && condition.last_heartbeat < stale_before;
      const bool unknown = stale || condition.status == model::ConditionStatus::kUnknown;
      share.bad += is_bad ? 1 : 0;
      share.unknown += !is_bad && unknown ? 1 : 0;
      share.was_bad += WasBadFor(*node, condition, bad, long_bad) ? 1 : 0;
      break;  // the first of a type counts
    }
  }
  return share;
}

void ExpectTruePools(const Snapshot& snapshot) {
  const Snapshot::Reader view = snapshot.Read();
  const model::AcceleratorCatalog::Index accelerators[] = {0, 1};
  for (const auto accelerator : accelerators) {
    for (int type = 0; type < 6; ++type) {
      for (const int stale_before : {-1, 0, 1, 2, 3, 4}) {
        const std::string name = "c" + std::to_string(type);
        const model::Time time{model::Duration(stale_before)};
        const model::Duration long_bad{stale_before + 1};
        for (const auto bad : {model::ConditionStatus::kTrue, model::ConditionStatus::kFalse}) {
          std::size_t nodes = 0;
          EXPECT_EQ(view.Pools().NodesWith(accelerator, name, bad, time, long_bad),
                    Scan(view, accelerator, name, bad, time, long_bad, &nodes));
          EXPECT_EQ(view.Pools().Nodes(accelerator), nodes);
        }
      }
    }
  }
}

// What the pods of that node take, by looking at every pod.
model::NodeState Sum(const Truth& truth, const std::string& node) {
  model::NodeState sum;
  for (const auto& [name, pod] : truth.pods) {
    if (pod.node_name != node || pod.terminated) continue;
    ++sum.pods;
    sum.ports.insert(sum.ports.end(), pod.host_ports.begin(), pod.host_ports.end());
    for (const auto& [resource, amount] : pod.requests) {
      if (amount > 0) sum.used.Add(resource, std::min(amount, PodLedger::kMaxAmount));
    }
  }
  return sum;
}

// What each pod of that node takes, in any order.
std::vector<model::Demand> Demands(const Truth& truth, const std::string& node) {
  std::vector<model::Demand> demands;
  for (const auto& [name, pod] : truth.pods) {
    if (pod.node_name != node || pod.terminated) continue;
    model::Demand demand{.pods = 1, .ports = pod.host_ports, .priority = pod.priority};
    for (const auto& [resource, amount] : pod.requests) {
      if (amount > 0) demand.resources.Set(resource, std::min(amount, PodLedger::kMaxAmount));
    }
    demands.push_back(std::move(demand));
  }
  return demands;
}

void ExpectTrueSums(const Snapshot& snapshot, const Truth& truth) {
  for (const auto& [name, node] : truth.nodes) {
    const model::NodeState state = StateOf(snapshot, name);
    const model::NodeState sum = Sum(truth, name);
    EXPECT_EQ(state.used, sum.used) << name;
    EXPECT_EQ(state.pods, sum.pods) << name;
    EXPECT_EQ(Sorted(state.ports), Sorted(sum.ports)) << name;
    std::vector<model::Demand> bound;
    for (const model::Demand* demand : state.bound) bound.push_back(*demand);
    EXPECT_TRUE(std::ranges::is_permutation(bound, Demands(truth, name))) << name;
  }
}

// By seed, without and with whole pods.
class SnapshotProperty : public ::testing::TestWithParam<std::tuple<unsigned, bool>> {};

TEST_P(SnapshotProperty, ManyChangesEqualAFreshBuild) {
  const auto [seed, whole_pods] = GetParam();
  Snapshot::Options options = whole_pods ? WholePods() : TestOptions();
  int step = 0;
  // Some steps take no time.
  options.now = [&step] { return model::Time(model::Duration(1 + step / 4)); };
  Snapshot snapshot(options);
  Stream stream(seed, &snapshot);
  for (; step < 200; ++step) {
    stream.Step();
    Snapshot fresh(options);
    for (const auto& [name, node] : stream.truth().nodes) fresh.UpsertNode(node);
    for (const auto& [name, pod] : stream.truth().pods) fresh.UpsertPod(pod);
    for (const std::string& name : stream.truth().quarantined) {
      fresh.QuarantineNode({.kind = "Node", .name = name, .error = "odd"});
    }
    ExpectEqual(snapshot, fresh);
    ExpectTruePools(snapshot);
    if (whole_pods) ExpectTrueSums(snapshot, stream.truth());
    ASSERT_EQ(NodeNames(snapshot).size(), stream.truth().nodes.size());
    ASSERT_EQ(snapshot.Read().Quarantined(Kind::kNodes).size(), stream.truth().quarantined.size());
    ASSERT_LE(snapshot.Read().EndIndex(), 12u) << "places are not reused";
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotProperty,
                         ::testing::Combine(::testing::Range(0u, 25u), ::testing::Bool()));

}  // namespace
}  // namespace berth::cluster
