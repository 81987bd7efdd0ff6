#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace berth::tests {

/// One change of one kind, as a watch tells it.
struct FakeEvent {
  std::uint64_t version = 0;
  std::string type;    // ADDED, MODIFIED, DELETED
  std::string object;  // bare message
};

/// The objects of one kind with their history: what etcd and the watch cache are to an API server.
/// The versions of all kinds come from one counter, which the caller keeps. Thread-safe.
class FakeStore {
 public:
  /// The object is there from `version` on; `selected`: whether it is in the watched selection.
  void Put(const std::string& key, const std::string& object, bool selected, std::uint64_t version);

  /// Nothing where it is not there.
  std::optional<std::string> Find(const std::string& key) const;

  /// No effect where it is not there.
  void Delete(const std::string& key, const std::string& object, std::uint64_t version);

  struct Page {
    std::vector<std::string> objects;
    /// Of the moment of the call.
    std::uint64_t version = 0;
    /// Where the next page begins; empty on the last one.
    std::string next_key;
  };

  /// At most `limit` objects from `first_key` on, as of now.
  Page List(const std::string& first_key, std::size_t limit) const;

  /// The events after `version`, which may be none. Nothing: they are forgotten, as after
  /// Compact().
  std::optional<std::vector<FakeEvent>> EventsAfter(std::uint64_t version) const;

  /// Forgets all events.
  void Compact();

  /// Whether what was listed or watched at `version` can still be gone on with.
  bool Remembers(std::uint64_t version) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  std::vector<FakeEvent> events_;
  std::uint64_t version_ = 1;
  std::uint64_t compacted_ = 0;
};

}  // namespace berth::tests
