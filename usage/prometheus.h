#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/transport.h"
#include "model/node.h"
#include "usage/config.h"

namespace berth::usage {

/// One series of the answer to an instant query. A plain value.
struct Sample {
  /// Sorted; see model::Find.
  model::StringMap labels;
  /// Never NaN.
  double value = 0;

  /// The value of a label; empty if the series does not have it.
  std::string_view Label(std::string_view name) const;
};

/// Asks Prometheus, or what speaks its HTTP API
/// (https://prometheus.io/docs/prometheus/latest/querying/api/). Not thread-safe except for Stop().
///
///   auto prometheus = Prometheus::Make(config.prometheus);
///   if (!prometheus.ok()) return prometheus.status();
///   const auto samples = (*prometheus)->Query("up");
class Prometheus {
 public:
  /// An answer of 60,000 devices has some 15 MB.
  static constexpr std::size_t kMaxReply = std::size_t{128} << 20;

  /// Connects to nothing yet. `config` must be valid and have a URL.
  static absl::StatusOr<std::unique_ptr<Prometheus>> Make(const PrometheusConfig& config);

  /// For tests: asks through `transport`.
  Prometheus(std::unique_ptr<kube::Transport> transport, const PrometheusConfig& config);

  /// Evaluates a query now, whose result has to be an instant vector. Blocks until the answer has
  /// arrived. Samples that are NaN are left out. Returns
  /// - InvalidArgument if Prometheus cannot evaluate the query, with its words;
  /// - PermissionDenied if it refuses the credentials;
  /// - Cancelled after Stop();
  /// - Unavailable if it cannot be reached, is too slow or answers what cannot be read.
  absl::StatusOr<std::vector<Sample>> Query(const std::string& expression);

  /// PrometheusConfig::matchers.
  const std::string& matchers() const { return matchers_; }

  /// Makes Query() return at once, now and for ever. From any thread.
  void Stop() { transport_->Stop(); }

 private:
  const std::unique_ptr<kube::Transport> transport_;
  const std::string url_;
  const std::string matchers_;
  const model::Duration timeout_;
};

/// Reads the body of an answer whose status is 200.
absl::StatusOr<std::vector<Sample>> SamplesFromJson(std::string_view body);

}  // namespace berth::usage
