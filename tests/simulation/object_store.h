#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"
#include "tests/simulation/oddity.h"

namespace berth::simulation {

inline std::string KeyOf(const model::Node& node) { return node.name; }
inline std::string KeyOf(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }
inline std::string KeyOf(const model::Service& service) {
  return service.namespace_ + '/' + service.name;
}

/// An object as it is stored.
template <typename T>
struct Stored {
  T value;
  /// Of its last change.
  Revision revision = 0;
  Oddity oddity = Oddity::kNone;
  /// On the wire.
  std::size_t bytes = 0;

  bool unreadable() const { return IsUnreadable(oddity); }
  bool nameless() const { return oddity == Oddity::kNameless; }
};

template <typename T>
using StoredPointer = std::shared_ptr<const Stored<T>>;

/// Null pointers: it was not there, or is not any more.
template <typename T>
struct Change {
  Revision revision = 0;
  std::string key;
  StoredPointer<T> before;
  StoredPointer<T> after;
};

template <typename T>
using Contents = std::map<std::string, StoredPointer<T>>;

template <typename T>
void Apply(const Change<T>& change, Contents<T>& contents) {
  if (change.after == nullptr) {
    contents.erase(change.key);
  } else {
    contents[change.key] = change.after;
  }
}

/// The objects of one kind with all that ever happened to them. Not thread-safe.
template <typename T>
class ObjectStore {
 public:
  const Contents<T>& now() const { return now_; }
  /// Ascending by revision.
  const std::vector<Change<T>>& changes() const { return changes_; }
  /// Of all objects on the wire.
  std::size_t bytes() const { return bytes_; }

  /// Null where it is not there.
  StoredPointer<T> Find(const std::string& key) const {
    const auto found = now_.find(key);
    return found == now_.end() ? nullptr : found->second;
  }

  void Put(T value, Revision revision, Oddity oddity) {
    const std::string key = KeyOf(value);
    const std::size_t bytes = Encode(value, revision, oddity).size();
    Add({revision, key, Find(key),
         std::make_shared<const Stored<T>>(Stored<T>{std::move(value), revision, oddity, bytes})});
  }

  /// No effect where it is not there.
  void Delete(const std::string& key, Revision revision) {
    if (Find(key) != nullptr) Add({revision, key, Find(key), nullptr});
  }

 private:
  void Add(Change<T> change) {
    Apply(change, now_);
    if (change.before != nullptr) bytes_ -= change.before->bytes;
    if (change.after != nullptr) bytes_ += change.after->bytes;
    changes_.push_back(std::move(change));
  }

  Contents<T> now_;
  std::vector<Change<T>> changes_;
  std::size_t bytes_ = 0;
};

/// What a store had at a revision that moves on. The store must outlive it.
template <typename T>
class Past {
 public:
  explicit Past(const ObjectStore<T>* store) : store_(store) {}

  Revision revision() const { return revision_; }
  const Contents<T>& contents() const { return contents_; }

  StoredPointer<T> Find(const std::string& key) const {
    const auto found = contents_.find(key);
    return found == contents_.end() ? nullptr : found->second;
  }

  /// Not back.
  void MoveTo(Revision revision) {
    revision_ = revision;
    const auto& changes = store_->changes();
    while (next_ < changes.size() && changes[next_].revision <= revision) {
      Apply(changes[next_++], contents_);
    }
  }

  /// Calls `visit` with every change of `key` up to there.
  template <typename Visit>
  void ForEachUpTo(const std::string& key, Visit visit) const {
    const auto& changes = store_->changes();
    for (std::size_t i = 0; i < next_; ++i) {
      if (changes[i].key == key) visit(changes[i]);
    }
  }

  /// Calls `visit` with every later change of `key`.
  template <typename Visit>
  void ForEachLater(const std::string& key, Visit visit) const {
    const auto& changes = store_->changes();
    for (std::size_t i = next_; i < changes.size(); ++i) {
      if (changes[i].key == key) visit(changes[i]);
    }
  }

 private:
  const ObjectStore<T>* store_;
  Revision revision_ = 0;
  Contents<T> contents_;
  std::size_t next_ = 0;
};

}  // namespace berth::simulation
