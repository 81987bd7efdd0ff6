#pragma once

#include <prometheus/counter.h>

#include <map>
#include <memory>
#include <string>

#include "controller/certificate_observer.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::controller {

/// Logs and counts what becomes of certificates:
///   berth_controller_certificate_seconds_left{secret}  of each Secret, while this controller leads
///   berth_controller_certificate_errors_total          rounds in which something could not be read
/// Thread-safe.
class CertificateReport final : public CertificateObserver {
 public:
  /// `metrics` must outlive this.
  explicit CertificateReport(server::Metrics& metrics);
  ~CertificateReport() override;

  void OnEnds(const std::map<std::string, model::Time>& ends) override;
  void OnUnreadable(const std::string& secret, const absl::Status& why) override;
  void OnCertificateError(const absl::Status& error) override;

 private:
  class Ends;

  const std::shared_ptr<Ends> ends_;
  prometheus::Counter* errors_;
  server::RateLimiter error_lines_;
  server::RateLimiter unreadable_lines_;
};

}  // namespace berth::controller
