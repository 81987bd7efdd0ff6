// What reading a cluster may take of memory, whatever its objects have in them: a few times one of
// them, however many stand on a page.

#include "tests/unit/peak_memory.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kube/list_watch.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using berth::tests::kConstant;
using berth::tests::kFactor;
using berth::tests::kMega;
using berth::tests::PeakOf;

// As etcd stores at most, unless it is told otherwise.
constexpr std::size_t kObject = 3 * kMega / 2;
// So many at once would be more than may be taken, be they held in a single copy and once decoded.
constexpr std::size_t kPage = 40;

/// Tag and length of a field that has bytes.
std::string FieldHead(int number, std::size_t length) {
  std::string head(1, static_cast<char>(number << 3 | 2));
  for (; length >= 0x80; length >>= 7) head += static_cast<char>(length % 0x80 | 0x80);
  return head += static_cast<char>(length);
}

/// Answers a list with one page of the same object again and again, in pieces as a connection gives
/// them; the page is never there as a whole. It answers nothing else.
class PageOfOne final : public Transport {
 public:
  PageOfOne(std::string kind, std::string object)
      : kind_(std::move(kind)), item_(FieldHead(2, object.size()) + object) {}

  absl::Status Send(const HttpRequest&, HttpSink& sink) override {
    if (std::exchange(answered_, true)) return absl::CancelledError("stopped");
    absl::Status status = sink.OnHead({.status = 200, .content_type = kProtobufType});
    if (status.ok()) status = Give(Front(), sink);
    for (std::size_t i = 0; i < kPage && status.ok(); ++i) status = Give(item_, sink);
    return status;
  }
  void Stop() override {}

 private:
  std::string Front() const {
    pb::TypeMeta type;
    type.set_kind(kind_);
    pb::ListMeta meta;
    meta.set_resource_version("7");
    const std::string list = FieldHead(1, meta.ByteSizeLong()) + meta.SerializeAsString();
    return std::string(kBodyPrefix) + FieldHead(1, type.ByteSizeLong()) + type.SerializeAsString() +
           FieldHead(2, list.size() + kPage * item_.size()) + list;
  }

  static absl::Status Give(std::string_view bytes, HttpSink& sink) {
    constexpr std::size_t kPiece = 64 * 1024;
    absl::Status status;
    for (; !bytes.empty() && status.ok(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
      status = sink.OnBody(bytes.substr(0, kPiece));
    }
    return status;
  }

  const std::string kind_;
  const std::string item_;
  bool answered_ = false;
};

/// Keeps nothing but a count.
template <typename T>
class Counter final : public ListWatchHandler<T>, public ListWatchObserver {
 public:
  void OnReplaceBegin() override {}
  void OnReplaceEnd(const std::string&) override {}
  void OnUpsert(T) override { ++told; }
  void OnUnreadable(const UnreadableObject&) override { ++told; }  // of both interfaces
  void OnDelete(T) override {}
  void OnHeard(const std::string&) override {}
  void OnListed(std::size_t) override {}
  void OnWatchEnd(WatchEnd) override {}
  void OnError(const absl::Status&) override {}
  void OnBackoff(std::chrono::milliseconds) override {}

  std::size_t told = 0;
};

class NoWaiter final : public Timer {
 public:
  Clock::time_point Now() const override { return {}; }
  bool Wait(std::chrono::milliseconds) override { return false; }
  void Stop() override {}
};

template <typename T>
void List(Transport& transport) {
  Counter<T> counter;
  NoWaiter timer;
  ListWatch<T> list_watch({.path = "/", .watch_list = false}, &transport, &timer, &counter,
                          &counter);
  list_watch.Run();
  if (counter.told < kPage) std::abort();  // in a process whose expectations nobody hears of
}

/// An object, of as many elements as it may have.
struct Multiplied {
  std::string name;
  std::string (*make)();
  bool is_node = false;
};

template <typename Object, typename Add>
std::string Filled(Object object, Add add) {
  const std::size_t empty = object.ByteSizeLong();
  add(object);
  const std::size_t element = object.ByteSizeLong() - empty;
  for (std::size_t i = (kObject - empty) / element; i > 1; --i) add(object);
  return object.SerializeAsString();
}

// Of what the API server takes: elements without anything it mostly refuses.
std::vector<Multiplied> AllMultiplied() {
  return {
      {"Pods",
       [] {
         pb::Pod pod = MakePod();
         pod.mutable_metadata()->mutable_annotations()->insert({"a", std::string(kObject, 'x')});
         return pod.SerializeAsString();
       }},
      {"Containers",
       [] {
         return Filled(MakePod(), [](pb::Pod& pod) {
           pb::Container* container = pod.mutable_spec()->add_containers();
           (*container->mutable_resources()->mutable_requests())["cpu"].set_string("1");
         });
       }},
      {"Tolerations",
       [] {
         return Filled(MakePod(), [](pb::Pod& pod) {
           pod.mutable_spec()->add_tolerations()->set_operator_("Exists");
         });
       }},
      {"Terms",
       [] {
         return Filled(MakePod(), [](pb::Pod& pod) {
           pb::PodAffinityTerm* term =
               pod.mutable_spec()
                   ->mutable_affinity()
                   ->mutable_pod_affinity()
                   ->add_required_during_scheduling_ignored_during_execution();
           (*term->mutable_label_selector()->mutable_match_labels())["a"] = "b";
         });
       }},
      {"Conditions",
       [] {
         return Filled(MakeNode(), [](pb::Node& node) {
           node.mutable_status()->add_conditions()->set_type("x");
         });
       },
       true},
      {"Taints",
       [] {
         return Filled(MakeNode(), [](pb::Node& node) {
           node.mutable_spec()->add_taints()->set_effect("PreferNoSchedule");
         });
       },
       true},
  };
}

class PeakMemory : public ::testing::TestWithParam<Multiplied> {};

TEST_P(PeakMemory, OfAPageIsAFewTimesAnObject) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const Multiplied& multiplied = GetParam();
  PageOfOne transport(multiplied.is_node ? "NodeList" : "PodList", multiplied.make());
  const std::size_t peak = PeakOf(
      [&] { multiplied.is_node ? List<model::Node>(transport) : List<model::Pod>(transport); });
  EXPECT_LE(peak, kFactor * kObject + kConstant) << peak / kMega << " MiB";
}

INSTANTIATE_TEST_SUITE_P(All, PeakMemory, ::testing::ValuesIn(AllMultiplied()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace berth::kube
