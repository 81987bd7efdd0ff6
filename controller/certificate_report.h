#pragma once

#include <prometheus/counter.h>

#include <map>
#include <memory>
#include <string>

#include "controller/certificate_observer.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::controller {

/// Logs and counts the state of certificates:
///
///   berth_controller_certificate_seconds_left{secret}  until each certificate expires, while this
///                                                      controller leads
///   berth_controller_certificate_errors_total          things that could not be read or made
///
/// Each kind of message gets one log line in 10 s at most. Thread-safe.
class CertificateReport final : public CertificateObserver {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit CertificateReport(server::Metrics& metrics);
  ~CertificateReport() override;

  /// Becomes the values of the first series; the seconds are counted at each scrape.
  void OnEnds(const std::map<std::string, model::Time>& ends) override;

  /// Logs a warning with the Secret and the reason.
  void OnUnreadable(const std::string& secret, const absl::Status& why) override;

  /// Counts, and logs an error with a hint about what to do.
  void OnCertificateError(const absl::Status& error) override;

 private:
  // The first series. Which Secrets there are depends on the configuration, which may change.
  class Ends;

  const std::shared_ptr<Ends> ends_;  // the registry of metrics has it, too
  prometheus::Counter* errors_;
  // Each kind of message has its own limit.
  server::RateLimiter error_lines_;
  server::RateLimiter unreadable_lines_;
};

}  // namespace berth::controller
