#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace berth::tests {

/// Leases, or other objects in JSON, as an API server keeps them: each write has to name the
/// version that it changes. Thread-safe.
class FakeLeases {
 public:
  struct Reply {
    int code = 200;
    std::string body;  // of a refusal: its reason
  };

  Reply Get(const std::string& key) const;
  /// `key` is the namespace; the name is in `body`.
  Reply Create(const std::string& key, const std::string& body);
  Reply Update(const std::string& key, const std::string& body);
  /// By a JSON merge patch.
  Reply Patch(const std::string& key, const std::string& body);

  /// Writes whatever is there, as somebody with kubectl would.
  void Put(const std::string& key, const std::string& body);

  /// Writes as somebody else: `holder` has taken it by force.
  void Steal(const std::string& key, const std::string& holder);
  void Delete(const std::string& key);

  /// Who holds it: empty where nobody does, or where it does not exist.
  std::string HolderOf(const std::string& key) const;

 private:
  std::string Store(const std::string& key, const std::string& body);

  mutable std::mutex mutex_;
  std::map<std::string, std::string> leases_;
  std::uint64_t version_ = 0;
};

}  // namespace berth::tests
