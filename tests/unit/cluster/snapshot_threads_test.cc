// Worth most under ThreadSanitizer.
#include <atomic>
#include <thread>

#include "gtest/gtest.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::cluster {
namespace {

constexpr int kNodes = 20;
constexpr int kRounds = 200;

std::string NodeName(int number) { return "node-" + std::to_string(number); }

void ListNodes(Snapshot& snapshot) {
  snapshot.BeginReplace(Kind::kNodes);
  for (int number = 0; number < kNodes; ++number) snapshot.UpsertNode(MakeNode(NodeName(number)));
  snapshot.EndReplace(Kind::kNodes);
  snapshot.MarkHeard(Kind::kNodes, Snapshot::Clock::now());
}

// One pod that jumps from node to node: at any moment exactly one node, or none, has 8 in use.
void MovePods(Snapshot& snapshot) {
  for (int round = 0; round < kRounds; ++round) {
    model::Pod pod = MakePod("p", NodeName(round % kNodes), 8);
    snapshot.UpsertPod(pod);
    if (round % 3 == 0) snapshot.DeletePod(pod);
  }
}

std::int64_t TotalUsed(const Snapshot::Reader& reader) {
  std::int64_t total = 0;
  for (model::NodeIndex index = 0; index < reader.EndIndex(); ++index) {
    const model::NodeState* state = reader.At(index);
    if (state != nullptr) total += state->used.Get(kGpu);
  }
  return total;
}

// Two that overlap all the time must not keep the writers out.
void ReadUntil(const std::atomic<bool>& done, const Snapshot& snapshot) {
  while (!done) {
    const Snapshot::Reader reader = snapshot.Read();
    const std::uint64_t generation = reader.Generation();
    const std::int64_t total = TotalUsed(reader);
    ASSERT_TRUE(total == 0 || total == 8) << total;
    for (int number = 0; number < kNodes; ++number) {
      ASSERT_TRUE(reader.Find(NodeName(number)).has_value());
    }
    ASSERT_EQ(reader.Generation(), generation);
  }
}

TEST(SnapshotThreads, ReadersSeeWholeStatesWhileTwoWritersWrite) {
  Snapshot snapshot(TestOptions());
  ListNodes(snapshot);
  std::atomic<bool> done = false;
  std::thread readers[] = {std::thread(ReadUntil, std::cref(done), std::cref(snapshot)),
                           std::thread(ReadUntil, std::cref(done), std::cref(snapshot))};
  std::thread pods(MovePods, std::ref(snapshot));
  for (int round = 0; round < kRounds; ++round) ListNodes(snapshot);
  pods.join();
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(NodeNames(snapshot).size(), static_cast<std::size_t>(kNodes));
}

}  // namespace
}  // namespace berth::cluster
