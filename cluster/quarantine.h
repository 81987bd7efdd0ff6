#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "kube/unreadable_object.h"

namespace berth::cluster {

/// The objects of one kind that are there and cannot be read, with what is wrong with them. An
/// object leaves when it can be read again and when it is gone. Not thread-safe.
class Quarantine {
 public:
  /// Objects kept with their names; of more only that there are more is known. Nothing that is
  /// decided depends on it.
  static constexpr std::size_t kMaxNames = 1000;
  /// Bytes kept of what is wrong with one.
  static constexpr std::size_t kMaxError = 512;

  void Put(const kube::UnreadableObject& object);

  /// It can be read again, or it is gone. `full_name` as of kube::FullNameOf.
  void Remove(std::string_view full_name);

  /// Begins a list of all objects, as NodeTable::BeginReplace does it.
  void BeginReplace();
  void EndReplace();

  /// Whether nothing is in quarantine.
  bool empty() const { return records_.empty() && nameless_.now == 0 && left_out_.now == 0; }

  /// Objects in quarantine. Those beyond kMaxNames, and those without a name, are counted once in
  /// each list.
  std::size_t size() const { return records_.size() + nameless_.now + left_out_.now; }

  /// Objects of which not even the name can be read; in none of the others.
  std::size_t nameless() const { return nameless_.now; }

  /// Calls visit(full_name, error) for those that are kept with their names, ascending.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, record] : records_) visit(name, record.error);
  }

 private:
  struct Record {
    std::string error;
    std::uint32_t epoch = 0;
  };

  // What cannot be told apart is known by lists alone.
  struct Count {
    std::size_t now = 0;
    std::size_t in_list = 0;
  };

  std::map<std::string, Record, std::less<>> records_;
  Count nameless_;
  Count left_out_;
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
