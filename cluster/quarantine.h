#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "kube/unreadable_object.h"

namespace berth::cluster {

/// The objects of one kind that exist but cannot be read, with what is wrong with each. An object
/// leaves when it can be read again or is deleted. It serves reports and metrics; no decision
/// depends on it, except on whether it is empty(). Owned by Snapshot. Not thread-safe: the
/// snapshot's lock guards it.
class Quarantine {
 public:
  /// Objects that are stored with their names.
  static constexpr std::size_t kMaxNames = 1000;
  /// Further objects, of whose names only hashes are stored, at up to 40 bytes each. Beyond these,
  /// objects are only counted.
  static constexpr std::size_t kMaxHashes = 100'000;
  /// Bytes of the error that are stored for each object.
  static constexpr std::size_t kMaxError = 512;

  /// Adds the object, or replaces its error. An object without a name is only counted.
  void Put(const kube::UnreadableObject& object);

  /// Removes the object, which can be read again or was deleted. `full_name` is as from
  /// kube::FullNameOf. No effect if neither its name nor its hash is stored.
  void Remove(std::string_view full_name);

  /// Begins a list of all objects; see NodeTable::BeginReplace.
  void BeginReplace();
  /// Ends the list: removes every object that was not put since BeginReplace(), and takes the
  /// counts of the others from the list.
  void EndReplace();

  /// Whether nothing is in quarantine.
  bool empty() const { return size() == 0; }

  /// The number of objects in quarantine. Objects beyond kMaxHashes, and those without a name, are
  /// counted each time they are put, and anew in each list.
  std::size_t size() const {
    return records_.size() + hashes_.size() + nameless_.now + left_out_.now;
  }

  /// The number of objects whose name cannot be read, as of the last list.
  std::size_t nameless() const { return nameless_.now; }

  /// Calls visit(full_name, error) with const std::string& for each object that is stored with its
  /// name, ascending by name.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, record] : records_) visit(name, record.error);
  }

 private:
  /// What is stored for one name.
  struct Record {
    std::string error;
    /// The value of epoch_ when the object was last put.
    std::uint32_t epoch = 0;
  };

  /// Objects that cannot be told apart. Only a list can say how many there are.
  struct Count {
    /// The count of the last complete list, or of the present one if that is greater.
    std::size_t now = 0;
    /// The count in the present list.
    std::size_t in_list = 0;

    void Add() { now = std::max(now, ++in_list); }
  };

  /// Adds an object for whose name there is no room.
  void PutHash(std::uint64_t hash);

  /// By full name, at most kMaxNames.
  std::map<std::string, Record, std::less<>> records_;
  /// Objects with a name, beyond kMaxNames: by the hash of the full name, at most kMaxHashes, the
  /// value of epoch_ when the object was last put. None of them is in records_.
  absl::flat_hash_map<std::uint64_t, std::uint32_t> hashes_;
  /// Objects without a name.
  Count nameless_;
  /// Objects with a name, beyond kMaxHashes.
  Count left_out_;
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
