#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "controller/lease_store.h"
#include "extender/controller_lease.h"
#include "kube/api_config.h"
#include "kube/http_client.h"
#include "kube/timer.h"

namespace berth::process {

/// Reads the Lease of `berth controller` every few seconds, on a thread of its own, so that the
/// extender knows without a request whether a controller leads. Logs when the Lease can be read no
/// more, and when it can again. Its owner calls Start() once and Stop().
class LeaseReader {
 public:
  /// From one read to the next. A Lease is good for 15 s by default.
  static constexpr std::chrono::milliseconds kInterval{5000};

  /// Connects to nothing yet. The Lease has this name in that namespace.
  LeaseReader(kube::ApiConfig api, std::string namespace_name, std::string name);
  /// Calls Stop().
  ~LeaseReader();
  LeaseReader(const LeaseReader&) = delete;
  LeaseReader& operator=(const LeaseReader&) = delete;

  /// Starts the thread and returns at once.
  void Start();

  /// Ends the thread and waits for it, which takes moments. May be called repeatedly, and without
  /// Start().
  void Stop();

  /// What was read. It outlives this object if somebody holds it, and then nobody leads soon.
  const std::shared_ptr<extender::ControllerLease>& lease() const { return lease_; }

 private:
  // Runs on the thread until Stop().
  void Run();
  void Read();
  // Logs the error, if the Lease could be read before; OK: it can be read.
  void Report(const absl::Status& status);

  const std::string full_name_;
  const std::shared_ptr<extender::ControllerLease> lease_;
  kube::HttpClient client_;
  kube::SteadyTimer timer_;
  controller::ApiLeaseStore store_;
  bool readable_ = true;
  std::thread thread_;
};

}  // namespace berth::process
