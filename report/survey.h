#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "report/object.h"
#include "report/report.h"

namespace berth::report {

/// Collects what is seen of a cluster, in any order, in as little memory as will do: some 200 bytes
/// an object. Not thread-safe.
class Survey {
 public:
  /// An index into a list of texts that are stored once each.
  using TextId = std::uint32_t;
  static constexpr TextId kNoText = 0xffffffff;

  /// Texts that many objects share.
  class Texts {
   public:
    TextId IdOf(std::string_view text);
    const std::string& operator[](TextId id) const { return *texts_[id]; }
    std::size_t size() const { return texts_.size(); }

   private:
    std::unordered_map<std::string, TextId> ids_;
    // Keys of `ids_`, which stay where they are.
    std::vector<const std::string*> texts_;
  };

  /// What is kept of an opinion.
  struct Verdict {
    Effect effect = Effect::kUnchanged;
    /// Bits of the policies with findings, in the order in which they were seen.
    std::uint32_t policies = 0;
    /// Whether isolation would keep it off nodes with accelerators.
    bool kept_off = false;
  };

  /// What is kept of a pod, a Job or an object with templates.
  struct Record {
    TextId kind = kNoText;
    TextId namespace_name = kNoText;
    TextId node = kNoText;
    TextId shape = kNoText;
    bool ended = false;
    bool is_pod = false;
    bool is_job = false;
    /// Whether `where_allowed` counts in a namespace that allows nodes with accelerators.
    bool has_alternative = false;
    /// Whether it is a pod that has not ended.
    bool has_use = false;
    Verdict verdict;
    Verdict where_allowed;
    Compute now;
    Compute then;
    /// Hash of the UID of its owner or, without one, of its own.
    std::uint64_t workload = 0;
    std::string name;
  };

  /// That a finding is about an object.
  struct Sighting {
    std::uint32_t finding = 0;
    std::uint32_t record = 0;
    /// Whether it is about the object in a namespace that allows nodes with accelerators. If the
    /// record has an alternative, one of the two counts.
    bool where_allowed = false;
  };

  /// What different objects hear of a policy alike.
  struct Finding {
    std::string_view policy;
    Effect effect = Effect::kWarned;
    std::string first_text;
  };

  struct NamespaceLabels {
    std::string mode;
    bool accelerator_nodes_allowed = false;
  };

  struct Other {
    std::size_t count = 0;
    std::string why;
  };

  /// The most different findings, unreadable objects and other kinds of which texts are kept. Real
  /// clusters have far fewer.
  static constexpr std::size_t kMostFindings = 5000;
  static constexpr std::size_t kMostUnreadable = 20;
  static constexpr std::size_t kMostKinds = 500;

  explicit Survey(std::shared_ptr<const model::AcceleratorCatalog> catalog);

  /// Takes an object. One that was taken already, by its UID, does not count again.
  void Take(Seen seen);

  // What was seen:

  const cluster::Snapshot& snapshot() const { return snapshot_; }
  const std::vector<Record>& records() const { return records_; }
  const std::vector<Sighting>& sightings() const { return sightings_; }
  const std::vector<Finding>& findings() const { return findings_; }
  /// The policies that have something to say.
  std::vector<std::string_view> PoliciesIn(const Verdict& verdict) const;
  const Texts& kinds() const { return kinds_; }
  const Texts& namespaces() const { return namespace_names_; }
  const Texts& nodes() const { return node_names_; }
  /// Pods of each shape, by Record::shape.
  const std::vector<model::Pod>& shapes() const { return shape_pods_; }
  const std::map<std::string, NamespaceLabels>& labels() const { return labels_; }
  const std::map<std::string, Other>& others() const { return others_; }
  const UnreadableReport& unreadable() const { return unreadable_; }
  std::size_t node_count() const { return node_count_; }
  /// The workload of the owner's owner, if it was seen.
  std::uint64_t TopOf(std::uint64_t workload) const;

 private:
  void Add(model::Node node);
  void Add(const SeenNamespace& seen);
  void Add(JudgedObject object);
  void Add(const kube::UnreadableObject& object);
  void Add(const OtherObject& object);
  Verdict VerdictOf(const Opinion& opinion);
  void Sight(const Opinion& opinion, bool where_allowed);
  std::uint32_t FindingFor(const report::Finding& finding);
  std::uint32_t PolicyBit(std::string_view policy);

  cluster::Snapshot snapshot_;
  std::size_t node_count_ = 0;
  // Hashes of the UIDs of all records.
  std::unordered_set<std::uint64_t> uids_;
  std::vector<Record> records_;
  std::vector<Sighting> sightings_;
  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::uint32_t> finding_ids_;
  std::vector<std::string_view> policies_;
  Texts kinds_;
  Texts namespace_names_;
  Texts node_names_;
  Texts shapes_;
  std::vector<model::Pod> shape_pods_;
  std::map<std::string, NamespaceLabels> labels_;
  std::map<std::string, Other> others_;
  UnreadableReport unreadable_;
  // The owner of what may own pods, by hashes of their UIDs.
  std::unordered_map<std::uint64_t, std::uint64_t> owners_;
};

}  // namespace berth::report
