#pragma once

#include <prometheus/gauge.h>

#include <functional>
#include <memory>
#include <string>

#include "config/config.h"
#include "server/file_watch.h"
#include "server/metrics.h"

namespace berth::process {

/// Follows the file of a configuration while a server runs. A changed one that is right is taken
/// over; of a broken one the errors are logged, and the former stays.
///   berth_config_generation              configurations taken over, the first included
///   berth_config_hash                    of the text in use; equal where replicas agree
///   berth_config_last_reload_successful  0: the file is broken, what is in use is older
///   berth_config_restart_needed          1: the file has changes that take effect at a start alone
/// Made and destroyed by one thread.
class ConfigFollower {
 public:
  struct Options {
    /// "-": standard input, which nobody can change.
    std::string file;
    /// What `config` was read from.
    std::string text;
    config::BerthConfiguration config;
    server::FileWatchOptions watch = {};
  };

  /// `metrics` must outlive this. `apply` is called on a thread of the follower's.
  ConfigFollower(Options options, server::Metrics& metrics,
                 std::function<void(const config::BerthConfiguration&)> apply);
  ConfigFollower(const ConfigFollower&) = delete;
  ConfigFollower& operator=(const ConfigFollower&) = delete;

 private:
  void Check();
  void Take(std::string text, const config::BerthConfiguration& config);
  void Refuse(const std::string& error);

  const std::string file_;
  const config::BerthConfiguration started_with_;
  const std::function<void(const config::BerthConfiguration&)> apply_;
  std::string text_;
  std::string refused_;
  prometheus::Gauge& generation_;
  prometheus::Gauge& hash_;
  prometheus::Gauge& successful_;
  prometheus::Gauge& restart_needed_;
  // Last: its thread uses everything above.
  std::unique_ptr<server::FileWatch> watch_;
};

/// Whether `now` differs from `then` in what only a start takes over: addresses, certificates,
/// limits, the way to the API server.
bool NeedsRestart(const config::BerthConfiguration& then, const config::BerthConfiguration& now);

}  // namespace berth::process
