#pragma once

#include <prometheus/gauge.h>

#include <functional>
#include <memory>
#include <string>

#include "config/config.h"
#include "server/file_watch.h"
#include "server/metrics.h"

namespace berth::process {

/// Follows the configuration file while a server runs. Applies a changed file if it is valid. Logs
/// the errors of an invalid file, once, and keeps the former configuration.
///   berth_config_generation              configurations applied, including the first
///   berth_config_hash                    hash of the text in use; equal on replicas that agree
///   berth_config_last_reload_successful  0: the file is invalid, an older text is in use
///   berth_config_restart_needed          1: the file has changes that need a restart
/// One thread makes and destroys it. See server/file_watch.h for how changes are noticed, also of a
/// mounted ConfigMap.
class ConfigFollower {
 public:
  struct Options {
    /// "-" means standard input, which is not followed.
    std::string file;
    /// The text from which `config` was read.
    std::string text;
    config::BerthConfiguration config;
    /// How often to look for changes; tests shorten it.
    server::FileWatchOptions watch = {};
  };

  /// Starts to follow the file. Calls `apply` on a thread of its own with each changed
  /// configuration, which has been validated, never twice at the same time. Changes that need a
  /// restart are passed on, too; `apply` ignores them. `metrics` must outlive the follower. The
  /// destructor waits for a running call.
  ConfigFollower(Options options, server::Metrics& metrics,
                 std::function<void(const config::BerthConfiguration&)> apply);
  ConfigFollower(const ConfigFollower&) = delete;
  ConfigFollower& operator=(const ConfigFollower&) = delete;

 private:
  // Reads the file. Runs on the watch's thread, like the two functions below.
  void Check();
  // Applies a changed, valid configuration.
  void Take(std::string text, const config::BerthConfiguration& config);

  // Reports a changed, invalid file.
  void Refuse(const std::string& error);

  const std::string file_;
  // What the process has been started with; see NeedsRestart.
  const config::BerthConfiguration started_with_;
  const std::function<void(const config::BerthConfiguration&)> apply_;
  std::string text_;
  std::string refused_;  // the errors that were logged last, so that they are not repeated
  prometheus::Gauge& generation_;
  prometheus::Gauge& hash_;
  prometheus::Gauge& successful_;
  prometheus::Gauge& restart_needed_;
  // The last member, because its thread uses everything above.
  std::unique_ptr<server::FileWatch> watch_;
};

/// Whether `now` differs from `then` in anything that takes effect only at a start: addresses,
/// certificate paths, limits, and the connection to the API server.
bool NeedsRestart(const config::BerthConfiguration& then, const config::BerthConfiguration& now);

}  // namespace berth::process
