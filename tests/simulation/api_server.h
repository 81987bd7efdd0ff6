#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/integration/fake_leases.h"
#include "tests/simulation/object_store.h"
#include "tests/simulation/pod_groups.h"
#include "tests/simulation/timeline.h"

namespace berth::simulation {

/// A Kubernetes API server as far as its clients can tell: objects, one line of revisions for all
/// kinds, and what it has forgotten. How a client reaches it is ApiLink's business. Not
/// thread-safe.
class ApiServer {
 public:
  template <typename T>
  const ObjectStore<T>& Of() const {
    return std::get<ObjectStore<T>>(stores_);
  }

  template <typename T>
  void Put(T value, Oddity oddity = Oddity::kNone) {
    Mutable<T>().Put(std::move(value), ++revision_, oddity);
    Notify();
  }
  template <typename T>
  void Delete(const std::string& key) {
    Mutable<T>().Delete(key, ++revision_);
    Notify();
  }

  Revision revision() const { return revision_; }

  /// etcd forgets old revisions: lists that have begun at one, and watches from one, have expired.
  void Compact() { oldest_listed_ = oldest_watched_ = revision_; }

  /// Its connections end and none is taken until it is back. Its watch cache begins anew, so that
  /// it knows no changes of before.
  void GoAway() {
    up_ = false;
    ++lives_;
    Notify();
  }
  void ComeBack() {
    up_ = true;
    oldest_watched_ = revision_;
  }

  bool up() const { return up_; }
  /// Grows with every GoAway(): connections of earlier lives have ended.
  int lives() const { return lives_; }
  Revision oldest_listed() const { return oldest_listed_; }
  Revision oldest_watched() const { return oldest_watched_; }

  /// Leases, in JSON.
  tests::FakeLeases& leases() { return leases_; }

  PodGroups& pod_groups() { return pod_groups_; }
  const PodGroups& pod_groups() const { return pod_groups_; }

  /// Carries out a JSON merge patch of labels and annotations; an HTTP status. `who` is the client.
  int PatchNode(const std::string& who, const std::string& key, const std::string& patch);
  /// The same, of annotations, the nominated node and the scheduling gates. A patch that changes
  /// nothing makes no revision, as with kube-apiserver.
  int PatchPod(const std::string& who, const std::string& key, const std::string& patch);
  /// An Eviction: the pod is gone at once, or, of some, the eviction fails. An HTTP status.
  int EvictPod(const std::string& who, const std::string& key, const std::string& eviction);
  /// How many evictions of pods were tried.
  int evictions() const { return evictions_; }
  /// Whether the pod was evicted since this was last asked.
  bool TakeEvicted(const std::string& key) { return evicted_.erase(key) > 0; }
  /// The pods of a namespace, as a list in JSON of one page, as far as those who evict gangs read
  /// it.
  std::string PodsIn(const std::string& namespace_name) const;

  /// Told of each patch that was carried out: who sent it.
  std::function<void(const std::string& who)> on_patch = [](const std::string&) {};

  /// Told of each patch of a pod that is about to be carried out, and changes something.
  std::function<void(const std::string& who, const model::Pod& before, const model::Pod& after)>
      before_pod_patch = [](const std::string&, const model::Pod&, const model::Pod&) {};
  /// The same of nodes, whether it changes anything or not.
  std::function<void(const std::string& who, const model::Node& after)> before_node_patch =
      [](const std::string&, const model::Node&) {};

  /// Told after every change.
  void Subscribe(const std::function<void()>* listener) { listeners_.push_back(listener); }
  void Unsubscribe(const std::function<void()>* listener) { std::erase(listeners_, listener); }

  /// Whether watches may begin with a list (feature WatchList).
  bool watch_list = true;

 private:
  template <typename T>
  ObjectStore<T>& Mutable() {
    return std::get<ObjectStore<T>>(stores_);
  }
  void Notify() {
    for (const auto* listener : listeners_) (*listener)();
  }

  Revision revision_ = 1;
  Revision oldest_listed_ = 0;
  Revision oldest_watched_ = 0;
  bool up_ = true;
  int lives_ = 0;
  int evictions_ = 0;
  std::set<std::string> evicted_;
  std::tuple<ObjectStore<model::Node>, ObjectStore<model::Pod>, ObjectStore<model::Service>>
      stores_;
  tests::FakeLeases leases_;
  PodGroups pod_groups_;
  std::vector<const std::function<void()>*> listeners_;  // in an order that a seed repeats
};

}  // namespace berth::simulation
