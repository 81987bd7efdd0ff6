#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "kube/transport.h"
#include "tests/integration/fake_leases.h"

namespace berth::simulation {

/// The PodGroups (scheduling.k8s.io/v1beta1) of the model of an API server, as far as those read
/// them who hold gangs back, and kube-scheduler. The finalizer that keeps one while its pods run is
/// left out: who deletes a PodGroup takes it away first. Not thread-safe.
class PodGroups {
 public:
  using Reply = tests::FakeLeases::Reply;

  /// What kube-scheduler reads of one.
  struct PodGroup {
    std::string uid;
    std::int64_t min_count = 0;
  };

  /// Whether a request with that target is about PodGroups.
  static bool Serves(std::string_view target);
  /// Answers it. `who` is the client.
  Reply Answer(const std::string& who, kube::HttpMethod method, const std::string& target,
               const std::string& body);

  /// Null if there is none of that "<namespace>/<name>". Valid until the next request.
  const PodGroup* Find(const std::string& key) const;

  /// Told of each change of a minCount that is about to be carried out: who sent it, which PodGroup
  /// it is, and how many pods it wants then.
  std::function<void(const std::string& who, const std::string& key, std::int64_t min_count)>
      before_change = [](const std::string&, const std::string&, std::int64_t) {};

 private:
  struct Stored {
    std::string object;  // in JSON
    PodGroup read;
  };

  Reply List() const;
  Reply Create(const std::string& namespace_name, const std::string& body);
  Reply Patch(const std::string& who, const std::string& key, const std::string& body);
  Reply Delete(const std::string& key, const std::string& body);

  std::map<std::string, Stored> groups_;  // by "<namespace>/<name>"
  int uids_ = 0;
};

}  // namespace berth::simulation
